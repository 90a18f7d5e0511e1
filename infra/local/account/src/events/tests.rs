//! Rules, what they match, and where they deliver.

use super::pattern::{matches, problem};
use crate::{
    lambda::Functions,
    states::test_account::{ROLE, Scripted, TestAccount, scripted, thrown},
};
use serde_json::{Value, json};
use std::time::Duration;

const FUNCTION: &str = "arn:aws:lambda:us-west-2:111122223333:function:watch";

fn account() -> (TestAccount, Scripted) {
    let watch = scripted([Ok(Value::Null)]);
    let functions = Functions::new("us-west-2").with("watch", "role", watch.clone()).with(
        "bad",
        "role",
        scripted([thrown("Mine")]),
    );
    (TestAccount::new(functions), watch)
}

fn rule(account: &TestAccount, rule: Value, target: Value) {
    let name = rule["Name"].clone();
    account.call("PutRule", rule).unwrap();
    let put = account.call("PutTargets", json!({"Rule": name, "Targets": [target]})).unwrap();
    assert_eq!(put, json!({"FailedEntryCount": 0, "FailedEntries": []}));
}

#[test]
fn patterns_match_as_documented() {
    let event =
        json!({"source": "aws.states", "detail": {"status": "FAILED", "n": 7, "tags": ["a", "b"], "none": null}});
    let cases = [
        (json!({"source": ["aws.states"]}), true),
        (json!({"source": ["aws.eks", "aws.states"], "detail": {"status": ["FAILED", "TIMED_OUT"]}}), true),
        (json!({"source": ["aws.eks"]}), false),
        (json!({"source": [{"prefix": "aws."}]}), true),
        (json!({"source": [{"suffix": ".eks"}]}), false),
        (json!({"source": [{"equals-ignore-case": "AWS.States"}]}), true),
        (json!({"detail": {"status": [{"anything-but": ["RUNNING", "SUCCEEDED"]}]}}), true),
        (json!({"detail": {"status": [{"anything-but": "FAILED"}]}}), false),
        (json!({"detail": {"status": [{"anything-but": {"prefix": "FA"}}]}}), false),
        (json!({"detail": {"n": [{"numeric": [">", 5, "<=", 7]}]}}), true),
        (json!({"detail": {"n": [{"numeric": ["=", 7.0]}]}}), true),
        (json!({"detail": {"n": [{"numeric": ["<", 7]}]}}), false),
        (json!({"detail": {"n": [7.0]}}), true),
        (json!({"detail": {"tags": ["b"]}}), true),
        (json!({"detail": {"none": [null]}}), true),
        (json!({"detail": {"output": [{"exists": false}]}}), true),
        (json!({"detail": {"status": [{"exists": true}]}}), true),
        (json!({"other": {"x": [{"exists": false}]}}), true),
        (json!({"other": {"x": ["y"]}}), false),
        (json!({"$or": [{"source": ["x"]}, {"detail": {"n": [7]}}]}), true),
    ];
    for (pattern, expected) in cases {
        assert_eq!(problem(&pattern.to_string()), None, "{pattern}");
        assert_eq!(matches(&pattern, &event), expected, "{pattern}");
    }
    for broken in ["", "[]", "{}", "{\"a\":1}", "{\"a\":[]}", "{\"a\":[{\"like\":\"x\"}]}"] {
        assert!(problem(broken).is_some_and(|text| text.starts_with("Event pattern is not valid.")), "{broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_execution_reaches_the_function_that_watches_for_it() {
    let (account, watch) = account();
    let pattern = json!({
        "source": ["aws.states"], "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"status": ["FAILED", "TIMED_OUT", "ABORTED"]}
    });
    rule(&account, json!({"Name": "settle", "EventPattern": pattern.to_string()}), json!({"Id": "1", "Arn": FUNCTION}));
    let arn = account.start(
        "m",
        &json!({"StartAt": "A", "States": {"A": {"Type": "Fail", "Error": "E", "Cause": "C"}}}),
        json!({"id": 1}),
    );
    account.start("good", &json!({"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}), json!({}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let [event] = watch.payloads().try_into().unwrap();
    assert_eq!(
        (&event["account"], &event["region"], &event["resources"]),
        (&json!("111122223333"), &json!("us-west-2"), &json!([arn]))
    );
    assert_eq!(event["time"], "2026-01-01T00:00:00Z");
    let detail = &event["detail"];
    let expected = json!({"status": "FAILED", "executionArn": arn, "name": "run", "input": "{\"id\":1}", "output": null,
        "inputDetails": {"included": true}, "outputDetails": null, "error": "E", "cause": "C",
        "startDate": 1_767_225_600_000_i64, "stopDate": 1_767_225_600_000_i64});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&detail[name], value, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_schedule_fires_at_its_rate_until_it_is_disabled() {
    let (account, watch) = account();
    let target = json!({"Id": "1", "Arn": FUNCTION, "Input": "{\"schema\":1}"});
    rule(&account, json!({"Name": "sweep", "ScheduleExpression": "rate(5 minutes)"}), target);
    tokio::time::sleep(Duration::from_secs(16 * 60)).await;
    assert_eq!((watch.gaps(), watch.payloads()[0].clone()), (vec![300, 300], json!({"schema": 1})));
    account.call("DisableRule", json!({"Name": "sweep"})).unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(watch.payloads().len(), 3);
    account.call("EnableRule", json!({"Name": "sweep"})).unwrap();
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(watch.payloads().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_schedule_starts_a_state_machine() {
    let (account, _) = account();
    let made = json!({"name": "m", "roleArn": ROLE, "definition": "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}"});
    let machine = account.call("CreateStateMachine", made).unwrap()["stateMachineArn"].clone();
    let target = json!({"Id": "1", "Arn": machine, "RoleArn": ROLE, "Input": "{\"schema\":1}"});
    rule(&account, json!({"Name": "sweep", "ScheduleExpression": "rate(1 hour)"}), target);
    tokio::time::sleep(Duration::from_secs(3601)).await;
    let executions = account.call("ListExecutions", json!({"stateMachineArn": machine})).unwrap();
    assert_eq!(executions["executions"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn rules_and_targets_are_kept_listed_and_removed() {
    let (account, watch) = account();
    let pattern = "{\"source\":[\"mine\"]}";
    rule(
        &account,
        json!({"Name": "b", "EventPattern": pattern}),
        json!({"Id": "1", "Arn": FUNCTION, "InputPath": "$.detail"}),
    );
    account.call("PutRule", json!({"Name": "a", "EventPattern": pattern, "State": "DISABLED"})).unwrap();
    let page = account.call("ListRules", json!({"Limit": 1})).unwrap();
    assert_eq!(page["Rules"][0]["Name"], "a");
    let next = account.call("ListRules", json!({"Limit": 1, "NextToken": page["NextToken"]})).unwrap();
    assert_eq!((&next["Rules"][0]["Name"], next.get("NextToken")), (&json!("b"), None));
    assert_eq!(account.call("ListTargetsByRule", json!({"Rule": "b"})).unwrap()["Targets"][0]["Arn"], FUNCTION);
    let entries = json!([
        {"Source": "mine", "DetailType": "t", "Detail": "{\"x\":1}"}, {"Source": "aws.x", "DetailType": "t", "Detail": "{}"},
        {"Source": "mine", "DetailType": "t", "Detail": "x"}
    ]);
    let put = account.call("PutEvents", json!({"Entries": entries})).unwrap();
    assert_eq!((&put["FailedEntryCount"], &put["Entries"][2]["ErrorCode"]), (&json!(2), &json!("MalformedDetail")));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(watch.payloads(), [json!({"x": 1})]);
    let delete = || account.call("DeleteRule", json!({"Name": "b"}));
    assert_eq!(delete().unwrap_err().code, "ValidationException");
    account.call("RemoveTargets", json!({"Rule": "b", "Ids": ["1"]})).unwrap();
    delete().unwrap();
    assert_eq!(account.call("DescribeRule", json!({"Name": "b"})).unwrap_err().code, "ResourceNotFoundException");
}

#[tokio::test(start_paused = true)]
async fn bad_rules_and_targets_are_refused() {
    let (account, _) = account();
    let put = |rule: Value| account.call("PutRule", rule).unwrap_err().code;
    assert_eq!(put(json!({"Name": "a"})), "ValidationException");
    assert_eq!(put(json!({"Name": "a", "EventPattern": "{\"a\":1}"})), "InvalidEventPatternException");
    for schedule in ["rate(1 minutes)", "rate(5 minute)", "rate(0 days)", "every day"] {
        assert_eq!(put(json!({"Name": "a", "ScheduleExpression": schedule})), "ValidationException", "{schedule}");
    }
    assert_eq!(put(json!({"Name": "a", "EventBusName": "other", "EventPattern": "{}"})), "ResourceNotFoundException");
    account.call("PutRule", json!({"Name": "a", "ScheduleExpression": "rate(1 day)"})).unwrap();
    for target in [json!({"Id": "1", "Arn": "x"}), json!({"Id": "1", "Arn": FUNCTION, "Input": "{"})] {
        let answer = account.call("PutTargets", json!({"Rule": "a", "Targets": [target]})).unwrap();
        assert_eq!(answer["FailedEntryCount"], 1);
    }
}
