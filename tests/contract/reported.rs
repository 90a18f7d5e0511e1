//! Field reports: the record of them names tests that are there, and leaves out none.

use crate::{place, text};
use std::{collections::BTreeSet, fs, path::Path};

/// Reports of the areas that concern what is here: clusters, dependencies, HyperPod, the control plane itself, MCP.
const REPORTS: [u16; 62] = [
    1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44,
    46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 136, 137, 139, 140, 142, 143, 145, 146, 148, 149, 151, 152, 154, 155, 157,
    158, 160, 161, 163, 164, 166, 167,
];

/// A row of the record.
struct Row {
    report: u16,
    /// In backticks, in its last column.
    tests: Vec<String>,
    reason: String,
}

fn rows() -> Vec<Row> {
    let record = text("tests/field-reports.md");
    let table = record.lines().filter_map(|line| line.strip_prefix("| BR-"));
    table
        .map(|line| {
            let cells: Vec<&str> = line.trim_end_matches('|').split('|').map(str::trim).collect();
            let [report, _, tests, reason] = cells[..] else { panic!("four columns: {line}") };
            let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            Row { report: report.parse().unwrap(), tests, reason: reason.to_owned() }
        })
        .collect()
}

#[test]
fn every_report_has_its_row_with_a_test_of_its_number_or_the_reason_why_none() {
    let rows = rows();
    assert_eq!(rows.iter().map(|row| row.report).collect::<Vec<_>>(), REPORTS);
    for Row { report, tests, reason } in &rows {
        let own = format!("br_{report:03}");
        let shown = tests.iter().any(|test| test.contains(&own));
        assert!(shown || (tests.is_empty() && !reason.is_empty()), "BR-{report:03}: {tests:?} {reason:?}");
    }
}

#[test]
fn what_the_record_names_is_there_and_what_is_there_is_named() {
    let named: BTreeSet<String> = rows().into_iter().flat_map(|row| row.tests).collect();
    let mut there = BTreeSet::new();
    for root in ["functions", "infra", "tests"] {
        tests_in(&place(root), &mut there);
    }
    let missing: Vec<_> = named.difference(&there).collect();
    assert!(missing.is_empty(), "named and not there: {missing:#?}");
    let of_a_row = |test: &&String| {
        test.split("br_")
            .skip(1)
            .any(|rest| rest.get(..3).and_then(|id| id.parse().ok()).is_some_and(|id| REPORTS.contains(&id)))
    };
    let unnamed: Vec<_> = there.difference(&named).filter(of_a_row).collect();
    assert!(unnamed.is_empty(), "there and not named: {unnamed:#?}");
}

/// Names of all functions under `folder`.
fn tests_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") {
            tests_in(&path, names);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            for line in fs::read_to_string(&path).unwrap().lines() {
                let defined = line.trim_start().trim_start_matches("async ").strip_prefix("fn ");
                names.extend(defined.and_then(|rest| rest.split_once('(')).map(|(name, _)| name.to_owned()));
            }
        }
    }
}
