//! The nodes' execution role: who may assume it, and what it may do.
//!
//! Sources: SageMaker developer guide, "IAM role for SageMaker HyperPod" (EKS orchestration) and the managed policy
//! `AmazonSageMakerClusterInstanceRolePolicy` (logs, metrics, buckets named `sagemaker-…`, Session Manager).

use domain::{
    ids::Region,
    naming::{Names, ROLE_PATH, Role},
};
use engine::record::{Cluster, Target};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The service that acts as it.
pub(crate) const SERVICE: &str = "sagemaker.amazonaws.com";

/// What the inline policy is about: it names each subnet and security group that nodes are put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places<'a> {
    pub(crate) vpc_id: &'a str,
    pub(crate) subnet_ids: BTreeSet<String>,
    pub(crate) security_group_ids: BTreeSet<String>,
    pub(crate) eks_arn: &'a str,
    pub(crate) bucket: &'a str,
}

/// Its name.
pub(crate) fn name(cluster: &Cluster) -> String {
    Names::of(&cluster.tag, cluster.id).role(Role::Execution)
}

/// Name of its inline policy.
pub(crate) fn policy_name(cluster: &Cluster) -> &'static str {
    Names::of(&cluster.tag, cluster.id).inline_policy(Role::Execution)
}

/// Its ARN, known before it is made.
pub(crate) fn arn(cluster: &Cluster) -> String {
    let Target { account, region, .. } = &cluster.target;
    format!("arn:{}:iam::{account}:role{ROLE_PATH}{}", region.partition(), name(cluster))
}

/// ARN of the managed policy that is attached to it.
pub(crate) fn managed_policy(region: &Region) -> String {
    format!("arn:{}:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy", region.partition())
}

/// Who may assume it.
pub(crate) fn trust() -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": { "Service": SERVICE },
            "Action": "sts:AssumeRole",
        }],
    })
}

/// Its inline policy.
pub(crate) fn policy(target: &Target, places: &Places<'_>) -> Value {
    let (partition, region, account) = (target.region.partition(), &target.region, &target.account);
    let ec2 = |kind: &str, id: &str| format!("arn:{partition}:ec2:{region}:{account}:{kind}/{id}");
    let mut interfaces = vec![ec2("network-interface", "*"), ec2("instance", "*"), ec2("vpc", places.vpc_id)];
    interfaces.extend(places.subnet_ids.iter().map(|id| ec2("subnet", id)));
    interfaces.extend(places.security_group_ids.iter().map(|id| ec2("security-group", id)));
    let allow = |sid: &str, actions: Value, resources: Value| json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources });
    json!({
        "Version": "2012-10-17",
        "Statement": [
            allow("Interfaces", json!([
                "ec2:AssignPrivateIpAddresses",
                "ec2:CreateNetworkInterface",
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteNetworkInterfacePermission",
                "ec2:DetachNetworkInterface",
                "ec2:ModifyNetworkInterfaceAttribute",
                "ec2:UnassignPrivateIpAddresses",
            ]), json!(interfaces)),
            allow("AttachInterfaces", json!("ec2:AttachNetworkInterface"), json!([
                ec2("instance", "*"),
                ec2("network-interface", "*"),
            ])),
            allow("Look", json!([
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeInstances",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeTags",
                "ec2:DescribeVpcs",
                "ecr:GetAuthorizationToken",
            ]), json!("*")),
            allow("TagInterfaces", json!("ec2:CreateTags"), json!(format!("arn:{partition}:ec2:*:*:network-interface/*"))),
            allow("PullImages", json!([
                "ecr:BatchCheckLayerAvailability",
                "ecr:BatchGetImage",
                "ecr:GetDownloadUrlForLayer",
            ]), json!("*")),
            allow("PodIdentity", json!("eks-auth:AssumeRoleForPodIdentity"), json!(places.eks_arn)),
            allow("ReadScripts", json!(["s3:GetObject", "s3:ListBucket"]), json!([
                format!("arn:{partition}:s3:::{}", places.bucket),
                format!("arn:{partition}:s3:::{}/lifecycle/*", places.bucket),
            ])),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::limits::IAM_ROLE_INLINE_POLICIES;

    fn target() -> Target {
        Target { account: "111122223333".to_owned(), region: "us-west-2".parse().unwrap(), role_arn: None }
    }

    fn places(subnets: usize) -> Places<'static> {
        Places {
            vpc_id: "vpc-0123456789abcdef0",
            subnet_ids: (0..subnets).map(|number| format!("subnet-{number:017x}")).collect(),
            security_group_ids: (0..5).map(|number| format!("sg-{number:017x}")).collect(),
            eks_arn: "arn:aws:eks:us-west-2:111122223333:cluster/demo",
            bucket: "sagemaker-hyperpod-us-west-2-111122223333",
        }
    }

    #[test]
    fn the_policy_names_each_subnet_and_security_group() {
        let text = policy(&target(), &places(2)).to_string();
        for id in
            ["subnet/subnet-00000000000000001", "security-group/sg-00000000000000004", "vpc/vpc-0123456789abcdef0"]
        {
            assert!(text.contains(&format!("arn:aws:ec2:us-west-2:111122223333:{id}")), "{id}");
        }
    }

    #[test]
    fn the_policy_fits_in_a_role_with_as_many_subnets_as_a_cluster_may_have() {
        assert!(policy(&target(), &places(16)).to_string().len() <= IAM_ROLE_INLINE_POLICIES);
    }
}
