//! The functions' roles, each with its own policy from `infra/policies`, and the two as which they come to Kubernetes, as
//! the deployment makes them.

use crate::wiring::Installed;
use aws_sdk_iam::Client;
use domain::naming::{self, KubernetesRole};

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

/// Who may take on the roles for Kubernetes. These may do nothing in AWS: a cluster's access entry says what they are there.
const KUBERNETES: [(KubernetesRole, &str); 2] = [
    (KubernetesRole::Reader, include_str!("../../../trust/kubernetes-reader.json")),
    (KubernetesRole::Writer, include_str!("../../../trust/kubernetes-writer.json")),
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
        role(iam, &name, &trust.to_string()).await?;
        let document = filled(policy, installed);
        iam.put_role_policy().role_name(&name).policy_name(function).policy_document(document).send().await?;
    }
    for (kubernetes, trust) in KUBERNETES {
        let (name, trust) = (kubernetes.name(), filled(trust, installed));
        role(iam, &name, &trust).await?;
        iam.update_assume_role_policy().role_name(&name).policy_document(trust).send().await?;
    }
    Ok(())
}

/// Makes a role if there is none of its name.
async fn role(iam: &Client, name: &str, trust: &str) -> Result<(), aws_sdk_iam::Error> {
    let made = iam.create_role().role_name(name).assume_role_policy_document(trust).send().await;
    match made.map_err(aws_sdk_iam::Error::from) {
        Ok(_) | Err(aws_sdk_iam::Error::EntityAlreadyExistsException(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A document with its placeholders filled in.
fn filled(document: &str, installed: &Installed) -> String {
    document
        .replace("${Account}", &installed.account)
        .replace("${Region}", installed.region.as_str())
        .replace("${Table}", &installed.table)
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
