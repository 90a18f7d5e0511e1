//! `cargo xtask test [SUITE]`: every suite of the project, with one plain summary at the end.
//!
//! A suite is a command whose output is shown as it comes and counted: lines of cargo's test harness, or a plain
//! `N passed, N failed, N skipped` of ours. What a suite needs beyond cargo it installs into the cache folder itself; where
//! that cannot be had it prints `skipped: …`, which is a failure when `CI` is `true`.

use anyhow::{Context, Result, bail};
use std::{
    io::{BufRead, BufReader},
    ops::AddAssign,
    process::{Command, Stdio},
    time::Instant,
};

/// Every suite: its name, what it holds, and its command.
const SUITES: &[(&str, &str, &[&str])] = &[
    ("unit", "every crate's own tests", &["cargo", "test", "--workspace", "--lib", "--bins", "--no-fail-fast"]),
    (
        "kubernetes",
        "our Kubernetes client against the account's API server",
        &["cargo", "test", "--workspace", "--test", "api_server"],
    ),
    (
        "contract",
        "each operation and query on every surface, in the policies, in a test",
        &["cargo", "test", "--workspace", "--test", "contract"],
    ),
    ("front-door", "REST and MCP over the engine", &["cargo", "test", "--workspace", "--test", "front-door"]),
    ("journeys", "whole operations, paused clock", &["cargo", "test", "--workspace", "--test", "journeys"]),
    (
        "chaos",
        "every stage under kills, lost answers, doubled ticks, throttling and aborts",
        &["cargo", "test", "--workspace", "--test", "chaos"],
    ),
    ("console", "the console's types, tests and build", &["tests/console/run"]),
    ("wire", "the account's answers held to botocore's models, boto3 and the aws CLI", &["tests/peers/wire/run"]),
    ("rest", "REST held by schemathesis; bad input changes nothing", &["tests/peers/rest/run"]),
    ("mcp", "an agent's journey, conformance and Inspector in both protocol eras", &["tests/peers/mcp/run"]),
    ("browser", "the console in a browser: journeys, accessibility, content policy", &["tests/browser/run"]),
];

/// What a suite counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Runs every suite, or the one that is named.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let is_chosen = |name: &str| only.is_none_or(|only| only == name);
    let chosen: Vec<_> = SUITES.iter().filter(|(name, ..)| is_chosen(name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = SUITES.iter().map(|(name, ..)| *name).collect();
        bail!("there is no suite {:?}; there are {}", only.unwrap_or_default(), names.join(", "));
    }
    let mut total = Counts::default();
    for (name, what, command) in chosen {
        println!("\n== {name}: {what}");
        let began = Instant::now();
        let counts = suite(name, command)?;
        println!(
            "== {name}: {} passed, {} failed, {} skipped in {} s",
            counts.passed,
            counts.failed,
            counts.skipped,
            began.elapsed().as_secs()
        );
        total += counts;
    }
    println!("\n{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    let skips_fail = crate::environment("CI").is_some_and(|ci| ci == "true") && total.skipped > 0;
    if total.failed > 0 || skips_fail || total.passed == 0 {
        bail!("not everything passed");
    }
    Ok(())
}

fn suite(name: &str, command: &[&str]) -> Result<Counts> {
    let (program, arguments) = command.split_first().context("an empty command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{name} needs {program}"))?;
    let output = child.stdout.take().context("the suite's output")?;
    let mut counts = Counts::default();
    for line in BufReader::new(output).lines() {
        let line = line?;
        counts += count(&line);
        println!("{line}");
    }
    if !child.wait()?.success() && counts.failed == 0 {
        counts.failed += 1;
        println!("{name} ended with an error");
    }
    Ok(counts)
}

/// What one line counts: cargo's `test result: ok. 3 passed; 0 failed; 1 ignored; …`, vitest's `Tests  1 failed | 3 passed
/// (4)`, our own `3 passed, 0 failed, 1 skipped`, or `skipped: why`.
fn count(line: &str) -> Counts {
    let line = line.trim();
    if line.starts_with("skipped:") {
        return Counts { skipped: 1, ..Counts::default() };
    }
    if let Some(results) = line.strip_prefix("Tests ") {
        return vitest(results);
    }
    let numbers = match line.strip_prefix("test result: ") {
        Some(result) => result.split_once(". ").map_or("", |(_, numbers)| numbers),
        None => line,
    };
    let mut parts = numbers.split([';', ',']).map(str::trim);
    let mut number = |words: &[&str]| {
        let (count, word) = parts.next()?.split_once(' ')?;
        words.contains(&word).then(|| count.parse::<u64>().ok())?
    };
    match (number(&["passed"]), number(&["failed"]), number(&["ignored", "skipped"])) {
        (Some(passed), Some(failed), skipped) => Counts { passed, failed, skipped: skipped.unwrap_or(0) },
        _ => Counts::default(),
    }
}

fn vitest(results: &str) -> Counts {
    let mut counts = Counts::default();
    for part in results.split('|') {
        let mut words = part.split_whitespace();
        let count = words.next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
        match words.next() {
            Some("passed") => counts.passed += count,
            Some("failed") => counts.failed += count,
            Some("skipped" | "todo") => counts.skipped += count,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::{Counts, count};

    #[test]
    fn a_line_counts_what_it_says() {
        let cargo = "test result: ok. 3 passed; 1 failed; 2 ignored; 0 measured; 5 filtered out; finished in 0.00s";
        assert_eq!(count(cargo), Counts { passed: 3, failed: 1, skipped: 2 });
        assert_eq!(count("4 passed, 0 failed"), Counts { passed: 4, ..Counts::default() });
        assert_eq!(count("4 passed, 0 failed, 1 skipped"), Counts { passed: 4, failed: 0, skipped: 1 });
        assert_eq!(count("skipped: no chromium"), Counts { skipped: 1, ..Counts::default() });
        assert_eq!(count("      Tests  1 failed | 41 passed (42)"), Counts { passed: 41, failed: 1, skipped: 0 });
        assert_eq!(count("test a ... ok"), Counts::default());
    }
}
