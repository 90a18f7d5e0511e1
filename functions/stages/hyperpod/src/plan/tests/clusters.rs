//! The way to the cluster: what is made, in which order, and what is refused before anything is.

use super::world::{BUCKET, PLAN_ARN, World, at, group, keys, workers};
use crate::{change::Change, plan::Steps, role};
use cloud::{
    s3::Bucket,
    sagemaker::{Capacity, Group, NewGroup},
};
use domain::{
    codes::ErrorCode,
    failure::Failure,
    status::{EksClusterStatus, HyperPodClusterStatus, NodeStatus},
};
use engine::{
    ledger::Sent,
    plan::{End, Plan, Step},
};
use serde_json::json;
use std::collections::BTreeMap;

const P5: &str = "ml.p5.48xlarge";

fn refused(plan: &Plan<Change>) -> Failure {
    assert!(plan.steps.is_empty(), "a refusal begins nothing: {:#?}", plan.steps);
    match &plan.end {
        End::Failed(failure) => failure.clone(),
        other => panic!("not refused: {other:?}"),
    }
}

/// The groups that the plan's last change sends.
fn sent(steps: &Steps) -> Vec<NewGroup> {
    let sent = steps.iter().rev().find_map(|step| match step {
        Step::Change(Change::CreateCluster { cluster, .. }) => cluster.as_ref().map(|cluster| cluster.groups.clone()),
        Step::Change(Change::AddGroups { sent, .. }) => sent.clone(),
        _ => None,
    });
    sent.expect("groups with every id known")
}

#[test]
fn without_a_decision_somebody_must_decide() {
    assert!(matches!(World::empty(None).plan().end, End::Undecided(_)));
    let nothing = World::empty(Some(json!({ "instanceGroups": {} })));
    assert!(matches!(nothing.plan().end, End::Undecided(_)));
}

#[test]
fn from_nothing_comes_role_bucket_scripts_subnet_policy_cluster_in_this_order() {
    let plan = World::empty(Some(workers(P5, 4, &json!({})))).plan();
    let prefix = crate::Scripts::ours().prefix();
    let expected = [
        "create-execution-role",
        "attach-execution-policy",
        "create-bucket",
        &format!("put-script/{prefix}/container_storage.sh"),
        &format!("put-script/{prefix}/on_create.sh"),
        "create-compute-subnet/usw2-az2/10.1.0.0/20",
        "create-compute-route-table/usw2-az2",
        "route-compute-to-nat/usw2-az2",
        "route-compute-to-s3/usw2-az2",
        "associate-compute-routes/usw2-az2/10.1.0.0/20",
        "put-execution-policy",
        "create-cluster",
        "wait nodes",
    ];
    assert_eq!(keys(&plan), expected);
}

#[test]
fn the_policy_names_the_subnet_before_the_cluster_is_made_in_it() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    let plan = world.plan();
    assert_eq!(keys(&plan), ["put-execution-policy", "create-cluster", "wait nodes"]);
    let Step::Change(Change::PutRolePolicy { document, .. }) = plan.steps[0].clone() else { panic!("{plan:?}") };
    assert!(document.as_ref().unwrap().to_string().contains("subnet/subnet-compute"));
    world.foundation().role.as_mut().unwrap().policy = document;
    assert_eq!(keys(&world.plan()), ["create-cluster", "wait nodes"]);
}

#[test]
fn the_cluster_gets_all_groups_with_scripts_role_and_capacity() {
    let mut decision = workers(P5, 4, &json!({ "capacityType": "spot", "volumeSizeGib": 500 }));
    decision["systemGroup"] = json!({ "zoneId": "usw2-az2", "instanceType": "ml.m5.2xlarge", "instanceCount": 1 });
    let world = World::founded(decision);
    let groups = sent(&world.plan().steps);
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["system", "workers"]);
    let (system, spot) = (&groups[0], &groups[1]);
    assert_eq!((&system.capacity, &spot.capacity), (&Capacity::OnDemand, &Capacity::Spot));
    assert_eq!((spot.instance_count, spot.volume_size_gib), (4, Some(500)));
    assert_eq!(spot.execution_role, role::arn(&world.record));
    assert_eq!(spot.lifecycle.source, format!("s3://{BUCKET}/{}", crate::Scripts::ours().prefix()));
    assert_eq!(spot.network, None, "the cluster's only subnet needs no saying");
}

