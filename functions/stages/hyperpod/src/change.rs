//! What this stage can change, a step each.

use cloud::sagemaker::{NewCluster, NewGroup};
use engine::plan::{self, Guard};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Change {
    /// Makes the nodes' execution role.
    CreateRole {
        /// Its name.
        role: String,
    },
    /// Attaches a managed policy to it.
    AttachPolicy {
        /// The role.
        role: String,
        /// ARN of the policy.
        policy_arn: String,
    },
    /// Sets its inline policy, which names every subnet that nodes are put in.
    PutRolePolicy {
        /// The role.
        role: String,
        /// The policy's name.
        policy: String,
        /// The document; absent until every subnet has an id.
        document: Option<Value>,
    },
    /// Makes the project bucket of the Region.
    CreateBucket {
        /// Its name.
        bucket: String,
    },
    /// Puts a lifecycle script where its contents say.
    PutScript {
        /// The bucket.
        bucket: String,
        /// The file's name.
        file: String,
        /// Its key.
        key: String,
    },
    /// A step towards a compute subnet.
    Subnet {
        /// The step.
        step: subnets::Change,
    },
    /// Removes a HyperPod cluster of ours that failed and keeps its name.
    DeleteFailedCluster {
        /// Its name.
        name: String,
        /// The id at the end of its ARN.
        id: String,
    },
    /// Makes the HyperPod cluster with all of its groups.
    CreateCluster {
        /// Its name.
        name: String,
        /// Its groups, a line each.
        groups: Vec<String>,
        /// What is sent; absent until every subnet has an id.
        cluster: Option<Box<NewCluster>>,
    },
    /// Adds groups to it.
    AddGroups {
        /// Its name.
        name: String,
        /// The groups, a line each.
        groups: Vec<String>,
        /// What is sent; absent until every subnet has an id.
        sent: Option<Vec<NewGroup>>,
    },
    /// Raises the wanted counts of groups that are there.
    SetTargets {
        /// Its name.
        name: String,
        /// Counts now.
        from: BTreeMap<String, u32>,
        /// Counts wanted.
        to: BTreeMap<String, u32>,
    },
}

impl plan::Change for Change {
    fn key(&self) -> String {
        match self {
            Self::CreateRole { .. } => "create-execution-role".into(),
            Self::AttachPolicy { .. } => "attach-execution-policy".into(),
            Self::PutRolePolicy { .. } => "put-execution-policy".into(),
            Self::CreateBucket { .. } => "create-bucket".into(),
            Self::PutScript { key, .. } => format!("put-script/{key}"),
            Self::Subnet { step } => step.key(),
            Self::DeleteFailedCluster { id, .. } => format!("delete-failed-cluster/{id}"),
            Self::CreateCluster { .. } => CREATE_CLUSTER.into(),
            Self::AddGroups { .. } => "add-groups".into(),
            Self::SetTargets { .. } => "set-targets".into(),
        }
    }

    fn title(&self) -> String {
        match self {
            Self::CreateRole { role } => format!("create execution role {role}"),
            Self::AttachPolicy { role, policy_arn } => {
                let policy = policy_arn.rsplit('/').next().unwrap_or(policy_arn);
                format!("attach {policy} to {role}")
            }
            Self::PutRolePolicy { role, .. } => format!("let {role} use the subnets of the nodes"),
            Self::CreateBucket { bucket } => format!("create bucket {bucket}"),
            Self::PutScript { bucket, key, .. } => format!("put lifecycle script s3://{bucket}/{key}"),
            Self::Subnet { step } => step.title(),
            Self::DeleteFailedCluster { name, .. } => {
                format!("delete the failed HyperPod cluster {name}, which keeps the name")
            }
            Self::CreateCluster { name, groups, .. } => {
                format!("create HyperPod cluster {name} with {}", groups.join(", "))
            }
            Self::AddGroups { name, groups, .. } => format!("add to HyperPod cluster {name}: {}", groups.join(", ")),
            Self::SetTargets { name, from, to } => {
                let line = |(group, to): (&String, &u32)| {
                    format!("{group} from {} to {to}", from.get(group).copied().unwrap_or_default())
                };
                let lines: Vec<String> = to.iter().map(line).collect();
                format!("scale groups of HyperPod cluster {name}: {}", lines.join(", "))
            }
        }
    }

    fn guard(&self) -> Guard {
        // Unique names (role, bucket, cluster), exact blocks, or calls that set.
        Guard::Service
    }
}

/// Key of the change that makes the cluster.
pub(crate) const CREATE_CLUSTER: &str = "create-cluster";
