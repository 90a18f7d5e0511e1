//! `cargo xtask`: the project's own commands. One file per sub-command; nothing here is part of the product.

mod kubernetes;
mod models;
mod surface;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask generate [surface | models | kubernetes]";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate", "models"] => models::generate(),
        ["generate", "kubernetes"] => kubernetes::generate(),
        ["generate"] | ["generate", "surface"] => surface::generate(),
        _ => bail!("{USAGE}"),
    }
}
