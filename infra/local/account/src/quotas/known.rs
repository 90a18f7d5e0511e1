//! Which quotas there are, with AWS's default values.
//!
//! Codes of SageMaker's per-type quotas are AWS's own where they are published, else derived from the name. Defaults of
//! the HyperPod totals are higher than the 20 and 30 that new accounts often have, so that they bite only when a test
//! sets them.

use crate::catalogue;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// A quota.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quota {
    pub service: &'static str,
    pub code: String,
    pub name: String,
    /// AWS's default.
    pub value: f64,
    pub unit: &'static str,
    pub adjustable: bool,
    /// Whether there is no applied value until it is raised.
    pub default_only: bool,
}

/// Service codes and names.
pub(super) const SERVICES: [(&str, &str); 4] = [
    ("ec2", "Amazon Elastic Compute Cloud (Amazon EC2)"),
    ("eks", "Amazon Elastic Kubernetes Service (Amazon EKS)"),
    ("sagemaker", "Amazon SageMaker"),
    ("vpc", "Amazon Virtual Private Cloud (Amazon VPC)"),
];

const PLAIN: [(&str, &str, &str, f64); 27] = [
    ("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs", 5.0),
    ("eks", "L-1194D53C", "Clusters", 100.0),
    ("sagemaker", "L-2CE978FC", "Maximum number instances allowed per SageMaker HyperPod cluster", 1000.0),
    ("sagemaker", "L-3308CCC7", "Total number of instances allowed across SageMaker HyperPod clusters", 2000.0),
    ("sagemaker", "L-97A2C724", "Total number of Spot instances allowed across SageMaker HyperPod clusters", 0.0),
    ("sagemaker", "L-E13DF72A", "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance", 1024.0),
    ("sagemaker", "L-867702E6", "Number of training plans per Region", 25.0),
    (
        "sagemaker",
        "L-FC4D7F52",
        "Maximum total FSx Lustre capacity in TiB across HyperPod restricted instance groups",
        0.0,
    ),
    ("vpc", "L-F678F1CE", "VPCs per Region", 5.0),
    ("vpc", "L-83CA0A9D", "IPv4 CIDR blocks per VPC", 5.0),
    ("vpc", "L-407747CB", "Subnets per VPC", 200.0),
    ("vpc", "L-FE5A380F", "NAT gateways per Availability Zone", 5.0),
    ("vpc", "L-A4707A72", "Internet gateways per Region", 5.0),
    ("vpc", "L-589F43AA", "Route tables per VPC", 200.0),
    ("vpc", "L-93826ACB", "Routes per route table", 50.0),
    ("vpc", "L-E79EC296", "VPC security groups per Region", 2500.0),
    ("vpc", "L-0EA8095F", "Inbound or outbound rules per security group", 60.0),
    ("vpc", "L-2AFB9258", "Security groups per network interface", 5.0),
    ("vpc", "L-DF5E4CA3", "Network interfaces per Region", 5000.0),
    ("vpc", "L-1B52E74A", "Gateway VPC endpoints per Region", 20.0),
    ("vpc", "L-29B6F2EB", "Interface VPC endpoints per VPC", 50.0),
    ("vpc", "L-B4A6D682", "Network ACLs per VPC", 200.0),
    ("vpc", "L-2AEEBF1A", "Rules per network ACL", 20.0),
    ("vpc", "L-7E9ECCDB", "Active VPC peering connections per VPC", 50.0),
    ("vpc", "L-DC9F7029", "Outstanding VPC peering connection requests", 25.0),
    ("vpc", "L-45FE3B85", "Egress-only internet gateways per Region", 5.0),
    ("vpc", "L-5F53652F", "Private IP address quota per NAT gateway", 8.0),
];

/// Published codes of `<type> for cluster usage`.
const CLUSTER_USAGE: [(&str, &str); 10] = [
    ("ml.p4d.24xlarge", "L-47E0BC8F"),
    ("ml.p4de.24xlarge", "L-BEF3120E"),
    ("ml.p5.48xlarge", "L-8762A75F"),
    ("ml.p5e.48xlarge", "L-FD431820"),
    ("ml.p5en.48xlarge", "L-6EF3AE05"),
    ("ml.p6-b200.48xlarge", "L-44097F05"),
    ("ml.p6-b300.48xlarge", "L-9883FE68"),
    ("ml.p6e-gb200.36xlarge", "L-5DB70460"),
    ("ml.g6e.12xlarge", "L-A15DF696"),
    ("ml.g6e.48xlarge", "L-177AF1AD"),
];

static ALL: LazyLock<Vec<Quota>> = LazyLock::new(|| {
    let plain = PLAIN.iter().map(|(service, code, name, value)| Quota {
        service,
        code: (*code).to_owned(),
        name: (*name).to_owned(),
        value: *value,
        unit: "None",
        adjustable: *code != "L-2AEEBF1A",
        default_only: false,
    });
    plain.chain(catalogue::instance_types().iter().flat_map(of_type)).collect()
});

/// The SageMaker quotas of one instance type.
fn of_type(known: &catalogue::InstanceType) -> Vec<Quota> {
    let name = &known.name;
    let usage = CLUSTER_USAGE.iter().find(|(type_name, _)| type_name == name).map(|(_, code)| *code);
    let spot = (name == "ml.p5.48xlarge").then_some("L-F742E2D7");
    let reserved = (name == "ml.p5.48xlarge").then_some("L-9EF527CA");
    let ordinary = if known.accelerator.is_some() { 0.0 } else { 20.0 };
    let mut quotas = vec![
        per_type(usage, format!("{name} for cluster usage"), ordinary),
        per_type(spot, format!("{name} for cluster spot instance usage"), 0.0),
        // Other uses of the same type have quotas of their own, which say nothing of clusters.
        per_type(None, format!("{name} for training job usage"), ordinary),
        per_type(None, format!("{name} for endpoint usage"), ordinary),
    ];
    if known.training_plan {
        let text = format!("Number of {name} instances in reserved capacity across training plans per Region");
        quotas.push(per_type(reserved, text, 0.0));
    }
    quotas
}

fn per_type(code: Option<&str>, name: String, value: f64) -> Quota {
    let digits = || hex::encode_upper(Sha256::digest(&name)).chars().take(8).collect::<String>();
    let code = code.map_or_else(|| format!("L-{}", digits()), str::to_owned);
    Quota { service: "sagemaker", code, name, value, unit: "None", adjustable: true, default_only: true }
}

/// All quotas.
pub(super) fn all() -> &'static [Quota] {
    &ALL
}

/// The quota of `service` with this code or full name.
pub(super) fn find(service: &str, code_or_name: &str) -> Option<&'static Quota> {
    ALL.iter().find(|quota| quota.service == service && (quota.code == code_or_name || quota.name == code_or_name))
}

/// A service's name.
pub(super) fn service_name(code: &str) -> &'static str {
    SERVICES.iter().find(|(known, _)| *known == code).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_quotas_of_a_service_share_a_code_or_name() {
        let codes: BTreeSet<_> = all().iter().map(|quota| (quota.service, &quota.code)).collect();
        let names: BTreeSet<_> = all().iter().map(|quota| (quota.service, &quota.name)).collect();
        assert_eq!((codes.len(), names.len()), (all().len(), all().len()));
    }
}
