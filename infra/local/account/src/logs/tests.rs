//! Log groups as clients read them.

use super::{handle, put};
use crate::{
    call::{Answer, Call, Caller},
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};

fn call(world: &mut World, action: &str, input: Value) -> Answer {
    let call = Call {
        service: "logs",
        action: action.to_owned(),
        region: "us-west-2".to_owned(),
        caller: Caller::root(),
        input,
        now: Timestamp::from_second(1_000).unwrap(),
        request_id: "r".to_owned(),
    };
    handle(world, &call)
}

fn world() -> World {
    let mut world = World::new(1, 1);
    for second in 0..5 {
        let at = Timestamp::from_second(second).unwrap();
        put(&mut world, "us-west-2", "/g", "s", at, &format!("line {second}"));
    }
    world
}

fn messages(answer: &Value) -> Vec<&str> {
    answer["events"].as_array().unwrap().iter().map(|event| event["message"].as_str().unwrap()).collect()
}

#[test]
fn a_stream_is_read_forwards_without_gap_or_repeat_until_the_token_stays() {
    let mut world = world();
    let mut input = json!({ "logGroupName": "/g", "logStreamName": "s", "startFromHead": true, "limit": 2 });
    let mut read = Vec::new();
    for _ in 0..4 {
        let answer = call(&mut world, "GetLogEvents", input.clone()).unwrap();
        read.extend(messages(&answer).into_iter().map(str::to_owned));
        input["nextToken"] = answer["nextForwardToken"].clone();
    }
    assert_eq!(read, ["line 0", "line 1", "line 2", "line 3", "line 4"]);
    let answer = call(&mut world, "GetLogEvents", input.clone()).unwrap();
    assert_eq!(answer["nextForwardToken"], input["nextToken"]);
    put(&mut world, "us-west-2", "/g", "s", Timestamp::from_second(9).unwrap(), "line 5");
    assert_eq!(messages(&call(&mut world, "GetLogEvents", input).unwrap()), ["line 5"]);
}

#[test]
fn the_newest_lines_come_first_when_nothing_else_is_asked() {
    let mut world = world();
    let answer =
        call(&mut world, "GetLogEvents", json!({ "logGroupName": "/g", "logStreamName": "s", "limit": 2 })).unwrap();
    assert_eq!(messages(&answer), ["line 3", "line 4"]);
    let back =
        json!({ "logGroupName": "/g", "logStreamName": "s", "limit": 2, "nextToken": answer["nextBackwardToken"] });
    assert_eq!(messages(&call(&mut world, "GetLogEvents", back).unwrap()), ["line 1", "line 2"]);
}

#[test]
fn events_are_filtered_by_words_time_and_stream() {
    let mut world = world();
    put(&mut world, "us-west-2", "/g", "t", Timestamp::from_second(2).unwrap(), "other words");
    let filter = |world: &mut World, input: Value| {
        let answer = call(world, "FilterLogEvents", input).unwrap();
        messages(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(filter(&mut world, json!({ "logGroupName": "/g", "filterPattern": "\"line 3\"" })), ["line 3"]);
    assert_eq!(
        filter(&mut world, json!({ "logGroupName": "/g", "startTime": 2000, "endTime": 3000 })),
        ["line 2", "other words"]
    );
    assert_eq!(filter(&mut world, json!({ "logGroupName": "/g", "logStreamNamePrefix": "t" })), ["other words"]);
}

#[test]
fn what_does_not_exist_is_named_and_what_exists_is_not_made_twice() {
    let mut world = world();
    let code = |answer: Answer| answer.unwrap_err().code;
    assert_eq!(
        code(call(&mut world, "GetLogEvents", json!({ "logGroupName": "/x", "logStreamName": "s" }))),
        "ResourceNotFoundException"
    );
    assert_eq!(
        code(call(&mut world, "CreateLogGroup", json!({ "logGroupName": "/g" }))),
        "ResourceAlreadyExistsException"
    );
    let write =
        json!({ "logGroupName": "/g", "logStreamName": "u", "logEvents": [{ "timestamp": 1, "message": "m" }] });
    assert_eq!(code(call(&mut world, "PutLogEvents", write.clone())), "ResourceNotFoundException");
    call(&mut world, "CreateLogStream", json!({ "logGroupName": "/g", "logStreamName": "u" })).unwrap();
    call(&mut world, "PutLogEvents", write).unwrap();
    let streams = call(
        &mut world,
        "DescribeLogStreams",
        json!({ "logGroupName": "/g", "orderBy": "LastEventTime", "descending": true }),
    )
    .unwrap();
    assert_eq!(streams["logStreams"][0]["logStreamName"], "s");
    assert_eq!(streams["logStreams"].as_array().unwrap().len(), 2);
}
