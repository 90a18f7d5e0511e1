//! The access policies that EKS publishes. What each allows is the API server's business.

use super::super::paging::page;
use crate::call::{Answer, Call};
use serde_json::json;

const PREFIX: &str = "arn:aws:eks::aws:cluster-access-policy/";

const NAMES: [&str; 17] = [
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSAutoNodePolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSSecretAdminPolicy",
    "AmazonEKSSecretReaderPolicy",
    "AmazonEKSServicePolicy",
    "AmazonEKSViewPolicy",
    "AmazonEMRJobPolicy",
    "AmazonSagemakerHyperpodClusterPolicy",
    "AmazonSagemakerHyperpodControllerPolicy",
    "AmazonSagemakerHyperpodInferenceMonitoringPolicy",
    "AmazonSagemakerHyperpodSpacePolicy",
    "AmazonSagemakerHyperpodSpaceTemplatePolicy",
    "AmazonSagemakerHyperpodSystemNamespacePolicy",
    "AmazonSagemakerHyperpodUserClusterPolicy",
];

/// The ARN of the policy `name`.
pub(super) fn arn(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Whether EKS publishes the policy with this ARN.
pub(super) fn is_published(arn: &str) -> bool {
    arn.strip_prefix(PREFIX).is_some_and(|name| NAMES.contains(&name))
}

/// `ListAccessPolicies`.
pub(super) fn list(call: &Call) -> Answer {
    page(
        call,
        "accessPolicies",
        NAMES.iter().map(|name| ((*name).to_owned(), json!({ "name": name, "arn": arn(name) }))),
    )
}
