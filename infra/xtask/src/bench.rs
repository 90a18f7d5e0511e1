//! `cargo xtask bench`: the product's figures as JSON, from an optimized build.

use anyhow::{Context, Result, bail};
use std::{path::Path, process::Command};

/// Builds what is measured, and measures. Progress goes to standard error, the figures to standard output.
pub(crate) fn run() -> Result<()> {
    eprintln!("… building the product with optimization (the first time takes a quarter of an hour)");
    cargo(&["build", "--quiet", "--profile", "bench", "-p", "gateway", "-p", "tests"])?;
    let target = crate::environment("CARGO_TARGET_DIR").unwrap_or_else(|| "target".to_owned());
    let gateway = Path::new(&target).canonicalize().context("the folder of builds")?.join("release/gateway");
    let gateway = gateway.to_str().context("the folder of builds has a name that is no text")?;
    cargo(&["bench", "--quiet", "--workspace", "--bench", "figures", "--", "--gateway", gateway])
}

fn cargo(arguments: &[&str]) -> Result<()> {
    let status = Command::new("cargo").args(arguments).status().context("cargo")?;
    if !status.success() {
        bail!("cargo {} ended with {status}", arguments.join(" "));
    }
    Ok(())
}
