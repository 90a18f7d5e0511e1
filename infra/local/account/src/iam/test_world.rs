//! What IAM's tests share: calls, and a world whose changes work at once.

use crate::{
    call::{Answer, Call, Caller},
    world::World,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The moment at which the tests' calls are made.
pub(crate) fn noon() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// A world without lag.
pub(crate) fn world() -> World {
    let mut world = World::new(7, 1);
    world.iam.lag = 0..1;
    world
}

/// A call of root's in us-west-2 at noon.
pub(crate) fn call(service: &'static str, action: &str, input: Value) -> Call {
    Call {
        service,
        action: action.to_owned(),
        region: "us-west-2".to_owned(),
        caller: Caller::root(),
        input,
        now: noon(),
        request_id: "request".to_owned(),
    }
}

/// Makes a call to IAM.
pub(crate) fn iam(world: &mut World, action: &str, input: Value) -> Answer {
    super::handle(world, &call("iam", action, input))
}

/// A trust policy for one principal.
pub(crate) fn trust(principal: Value) -> String {
    json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": principal, "Action": ["sts:AssumeRole", "sts:TagSession"] }
    ] })
    .to_string()
}

/// An identity policy of these statements.
pub(crate) fn policy(statements: Value) -> String {
    json!({ "Version": "2012-10-17", "Statement": statements }).to_string()
}

/// A role for Lambda with these statements, and a caller in a session of it.
pub(crate) fn role(world: &mut World, name: &str, statements: Value) -> Caller {
    let trust = trust(json!({ "Service": "lambda.amazonaws.com" }));
    iam(world, "CreateRole", json!({ "RoleName": name, "AssumeRolePolicyDocument": trust })).unwrap();
    let document = policy(statements);
    iam(world, "PutRolePolicy", json!({ "RoleName": name, "PolicyName": "p", "PolicyDocument": document })).unwrap();
    let credentials = super::session_for_role(world, name, "test", noon()).unwrap();
    let token = credentials.session_token.as_deref();
    super::authenticate(world, &credentials.access_key_id, token, noon()).unwrap().caller
}

/// The permissions that a call needs, as `action resource`.
pub(crate) fn resources(call: &Call) -> Vec<String> {
    let needs = super::actions::needs(&world(), call);
    needs.into_iter().map(|need| format!("{} {}", need.action, need.resource)).collect()
}
