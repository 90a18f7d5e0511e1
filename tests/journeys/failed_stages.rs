//! Each stage failed by a refusal in its midst: told as it was, and run again to success with nothing made twice.

use crate::{
    asking::{assert_verified, decided, house, stage, stages},
    create_cluster::whole,
};
use account::faults::{Effect, Fault};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
use engine::record::Operation;
use harness::house::House;
use serde_json::json;
use std::{collections::BTreeMap, time::Duration};

/// A refusal that lasts until somebody ends it, and how it is told.
struct Refusal {
    stage: Stage,
    /// Service and action that are refused to the stage's function, in Kubernetes to the role in which functions write.
    call: (&'static str, &'static str),
    /// From which of these calls on.
    from: u32,
    /// Code, status and message.
    error: (&'static str, u16, &'static str),
    told: ErrorCode,
    /// A part of what to do.
    action: &'static str,
}

const REFUSALS: [Refusal; 6] = [
    Refusal {
        stage: Stage::ControlPlane,
        call: ("eks", "CreateCluster"),
        from: 1,
        error: ("ResourceLimitExceededException", 400, "Cluster limit exceeded for account"),
        told: ErrorCode::QuotaExceeded,
        action: "Ask for a higher quota in Service Quotas",
    },
    Refusal {
        stage: Stage::Selection,
        call: ("eks", "DescribeCluster"),
        from: 1,
        error: ("AccessDeniedException", 403, "not authorized to perform: eks:DescribeCluster"),
        told: ErrorCode::PermissionDenied,
        action: "Allow eks:DescribeCluster to the role named in the message",
    },
    Refusal {
        stage: Stage::Dependencies,
        call: ("kubernetes", "patch daemonsets"),
        from: 3,
        error: ("Forbidden", 403, "daemonsets.apps is forbidden: not in this namespace"),
        told: ErrorCode::PermissionDenied,
        action: "Run the stage control-plane again: it makes missing access entries",
    },
    Refusal {
        stage: Stage::HyperPod,
        call: ("sagemaker", "CreateCluster"),
        from: 1,
        error: ("ResourceLimitExceeded", 400, "The account-level service limit is 0 Instances"),
        told: ErrorCode::QuotaExceeded,
        action: "Ask for a higher quota in Service Quotas",
    },
    Refusal {
        stage: Stage::Storage,
        call: ("eks", "CreatePodIdentityAssociation"),
        from: 1,
        error: ("AccessDeniedException", 403, "not authorized to perform: iam:PassRole"),
        told: ErrorCode::PermissionDenied,
        action: "Allow eks:CreatePodIdentityAssociation to the role named in the message",
    },
    Refusal {
        stage: Stage::Verification,
        call: ("kubernetes", "patch pods"),
        // The storage stage reads through a pod of its own before.
        from: 2,
        error: ("Forbidden", 403, "pods is forbidden: not in this namespace"),
        told: ErrorCode::PermissionDenied,
        action: "Run the stage control-plane again: it makes missing access entries",
    },
];

impl Refusal {
    fn fault(&self) -> Fault {
        let (code, status, message) = self.error;
        let effect = Effect::Error { code: code.to_owned(), status, message: message.to_owned() };
        let role = if self.call.0 == "kubernetes" { "*-kubernetes-writer" } else { &format!("*-{}", self.stage) };
        let fault = Fault::new("refusal", effect).on(self.call.0, self.call.1).for_role(role);
        Fault { skip: self.from - 1, ..fault }
    }