#[test]
fn a_group_in_another_zone_says_its_own_subnet() {
    let mut decision = workers(P5, 4, &json!({}));
    decision["systemGroup"] = json!({ "zoneId": "usw2-az1", "instanceType": "ml.m5.2xlarge", "instanceCount": 1 });
    let mut world = World::founded(decision);
    assert!(keys(&world.plan()).contains(&"create-compute-subnet/usw2-az1/10.1.0.0/20".to_owned()));
    let ground = world.site().ground.as_mut().unwrap();
    let mut other = ground.subnets[0].clone();
    (other.id, other.zone_id) = ("subnet-other".to_owned(), "usw2-az1".to_owned());
    other.tags.insert(domain::naming::TAG_CHANGE.to_owned(), "create-compute-subnet/usw2-az1/x".to_owned());
    ground.subnets.push(other);
    let groups = sent(&world.plan().steps);
    let own: Vec<&str> = groups.iter().map(|group| group.network.as_ref().unwrap().subnet_ids[0].as_str()).collect();
    assert_eq!(own, ["subnet-other", "subnet-compute"]);
}

#[test]
fn zero_wanted_nodes_are_sent_as_zero() {
    assert_eq!(sent(&World::founded(workers(P5, 0, &json!({}))).plan().steps)[0].instance_count, 0);
}

#[test]
fn eks_that_is_missing_or_changing_comes_first() {
    let mut world = World::empty(Some(workers(P5, 4, &json!({}))));
    world.seen.eks.as_mut().unwrap().status = EksClusterStatus::Updating;
    assert_eq!(keys(&world.plan()), ["wait aws"]);
    world.seen.eks = None;
    assert_eq!(refused(&world.plan()).code, ErrorCode::DependencyMissing);
}

#[test]
fn a_bucket_name_that_is_not_ours_is_a_conflict_and_nothing_is_begun() {
    let mut world = World::empty(Some(workers(P5, 4, &json!({}))));
    for state in [Bucket::Closed, Bucket::Elsewhere(Some("eu-west-1".to_owned()))] {
        world.foundation().bucket_state = state;
        let failure = refused(&world.plan());
        assert_eq!(failure.code, ErrorCode::Conflict);
        assert!(failure.message.contains(BUCKET), "{failure}");
    }
}

#[test]
fn a_role_of_our_name_that_is_not_ours_is_a_conflict_and_is_left_as_it_is() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    let role = world.foundation().role.as_mut().unwrap();
    (role.ours, role.attached) = (false, Vec::new());
    let failure = refused(&world.plan());
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains(&role::name(&world.record)), "{failure}");
    assert!(failure.action.contains("Delete the role"), "{}", failure.action);
}

#[test]
fn br_043_the_entry_script_is_there_before_the_cluster_is_made() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    world.foundation().missing_scripts = vec!["on_create.sh".to_owned()];
    let keys = keys(&world.plan());
    let put = keys.iter().position(|key| key.starts_with("put-script/") && key.ends_with("/on_create.sh")).unwrap();
    assert!(put < keys.iter().position(|key| key == "create-cluster").unwrap());
}

