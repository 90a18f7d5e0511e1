//! The CSI driver's role: who may assume it, and which part of which bucket it may use.
//!
//! Mount options and actions go together: the volume allows overwriting and deleting, so the role can (field report
//! BR-110). Every resource is an ARN of the Region's own partition (BR-109).

use domain::naming::{Names, ROLE_PATH, Role};
use engine::record::Cluster;
use serde_json::{Value, json};

/// The service that acts as it, for the driver's pods.
pub(crate) const SERVICE: &str = "pods.eks.amazonaws.com";

/// Its name.
pub(crate) fn name(cluster: &Cluster) -> String {
    Names::of(&cluster.tag, cluster.id).role(Role::S3Driver)
}

/// Name of its inline policy.
pub(crate) fn policy_name(cluster: &Cluster) -> &'static str {
    Names::of(&cluster.tag, cluster.id).inline_policy(Role::S3Driver)
}

/// Its ARN, known before it is made.
pub(crate) fn arn(cluster: &Cluster) -> String {
    let target = &cluster.target;
    format!("arn:{}:iam::{}:role{ROLE_PATH}{}", target.region.partition(), target.account, name(cluster))
}

/// Who may assume it: EKS Pod Identity, for this cluster's pods alone.
pub(crate) fn trust(eks_arn: &str) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": { "Service": SERVICE },
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": { "ArnEquals": { "aws:SourceArn": eks_arn } },
        }],
    })
}

/// What it may do: list the bucket, and use the objects below the prefix.
pub(crate) fn policy(partition: &str, bucket: &str, prefix: &str) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "ListBucket",
                "Effect": "Allow",
                "Action": "s3:ListBucket",
                "Resource": format!("arn:{partition}:s3:::{bucket}"),
            },
            {
                "Sid": "UseObjects",
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
                "Resource": format!("arn:{partition}:s3:::{bucket}/{prefix}*"),
            },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_is_an_arn_of_the_partition_and_reading_is_among_the_actions() {
        let policy = policy("aws-cn", "my-models", "llm/");
        for statement in policy["Statement"].as_array().unwrap() {
            assert!(statement["Resource"].as_str().unwrap().starts_with("arn:aws-cn:s3:::my-models"), "{statement}");
        }
        assert_eq!(policy["Statement"][1]["Resource"], "arn:aws-cn:s3:::my-models/llm/*");
        let actions = policy["Statement"][1]["Action"].as_array().unwrap();
        assert!(["s3:GetObject", "s3:DeleteObject"].iter().all(|action| actions.contains(&json!(action))));
    }
}
