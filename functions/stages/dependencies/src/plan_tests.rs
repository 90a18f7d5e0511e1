//! The plan over worlds that are values.

use super::*;
use crate::{administrators::Administrator, observe::ObjectSeen};
use addons::Ground;
use cloud::eks::Addon;
use domain::status::AddonStatus;
use engine::ledger::Ledger;
use jiff::Timestamp;
use kubernetes::Readiness;
use records::records;

fn now() -> Timestamp {
    "2026-12-01T09:00:00Z".parse().unwrap()
}

fn part(part: Part, owner: Ownership, as_wanted: bool) -> PartSeen {
    let object = ObjectSeen { title: format!("DaemonSet kube-system/{part}"), owner, as_wanted };
    let readiness = Some(Readiness { wanted: 0, updated: 0, ready: 0, current: true });
    PartSeen { part, objects: vec![object], foreign: Vec::new(), lacking: Vec::new(), readiness }
}

/// Everything installed and ACTIVE on a cluster without nodes.
fn settled() -> Observed {
    let addon = |name: &str| Addon {
        name: name.into(),
        version: "v1".into(),
        status: AddonStatus::Active,
        issues: Vec::new(),
        tags: Default::default(),
    };
    let seen = addons::BASE.map(|wanted| Seen {
        addon: Some(addon(wanted.name)),
        wanted,
        has_workload: true,
        default_version: None,
    });
    Observed {
        ground: Ground::default(),
        parts: Part::ALL.map(|it| part(it, Ownership::Ours, true)).to_vec(),
        addons: seen.to_vec(),
        neighbours: Vec::new(),
        administrators: Vec::new(),
    }
}

fn planned(observed: &Observed, ledger: &Ledger) -> Plan<Change> {
    let (cluster, operation) = records(&Value::Null);
    plan(Scene { cluster: &cluster, operation: &operation, ledger, began_at: now(), now: now() }, observed)
}

/// A component as the outcome tells it.
fn component_of(outcome: &Value, part: Part) -> Value {
    let components = outcome["components"].as_array().unwrap();
    components.iter().find(|one| one["name"] == part.as_str()).unwrap().clone()
}

fn set(observed: &mut Observed, seen: PartSeen) {
    let place = observed.parts.iter().position(|it| it.part == seen.part).unwrap();
    observed.parts[place] = seen;
}

#[test]
fn what_is_missing_or_different_is_applied_and_what_is_right_is_left_alone() {
    let mut observed = settled();
    assert!(planned(&observed, &Ledger::default()).steps.is_empty());
    set(&mut observed, part(Part::HealthMonitoringAgent, Ownership::Ours, false));
    set(&mut observed, part(Part::NeuronDevicePlugin, Ownership::Absent, false));
    let keys = planned(&observed, &Ledger::default()).keys();
    assert_eq!(keys, ["apply/health-monitoring-agent", "apply/neuron-device-plugin"]);
}

#[test]
fn the_gpu_operator_brings_its_own_plugin_and_no_second_one_is_installed() {
    let mut observed = settled();
    set(&mut observed, part(Part::NvidiaDevicePlugin, Ownership::Absent, false));
    observed.neighbours = vec!["NVIDIA GPU operator (gpu-operator/gpu-operator)".into()];
    let plan = planned(&observed, &Ledger::default());
    assert!(plan.steps.is_empty());
    let End::Done(outcome) = plan.end else { unreachable!() };
    let components = outcome["components"].as_array().unwrap();
    let plugin = components.iter().find(|one| one["name"] == "nvidia-device-plugin").unwrap();
    assert_eq!(plugin["state"], "respected");
}

#[test]
fn an_object_of_somebody_else_is_never_written() {
    let mut observed = settled();
    set(&mut observed, part(Part::HyperpodPatching, Ownership::Foreign, false));
    assert!(planned(&observed, &Ledger::default()).steps.is_empty());
}

#[test]
fn a_region_without_the_agent_is_told_and_fails_nothing() {
    let mut observed = settled();
    let none = PartSeen {
        objects: Vec::new(),
        readiness: None,
        ..part(Part::HealthMonitoringAgent, Ownership::Absent, false)
    };
    set(&mut observed, none);
    let End::Done(outcome) = planned(&observed, &Ledger::default()).end else { unreachable!() };
    let components = outcome["components"].as_array().unwrap();
    let agent = components.iter().find(|one| one["name"] == "health-monitoring-agent").unwrap();
    assert_eq!(agent["state"], "unavailable");
    assert!(agent["requiredFor"].as_str().unwrap().contains("node recovery"));
}

#[test]
fn a_part_that_is_changed_back_each_time_is_a_conflict() {
    let mut observed = settled();
    set(&mut observed, part(Part::NvidiaDevicePlugin, Ownership::Ours, false));
    let (_, operation) = records(&Value::Null);
    let mut ledger = Ledger::default();
    for _ in 0..engine::ledger::MOST_SUCCESSES {
        ledger.intend("apply/nvidia-device-plugin", now(), (operation.id, 1));
        ledger.answer("apply/nvidia-device-plugin", Sent::Applied, Default::default());
    }
    let End::Failed(failure) = planned(&observed, &ledger).end else { unreachable!() };
    assert_eq!(failure.code, ErrorCode::Conflict);
}

