//! The API: names, limits, paging, histories, and what it refuses.

use super::{
    execution::Status,
    runner::Door,
    test_account::{ROLE, TestAccount, scripted},
};
use crate::lambda::Functions;
use serde_json::{Value, json};
use std::time::Duration;

fn account() -> TestAccount {
    TestAccount::new(Functions::new("us-west-2").with("f", "role", scripted([Ok(json!({"ok": true}))])))
}

fn waiting() -> Value {
    json!({"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 60, "End": true}}})
}

fn invoking() -> Value {
    let parameters = json!({"FunctionName": "f", "Payload.$": "$"});
    let state = json!({"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": parameters,
        "TimeoutSeconds": 90, "End": true});
    json!({"StartAt": "A", "States": {"A": state}})
}

fn machine_of(execution: &str) -> String {
    let (machine, _) = execution.rsplit_once(':').unwrap();
    machine.replace(":execution:", ":stateMachine:")
}

fn refusal(answer: crate::call::Answer) -> (String, String) {
    let error = answer.unwrap_err();
    (error.code, error.message)
}

#[tokio::test(start_paused = true)]
async fn starting_twice_under_one_name_is_one_execution_while_it_runs() {
    let account = account();
    let arn = account.start("m", &waiting(), json!({"a": 1}));
    let machine = machine_of(&arn);
    let again = |input: &str| {
        account.call("StartExecution", json!({"stateMachineArn": machine, "name": "run", "input": input}))
    };
    tokio::time::sleep(Duration::from_secs(5)).await;
    let same = again("{\"a\":1}").unwrap();
    assert_eq!(
        (same["executionArn"].as_str(), same["startDate"].as_f64()),
        (Some(arn.as_str()), Some(1_767_225_600.0))
    );
    let (code, message) = refusal(again("{\"a\":2}"));
    assert_eq!((code.as_str(), message), ("ExecutionAlreadyExists", format!("Execution Already Exists: '{arn}'")));
    account.ended(&arn).await;
    assert_eq!(refusal(again("{\"a\":1}")).0, "ExecutionAlreadyExists");
    tokio::time::sleep(Duration::from_secs(91 * 24 * 3600)).await;
    assert_eq!(again("{\"a\":1}").unwrap()["executionArn"], arn);
}

#[tokio::test(start_paused = true)]
async fn names_inputs_and_arns_are_checked() {
    let account = account();
    let machine = machine_of(&account.start("m", &waiting(), json!({})));
    let start = |name: &str, input: &str| {
        account.call("StartExecution", json!({"stateMachineArn": machine, "name": name, "input": input}))
    };
    for name in ["a b", "a/b", "a*", "", &"x".repeat(81)] {
        assert_eq!(refusal(start(name, "{}")).0, "InvalidName", "{name}");
    }
    assert_eq!(refusal(start("x", "{")).0, "InvalidExecutionInput");
    let input = |size: usize| format!("\"{}\"", "x".repeat(size - 2));
    assert_eq!(refusal(start("x", &input(262_145))).0, "InvalidExecutionInput");
    assert!(start("x", &input(262_144)).is_ok());
    let missing = |arn: &str| refusal(account.call("StartExecution", json!({"stateMachineArn": arn}))).0;
    assert_eq!(missing(&format!("{machine}x")), "StateMachineDoesNotExist");
    assert_eq!(missing("arn:aws:states:us-west-2:111122223333:execution:m:run"), "InvalidArn");
    let describe = account
        .call("DescribeExecution", json!({"executionArn": "arn:aws:states:us-west-2:111122223333:execution:m:no"}));
    assert_eq!(refusal(describe).0, "ExecutionDoesNotExist");
}

#[tokio::test(start_paused = true)]
async fn making_a_machine_again_is_the_same_machine_unless_it_differs() {
    let account = account();
    let made = |definition: Value| json!({"name": "m", "definition": definition.to_string(), "roleArn": ROLE});
    let first = account.call("CreateStateMachine", made(waiting())).unwrap();
    assert_eq!(account.call("CreateStateMachine", made(waiting())).unwrap(), first);
    assert_eq!(refusal(account.call("CreateStateMachine", made(invoking()))).0, "StateMachineAlreadyExists");
    let (code, message) = refusal(
        account.call("CreateStateMachine", made(json!({"StartAt": "X", "States": {"A": {"Type": "Succeed"}}}))),
    );
    assert_eq!(code, "InvalidDefinition");
    assert!(message.starts_with(
        "Invalid State Machine Definition: 'MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /StartAt"
    ));
}

#[tokio::test(start_paused = true)]
async fn an_update_leaves_running_executions_alone() {
    let account = account();
    let arn = account.start("m", &waiting(), json!({}));
    let machine = machine_of(&arn);
    let updated = json!({"stateMachineArn": machine, "definition": invoking().to_string()});
    let revision = account.call("UpdateStateMachine", updated).unwrap()["revisionId"].clone();
    let described = account.call("DescribeStateMachine", json!({"stateMachineArn": machine})).unwrap();
    assert_eq!((&described["revisionId"], &described["definition"]), (&revision, &json!(invoking().to_string())));
    let own = account.call("DescribeStateMachineForExecution", json!({"executionArn": arn})).unwrap();
    assert_eq!(own["definition"], waiting().to_string());
    assert_eq!(account.ended(&arn).await.status, Status::Succeeded);
    assert_eq!(
        refusal(account.call("UpdateStateMachine", json!({"stateMachineArn": machine}))).0,
        "MissingRequiredParameter"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stopped_execution_is_aborted_and_stays_so() {
    let account = account();
    let arn = account.start("m", &waiting(), json!({}));
    tokio::time::sleep(Duration::from_secs(3)).await;
    let stop = json!({"executionArn": arn, "error": "Mine", "cause": "enough"});
    let stopped = account.call("StopExecution", stop.clone()).unwrap();
    assert_eq!(account.call("StopExecution", stop).unwrap(), stopped);
    let described = account.call("DescribeExecution", json!({"executionArn": arn})).unwrap();
    assert_eq!(
        (&described["status"], &described["error"], &described["cause"]),
        (&json!("ABORTED"), &json!("Mine"), &json!("enough"))
    );
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(account.execution(&arn).status, Status::Aborted);
}

#[tokio::test(start_paused = true)]
async fn deleting_a_machine_aborts_what_runs() {
    let account = account();
    let arn = account.start("m", &waiting(), json!({}));
    let delete = json!({"stateMachineArn": machine_of(&arn)});
    account.call("DeleteStateMachine", delete.clone()).unwrap();
    account.call("DeleteStateMachine", delete.clone()).unwrap();
    assert_eq!(account.execution(&arn).status, Status::Aborted);
    assert_eq!(refusal(account.call("DescribeStateMachine", delete)).0, "StateMachineDoesNotExist");
}

#[tokio::test(start_paused = true)]
async fn a_history_reads_as_step_functions_writes_it() {
    let account = account();
    let arn = account.start("m", &invoking(), json!({"a": 1}));
    account.ended(&arn).await;
    let answer = account.call("GetExecutionHistory", json!({"executionArn": arn})).unwrap();
    let at = 1_767_225_600.0;
    let whole = json!({"truncated": false});
    let output = "{\"ExecutedVersion\":\"$LATEST\",\"Payload\":{\"ok\":true},\"StatusCode\":200}";
    let integration = json!({"resourceType": "lambda", "resource": "invoke"});
    let mut scheduled = integration.clone();
    scheduled["region"] = json!("us-west-2");
    scheduled["parameters"] = json!("{\"FunctionName\":\"f\",\"Payload\":{\"a\":1}}");
    scheduled["timeoutInSeconds"] = json!(90);
    let mut succeeded = integration.clone();
    succeeded["output"] = json!(output);
    succeeded["outputDetails"] = whole.clone();
    let expected = json!([
        {"timestamp": at, "type": "ExecutionStarted", "id": 1, "previousEventId": 0,
         "executionStartedEventDetails": {"input": "{\"a\":1}", "inputDetails": whole, "roleArn": ROLE}},
        {"timestamp": at, "type": "TaskStateEntered", "id": 2, "previousEventId": 1,
         "stateEnteredEventDetails": {"name": "A", "input": "{\"a\":1}", "inputDetails": whole}},
        {"timestamp": at, "type": "TaskScheduled", "id": 3, "previousEventId": 2, "taskScheduledEventDetails": scheduled},
        {"timestamp": at, "type": "TaskStarted", "id": 4, "previousEventId": 3, "taskStartedEventDetails": integration},
        {"timestamp": at, "type": "TaskSucceeded", "id": 5, "previousEventId": 4, "taskSucceededEventDetails": succeeded},
        {"timestamp": at, "type": "TaskStateExited", "id": 6, "previousEventId": 5,
         "stateExitedEventDetails": {"name": "A", "output": output, "outputDetails": whole}},
        {"timestamp": at, "type": "ExecutionSucceeded", "id": 7, "previousEventId": 6,
         "executionSucceededEventDetails": {"output": output, "outputDetails": whole}},
    ]);
    assert_eq!(answer["events"], expected);
}

#[tokio::test(start_paused = true)]
async fn histories_page_in_both_directions_and_can_leave_data_out() {
    let account = account();
    let arn = account.start("m", &invoking(), json!({}));
    account.ended(&arn).await;
    let mut ids = Vec::new();
    let mut token = Value::Null;
    loop {
        let mut asked =
            json!({"executionArn": arn, "maxResults": 3, "reverseOrder": true, "includeExecutionData": false});
        if !token.is_null() {
            asked["nextToken"] = token;
        }
        let answer = account.call("GetExecutionHistory", asked).unwrap();
        ids.extend(answer["events"].as_array().unwrap().iter().map(|event| event["id"].as_u64().unwrap()));
        assert!(!answer["events"].to_string().contains("\"output\""));
        token = answer["nextToken"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(ids, [7, 6, 5, 4, 3, 2, 1]);
    let wrong = json!({"executionArn": arn, "nextToken": "bm8="});
    assert_eq!(refusal(account.call("GetExecutionHistory", wrong)).0, "InvalidToken");
}

#[tokio::test(start_paused = true)]
async fn executions_are_listed_newest_first_by_status_and_page() {
    let account = account();
    let machine = machine_of(&account.start("m", &waiting(), json!({})));
    for name in ["a", "b", "c"] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        account.call("StartExecution", json!({"stateMachineArn": machine, "name": name})).unwrap();
    }
    tokio::time::sleep(Duration::from_millis(58_500)).await;
    let list = |more: Value| {
        let mut asked = json!({"stateMachineArn": machine});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = account.call("ListExecutions", asked).unwrap();
        let names = answer["executions"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), answer["nextToken"].clone())
    };
    assert_eq!(list(json!({})).0, ["c", "b", "a", "run"]);
    assert_eq!(list(json!({"statusFilter": "SUCCEEDED"})).0, ["a", "run"]);
    let (names, token) = list(json!({"maxResults": 3}));
    assert_eq!(names, ["c", "b", "a"]);
    assert_eq!(list(json!({"maxResults": 3, "nextToken": token})), (vec!["run".to_owned()], Value::Null));
}

#[tokio::test(start_paused = true)]
async fn machines_carry_tags() {
    let account = account();
    let arn = machine_of(&account.start("m", &waiting(), json!({})));
    account
        .call(
            "TagResource",
            json!({"resourceArn": arn, "tags": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]}),
        )
        .unwrap();
    account.call("UntagResource", json!({"resourceArn": arn, "tagKeys": ["a"]})).unwrap();
    let tags = account.call("ListTagsForResource", json!({"resourceArn": arn})).unwrap();
    assert_eq!(tags, json!({"tags": [{"key": "b", "value": "2"}]}));
    assert_eq!(refusal(account.call("ListTagsForResource", json!({"resourceArn": "arn:x"}))).0, "ResourceNotFound");
    account.door.read(|world| assert_eq!(world.states.machines.len(), 1));
}
