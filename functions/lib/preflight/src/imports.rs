//! What an existing EKS cluster lacks for HyperPod, each with its fix. Pure, over what was seen.

use crate::Read;
use cloud::eks::EksCluster;
use contract::plan::{Finding, Severity};
use domain::{
    ErrorCode,
    naming::KubernetesRole,
    status::StatusClass,
    versions::{KubernetesMinor, NEWEST, OLDEST},
};
use footing::{Footing, Lack};

/// What was seen of a cluster.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// The cluster.
    pub eks: &'a EksCluster,
    /// Its network.
    pub footing: &'a Read<Footing>,
    /// IAM principals that have an access entry.
    pub principals: &'a Read<Vec<String>>,
    /// The role that our functions assume in its account, if they do.
    pub role_arn: Option<&'a str>,
}

/// Everything that it lacks. `fixes` are asked for and not complained about; `grant` asks for our access entry.
pub fn lacks(seen: &Candidate<'_>, fixes: &[String], grant: bool) -> Vec<Finding> {
    let mut found: Vec<Finding> = state(seen.eks).into_iter().chain(version(seen.eks)).collect();
    found.extend(authentication(seen.eks, fixes));
    found.extend(network(seen.footing, fixes));
    found.extend(access(seen, grant));
    found
}

fn finding(severity: Severity, code: ErrorCode, message: String, action: String) -> Finding {
    Finding { severity, code, pointer: None, message, action }
}

fn state(eks: &EksCluster) -> Option<Finding> {
    let message = format!("EKS cluster {} is {}", eks.name, eks.status);
    match eks.status.class() {
        StatusClass::Ready => None,
        StatusClass::Busy | StatusClass::Degraded | StatusClass::Unknown => {
            let action = "Selection waits until it is ACTIVE.".to_owned();
            Some(finding(Severity::Warning, ErrorCode::DependencyNotReady, message, action))
        }
        StatusClass::Failed | StatusClass::Gone => {
            let action = "Choose another cluster, or make one.".to_owned();
            Some(finding(Severity::Blocking, ErrorCode::DependencyMissing, message, action))
        }
    }
}

fn version(eks: &EksCluster) -> Option<Finding> {
    let supported = eks.version.parse::<KubernetesMinor>().is_ok_and(KubernetesMinor::is_supported_by_hyperpod);
    (!supported).then(|| {
        let message = format!("it has Kubernetes {}; HyperPod takes {OLDEST} to {NEWEST}", eks.version);
        let action = "Update the cluster's version first, one minor at a time.".to_owned();
        finding(Severity::Blocking, ErrorCode::InvalidInput, message, action)
    })
}

fn authentication(eks: &EksCluster, fixes: &[String]) -> Option<Finding> {
    let fix = "authentication-mode";
    (eks.authentication_mode == "CONFIG_MAP" && !fixes.iter().any(|asked| asked == fix)).then(|| {
        let message = "its authentication mode is CONFIG_MAP: HyperPod's nodes and we need access entries".to_owned();
        finding(Severity::Warning, ErrorCode::DependencyMissing, message, mended_by(Some(fix)))
    })
}

fn network(footing: &Read<Footing>, fixes: &[String]) -> Vec<Finding> {
    let footing = match footing {
        Ok(footing) => footing,
        Err(trouble) => {
            let message = format!("its network could not be looked at: {}", trouble.failure().message);
            return vec![finding(Severity::Unchecked, trouble.failure().code, message, String::new())];
        }
    };
    let asked = |lack: &Lack| lack.fix().is_some_and(|fix| fixes.iter().any(|asked| asked == fix));
    let (mended, open): (Vec<Lack>, Vec<Lack>) = footing.lacks().into_iter().partition(asked);
    let told =
        |lack: Lack| finding(Severity::Warning, ErrorCode::DependencyMissing, lack.message(), mended_by(lack.fix()));
    open.into_iter().map(told).chain(no_place_for_nat(footing, &mended)).collect()
}

/// A NAT gateway that is asked for needs one in a public subnet already, or such a subnet.
fn no_place_for_nat(footing: &Footing, mended: &[Lack]) -> Option<Finding> {
    let wanted = mended.iter().any(|lack| matches!(lack, Lack::Nat { .. }));
    let there = footing.nats.iter().any(|nat| footing.is_public(&nat.subnet_id));
    if !wanted || there || footing.public_subnet().is_some() {
        return None;
    }
    let message = format!("{} has no public subnet for the NAT gateway of the fix nat", footing.vpc_id);
    let action = "Make a subnet whose route table leads to an internet gateway, then import again.".to_owned();
    Some(finding(Severity::Blocking, ErrorCode::DependencyMissing, message, action))
}