#[test]
fn br_047_efa_without_self_rules_is_refused_and_types_without_efa_are_not() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    world.site().security_groups[0].self_rules.egress = false;
    let failure = refused(&world.plan());
    assert!(failure.message.contains("sg-1 lacks egress to itself"), "{failure}");
    assert!(failure.action.contains("self-rules"), "{failure:?}");
    world.site().security_groups[0].self_rules.ingress = false;
    assert!(refused(&world.plan()).message.contains("sg-1 lacks ingress from and egress to itself"));
    let mut plain = World::founded(workers("ml.g5.2xlarge", 1, &json!({})));
    plain.site().security_groups[0].self_rules.egress = false;
    assert!(keys(&plain.plan()).contains(&"create-cluster".to_owned()));
}

#[test]
fn a_zone_that_the_region_does_not_have_is_refused() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    world.site().zones.remove(1);
    let failure = refused(&world.plan());
    assert!(failure.message.contains("usw2-az2 is not one of usw2-az1"), "{failure}");
}

#[test]
fn a_training_plan_is_held_against_type_zone_count_target_and_dates_before_anything_is_made() {
    let decided = || {
        let more = json!({ "capacityType": "training-plan", "trainingPlanArn": PLAN_ARN });
        let mut world = World::founded(workers(P5, 4, &more));
        world.plan_starts("Scheduled", at(36 * 60), 4);
        world
    };
    let mut world = decided();
    assert_eq!(sent(&world.plan().steps)[0].capacity, Capacity::Plan(PLAN_ARN.parse().unwrap()));
    fn plan(world: &mut World) -> &mut cloud::sagemaker::TrainingPlan {
        world.seen.plans.get_mut(PLAN_ARN).unwrap()
    }
    plan(&mut world).blocks[0].zone_id = Some("usw2-az1".to_owned());
    assert!(refused(&world.plan()).message.contains("is in zone usw2-az1, not in usw2-az2"));
    world = decided();
    plan(&mut world).blocks[0].instance_type = "ml.p4d.24xlarge".to_owned();
    assert!(refused(&world.plan()).message.contains("has ml.p4d.24xlarge"));
    world = decided();
    // Before its start AWS tells that nothing is available: what counts is what the plan has.
    plan(&mut world).available = 0;
    assert_eq!(sent(&world.plan().steps)[0].capacity, Capacity::Plan(PLAN_ARN.parse().unwrap()));
    world.plan_starts("Active", at(-60), 4);
    plan(&mut world).available = 3;
    let failure = refused(&world.plan());
    assert_eq!(failure.code, ErrorCode::CapacityUnavailable);
    assert!(failure.message.contains("3 of 4 instances"), "{failure}");
    world = decided();
    plan(&mut world).targets = vec!["training-job".to_owned()];
    assert!(refused(&world.plan()).message.contains("not for hyperpod-cluster"));
    world = decided();
    plan(&mut world).status = "Expired".to_owned();
    assert_eq!(refused(&world.plan()).code, ErrorCode::CapacityUnavailable);
    world.seen.plans.clear();
    assert_eq!(refused(&world.plan()).code, ErrorCode::InvalidInput);
}

#[test]
fn groups_that_share_a_training_plan_are_held_against_it_together() {
    let on_plan = |count: u32| {
        let more = json!({ "capacityType": "training-plan", "trainingPlanArn": PLAN_ARN });
        workers(P5, count, &more)["instanceGroups"]["workers"].clone()
    };
    let both = json!({ "instanceGroups": { "trainers": on_plan(4), "workers": on_plan(4) } });
    let mut world = World::founded(both.clone());
    world.plan_starts("Active", at(-60), 6);
    let failure = refused(&world.plan());
    assert_eq!(failure.code, ErrorCode::CapacityUnavailable);
    assert!(failure.message.contains("6 of 6 instances"), "{failure}");
    assert!(failure.message.contains("8 are wanted: trainers 4, workers 4"), "{failure}");
    world.plan_starts("Active", at(-60), 8);
    assert_eq!(sent(&world.plan().steps).len(), 2);

    // One is there with two of its four, the other is new: six more are asked for.
    let there = Group { training_plan: Some(PLAN_ARN.to_owned()), target: 2, ..group(2) };
    let mut world = World::running(both, vec![there]);
    world.plan_starts("Active", at(-60), 5);
    assert!(refused(&world.plan()).message.contains("6 are wanted: trainers 4, workers 2"));
    world.plan_starts("Active", at(-60), 6);
    assert!(keys(&world.plan()).iter().any(|key| key.starts_with("set-target")), "{:?}", keys(&world.plan()));
}

