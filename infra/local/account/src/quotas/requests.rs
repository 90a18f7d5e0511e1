//! Requests for more: pending at first, small ones approved by themselves, large ones a case for people.

use super::{Quota, arn, known, no_such, page, set, value, wanted};
use crate::{
    call::{Answer, AwsError, Call},
    life,
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many times the present value (at least one) is approved without a person.
const APPROVED_BY_ITSELF: f64 = 10.0;

/// A request for a higher quota.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    id: String,
    service: String,
    code: String,
    region: String,
    desired: f64,
    status: String,
    requester: String,
    created: Timestamp,
    updated: Timestamp,
}

/// What requests do by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A pending request is approved or becomes a case.
    RequestIsDecided {
        /// Id of the request.
        id: String,
    },
}

impl Event {
    /// Lets the event happen, if the request is still pending.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        let Self::RequestIsDecided { id } = self;
        let Some(request) = world.quotas.requests.get(&id).filter(|request| request.status == "PENDING") else {
            return;
        };
        let present = super::limit(world, &request.service, &request.code, &request.region).max(1.0);
        let status = if request.desired <= present * APPROVED_BY_ITSELF { "APPROVED" } else { "CASE_OPENED" };
        decide(world, &id, status, at);
    }
}

/// Gives a request another status (`APPROVED` applies the value). Answers whether there is such a request.
pub fn decide(world: &mut World, id: &str, status: &str, at: Timestamp) -> bool {
    let Some(request) = world.quotas.requests.get_mut(id) else { return false };
    status.clone_into(&mut request.status);
    request.updated = at;
    let request = request.clone();
    if status == "APPROVED" {
        set(world, &request.service, &request.code, &request.region, request.desired);
    }
    true
}

impl Request {
    fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "PENDING" | "CASE_OPENED")
    }

    fn quota(&self) -> Option<&'static Quota> {
        known::find(&self.service, &self.code)
    }

    fn row(&self) -> Value {
        let quota = self.quota();
        json!({
            "Id": self.id,
            "RequestType": "AutomaticManagement",
            "ServiceCode": self.service,
            "ServiceName": known::service_name(&self.service),
            "QuotaCode": self.code,
            "QuotaName": quota.map(|quota| quota.name.as_str()).unwrap_or_default(),
            "QuotaArn": quota.map(|quota| arn(quota, &self.region)).unwrap_or_default(),
            "DesiredValue": self.desired,
            "Status": self.status,
            "Created": self.created.as_second(),
            "LastUpdated": self.updated.as_second(),
            "Requester": self.requester,
            "GlobalQuota": false,
            "Unit": quota.map(|quota| quota.unit).unwrap_or_default(),
            "QuotaRequestedAtLevel": "ACCOUNT",
        })
    }
}

pub(super) fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "RequestServiceQuotaIncrease" => request(world, call),
        "GetRequestedServiceQuotaChange" => {
            let found = world.quotas.requests.get(call.required("RequestId"));
            let found = found.filter(|request| request.region == call.region);
            let found =
                found.ok_or_else(|| no_such("The request failed because the specified request does not exist."))?;
            Ok(json!({ "RequestedQuota": found.row() }))
        }
        "ListRequestedServiceQuotaChangeHistory" | "ListRequestedServiceQuotaChangeHistoryByQuota" => {
            let fits = |member: &str, value: &str| call.text(member).is_none_or(|wanted| wanted == value);
            let rows = world.quotas.requests.values().filter(|request| {
                request.region == call.region
                    && fits("ServiceCode", &request.service)
                    && fits("QuotaCode", &request.code)
                    && fits("Status", &request.status)
            });
            page(call, "RequestedQuotas", rows.map(Request::row).collect())
        }
        action => Err(AwsError::new("UnknownOperationException", format!("The operation {action} is not known."))),
    }
}

fn request(world: &mut World, call: &Call) -> Answer {
    let quota = wanted(call)?;
    let desired = call.input.get("DesiredValue").and_then(Value::as_f64).unwrap_or_default();
    if !quota.adjustable {
        let message = "The request failed because the specified service quota is not adjustable.";
        return Err(AwsError::new("IllegalArgumentException", message));
    }
    if desired <= value(world, quota, &call.region) {
        let message = "You must provide a quota value greater than the current quota value.";
        return Err(AwsError::new("IllegalArgumentException", message));
    }
    let open = world.quotas.requests.values().any(|one| {
        one.is_open() && one.service == quota.service && one.code == quota.code && one.region == call.region
    });
    if open {
        let message = "Only one open service quota increase request is allowed per quota.";
        return Err(AwsError::new("ResourceAlreadyExistsException", message));
    }
    let id = format!("{:016x}{:016x}", world.next_number("quota request"), world.next_number("quota request"));
    let request = Request {
        id: id.clone(),
        service: quota.service.to_owned(),
        code: quota.code.clone(),
        region: call.region.clone(),
        desired,
        status: "PENDING".to_owned(),
        requester: json!({ "accountId": crate::call::ACCOUNT_ID, "callerArn": call.caller.arn }).to_string(),
        created: call.now,
        updated: call.now,
    };
    let row = request.row();
    world.quotas.requests.insert(id.clone(), request);
    let after = world.draw(&format!("quota request {id}"), 300..1800);
    world.schedule(call.now, after, life::Event::Quotas(Event::RequestIsDecided { id }));
    Ok(json!({ "RequestedQuota": row }))
}