#[test]
fn an_administrator_whose_entry_is_young_is_waited_for_and_one_who_stays_out_is_told() {
    let entered = |minutes: i64| now() - jiff::SignedDuration::from_mins(minutes);
    let one = |entered_at: Option<Timestamp>, allowed: bool| Administrator {
        principal: "arn:aws:iam::111122223333:role/Admin".to_owned(),
        user: None,
        entered_at,
        allowed,
        reason: "no".to_owned(),
    };
    let mut observed = settled();
    observed.administrators = vec![one(Some(entered(60)), true), one(Some(entered(1)), false)];
    let plan = planned(&observed, &Ledger::default());
    assert!(matches!(plan.steps[..], [Step::Wait(_)]), "{:?}", plan.steps);
    observed.administrators = vec![one(Some(entered(1)), true), one(Some(entered(4)), false), one(None, false)];
    let plan = planned(&observed, &Ledger::default());
    assert!(plan.steps.is_empty(), "who stays out keeps nothing else from being done");
    let End::Done(outcome) = plan.end else { panic!("{:?}", plan.end) };
    let access: Vec<&Value> = outcome["administrators"].as_array().unwrap().iter().map(|one| &one["access"]).collect();
    assert_eq!(access, ["proven", "missing", "missing"]);
}

#[test]
fn br_029_all_that_others_hold_is_told_in_one_answer_and_none_of_it_is_written() {
    let mut observed = settled();
    for it in [Part::Namespaces, Part::JobAutoRestart, Part::NeuronDevicePlugin] {
        set(&mut observed, part(it, Ownership::Foreign, false));
    }
    set(&mut observed, part(Part::AwsEfaK8sDevicePlugin, Ownership::Absent, false));
    let plan = planned(&observed, &Ledger::default());
    assert_eq!(plan.keys(), ["apply/aws-efa-k8s-device-plugin"], "the rest goes on");
    let End::Done(outcome) = plan.end else { unreachable!() };
    for it in [Part::Namespaces, Part::JobAutoRestart, Part::NeuronDevicePlugin] {
        let told = component_of(&outcome, it);
        assert_eq!(told["state"], "respected", "{told}");
        assert!(told["detail"].as_str().unwrap().contains(&format!("DaemonSet kube-system/{it}")), "{told}");
    }
}

#[test]
fn br_028_an_object_of_another_manager_is_left_to_it_though_ours_is_different() {
    let mut observed = settled();
    let objects =
        [("CustomResourceDefinition theirs", Ownership::Foreign, false), ("DaemonSet ours", Ownership::Ours, false)];
    let objects = objects.map(|(title, owner, as_wanted)| ObjectSeen { title: title.to_owned(), owner, as_wanted });
    let seen = PartSeen { objects: objects.to_vec(), ..part(Part::NeuronDevicePlugin, Ownership::Ours, true) };
    set(&mut observed, seen);
    let plan = planned(&observed, &Ledger::default());
    let expected = Change::Apply { part: Part::NeuronDevicePlugin, objects: vec!["DaemonSet ours".to_owned()] };
    assert_eq!(plan.changes().collect::<Vec<_>>(), [&expected]);
}

#[test]
fn br_038_verbs_that_the_service_lacks_under_somebody_elses_role_are_named() {
    let mut observed = settled();
    let lacking = vec!["get nodes".to_owned(), "patch nodes".to_owned()];
    set(&mut observed, PartSeen { lacking, ..part(Part::HyperpodPatching, Ownership::Foreign, false) });
    let End::Done(outcome) = planned(&observed, &Ledger::default()).end else { unreachable!() };
    let told = component_of(&outcome, Part::HyperpodPatching);
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("may not get nodes, patch nodes") && detail.contains("software updates"), "{detail}");
}

#[test]
fn br_032_a_webhook_that_no_node_can_serve_is_told_after_a_while_and_is_waited_for_where_one_can() {
    let mut observed = settled();
    set(&mut observed, part(Part::NvidiaDevicePlugin, Ownership::Absent, false));
    let (cluster, mut operation) = records(&Value::Null);
    let mut ledger = Ledger::default();
    ledger.intend("apply/nvidia-device-plugin", now(), (operation.id, 1));
    ledger.answer("apply/nvidia-device-plugin", Sent::Refused, Default::default());
    let mut planned = |minutes: i64, observed: &Observed| {
        operation.waiting = Some(engine::record::Waiting {
            on: WaitingOn::Nodes,
            reason: "failed calling webhook \"x\": no endpoints available".to_owned(),
            since: now() - SignedDuration::from_mins(minutes),
            deadline: now(),
            next_look_at: now(),
            looks: 1,
        });
        plan(Scene { cluster: &cluster, operation: &operation, ledger: &ledger, began_at: now(), now: now() }, observed)
    };
    assert_eq!(planned(1, &observed).keys(), ["apply/nvidia-device-plugin"], "its pods may be on their way");
    let plan = planned(6, &observed);
    assert!(plan.steps.is_empty());
    let End::Failed(failure) = plan.end else { panic!("{:?}", plan.end) };
    assert_eq!(failure.code, ErrorCode::DependencyNotReady);
    assert!(failure.message.contains("webhook") && failure.message.contains("no node"), "{failure}");
    observed.ground = Ground { nodes: 1, open: 1 };
    assert_eq!(planned(6, &observed).keys(), ["apply/nvidia-device-plugin"]);
}