fn mended_by(fix: Option<&str>) -> String {
    match fix {
        Some(fix) => format!("Import it with the fix {fix}, or mend it yourself."),
        None => "Add a private subnet with a default route to a NAT gateway.".to_owned(),
    }
}

fn access(seen: &Candidate<'_>, grant: bool) -> Option<Finding> {
    if grant {
        return None;
    }
    let [reader, writer] = KubernetesRole::ALL.map(KubernetesRole::name);
    let action =
        format!("Import it with grantAccess, or make access entries for roles {reader} and {writer} yourself.");
    match seen.principals {
        Ok(principals) if is_let_in(principals, seen.role_arn) => None,
        Ok(_) => {
            let message = "it has no access entry for this control plane: visible, no Kubernetes access".to_owned();
            Some(finding(Severity::Warning, ErrorCode::PermissionDenied, message, action))
        }
        Err(trouble) => {
            let message = format!("its access entries could not be read: {}", trouble.failure().message);
            Some(finding(Severity::Unchecked, trouble.failure().code, message, action))
        }
    }
}

/// Whether we are among the principals: as the role that we assume, else as both the one that reads and the one that writes.
fn is_let_in(principals: &[String], role_arn: Option<&str>) -> bool {
    let has = |name: &str| principals.iter().any(|arn| arn.rsplit('/').next() == Some(name));
    match role_arn {
        Some(role) => principals.iter().any(|arn| arn == role),
        None => KubernetesRole::ALL.iter().all(|role| has(&role.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{failure::Failure, status::EksClusterStatus};

    fn eks(version: &str, mode: &str) -> EksCluster {
        EksCluster {
            name: "theirs".to_owned(),
            arn: "arn:aws:eks:us-west-2:111122223333:cluster/theirs".to_owned(),
            status: EksClusterStatus::read("ACTIVE"),
            version: version.to_owned(),
            endpoint: String::new(),
            certificate_authority: String::new(),
            vpc_id: "vpc-1".to_owned(),
            subnet_ids: Vec::new(),
            security_group_ids: Vec::new(),
            cluster_security_group_id: None,
            role_arn: String::new(),
            authentication_mode: mode.to_owned(),
            access: Default::default(),
            issuer: None,
            issues: Vec::new(),
            tags: Default::default(),
        }
    }

    #[test]
    fn an_old_cluster_without_entries_is_told_all_that_it_lacks_at_once() {
        let old = eks("1.27", "CONFIG_MAP");
        let (footing, principals) = (Ok(Footing::default()), Ok(Vec::new()));
        let seen = Candidate { eks: &old, footing: &footing, principals: &principals, role_arn: None };
        let found = lacks(&seen, &[], false);
        let said: Vec<(Severity, &str)> = found.iter().map(|one| (one.severity, one.action.as_str())).collect();
        assert_eq!(said[0].0, Severity::Blocking);
        assert!(said[1].1.contains("the fix authentication-mode"));
        assert!(said[2].1.contains("private subnet"));
        assert!(said[3].1.contains("grantAccess"));
        assert_eq!(found.len(), 4);
        let fixes = ["authentication-mode".to_owned()];
        assert_eq!(lacks(&seen, &fixes, true).len(), 2, "what is asked for is not complained about");
    }

    #[test]
    fn what_could_not_be_read_is_unchecked_and_a_role_of_ours_counts_whatever_its_path() {
        let fine = eks("1.34", "API_AND_CONFIG_MAP");
        let footing = Err(Failure::new(ErrorCode::PermissionDenied, "ec2 DescribeSubnets: no").into());
        let role = |name: &str| format!("arn:aws:iam::111122223333:role/x/hyperpod-instantstart-kubernetes-{name}");
        let principals = Ok(vec![role("reader"), role("writer")]);
        let seen = Candidate { eks: &fine, footing: &footing, principals: &principals, role_arn: None };
        let found = lacks(&seen, &[], false);
        assert_eq!(found.iter().map(|one| one.severity).collect::<Vec<_>>(), [Severity::Unchecked]);
        assert!(found[0].message.contains("DescribeSubnets"));
        let principals = Ok(vec![role("reader")]);
        let half = lacks(&Candidate { principals: &principals, ..seen }, &[], false);
        assert!(half.iter().any(|one| one.code == ErrorCode::PermissionDenied), "one of two entries is not enough");
    }
}
