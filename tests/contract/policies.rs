//! Every function has a policy of its own, and every operation functions that carry it out.

use crate::{names, place, set};
use contract::{ALL, Kind};
use std::collections::BTreeSet;

/// Roles that are no function's: what executions run as. The two that functions assume inside of clusters have no policy.
const NO_FUNCTION: [&str; 1] = ["states"];

/// Which functions carry out an operation, once it is accepted.
const CARRIED_OUT_BY: [(&str, &[&str]); 5] = [
    ("create_cluster", &STAGES),
    ("create_hyperpod", &["hyperpod", "storage", "verification"]),
    ("import_cluster", &STAGES),
    ("run_stage", &STAGES),
    ("stop_spending", &["stop-spending"]),
];

const STAGES: [&str; 6] = ["control-plane", "selection", "dependencies", "hyperpod", "storage", "verification"];

/// Folders under `functions` that hold one function each.
fn functions() -> BTreeSet<String> {
    let alone = ["api", "settle", "sweep"].into_iter().filter(|name| place("functions").join(name).is_dir());
    let mut all = set(alone);
    all.extend(names("functions/stages"));
    all.extend(names("functions/operations"));
    all
}

#[test]
fn each_function_has_its_policy_and_each_policy_its_function() {
    let policies: BTreeSet<_> = names("infra/policies")
        .iter()
        .map(|file| file.strip_suffix(".json").unwrap_or_else(|| panic!("{file} is no policy")).to_owned())
        .filter(|name| !NO_FUNCTION.contains(&name.as_str()))
        .collect();
    assert_eq!(policies, functions());
}

#[test]
fn each_operation_is_carried_out_by_functions_that_are_there() {
    let operations = set(ALL.iter().filter(|one| one.kind == Kind::Operation).map(|one| one.name));
    assert_eq!(operations, set(CARRIED_OUT_BY.map(|(name, _)| name)));
    let functions = functions();
    for (operation, carriers) in CARRIED_OUT_BY {
        for carrier in carriers {
            assert!(functions.contains(*carrier), "{operation} needs {carrier}");
        }
    }
}
