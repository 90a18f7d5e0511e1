//! Which wait it is, and when it is done.

use super::world::{PLAN_ARN, World, at, group, wait, workers};
use cloud::sagemaker::Group;
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn, status::NodeStatus};
use engine::plan::End;
use serde_json::{Value, json};

const P5: &str = "ml.p5.48xlarge";
const CAPACITY: &str = "We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances.";
const SCRIPT: &str = "Lifecycle scripts did not run successfully. To view lifecycle script logs, visit log group 'g'";

fn four() -> World {
    World::running(workers(P5, 4, &json!({})), vec![group(4)])
}

fn outcome(world: &World) -> Value {
    let plan = world.plan();
    assert!(plan.steps.is_empty(), "{:#?}", plan.steps);
    match plan.end {
        End::Done(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

fn failure(world: &World) -> Failure {
    match world.plan().end {
        End::Failed(failure) => failure,
        other => panic!("{other:?} {:#?}", world.plan().steps),
    }
}

#[test]
fn in_service_without_nodes_is_not_done() {
    let wait = wait(&four().plan());
    assert_eq!(wait.on, WaitingOn::Nodes);
    assert!(wait.reason.contains("0 of 4 nodes run, 4 launch"), "{}", wait.reason);
}

#[test]
fn done_is_every_node_running_and_taking_pods_with_figures_for_each_group() {
    let mut world = four();
    (1..=4).for_each(|number| world.node(number, NodeStatus::Running));
    let outcome = outcome(&world);
    assert_eq!(outcome["nodes"], "4 of 4");
    assert_eq!(outcome["groups"]["workers"]["ready"], 4);
    assert_eq!(outcome["groups"]["workers"]["capacityType"], "on-demand");
    assert_eq!(outcome["origin"], "owned");
}

#[test]
fn zero_of_zero_is_said_as_such_and_warned_of() {
    let outcome = outcome(&World::running(workers(P5, 0, &json!({})), vec![group(0)]));
    assert_eq!(outcome["nodes"], "0 of 0");
    assert!(outcome["note"].as_str().unwrap().contains("no node was asked for"));
    assert!(outcome["warnings"].to_string().contains("systemGroup"), "{outcome}");
}

#[test]
fn a_running_node_that_kubernetes_does_not_take_pods_on_is_named_with_why() {
    let mut world = four();
    (1..=4).for_each(|number| world.node(number, NodeStatus::Running));
    let name = "hyperpod-i-00000000000000002";
    world.cluster().joined.get_mut(name).unwrap().taints = vec!["sagemaker.amazonaws.com/x=y:NoSchedule".to_owned()];
    let tainted = wait(&world.plan());
    assert_eq!(tainted.on, WaitingOn::Nodes);
    assert!(tainted.reason.contains("3 of 4 nodes take pods") && tainted.reason.contains(name), "{}", tainted.reason);
    world.cluster().joined.remove(name);
    assert!(wait(&world.plan()).reason.contains("not in Kubernetes yet"));
}

#[test]
fn a_plan_that_has_not_begun_is_waited_for_with_its_date() {
    let more = json!({ "capacityType": "training-plan", "trainingPlanArn": PLAN_ARN });
    let planned = Group { training_plan: Some(PLAN_ARN.to_owned()), current: 0, ..group(4) };
    let mut world = World::running(workers(P5, 4, &more), vec![planned]);
    world.plan_starts("Scheduled", at(36 * 60), 4);
    let scheduled = wait(&world.plan());
    assert_eq!((scheduled.on, scheduled.until), (WaitingOn::PlanStart, Some(at(36 * 60))));
    assert!(scheduled.reason.contains("2026-12-02T20:00:00Z"), "{}", scheduled.reason);
    world.now = at(36 * 60 + 1);
    world.plan_starts("Active", at(36 * 60), 4);
    assert_eq!(wait(&world.plan()).on, WaitingOn::Nodes);
    world.seen.plans.get_mut(PLAN_ARN).unwrap().status = "Expired".to_owned();
    assert_eq!(failure(&world).code, ErrorCode::CapacityUnavailable);
}

#[test]
fn lack_of_capacity_is_partial_with_the_events_text_and_never_fails_by_repetition() {
    let mut world = four();
    world.now = at(50);
    world.node(1, NodeStatus::Running);
    world.began = at(0);
    world.fail_launches(CAPACITY, &[49, 45, 40, 35, 30, 25]);
    let partial = wait(&world.plan());
    assert_eq!(partial.on, WaitingOn::Capacity);
    assert!(partial.reason.contains("1 of 4 nodes run") && partial.reason.contains(CAPACITY), "{}", partial.reason);
    assert_eq!(partial.failure.unwrap().code, ErrorCode::CapacityUnavailable);
    (2..=4).for_each(|number| world.node(number, NodeStatus::Pending));
    assert_eq!(wait(&world.plan()).on, WaitingOn::Nodes, "capacity came back: the rest launches");
}

#[test]
fn br_040_failing_launches_tell_the_log_line_and_a_missing_script_first() {
    let mut world = four();
    world.now = at(10);
    world.fail_launches(SCRIPT, &[9]);
    let empty = wait(&world.plan());
    assert_eq!(empty.on, WaitingOn::Nodes);
    assert!(empty.reason.contains("died before the script"), "{}", empty.reason);
    let trouble = world.cluster().troubles.get_mut("workers").unwrap();
    trouble.log_line = Some("mount: no such device".to_owned());
    assert!(wait(&world.plan()).reason.contains("last line of the lifecycle log: mount: no such device"));
    let trouble = world.cluster().troubles.get_mut("workers").unwrap();
    trouble.missing_script = Some("s3://b/p/on_create.sh".to_owned());
    trouble.log_place = Some("log group /aws/sagemaker/Clusters/demo/a, stream LifecycleConfig/workers/i-1".to_owned());
    let reason = wait(&world.plan()).reason;
    assert!(reason.contains("stream LifecycleConfig/workers/i-1; on i-0123456789abcdef0"), "{reason}");
    let (missing, raw) = (reason.find("script object missing: s3://b/p/on_create.sh"), reason.find(SCRIPT));
    assert!(missing.unwrap() < raw.unwrap(), "{reason}");
}

#[test]
fn script_failures_end_the_stage_after_three_rounds_that_this_run_has_watched() {
    let mut world = four();
    world.now = at(50);
    world.began = at(50);
    world.fail_launches(SCRIPT, &[49, 35, 20]);
    assert_eq!(wait(&world.plan()).on, WaitingOn::Nodes, "before this run began, nothing counts");
    world.began = at(30);
    assert_eq!(wait(&world.plan()).on, WaitingOn::Nodes, "two rounds");
    world.began = at(5);
    let trouble = world.cluster().troubles.get_mut("workers").unwrap();
    trouble.log_line = Some("exited with code 1".to_owned());
    let failed = failure(&world);
    assert!(failed.message.contains("3 times") && failed.message.contains("exited with code 1"), "{failed}");
    assert!(failed.action.contains("stop spending"), "{failed}");
    assert_eq!(failed.code, ErrorCode::Internal);
    let line = "An error occurred (403) when calling the HeadObject operation: Forbidden";
    world.cluster().troubles.get_mut("workers").unwrap().log_line = Some(line.to_owned());
    assert_eq!(failure(&world).code, ErrorCode::PermissionDenied);
    let trouble = world.cluster().troubles.get_mut("workers").unwrap();
    trouble.log_line = None;
    trouble.failures.iter_mut().for_each(|event| event.instance_id = Some("i-0403403403403403".to_owned()));
    assert_eq!(failure(&world).code, ErrorCode::Internal, "a number in an instance's id is no refusal");
}

#[test]
fn a_role_that_may_not_use_the_subnet_ends_as_permission_denied() {
    let mut world = four();
    world.now = at(50);
    world.began = at(5);
    world.fail_launches("Failed to create customer ENI: the role x is not authorized to perform: y", &[45, 30, 15]);
    assert_eq!(failure(&world).code, ErrorCode::PermissionDenied);
}

#[test]
fn an_old_failure_says_nothing_about_now() {
    let mut world = four();
    world.now = at(200);
    world.fail_launches(CAPACITY, &[10]);
    assert!(wait(&world.plan()).reason.contains("4 launch"));
}

#[test]
fn deep_checks_are_a_wait_of_their_own() {
    let mut world = four();
    (1..=3).for_each(|number| world.node(number, NodeStatus::DeepHealthCheckInProgress));
    world.node(4, NodeStatus::Running);
    let checked = wait(&world.plan());
    assert_eq!(checked.on, WaitingOn::DeepChecks);
    assert!(checked.reason.contains("3 of 4 nodes (about two hours"), "{}", checked.reason);
}

#[test]
fn the_gravest_group_names_the_wait_and_every_group_is_told() {
    let mut decision = workers(P5, 4, &json!({}));
    decision["instanceGroups"]["late"] = json!({
        "zoneId": "usw2-az2", "instanceType": P5, "instanceCount": 2,
        "capacityType": "training-plan", "trainingPlanArn": PLAN_ARN,
    });
    let late = Group { name: "late".to_owned(), training_plan: Some(PLAN_ARN.to_owned()), ..group(2) };
    let mut world = World::running(decision, vec![group(4), late]);
    world.plan_starts("Scheduled", at(600), 2);
    let both = wait(&world.plan());
    assert_eq!((both.on, both.until), (WaitingOn::Nodes, None));
    assert!(both.reason.contains("workers:") && both.reason.contains("late: training plan"), "{}", both.reason);
}

#[test]
fn an_imported_cluster_without_a_decision_is_held_to_its_own_counts() {
    let mut world = World::running(workers(P5, 4, &json!({})), vec![group(1)]);
    world.record.decisions.hyperpod = None;
    world.seen.foundation = None;
    world.cluster().ours = false;
    assert_eq!(wait(&world.plan()).on, WaitingOn::Nodes);
    world.node(1, NodeStatus::Running);
    let outcome = outcome(&world);
    assert_eq!((&outcome["origin"], &outcome["nodes"]), (&json!("borrowed"), &json!("1 of 1")));
}
