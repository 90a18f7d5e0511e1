//! What functions there are: `ListFunctions`, `GetFunction`, `GetFunctionConfiguration`.
//!
//! Code and versions are absent: a function is registered, and its only version is `$LATEST`.

use super::{Functions, Registered, requested_name};
use crate::{
    call::{Answer, AwsError, Call},
    iam,
    world::World,
};
use serde_json::{Value, json};

/// Functions of a page at most (Lambda API reference: 50, whatever `MaxItems` says).
const PAGE: usize = 50;

/// Answers `ListFunctions`; a marker is the name of the last function before its page.
pub(super) fn list(world: &World, functions: &Functions, call: &Call) -> Answer {
    let after = call.text("Marker").unwrap_or_default();
    let size = call.number("MaxItems").and_then(|size| usize::try_from(size).ok()).unwrap_or(PAGE).clamp(1, PAGE);
    let here = functions.by_name.iter().filter(|_| functions.region == call.region);
    let mut rest = here.filter(|(name, _)| name.as_str() > after).peekable();
    let page: Vec<_> = rest.by_ref().take(size).collect();
    let last = page.last().map(|(name, _)| name.as_str()).filter(|_| rest.peek().is_some());
    let shown = page.iter().map(|(name, function)| shown(world, functions, name, function));
    let mut answer = json!({"Functions": shown.collect::<Vec<_>>()});
    if let Some(last) = last {
        answer["NextMarker"] = json!(last);
    }
    Ok(answer)
}

/// The configuration of the function that the call names.
pub(super) fn configuration(world: &World, functions: &Functions, call: &Call) -> Result<Value, AwsError> {
    let name = requested_name(call)?;
    let function = functions.by_name.get(&name).filter(|_| functions.region == call.region);
    let function = function.ok_or_else(|| functions.missing(&name))?;
    Ok(shown(world, functions, &name, function))
}

/// Bootstrap programs of our own are what `provided.al2023` runs.
fn shown(world: &World, functions: &Functions, name: &str, function: &Registered) -> Value {
    let mut shown = json!({
        "FunctionName": name,
        "FunctionArn": functions.arn(name),
        "Runtime": "provided.al2023",
        "Handler": "bootstrap",
        "Timeout": function.timeout.as_secs(),
        "Version": "$LATEST",
        "PackageType": "Zip",
        "State": "Active",
        "LastUpdateStatus": "Successful",
    });
    if let Some(role) = iam::role_arn(world, &function.role) {
        shown["Role"] = json!(role);
    }
    shown
}
