//! The figures of `cargo xtask bench`: measured here, printed as one JSON object, compared with nothing. What they should be
//! is written beside them, for whoever reads them.
//!
//! Called as `figures --gateway PATH`, where PATH is the built local product.

mod creation;
mod serving;
mod ticking;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A look at many services at once is a deep future.
const STACK_BYTES: usize = 64 << 20;

fn main() -> Result<()> {
    let worker =
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(measure).context("a thread to measure in")?;
    let figures = worker.join().map_err(|_| anyhow::anyhow!("the measuring thread ended early"))??;
    println!("{}", serde_json::to_string_pretty(&figures)?);
    Ok(())
}

fn measure() -> Result<Value> {
    let gateway = gateway()?;
    let creation = told("creations in process, under a paused clock", || paused()?.block_on(creation::whole()))?;
    let reaction = told("the hyperpod stage by itself, ten seeds", || paused()?.block_on(creation::reaction()))?;
    let ticks = told("ticks of a reconciler that does nothing", || running()?.block_on(ticking::overhead()))?;
    let serving = told("the local product as a process", || running()?.block_on(serving::figures(&gateway)))?;
    Ok(json!({ "creation": creation, "readyToSucceeded": reaction, "tick": ticks, "serving": serving }))
}

/// Measures one part and says so: each takes some seconds.
fn told(what: &str, part: impl FnOnce() -> Result<Value>) -> Result<Value> {
    eprintln!("… {what}");
    let measured = part().with_context(|| what.to_owned())?;
    eprintln!("{measured}");
    Ok(measured)
}

/// A runtime whose clock jumps to the next timer whenever nothing else is to be done.
fn paused() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?)
}

fn running() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

fn gateway() -> Result<PathBuf> {
    let mut arguments = std::env::args().skip(1).skip_while(|argument| argument != "--gateway");
    let path = arguments.nth(1).context("--gateway PATH names the built local product")?;
    Ok(PathBuf::from(path))
}

/// A figure with what it should be.
pub(crate) fn figure(value: impl Into<Value>, unit: &str, wanted: &str) -> Value {
    json!({ "value": value.into(), "unit": unit, "wanted": wanted })
}

/// The value below which the share of the sorted `values` lies.
pub(crate) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    // A place in a list of some thousand values: exact in a double, and never below zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "see above"
    )]
    let place = (last as f64 * share).round() as usize;
    values.get(place).copied().unwrap_or_default()
}

/// Rounded to hundredths, as one reads it.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
