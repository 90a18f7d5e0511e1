//! Every state type, retries and catches with exact waits, limits, and going on after a restart.

use super::{
    execution::{Execution, Status},
    runner::Door,
    test_account::{TestAccount, run, scripted, thrown},
};
use crate::{
    invocation::Invocation,
    lambda::{Fault, Function, FunctionError, Functions, InvocationContext, fail_next},
};
use futures::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

fn functions(code: impl Function + 'static) -> Functions {
    Functions::new("us-west-2").with("f", "role", code)
}

fn none() -> Functions {
    Functions::new("us-west-2")
}

fn one(state: Value) -> Value {
    let mut state = state;
    if state["Next"].is_null() && !["Choice", "Succeed", "Fail"].contains(&state["Type"].as_str().unwrap()) {
        state["End"] = json!(true);
    }
    json!({"StartAt": "A", "States": {"A": state}})
}

fn task(more: Value) -> Value {
    let mut state = json!({
        "Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": "f", "Payload.$": "$"}
    });
    state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    state
}

fn output(execution: &Execution) -> Value {
    assert_eq!(execution.status, Status::Succeeded, "{:?}", execution.failure);
    serde_json::from_str(execution.output.as_ref().unwrap()).unwrap()
}

fn error(execution: &Execution) -> (String, String) {
    assert_eq!(execution.status, Status::Failed);
    let failure = execution.failure.clone().unwrap();
    (failure.error, failure.cause)
}

fn lasted(execution: &Execution) -> i64 {
    execution.stopped.unwrap().duration_since(execution.started).as_secs()
}

