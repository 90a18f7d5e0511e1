//! The repository's own machines, run with scripted functions down each of their ways.

use super::{
    execution::{Execution, Status},
    runner::Door,
    substituted,
    test_account::{Scripted, TestAccount, scripted, thrown},
    validate,
};
use crate::lambda::{Fault, FunctionError, Functions, fail_next};
use serde_json::{Value, json};

const STAGES: [&str; 6] = ["control-plane", "selection", "dependencies", "hyperpod", "storage", "verification"];
const CLUSTER: &str = include_str!("../../../../../statemachines/cluster.asl.json");
const OPERATION: &str = include_str!("../../../../../statemachines/operation.asl.json");
const SWEEP: &str = include_str!("../../../../../statemachines/health-sweep.asl.json");

fn machine(text: &str) -> Value {
    let stages = ["ControlPlane", "Selection", "Dependencies", "Hyperpod", "Storage", "Verification"];
    let names = stages.map(|stage| format!("{stage}Function"));
    let functions = STAGES.map(|stage| format!("hyperpod-instantstart-{stage}"));
    let stages = names.iter().map(String::as_str).zip(functions.iter().map(String::as_str));
    let others = [
        ("SettleFunction", "hyperpod-instantstart-settle"),
        ("OperationFunction", "hyperpod-instantstart-node"),
        ("SweepFunction", "hyperpod-instantstart-sweep"),
    ];
    let text = substituted(text, stages.chain(others));
    assert!(!text.contains("${"), "every substitution has a value");
    assert_eq!(validate::problems(&text), Vec::<String>::new());
    serde_json::from_str(&text).unwrap()
}

fn tick(outcome: &str, wait: u32) -> Result<Value, FunctionError> {
    Ok(json!({"outcome": outcome, "waitSeconds": wait, "waitingOn": null}))
}

/// The cluster machine over stages that are done at once, except the one that is given.
struct Trial {
    account: TestAccount,
    stages: Vec<Scripted>,
    settle: Scripted,
    ended: Execution,
}