#[test]
fn br_134_a_failed_cluster_of_ours_is_deleted_waited_for_and_made_again() {
    let mut world = World::running(workers(P5, 4, &json!({})), vec![group(4)]);
    world.cluster().attached.status = HyperPodClusterStatus::Failed;
    let expected =
        ["delete-failed-cluster/abcdefghijkl", "wait aws", "put-execution-policy", "create-cluster", "wait nodes"];
    assert_eq!(keys(&world.plan()), expected);
    world.cluster().attached.status = HyperPodClusterStatus::Deleting;
    assert_eq!(keys(&world.plan())[..1], ["wait aws"]);
    world.seen.cluster = None;
    assert_eq!(keys(&world.plan()), expected[2..]);
}

#[test]
fn br_134_a_failed_cluster_that_is_not_ours_is_a_conflict() {
    let mut world = World::running(workers(P5, 4, &json!({})), vec![group(4)]);
    world.cluster().attached.status = HyperPodClusterStatus::Failed;
    world.cluster().ours = false;
    assert_eq!(refused(&world.plan()).code, ErrorCode::Conflict);
}

#[test]
fn a_cluster_that_fails_while_this_run_makes_it_fails_the_run_with_its_reason() {
    let mut world = World::running(workers(P5, 4, &json!({})), vec![group(4)]);
    world.cluster().attached.status = HyperPodClusterStatus::Failed;
    world.cluster().attached.failure = "EFA health checks did not run successfully".to_owned();
    world.ledger.intend("create-cluster", at(0), (world.operation.id, 7));
    world.ledger.answer("create-cluster", Sent::Applied, BTreeMap::new());
    let failure = refused(&world.plan());
    assert!(failure.message.contains("EFA health checks"), "{failure}");
    world.began = at(20);
    assert_eq!(keys(&world.plan())[0], "delete-failed-cluster/abcdefghijkl", "run again, it is made anew");
}

#[test]
fn our_name_on_another_eks_cluster_is_a_conflict() {
    let mut world = World::founded(workers(P5, 4, &json!({})));
    world.seen.name_taken_by = Some("arn:aws:sagemaker:us-west-2:111122223333:cluster/zzzzzzzzzzzz".to_owned());
    let failure = refused(&world.plan());
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains("zzzzzzzzzzzz"), "{failure}");
}

#[test]
fn br_152_a_status_that_nobody_knows_is_shown_as_it_came_and_waited_for() {
    let mut world = World::running(workers(P5, 4, &json!({})), vec![group(4)]);
    for (word, shown) in [("SystemUpdating", "is SystemUpdating"), ("SomethingNew", "is SomethingNew")] {
        world.cluster().attached.status = HyperPodClusterStatus::read(word);
        let plan = world.plan();
        let [Step::Wait(wait)] = &plan.steps[..] else { panic!("{word}: {plan:?}") };
        assert!(wait.reason.contains(shown), "{}", wait.reason);
    }
    world.cluster().attached.status = HyperPodClusterStatus::read("inservice");
    assert_eq!(keys(&world.plan()), ["wait nodes"], "any spelling of InService is InService");
}

#[test]
fn a_cluster_that_is_being_made_is_waited_for() {
    let mut world = World::running(workers(P5, 4, &json!({})), Vec::new());
    world.cluster().attached.status = HyperPodClusterStatus::Creating;
    assert_eq!(keys(&world.plan()), ["wait aws"]);
}

