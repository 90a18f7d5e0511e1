//! Invoke and the asynchronous queue.

use super::*;
use crate::states::test_account::{Scripted, TestAccount, scripted, sessions, thrown};

const NAME: &str = "arn:aws:lambda:us-west-2:111122223333:function:f";

async fn invoke(code: &Scripted, role: &str, input: Value) -> Answer {
    let functions = Functions::new("us-west-2").with("f", role, code.clone());
    let account = TestAccount::new(functions.clone());
    let answer = handle(&account.door, &functions, sessions, &account.made("Invoke", input)).await;
    tokio::time::sleep(Duration::from_secs(1000)).await;
    answer
}

fn body(answer: &Value) -> Value {
    serde_json::from_slice(&STANDARD.decode(answer["Payload"].as_str().unwrap()).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_invocation_answers_what_the_function_returns() {
    let code = scripted([Ok(json!({"b": 2}))]);
    let payload = STANDARD.encode("{\"a\":1}");
    let answer = invoke(&code, "role", json!({"FunctionName": NAME, "Payload": payload})).await.unwrap();
    assert_eq!(
        (&answer["StatusCode"], answer.get("FunctionError"), body(&answer)),
        (&json!(200), None, json!({"b": 2}))
    );
    assert_eq!(code.payloads(), [json!({"a": 1})]);
}

#[tokio::test(start_paused = true)]
async fn an_invocation_that_is_delivered_twice_runs_twice_and_answers_once() {
    for at_once in [false, true] {
        let code = scripted([Ok(json!(1)), Ok(json!(2))]);
        let functions = Functions::new("us-west-2").with("f", "role", code.clone());
        let account = TestAccount::new(functions.clone());
        let twice = faults::Effect::Twice { function: "f*".to_owned(), at_once };
        account.door.with_world(|world| world.faults.switch_on(faults::Fault::new("t", twice).times(1)).unwrap());
        let call = account.made("Invoke", json!({"FunctionName": NAME}));
        let answer = handle(&account.door, &functions, sessions, &call).await.unwrap();
        assert_eq!(code.payloads().len(), 2, "{at_once}");
        assert!(at_once || body(&answer) == json!(2), "one after the other, the second counts");
        handle(&account.door, &functions, sessions, &call).await.unwrap();
        assert_eq!(code.payloads().len(), 3, "only once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thrown_error_is_an_answer_that_says_so() {
    let answer = invoke(&scripted([thrown("Mine")]), "role", json!({"FunctionName": "f"})).await.unwrap();
    assert_eq!((&answer["StatusCode"], &answer["FunctionError"]), (&json!(200), &json!("Unhandled")));
    assert_eq!(body(&answer), json!({"errorType": "Mine", "errorMessage": "it did not work"}));
}

#[tokio::test(start_paused = true)]
async fn refusals_are_errors_of_lambda() {
    let code = scripted([Ok(Value::Null)]);
    let large = STANDARD.encode(format!("\"{}\"", "x".repeat(6_291_456)));
    let cases = [
        ("role", json!({"FunctionName": "g"}), "ResourceNotFoundException"),
        ("role", json!({"FunctionName": "g", "InvocationType": "Event"}), "ResourceNotFoundException"),
        ("forbidden", json!({"FunctionName": "f"}), "AccessDeniedException"),
        ("role", json!({"FunctionName": "f", "Payload": STANDARD.encode("{")}), "InvalidRequestContentException"),
        ("role", json!({"FunctionName": "f", "Payload": large}), "RequestTooLargeException"),
    ];
    for (role, input, expected) in cases {
        assert_eq!(invoke(&code, role, input).await.unwrap_err().code, expected);
    }
    assert!(code.payloads().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_event_is_accepted_and_tried_three_times() {
    let code = scripted([thrown("Mine")]);
    let answer = invoke(&code, "role", json!({"FunctionName": "f", "InvocationType": "Event"})).await.unwrap();
    assert_eq!(answer, json!({"StatusCode": 202}));
    assert_eq!(code.gaps(), [60, 120]);
}

#[tokio::test(start_paused = true)]
async fn a_throttled_event_is_delivered_in_the_end() {
    let code = scripted([Ok(Value::Null)]);
    let account = TestAccount::new(Functions::new("us-west-2").with("f", "role", code.clone()));
    account.door.with_world(|world| {
        fail_next(world, "f", Fault::TooManyRequests);
        fail_next(world, "f", Fault::Service);
        enqueue(world, "f", json!(1), "2026-01-01T00:00:00Z".parse().unwrap());
    });
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(code.payloads(), [json!(1)]);
    account.door.read(|world| assert!(world.lambda.queue.is_empty()));
}

#[test]
fn functions_are_named_in_every_way_that_lambda_accepts() {
    for name in
        ["f", "f:$LATEST", NAME, "arn:aws:lambda:us-west-2:111122223333:function:f:3", "111122223333:function:f"]
    {
        assert_eq!(name_of(name).as_deref(), Some("f"), "{name}");
    }
    for name in ["", "a b", "arn:aws:s3:::f", "arn:aws:lambda:us-west-2:111122223333:layer:f"] {
        assert_eq!(name_of(name), None, "{name}");
    }
}