impl Trial {
    async fn of(stage: usize, answers: Vec<Result<Value, FunctionError>>, more: Value, faults: Vec<Fault>) -> Self {
        let mut stages: Vec<_> = STAGES.iter().map(|_| scripted([tick("done", 0)])).collect();
        stages[stage] = scripted(answers);
        let settle = scripted([Ok(Value::Null)]);
        let mut functions = Functions::new("us-west-2").with("hyperpod-instantstart-settle", "settle", settle.clone());
        for (name, code) in STAGES.iter().zip(&stages) {
            functions = functions.with(&format!("hyperpod-instantstart-{name}"), name, code.clone());
        }
        let account = TestAccount::new(functions);
        let name = format!("hyperpod-instantstart-{}", STAGES[stage]);
        faults.into_iter().for_each(|fault| account.door.with_world(|world| fail_next(world, &name, fault)));
        let mut input = json!({"schema": 1, "operationId": "01J", "attempt": 2, "mode": "act"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let arn = account.start("cluster", &machine(CLUSTER), input);
        let ended = account.ended(&arn).await;
        Self { account, stages, settle, ended }
    }

    fn calls(&self) -> Vec<usize> {
        self.stages.iter().map(|stage| stage.payloads().len()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_goes_through_all_stages_and_each_tick_gets_the_ids() {
    let answers = vec![tick("continue", 0), tick("wait", 30), tick("wait", 60), tick("done", 0)];
    let trial = Trial::of(0, answers, json!({}), vec![]).await;
    assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, vec![4, 1, 1, 1, 1, 1]));
    assert_eq!(trial.stages[0].gaps(), [0, 30, 60]);
    for (stage, code) in STAGES.iter().zip(&trial.stages) {
        let expected = json!({"schema": 1, "operationId": "01J", "attempt": 2, "mode": "act", "stage": stage});
        assert!(code.payloads().iter().all(|payload| *payload == expected), "{stage}");
    }
    assert!(trial.settle.payloads().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_entered_at_any_stage_and_a_single_stage_runs_alone() {
    for (index, stage) in STAGES.iter().enumerate() {
        let trial = Trial::of(index, vec![tick("done", 0)], json!({"stage": stage}), vec![]).await;
        let expected: Vec<_> = (0..6).map(|other| usize::from(other >= index)).collect();
        assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, expected), "{stage}");
        let trial =
            Trial::of(index, vec![tick("wait", 5), tick("done", 0)], json!({"stage": stage, "only": true}), vec![])
                .await;
        let expected: Vec<_> = (0..6).map(|other| if other == index { 2 } else { 0 }).collect();
        assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, expected), "{stage}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_undecided_stage_ends_the_execution_well() {
    let trial = Trial::of(3, vec![tick("undecided", 0)], json!({}), vec![]).await;
    assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, vec![1, 1, 1, 1, 0, 0]));
    assert!(trial.settle.payloads().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_operation_is_settled() {
    let trial = Trial::of(1, vec![tick("wait", 9), tick("cancelled", 0)], json!({}), vec![]).await;
    assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, vec![1, 2, 0, 0, 0, 0]));
    let expected = json!({"schema": 1, "operationId": "01J", "attempt": 2, "mode": "act", "outcome": "cancelled"});
    assert_eq!(trial.settle.payloads(), [expected]);
}

#[tokio::test(start_paused = true)]
async fn a_typed_failure_is_not_retried_but_settled_with_its_error() {
    let trial = Trial::of(4, vec![thrown("Denied")], json!({}), vec![]).await;
    assert_eq!((trial.ended.status, trial.calls()), (Status::Failed, vec![1, 1, 1, 1, 1, 0]));
    let settled = &trial.settle.payloads()[0];
    assert_eq!((&settled["operationId"], &settled["outcome"]), (&json!("01J"), &json!("failed")));
    assert_eq!(settled["failure"]["Error"], "Denied");
    assert_eq!(trial.ended.failure.unwrap().error, "OperationFailed");
}

#[tokio::test(start_paused = true)]
async fn crashes_are_retried_with_growing_waits() {
    let crashes = vec![thrown("Runtime.ExitError"), thrown("Sandbox.Timedout"), tick("done", 0)];
    let trial = Trial::of(2, crashes, json!({}), vec![Fault::Service, Fault::TooManyRequests]).await;
    assert_eq!((trial.ended.status, trial.calls()), (Status::Succeeded, vec![1, 1, 3, 1, 1, 1]));
    assert_eq!(trial.stages[2].gaps(), [8, 16]);
    let lasted = trial.ended.stopped.unwrap().duration_since(trial.ended.started).as_secs();
    assert_eq!(lasted, 2 + 4 + 8 + 16);
}

#[tokio::test(start_paused = true)]
async fn a_function_that_crashes_for_ever_is_settled_in_the_end() {
    let trial = Trial::of(0, vec![thrown("Runtime.ExitError")], json!({}), vec![]).await;
    assert_eq!((trial.ended.status, trial.calls()[0]), (Status::Failed, 21));
    assert_eq!(trial.settle.payloads()[0]["failure"]["Error"], "Runtime.ExitError");
    assert!(trial.stages[0].gaps().iter().all(|gap| *gap <= 60));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_no_one_knows_is_settled_as_a_failure() {
    let trial = Trial::of(0, vec![tick("maybe", 0)], json!({}), vec![]).await;
    assert_eq!(trial.ended.status, Status::Failed);
    assert_eq!(trial.settle.payloads()[0]["failure"]["Error"], "UnknownOutcome");
    assert!(trial.account.door.read(|world| world.states.tasks.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn an_operation_ticks_until_it_is_done() {
    let ways = [
        (vec![tick("continue", 0), tick("wait", 45), tick("done", 0)], Status::Succeeded, 0),
        (vec![tick("undecided", 0)], Status::Succeeded, 0),
        (vec![tick("cancelled", 0)], Status::Succeeded, 1),
        (vec![thrown("Conflict")], Status::Failed, 1),
    ];
    for (answers, status, settled) in ways {
        let (calls, code, settle) = (answers.len(), scripted(answers), scripted([Ok(Value::Null)]));
        let functions = Functions::new("us-west-2").with("hyperpod-instantstart-node", "node", code.clone()).with(
            "hyperpod-instantstart-settle",
            "settle",
            settle.clone(),
        );
        let input = json!({"schema": 1, "operationId": "01J", "attempt": 1, "mode": "act"});
        let ended = super::test_account::run(machine(OPERATION), input, functions).await;
        assert_eq!((ended.status, code.payloads().len(), settle.payloads().len()), (status, calls, settled));
    }
}

#[tokio::test(start_paused = true)]
async fn a_sweep_looks_at_every_page_of_clusters_and_one_failure_does_not_end_it() {
    let page = |ids: &[&str], next: Value| {
        let clusters: Vec<_> = ids.iter().map(|id| json!({"schema": 1, "clusterId": id})).collect();
        Ok(json!({"clusters": clusters, "next": next}))
    };
    let done = || tick("done", 0);
    let answers =
        [page(&["a", "b"], json!("t")), thrown("Internal"), done(), page(&["c"], Value::Null), tick("wait", 9), done()];
    let code = scripted(answers);
    let functions = Functions::new("us-west-2").with("hyperpod-instantstart-sweep", "sweep", code.clone());
    let ended = super::test_account::run(machine(SWEEP), json!({"schema": 1}), functions).await;
    assert_eq!(ended.status, Status::Succeeded);
    let asked: Vec<_> = code.payloads().iter().map(|p| p.get("clusterId").unwrap_or(&p["next"]).clone()).collect();
    assert_eq!(asked, [Value::Null, json!("a"), json!("b"), json!("t"), json!("c"), json!("c")]);
}
