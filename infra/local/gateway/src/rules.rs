//! EventBridge rules of the product: executions that die are settled, and the sweep looks every minute.

use crate::wiring::{ACCOUNT_ID, Installed};
use account::{
    Account,
    call::{AwsError, Call, Caller},
    events,
};
use domain::naming;
use serde_json::{Value, json};

/// Makes the rules, or brings them up to date.
pub(crate) fn install(account: &Account, installed: &Installed) -> Result<(), AwsError> {
    let died = json!({
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {
            "status": ["FAILED", "TIMED_OUT", "ABORTED"],
            "stateMachineArn": [{ "prefix": installed.machines.operation_prefix }],
        },
    });
    rule(account, installed, "execution-died", json!({ "EventPattern": died.to_string() }), "settle")?;
    rule(account, installed, "sweep", json!({ "ScheduleExpression": "rate(1 minute)" }), "sweep")
}

fn rule(account: &Account, installed: &Installed, name: &str, mut rule: Value, target: &str) -> Result<(), AwsError> {
    let name = naming::function_role(name);
    let region = &installed.region;
    let function = format!("arn:aws:lambda:{region}:{ACCOUNT_ID}:function:{}", naming::function_role(target));
    rule["Name"] = json!(name);
    call(account, installed, "PutRule", rule)?;
    let targets = json!({ "Rule": name, "Targets": [{ "Id": target, "Arn": function }] });
    call(account, installed, "PutTargets", targets)
}

fn call(account: &Account, installed: &Installed, action: &str, input: Value) -> Result<(), AwsError> {
    let call = Call {
        service: "events",
        action: action.to_owned(),
        region: installed.region.to_string(),
        caller: Caller::root(),
        input,
        now: account.now(),
        request_id: "installation".to_owned(),
    };
    account.with_world(|world| events::handle(world, &call)).map(drop)
}
