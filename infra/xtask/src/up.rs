//! `cargo xtask up`: builds what is missing and starts the local product, saying what takes time.

use anyhow::{Context, Result, bail};
use std::{path::Path, process::Command, time::Instant};

/// Builds and starts; `options` go to the product.
pub(crate) fn run(options: &[String]) -> Result<()> {
    console()?;
    step(
        "building the product (the first time takes some minutes)",
        Command::new("cargo").args(["build", "--quiet", "-p", "gateway", "-p", "tests"]),
    )?;
    let target = crate::environment("CARGO_TARGET_DIR").unwrap_or_else(|| "target".to_owned());
    let binary = Path::new(&target).join("debug/gateway");
    let status = Command::new(&binary).args(options).status();
    let status = status.with_context(|| format!("cannot start {}", binary.display()))?;
    if !status.success() {
        bail!("the product ended with {status}");
    }
    Ok(())
}

/// Builds the console where it is not built, or is older than its sources.
fn console() -> Result<()> {
    let built = Path::new("web/dist/index.html");
    let newest = newest(Path::new("web/src"))?.max(newest(Path::new("web/index.html"))?);
    let fresh = built.metadata().and_then(|file| file.modified()).is_ok_and(|at| Some(at) >= newest);
    if fresh {
        return Ok(());
    }
    if Command::new("npm").arg("--version").output().is_err() {
        println!("The console needs Node.js 20 and npm, which are not here: starting without it.");
        return Ok(());
    }
    if !Path::new("web/node_modules").exists() {
        step(
            "installing the console's packages",
            Command::new("npm").args(["--prefix", "web", "ci", "--no-fund", "--no-audit", "--silent"]),
        )?;
    }
    step("building the console", Command::new("npm").args(["--prefix", "web", "run", "--silent", "build"]))
}

fn newest(path: &Path) -> Result<Option<std::time::SystemTime>> {
    let data = path.metadata()?;
    if !data.is_dir() {
        return Ok(data.modified().ok());
    }
    let mut latest = None;
    for entry in path.read_dir()? {
        latest = latest.max(newest(&entry?.path())?);
    }
    Ok(latest)
}

fn step(what: &str, command: &mut Command) -> Result<()> {
    println!("… {what}");
    let began = Instant::now();
    let status = command.stdout(std::process::Stdio::null()).status();
    let status = status.with_context(|| format!("{what}: {command:?}"))?;
    if !status.success() {
        bail!("{what} failed: {command:?}");
    }
    println!("  done in {} s", began.elapsed().as_secs());
    Ok(())
}
