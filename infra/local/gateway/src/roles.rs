//! The functions' roles, each with its own policy from `infra/policies`, as the deployment makes them.

use crate::wiring::Installed;
use aws_sdk_iam::Client;
use domain::naming;

/// Policies by function; `states` is the state machines' own role.
const POLICIES: [(&str, &str); 11] = [
    ("api", include_str!("../../../policies/api.json")),
    ("control-plane", include_str!("../../../policies/control-plane.json")),
    ("selection", include_str!("../../../policies/selection.json")),
    ("dependencies", include_str!("../../../policies/dependencies.json")),
    ("hyperpod", include_str!("../../../policies/hyperpod.json")),
    ("storage", include_str!("../../../policies/storage.json")),
    ("verification", include_str!("../../../policies/verification.json")),
    ("stop-spending", include_str!("../../../policies/stop-spending.json")),
    ("settle", include_str!("../../../policies/settle.json")),
    ("sweep", include_str!("../../../policies/sweep.json")),
    ("states", include_str!("../../../policies/states.json")),
];

/// Makes every role, or brings its policy up to date.
pub(crate) async fn install(iam: &Client, installed: &Installed) -> Result<(), aws_sdk_iam::Error> {
    for (function, policy) in POLICIES {
        let service = if function == "states" { "states.amazonaws.com" } else { "lambda.amazonaws.com" };
        let trust = serde_json::json!({
            "Version": "2012-10-17",
            "Statement": [{ "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" }],
        });
        let name = naming::function_role(function);
        let made = iam.create_role().role_name(&name).assume_role_policy_document(trust.to_string()).send().await;
        match made.map_err(aws_sdk_iam::Error::from) {
            Ok(_) | Err(aws_sdk_iam::Error::EntityAlreadyExistsException(_)) => {}
            Err(error) => return Err(error),
        }
        let document = policy
            .replace("${Account}", &installed.account)
            .replace("${Region}", installed.region.as_str())
            .replace("${Table}", &installed.table);
        iam.put_role_policy().role_name(&name).policy_name(function).policy_document(document).send().await?;
    }
    Ok(())
}
