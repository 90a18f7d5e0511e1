//! Every operation and query is shown by a test that carries it out.

use crate::{place, set};
use contract::ALL;
use std::{fs, path::Path};

/// By which test each is shown: the file under `tests`, and the test's name in it.
const SHOWN_BY: &[(&str, &str, &str)] = &[
    ("list_clusters", "front-door", "br_166_a_limit_is_the_number_of_items_and_pages_join"),
    ("get_cluster", "front-door", "what_the_first_stage_makes_is_what_was_planned"),
    ("plan_cluster", "front-door", "a_creation_tells_cost_places_time_and_what_stays"),
    ("create_cluster", "journeys", "a_cluster_with_a_gpu_node_is_verified"),
    ("create_hyperpod", "front-door", "capacity_is_decided_once_and_the_same_decision_again_is_no_contradiction"),
    ("import_cluster", "front-door", "an_import_enters_at_selection_unless_something_is_to_be_mended"),
    ("list_stages", "front-door", "stages_and_regions_are_told"),
    ("get_stage", "front-door", "stages_and_regions_are_told"),
    ("run_stage", "front-door", "one_stage_runs_alone_and_a_second_change_meanwhile_is_told_who_is_at_it"),
    ("stop_spending", "front-door", "stop_spending_runs_beside_the_stages"),
    ("list_nodes", "front-door", "a_node_that_joined_shows_both_sides"),
    ("list_subnets", "front-door", "subnets_tell_where_they_lead_whose_they_are_and_what_for"),
    ("list_operations", "front-door", "the_operations_of_one_cluster_are_its_own"),
    ("get_operation", "front-door", "an_operation_that_is_not_there_is_not_found_whatever_is_asked_of_it"),
    ("wait_for_operation", "front-door", "a_wait_ends_when_the_operation_does"),
    ("get_journal", "front-door", "a_journal_pages_in_its_order"),
    ("retry_operation", "front-door", "a_cancelled_operation_is_tried_again_under_the_same_id"),
    ("cancel_operation", "front-door", "a_cancelled_operation_is_tried_again_under_the_same_id"),
    ("list_regions", "front-door", "stages_and_regions_are_told"),
    ("list_zones", "front-door", "zones_have_id_and_name_and_those_that_eks_does_not_take_are_marked"),
    ("list_instance_types", "front-door", "an_instance_type_has_its_zones_quota_use_and_price"),
    ("list_training_plans", "front-door", "a_training_plan_tells_its_zone_its_dates_and_what_is_free"),
    (
        "list_importable_clusters",
        "front-door",
        "br_056_clusters_that_are_not_managed_are_listed_once_each_with_what_they_lack",
    ),
    ("get_health", "front-door", "health_tells_which_part_does_not_work"),
];

#[test]
fn each_of_the_list_is_shown_by_a_test_that_is_there() {
    assert_eq!(set(SHOWN_BY.iter().map(|(name, ..)| *name)), set(ALL.iter().map(|one| one.name)));
    for (name, folder, test) in SHOWN_BY {
        let defined = format!("fn {test}(");
        assert!(has(&place("tests").join(folder), &defined), "{name} is to be shown by {folder}: {test}");
    }
}

fn has(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            has(&path, text)
        } else {
            fs::read_to_string(path).is_ok_and(|source| source.contains(text))
        }
    })
}