fn kinds(execution: &Execution) -> Vec<&str> {
    execution.history.iter().map(|event| event.kind.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn data_go_through_the_five_filters_in_order() {
    let state = task(json!({
        "InputPath": "$.in",
        "Parameters": {"FunctionName": "f", "Payload": {"x.$": "$.x", "id.$": "$$.Execution.Name", "list": [{"y.$": "$.x"}]}},
        "ResultSelector": {"r.$": "$.Payload.answer", "code.$": "$.StatusCode", "version.$": "$.ExecutedVersion"},
        "ResultPath": "$.in.out", "OutputPath": "$.in"
    }));
    let f = scripted([Ok(json!({"answer": 42}))]);
    let ended = run(one(state), json!({"in": {"x": 1}, "other": 2}), functions(f.clone())).await;
    assert_eq!(output(&ended), json!({"x": 1, "out": {"r": 42, "code": 200, "version": "$LATEST"}}));
    assert_eq!(f.payloads(), [json!({"x": 1, "id": "run", "list": [{"y": 1}]})]);
}

#[tokio::test(start_paused = true)]
async fn a_function_arn_gives_its_bare_answer() {
    let arn = "arn:aws:lambda:us-west-2:111122223333:function:f";
    let state = json!({"Type": "Task", "Resource": arn, "ResultPath": "$.got"});
    let ended = run(one(state), json!({"a": 1}), functions(scripted([Ok(json!([1]))]))).await;
    assert_eq!(output(&ended), json!({"a": 1, "got": [1]}));
    let expected = [
        "ExecutionStarted",
        "TaskStateEntered",
        "LambdaFunctionScheduled",
        "LambdaFunctionStarted",
        "LambdaFunctionSucceeded",
        "TaskStateExited",
        "ExecutionSucceeded",
    ];
    assert_eq!(kinds(&ended), expected);
}

#[tokio::test(start_paused = true)]
async fn pass_gives_its_result_or_parameters() {
    let ended =
        run(one(json!({"Type": "Pass", "Result": {"a": null}, "ResultPath": "$.r"})), json!({"b": 1}), none()).await;
    assert_eq!(output(&ended), json!({"b": 1, "r": {"a": null}}));
    let ended =
        run(one(json!({"Type": "Pass", "Parameters": {"c.$": "States.Format('<{}>', $.b)"}})), json!({"b": 1}), none())
            .await;
    assert_eq!(output(&ended), json!({"c": "<1>"}));
    let ended = run(one(json!({"Type": "Pass", "Result": 1, "ResultPath": null})), json!({"b": 1}), none()).await;
    assert_eq!(output(&ended), json!({"b": 1}));
    let ended = run(one(json!({"Type": "Pass", "InputPath": null})), json!({"b": 1}), none()).await;
    assert_eq!(output(&ended), json!({}));
}

#[tokio::test(start_paused = true)]
async fn choice_takes_the_first_rule_that_holds_or_fails_without_one() {
    let machine = |default: Value| {
        let mut a = json!({"Type": "Choice", "Choices": [{"Variable": "$.n", "NumericGreaterThan": 3, "Next": "Big"}]});
        if default.is_string() {
            a["Default"] = default;
        }
        json!({"StartAt": "A", "States": {
            "A": a, "Big": {"Type": "Pass", "Result": "big", "End": true}
        }})
    };
    assert_eq!(output(&run(machine(Value::Null), json!({"n": 4}), none()).await), json!("big"));
    assert_eq!(output(&run(machine(json!("Big")), json!({"n": 1}), none()).await), json!("big"));
    assert_eq!(error(&run(machine(Value::Null), json!({"n": 1}), none()).await).0, "States.NoChoiceMatched");
    let (name, cause) = error(&run(machine(Value::Null), json!({}), none()).await);
    assert_eq!(name, "States.Runtime");
    assert!(cause.starts_with(
        "An error occurred while executing the state 'A' (entered at the event id #2). Invalid path '$.n'"
    ));
}

#[tokio::test(start_paused = true)]
async fn waits_last_as_long_as_they_say() {
    let cases = [
        (json!({"Type": "Wait", "Seconds": 90}), 90),
        (json!({"Type": "Wait", "SecondsPath": "$.s"}), 7),
        (json!({"Type": "Wait", "Timestamp": "2026-01-01T00:01:00Z"}), 60),
        (json!({"Type": "Wait", "TimestampPath": "$.t"}), 3600),
        (json!({"Type": "Wait", "Timestamp": "2025-01-01T00:01:00Z"}), 0),
    ];
    for (state, seconds) in cases {
        let ended = run(one(state.clone()), json!({"s": 7, "t": "2026-01-01T01:00:00Z"}), none()).await;
        assert_eq!(output(&ended)["s"], 7);
        assert_eq!(lasted(&ended), seconds, "{state}");
    }
    let (name, cause) =
        error(&run(one(json!({"Type": "Wait", "SecondsPath": "$.t"})), json!({"t": "x"}), none()).await);
    assert_eq!(name, "States.Runtime");
    assert!(cause.contains("SecondsPath"), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn the_pace_divides_waits_and_retries() {
    let world = crate::world::World::new(7, 60);
    let account = TestAccount::resumed(world, none(), "2026-01-01T00:00:00Z".parse().unwrap());
    let arn = account.start("m", &one(json!({"Type": "Wait", "Seconds": 600})), json!({}));
    assert_eq!(lasted(&account.ended(&arn).await), 10);
    account.door.with_world(|world| world.pace_of_waits = Some(1));
    let arn = account.start("n", &one(json!({"Type": "Wait", "Seconds": 600})), json!({}));
    assert_eq!(lasted(&account.ended(&arn).await), 600);
}

#[tokio::test(start_paused = true)]
async fn fail_names_its_error_and_succeed_gives_its_input() {
    let ended =
        run(one(json!({"Type": "Fail", "ErrorPath": "$.e", "Cause": "because"})), json!({"e": "Mine"}), none()).await;
    assert_eq!(error(&ended), ("Mine".to_owned(), "because".to_owned()));
    assert_eq!(kinds(&ended), ["ExecutionStarted", "FailStateEntered", "ExecutionFailed"]);
    let ended = run(one(json!({"Type": "Succeed", "OutputPath": "$.a"})), json!({"a": 5}), none()).await;
    assert_eq!(output(&ended), json!(5));
}

#[tokio::test(start_paused = true)]
async fn retries_wait_and_give_up_exactly_as_told_and_then_catch() {
    let state = task(json!({
        "Retry": [
            {"ErrorEquals": ["Sandbox.Timedout"], "MaxAttempts": 0},
            {"ErrorEquals": ["Flaky"], "IntervalSeconds": 2, "BackoffRate": 2, "MaxDelaySeconds": 10, "MaxAttempts": 4}
        ],
        "Catch": [{"ErrorEquals": ["Other"], "Next": "Caught"}, {"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Caught"}],
        "Next": "Caught"
    }));
    let machine = json!({"StartAt": "A", "States": {"A": state, "Caught": {"Type": "Succeed"}}});
    let f = scripted([thrown("Flaky")]);
    let ended = run(machine.clone(), json!({"id": 1}), functions(f.clone())).await;
    assert_eq!(f.gaps(), [2, 4, 8, 10]);
    let caught = output(&ended);
    assert_eq!((&caught["id"], &caught["failure"]["Error"]), (&json!(1), &json!("Flaky")));
    let cause: Value = serde_json::from_str(caught["failure"]["Cause"].as_str().unwrap()).unwrap();
    assert_eq!(cause, json!({"errorType": "Flaky", "errorMessage": "it did not work"}));
    assert_eq!(ended.history.iter().filter(|event| event.kind == "TaskFailed").count(), 5);

    let f = scripted([thrown("Flaky"), Ok(json!(1))]);
    let ended = run(machine, json!({"id": 1}), functions(f.clone())).await;
    assert_eq!((output(&ended)["Payload"].clone(), f.gaps()), (json!(1), vec![2]));
}

#[tokio::test(start_paused = true)]
async fn an_error_that_nothing_catches_fails_the_execution() {
    let ended = run(one(task(json!({}))), json!({}), functions(scripted([thrown("Mine")]))).await;
    assert_eq!(error(&ended).0, "Mine");
    let ended = run(one(task(json!({}))), json!({}), none()).await;
    let (name, cause) = error(&ended);
    assert_eq!(name, "Lambda.ResourceNotFoundException");
    assert!(cause.contains("function:f (Service: Lambda, Status Code: 404, Request ID: "), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn what_lambda_refuses_arrives_under_its_name() {
    let cases = [
        (Fault::TooManyRequests, "Lambda.TooManyRequestsException"),
        (Fault::Service, "Lambda.ServiceException"),
        (Fault::Unknown, "Lambda.Unknown"),
        (Fault::SdkClient, "Lambda.SdkClientException"),
    ];
    for (fault, expected) in cases {
        let account = TestAccount::new(functions(scripted([Ok(json!(1))])));
        account.door.with_world(|world| fail_next(world, "f", fault));
        let arn = account.start("m", &one(task(json!({}))), json!({}));
        assert_eq!(error(&account.ended(&arn).await).0, expected);
    }
}

/// A function that sleeps, and counts how many of its runs sleep at once.
#[derive(Clone, Default)]
struct Sleepy {
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Function for Sleepy {
    fn invoke(&self, payload: Value, _: InvocationContext) -> BoxFuture<'static, Result<Value, FunctionError>> {
        let (running, most) = (self.running.clone(), self.most.clone());
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(10)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            match payload == json!("bad") {
                true => Err(FunctionError::new("Bad", "bad item")),
                false => Ok(payload),
            }
        }
        .boxed()
    }
}

fn mapped(more: Value) -> Value {
    let mut state = json!({"Type": "Map", "ItemProcessor": {
        "StartAt": "B", "States": {"B": task(json!({"OutputPath": "$.Payload", "End": true}))}
    }});
    state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    one(state)
}

#[tokio::test(start_paused = true)]
async fn a_map_runs_no_more_than_its_concurrency_and_keeps_the_order() {
    let sleepy = Sleepy::default();
    let state = mapped(json!({
        "ItemsPath": "$.items", "MaxConcurrency": 2,
        "ItemSelector": {"n.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index", "of.$": "$.name"}
    }));
    let ended = run(state, json!({"items": [3, 2, 1], "name": "x"}), functions(sleepy.clone())).await;
    let expected = json!([{"n": 3, "i": 0, "of": "x"}, {"n": 2, "i": 1, "of": "x"}, {"n": 1, "i": 2, "of": "x"}]);
    assert_eq!(output(&ended), expected);
    assert_eq!((sleepy.most.load(Ordering::SeqCst), lasted(&ended)), (2, 20));
    let iterations = kinds(&ended).iter().filter(|kind| **kind == "MapIterationSucceeded").count();
    assert_eq!(iterations, 3);
}

#[tokio::test(start_paused = true)]
async fn a_map_over_nothing_is_done_and_over_something_else_fails() {
    assert_eq!(output(&run(mapped(json!({})), json!([]), none()).await), json!([]));
    assert_eq!(error(&run(mapped(json!({})), json!({}), none()).await).0, "States.Runtime");
}

#[tokio::test(start_paused = true)]
async fn one_bad_item_fails_the_map_and_stops_the_others() {
    let account = TestAccount::new(functions(Sleepy::default()));
    let arn = account.start("m", &mapped(json!({"MaxConcurrency": 2})), json!([1, "bad", 3, 4]));
    let ended = account.ended(&arn).await;
    assert_eq!((error(&ended).0.as_str(), lasted(&ended)), ("Bad", 10));
    assert!(kinds(&ended).contains(&"MapStateFailed") && kinds(&ended).contains(&"MapIterationAborted"));
    account.door.read(|world| assert!(world.states.tasks.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn parallel_branches_run_together_and_their_failure_can_be_caught() {
    let branch =
        |name: &str| json!({"StartAt": name, "States": {name: task(json!({"OutputPath": "$.Payload", "End": true}))}});
    let state = json!({"Type": "Parallel", "Branches": [branch("B"), branch("C")]});
    let ended = run(one(state), json!(5), functions(Sleepy::default())).await;
    assert_eq!((output(&ended), lasted(&ended)), (json!([5, 5]), 10));
    let state = json!({"Type": "Parallel", "Branches": [branch("B"), branch("C")], "Next": "D",
        "Retry": [{"ErrorEquals": ["Bad"], "IntervalSeconds": 5, "MaxAttempts": 1}],
        "Catch": [{"ErrorEquals": ["Bad"], "Next": "D"}]});
    let machine = json!({"StartAt": "A", "States": {"A": state, "D": {"Type": "Succeed"}}});
    let ended = run(machine, json!("bad"), functions(Sleepy::default())).await;
    assert_eq!((output(&ended)["Error"].clone(), lasted(&ended)), (json!("Bad"), 25));
}

#[tokio::test(start_paused = true)]
async fn a_task_times_out_by_its_state_and_by_its_function() {
    let functions = || Functions::new("us-west-2").with_timeout("f", "role", Duration::from_secs(8), Sleepy::default());
    let ended = run(one(task(json!({"TimeoutSeconds": 5}))), json!(1), functions()).await;
    assert_eq!((error(&ended).0.as_str(), lasted(&ended)), ("States.Timeout", 5));
    assert!(kinds(&ended).contains(&"TaskTimedOut"));
    let ended = run(one(task(json!({"TimeoutSeconds": 9}))), json!(1), functions()).await;
    let (name, cause) = error(&ended);
    assert_eq!((name.as_str(), lasted(&ended)), ("Sandbox.Timedout", 8));
    assert!(cause.contains("Task timed out after 8.00 seconds"), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn a_machine_times_out_as_a_whole() {
    let mut machine = one(json!({"Type": "Wait", "Seconds": 100}));
    machine["TimeoutSeconds"] = json!(30);
    let ended = run(machine, json!({}), none()).await;
    assert_eq!((ended.status, lasted(&ended)), (Status::TimedOut, 30));
    assert_eq!(kinds(&ended).last(), Some(&"ExecutionTimedOut"));
}

#[tokio::test(start_paused = true)]
async fn a_killed_function_has_exited_and_nothing_after_the_kill_happens() {
    let after = Arc::new(AtomicUsize::new(0));
    let seen = after.clone();
    let f = move |_: Value, _: InvocationContext| -> BoxFuture<'static, Result<Value, FunctionError>> {
        let seen = seen.clone();
        async move {
            Invocation::current().unwrap().kill();
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            seen.fetch_add(1, Ordering::SeqCst);
            Ok(Value::Null)
        }
        .boxed()
    };
    let (name, cause) = error(&run(one(task(json!({}))), json!({}), functions(f)).await);
    assert_eq!(name, "Runtime.ExitError");
    assert!(cause.contains("Runtime exited without providing a reason"), "{cause}");
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(after.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn paths_that_lead_nowhere_can_be_caught_in_a_task_but_not_in_input_path() {
    let caught = |more: Value| {
        let mut state = task(json!({"Catch": [{"ErrorEquals": ["States.ALL"], "Next": "D"}], "Next": "D"}));
        state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"StartAt": "A", "States": {"A": state, "D": {"Type": "Succeed"}}})
    };
    let f = || functions(scripted([Ok(json!(1))]));
    let ended = run(caught(json!({"Parameters": {"FunctionName": "f", "x.$": "$.x"}})), json!({}), f()).await;
    assert_eq!(output(&ended)["Error"], "States.ParameterPathFailure");
    let ended =
        run(caught(json!({"Parameters": {"FunctionName.$": "States.ArrayGetItem($.l, 9)"}})), json!({"l": []}), f())
            .await;
    assert_eq!(output(&ended)["Error"], "States.IntrinsicFailure");
    let ended = run(caught(json!({"ResultPath": "$.a.b"})), json!({"a": 1}), f()).await;
    assert_eq!(output(&ended)["Error"], "States.ResultPathMatchFailure");
    assert_eq!(error(&run(caught(json!({"InputPath": "$.q"})), json!({}), f()).await).0, "States.Runtime");
}

/// BR-139: the answer fits, but together with what the state carries it does not.
#[tokio::test(start_paused = true)]
async fn an_output_that_is_too_large_at_the_transition_ends_the_execution_uncaught() {
    let state = task(json!({"ResultPath": "$.r", "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "D"}], "Next": "D",
        "Parameters": {"FunctionName": "f"}}));
    let machine = json!({"StartAt": "A", "States": {"A": state, "D": {"Type": "Succeed"}}});
    let f = functions(scripted([Ok(json!("x".repeat(200_000)))]));
    let ended = run(machine.clone(), json!({"own": "y".repeat(100_000)}), f).await;
    assert_eq!(error(&ended).0, "States.DataLimitExceeded");
    assert_eq!(kinds(&ended)[4..], ["TaskSucceeded", "ExecutionFailed"]);
    let f = functions(scripted([Ok(json!("x".repeat(300_000)))]));
    assert_eq!(error(&run(machine, json!({}), f).await).0, "States.DataLimitExceeded");
}

#[tokio::test(start_paused = true)]
async fn a_history_ends_at_25_000_events() {
    let machine = json!({"StartAt": "A", "States": {
        "A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "Next": "A"}
    }});
    let ended = run(machine, json!({}), none()).await;
    assert_eq!(ended.history.len(), 25_000);
    assert_eq!(kinds(&ended).last(), Some(&"ExecutionFailed"));
    assert_eq!(error(&ended).0, "States.Runtime");
}

#[tokio::test(start_paused = true)]
async fn a_wait_goes_on_where_it_was_after_a_restart() {
    let account = TestAccount::new(none());
    let arn = account.start("m", &one(json!({"Type": "Wait", "Seconds": 100})), json!({"a": 1}));
    tokio::time::sleep(Duration::from_secs(40)).await;
    let (world, now) = (account.read_back(), account.door.now());
    drop(account);
    let account = TestAccount::resumed(world, none(), now);
    let ended = account.ended(&arn).await;
    assert_eq!((lasted(&ended), output(&ended)), (100, json!({"a": 1})));
}

#[tokio::test(start_paused = true)]
async fn an_invocation_under_way_at_a_restart_is_made_again() {
    let (first, second) = (Sleepy::default(), scripted([Ok(json!("again"))]));
    let account = TestAccount::new(functions(first.clone()));
    let arn = account.start("m", &one(task(json!({"OutputPath": "$.Payload"}))), json!({"a": 1}));
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(first.running.load(Ordering::SeqCst), 1);
    let (world, now) = (account.read_back(), account.door.now());
    drop(account);
    let account = TestAccount::resumed(world, functions(second.clone()), now);
    let ended = account.ended(&arn).await;
    assert_eq!((output(&ended), lasted(&ended)), (json!("again"), 4));
    assert_eq!(second.payloads(), [json!({"a": 1})]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(first.running.load(Ordering::SeqCst), 1, "the first run died with its process");
}

#[tokio::test(start_paused = true)]
async fn a_fork_in_the_middle_of_a_map_ends_like_the_original() {
    let account = TestAccount::new(functions(Sleepy::default()));
    let arn = account.start("m", &mapped(json!({"MaxConcurrency": 1})), json!([1, 2, 3]));
    tokio::time::sleep(Duration::from_secs(15)).await;
    let fork = TestAccount::resumed(account.read_back(), functions(Sleepy::default()), account.door.now());
    assert_eq!(output(&account.ended(&arn).await), json!([1, 2, 3]));
    assert_eq!(output(&fork.ended(&arn).await), json!([1, 2, 3]));
}