#[test]
fn groups_decided_later_are_added_and_the_others_are_not_sent() {
    let mut decision = workers(P5, 1, &json!({}));
    decision["instanceGroups"]["more"] =
        json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 2 });
    let mut world = World::running(decision, vec![group(1)]);
    let plan = world.plan();
    assert_eq!(keys(&plan), ["put-execution-policy", "add-groups"]);
    let groups = sent(&plan.steps);
    assert_eq!((groups.len(), groups[0].name.as_str()), (1, "more"));
    world.node(1, NodeStatus::DeepHealthCheckInProgress);
    assert_eq!(keys(&world.plan())[0], "wait deep_checks", "AWS refuses updates while deep checks run");
}

#[test]
fn br_050_the_order_of_groups_means_nothing() {
    let mut decision = workers(P5, 0, &json!({}));
    for name in ["a", "b"] {
        decision["instanceGroups"][name] = decision["instanceGroups"]["workers"].clone();
    }
    let named = |name: &str| cloud::sagemaker::Group { name: name.to_owned(), ..group(0) };
    let plan = World::running(decision, vec![named("workers"), named("b"), named("a")]).plan();
    assert_eq!(keys(&plan), Vec::<String>::new());
}

#[test]
fn a_count_below_the_decided_one_is_raised_and_one_above_is_left_to_who_raised_it() {
    let plan = World::running(workers(P5, 4, &json!({})), vec![group(2)]).plan();
    assert!(matches!(&plan.steps[0], Step::Change(Change::SetTargets { to, .. }) if to["workers"] == 4), "{plan:?}");
    let mut world = World::running(workers(P5, 1, &json!({})), vec![group(2)]);
    (1..=2).for_each(|number| world.node(number, NodeStatus::Running));
    let plan = world.plan();
    assert!(plan.changes().next().is_none());
    assert!(
        matches!(&plan.end, End::Done(outcome) if outcome["warnings"].to_string().contains("raised it")),
        "{plan:?}"
    );
    let mut owned = World::running(workers(P5, 4, &json!({})), vec![group(0)]);
    owned.cluster().attached.autoscaled = true;
    assert!(owned.plan().changes().next().is_none(), "counts are the autoscaler's business");
}

#[test]
fn what_is_fixed_for_a_groups_life_is_refused_with_the_way_to_do_it() {
    let plan = World::running(workers("ml.p4d.24xlarge", 4, &json!({})), vec![group(4)]).plan();
    let failure = refused(&plan);
    assert!(failure.message.contains("has ml.p5.48xlarge, not ml.p4d.24xlarge"), "{failure}");
    assert!(failure.action.contains("new group"), "{failure}");
    let spot = World::running(workers(P5, 4, &json!({ "capacityType": "spot" })), vec![group(4)]);
    assert_eq!(refused(&spot.plan()).code, ErrorCode::Conflict);
}

#[test]
fn scripts_that_vanished_are_put_back_since_a_replaced_node_reads_them() {
    let mut world = World::running(workers(P5, 0, &json!({})), vec![group(0)]);
    world.foundation().missing_scripts = vec!["on_create.sh".to_owned()];
    assert_eq!(keys(&world.plan()).len(), 1);
    world.cluster().attached.groups[0].lifecycle.as_mut().unwrap().source = "s3://theirs/scripts".to_owned();
    assert_eq!(keys(&world.plan()), Vec::<String>::new(), "nobody reads ours");
}

#[test]
fn a_role_that_groups_have_and_somebody_deleted_is_made_again() {
    let mut world = World::running(workers(P5, 0, &json!({})), vec![group(0)]);
    world.seen.cluster.as_mut().unwrap().attached.groups[0].execution_role = role::arn(&world.record);
    world.seen.foundation.as_mut().unwrap().role = None;
    assert_eq!(
        keys(&world.plan()),
        ["create-execution-role", "attach-execution-policy", "put-execution-policy"],
        "nodes that run do not miss it, but none is replaced without it"
    );
}
