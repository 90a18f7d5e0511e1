//! Service Quotas: what the account may have, asked for by services and by callers.
//!
//! Which quotas there are is in [`known`], requests for more in [`requests`]. A quota says what is allowed, never what
//! is to be had; that is [`capacity`](crate::capacity).

mod known;
pub mod requests;

#[cfg(test)]
mod tests;

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use known::Quota;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub use requests::Event;

/// Service Quotas' part of the world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Values that differ from AWS's default, by `region/service/code`.
    applied: BTreeMap<String, f64>,
    requests: BTreeMap<String, requests::Request>,
}

/// The value of a quota in `region`: the applied one, or AWS's default.
///
/// `service` is a service code (`vpc`, `ec2`, `eks`, `sagemaker`), the quota is named by its code or its full name. A
/// quota that nobody knows is 0.
pub fn limit(world: &World, service: &str, code_or_name: &str, region: &str) -> f64 {
    known::find(service, code_or_name).map_or(0.0, |quota| value(world, quota, region))
}

/// Applies another value to a quota, as an approved request or a test does. Answers whether the quota is known.
pub fn set(world: &mut World, service: &str, code_or_name: &str, region: &str, value: f64) -> bool {
    let Some(quota) = known::find(service, code_or_name) else { return false };
    world.quotas.applied.insert(key(quota, region), value);
    true
}

/// A number of things, to be compared with a quota.
pub fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::INFINITY, f64::from)
}

fn key(quota: &Quota, region: &str) -> String {
    format!("{region}/{}/{}", quota.service, quota.code)
}

fn value(world: &World, quota: &Quota, region: &str) -> f64 {
    world.quotas.applied.get(&key(quota, region)).copied().unwrap_or(quota.value)
}

/// Answers a Service Quotas call.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "ListServices" => {
            let rows = known::SERVICES.iter().map(|(code, name)| json!({ "ServiceCode": code, "ServiceName": name }));
            page(call, "Services", rows.collect())
        }
        "GetServiceQuota" => applied_quota(world, call),
        "GetAWSDefaultServiceQuota" => {
            let quota = wanted(call)?;
            Ok(json!({ "Quota": row(quota, quota.value, &call.region) }))
        }
        "ListServiceQuotas" => list(world, call, true),
        "ListAWSDefaultServiceQuotas" => list(world, call, false),
        _ => requests::handle(world, call),
    }
}

/// The quota that the call names, or its refusal.
fn wanted(call: &Call) -> Result<&'static Quota, AwsError> {
    known_service(call)?;
    known::find(call.required("ServiceCode"), call.required("QuotaCode"))
        .filter(|quota| quota.code == call.required("QuotaCode"))
        .ok_or_else(|| no_such("The request failed because the specified service quota does not exist."))
}

fn known_service(call: &Call) -> Result<(), AwsError> {
    let code = call.required("ServiceCode");
    if known::SERVICES.iter().any(|(known, _)| *known == code) {
        return Ok(());
    }
    Err(no_such("The request failed because the specified service does not exist."))
}

fn no_such(message: &str) -> AwsError {
    AwsError::new("NoSuchResourceException", message)
}

/// Whether the quota has an applied value: AWS lists none for SageMaker's per-type quotas that were never raised.
fn is_applied(world: &World, quota: &Quota, region: &str) -> bool {
    !quota.default_only || world.quotas.applied.contains_key(&key(quota, region))
}

fn applied_quota(world: &World, call: &Call) -> Answer {
    let quota = wanted(call)?;
    if !is_applied(world, quota, &call.region) {
        return Err(no_such("The request failed because the specified service quota has no applied value."));
    }
    Ok(json!({ "Quota": row(quota, value(world, quota, &call.region), &call.region) }))
}

fn list(world: &World, call: &Call, applied: bool) -> Answer {
    known_service(call)?;
    let code = call.text("QuotaCode");
    let rows = known::all()
        .iter()
        .filter(|quota| quota.service == call.required("ServiceCode"))
        .filter(|quota| code.is_none_or(|code| quota.code == code))
        .filter(|quota| !applied || is_applied(world, quota, &call.region))
        .map(|quota| {
            let value = if applied { value(world, quota, &call.region) } else { quota.value };
            row(quota, value, &call.region)
        });
    page(call, "Quotas", rows.collect())
}

fn row(quota: &Quota, value: f64, region: &str) -> Value {
    json!({
        "ServiceCode": quota.service,
        "ServiceName": known::service_name(quota.service),
        "QuotaArn": arn(quota, region),
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        "Value": value,
        "Unit": quota.unit,
        "Adjustable": quota.adjustable,
        "GlobalQuota": false,
        "QuotaAppliedAtLevel": "ACCOUNT",
    })
}

fn arn(quota: &Quota, region: &str) -> String {
    format!("arn:aws:servicequotas:{region}:{ACCOUNT_ID}:{}/{}", quota.service, quota.code)
}

/// One page; at most 100 rows, as the API allows.
fn page(call: &Call, member: &str, rows: Vec<Value>) -> Answer {
    let read = |token: &str| -> Option<usize> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        let (action, offset) = text.split_once('/')?;
        (action == call.action).then(|| offset.parse().ok())?
    };
    let start = match call.text("NextToken") {
        None => 0,
        Some(token) => read(token).ok_or_else(|| {
            AwsError::new("InvalidPaginationTokenException", "The specified pagination token is not valid.")
        })?,
    };
    let size = call.number("MaxResults").and_then(|size| usize::try_from(size).ok()).unwrap_or(100).min(100);
    let total = rows.len();
    let rows: Vec<Value> = rows.into_iter().skip(start).take(size).collect();
    let end = start + rows.len();
    let mut output = json!({ member: rows });
    if end < total {
        output["NextToken"] = URL_SAFE_NO_PAD.encode(format!("{}/{end}", call.action)).into();
    }
    Ok(output)
}