    /// Asserts that record, stage, execution and front door tell the refusal.
    async fn assert_told(&self, house: &House, ended: &Operation) {
        let name = self.stage;
        assert_eq!((ended.state, ended.stage), (OperationState::Failed, Some(name)), "{ended:#?}");
        let failure = ended.failure.as_ref().unwrap();
        assert_eq!(failure.code, self.told, "{name}: {failure:#?}");
        assert!(failure.message.contains(self.error.2), "{name}: {failure:#?}");
        assert!(failure.action.contains(self.action), "{name}: {failure:#?}");
        let upstream = failure.upstream.as_ref().unwrap();
        assert_eq!((upstream.service.as_str(), upstream.code.as_str()), (self.call.0, self.error.0), "{name}");
        let numbered = upstream.request_id.as_ref().is_some_and(|id| !id.is_empty());
        assert!(numbered, "{name}: AWS and Kubernetes number their answers: {upstream:?}");

        let (status, thrown) = house.product.account.read(|world| {
            let mut executions = world.states.executions.values();
            let execution = executions.find(|it| it.name == ended.execution_name()).unwrap();
            let errors = execution.history.iter().filter_map(|event| event.details["error"].as_str());
            (execution.status.name(), errors.map(str::to_owned).collect::<Vec<_>>())
        });
        let class = self.told.class().to_string();
        assert_eq!(status, "FAILED", "{name}");
        assert!(thrown.contains(&class), "{name}: {thrown:?}");

        let shown = stage(house, name).await;
        assert_eq!(shown["failure"], serde_json::to_value(failure).unwrap(), "{name}");
        assert!(shown["next"].as_str().unwrap().contains("run_stage"), "{name}: {shown:#}");
        let mut expected: Vec<&str> = vec!["pending 0"; 6];
        expected[..usize::from(name.number())].fill("succeeded 1");
        expected[usize::from(name.number()) - 1] = "failed 1";
        assert_eq!(stages(house, "demo").await, expected, "{name}");
        let shown = house.ask("get_operation", json!({ "operationId": ended.id }), None).await.unwrap();
        assert!(shown["next"].as_str().unwrap().contains("retry_operation"), "{name}: {shown:#}");
        assert_eq!(shown["failure"]["upstream"]["code"], self.error.0, "{name}");
    }
}

/// The same operation once more.
async fn retried(house: &House, failed: &Operation, before: &BTreeMap<String, u64>) {
    let ended = house.run("retry_operation", json!({ "operationId": failed.id })).await;
    assert_verified(house, &ended).await;
    assert_eq!(ended.attempt, 2);
    assert_eq!(house.product.changes_since(before), whole(), "{:?} retried: nothing is made twice", failed.stage);
}

/// The failed stage by an operation of its own, and those after it.
async fn run_alone(house: &House, failed: &Operation, before: &BTreeMap<String, u64>) {
    let mut next = failed.stage;
    while let Some(stage) = next {
        let ended = house.run("run_stage", json!({ "tag": "demo", "stage": stage })).await;
        assert_eq!(ended.state, OperationState::Succeeded, "{stage}: {ended:#?}\n{}", house.product.trail());
        next = stage.next();
    }
    assert_eq!(house.product.changes_since(before), whole(), "{:?} run alone: nothing is made twice", failed.stage);
}

#[tokio::test(start_paused = true)]
async fn each_failed_stage_is_told_truthfully_and_runs_again_to_success_with_nothing_made_twice() {
    let empty = house(110).await.product.account.snapshot().unwrap();
    let house = House::at(&empty).await;
    let before = house.product.changes();
    let created = House::id(&house.ask("create_cluster", decided(), None).await.unwrap());
    // EKS makes the cluster now: what the other stages do is still to come.
    tokio::time::sleep(Duration::from_secs(300)).await;
    let begun = house.product.account.snapshot().unwrap();
    drop(house);

    for refusal in &REFUSALS {
        let first = refusal.stage == Stage::ControlPlane;
        let house = House::at(if first { &empty } else { &begun }).await;
        house.product.account.with_world(|world| world.faults.switch_on(refusal.fault())).unwrap();
        let failed =
            if first { house.run("create_cluster", decided()).await } else { house.product.ended(created).await };
        refusal.assert_told(&house, &failed).await;
        house.product.account.with_world(|world| world.faults.clear());
        let after = house.product.account.snapshot().unwrap();
        retried(&house, &failed, &before).await;
        drop(house);
        run_alone(&House::at(&after).await, &failed, &before).await;
    }
}
