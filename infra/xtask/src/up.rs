//! `cargo xtask up`: builds what is missing and starts the local product, saying what takes time.

use anyhow::{Context, Result, bail};
use options::Options;
use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How often a step that says nothing itself is said to go on.
const STILL: Duration = Duration::from_secs(10);

/// Builds and starts; `options` go to the product.
pub(crate) fn run(options: &[String]) -> Result<()> {
    // What is wrong with them is said before a build of a quarter of an hour.
    Options::read(options.iter().cloned()).map_err(anyhow::Error::msg)?;
    console()?;
    // Cargo says itself what it is at.
    println!("… building the product (the first time takes a quarter of an hour on two cores)");
    let built = Command::new("cargo").args(["build", "-p", "gateway", "-p", "tests"]).status().context("cargo")?;
    if !built.success() {
        bail!("building the product failed");
    }
    println!("… starting");
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
    let mut child = command.stdout(Stdio::null()).spawn().with_context(|| format!("{what}: {command:?}"))?;
    let mut said = began;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if said.elapsed() >= STILL {
            said = Instant::now();
            println!("  still {what}, {} s", began.elapsed().as_secs());
        }
        thread::sleep(Duration::from_millis(100));
    };
    if !status.success() {
        bail!("{what} failed: {command:?}");
    }
    println!("  done in {} s", began.elapsed().as_secs());
    Ok(())
}
