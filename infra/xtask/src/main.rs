//! `cargo xtask`: the project's own commands. One file per sub-command; nothing here is part of the product.

mod bench;
mod kubernetes;
mod models;
mod suites;
mod surface;
mod up;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
usage:
  cargo xtask up [--speed N] [--fresh] [--empty] …     build what is missing and start the local product
  cargo xtask test [SUITE]                             run every suite, or one
  cargo xtask bench                                    measure the product's figures, as JSON
  cargo xtask generate [surface | models | kubernetes] write committed files from their sources (default: surface)";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // A sentence; whoever called this in a wrong way has no use for a backtrace.
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["up", ..] => up::run(&arguments[1..]),
        ["test"] => suites::run(None),
        ["test", suite] => suites::run(Some(suite)),
        ["bench"] => bench::run(),
        ["generate", "models"] => models::generate(),
        ["generate", "kubernetes"] => kubernetes::generate(),
        ["generate"] | ["generate", "surface"] => surface::generate(),
        _ => bail!("{USAGE}"),
    }
}

/// A variable of the environment; xtask and functions/lib/runtime alone read it.
#[expect(clippy::disallowed_methods, reason = "xtask is a tool of developers")]
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
