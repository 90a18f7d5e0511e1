//! Who may enter a cluster's Kubernetes API: the one list, and what EKS knows of it.
//!
//! Entries need the full ARN of a role, path included (field report BR-007): roles are looked up by name, and a session
//! stands for its role.

use cloud::{eks::Eks, iam::Iam};
use domain::{failure::Trouble, ids::PrincipalArn, naming::KubernetesRole};
use engine::reconciler::Scene;
use serde::Serialize;

/// Reads everything, changes nothing. EKS's narrower AmazonEKSViewPolicy shows neither nodes nor custom resources.
const VIEW: &str = "AmazonEKSAdminViewPolicy";

/// May do everything in the cluster. Less does not install what we install: Kubernetes lets nobody grant by a ClusterRole
/// what they may not do themselves, and EKS's edit and admin policies leave out custom resource definitions.
const ADMIN: &str = "AmazonEKSClusterAdminPolicy";

/// Audience of the tokens that EKS's service accounts bring to STS.
pub(crate) const AUDIENCE: &str = "sts.amazonaws.com";

/// A principal that is to be let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Admission {
    /// Its ARN as IAM has it.
    pub principal: String,
    /// ARN of the access policy that it is to have.
    pub policy: String,
    /// Whether it has an entry.
    pub entered: bool,
    /// Whether the entry has the policy for the whole cluster.
    pub associated: bool,
}

/// An administrator whose ARN is not what IAM has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Misnamed {
    /// Where in the request.
    pub index: usize,
    /// As given.
    pub given: String,
    /// What IAM has for that name; none if it has none.
    pub meant: Option<String>,
}

/// Everybody to be let in, and administrators that IAM does not know so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Admissions {
    /// To be let in.
    pub wanted: Vec<Admission>,
    /// Not to be found.
    pub misnamed: Vec<Misnamed>,
}

/// Looks who is to be let in and who is; `usable` says whether the cluster is there to be asked. Before that, only the
/// administrators are looked up: whether they exist is told before anything is made.
pub(crate) async fn observe(eks: &Eks, iam: &Iam, scene: Scene<'_>, usable: bool) -> Result<Admissions, Trouble> {
    let name = scene.cluster.eks_name();
    let present = if usable { eks.access_principals(name).await? } else { Vec::new() };
    let mut seen = Admissions::default();
    let partition = scene.cluster.target.region.partition();
    let arn = |policy: &str| format!("arn:{partition}:eks::aws:cluster-access-policy/{policy}");
    let admission = |principal: String, policy: &str| Admission {
        entered: present.contains(&principal),
        principal,
        policy: arn(policy),
        associated: false,
    };
    if usable {
        for (principal, policy) in ourselves(scene) {
            seen.wanted.push(admission(principal, policy));
        }
    }
    for (index, given) in scene.cluster.decisions.administrators.iter().enumerate() {
        let entered = present.iter().any(|present| present == given.as_str());
        let meant = if entered { Some(given.to_string()) } else { real_arn(iam, scene, given).await? };
        match meant {
            // A session and its role may both be given.
            Some(arn) if seen.wanted.iter().any(|one| one.principal == arn) => {}
            Some(arn) if given.stands_for(&arn) => seen.wanted.push(admission(arn, ADMIN)),
            meant => seen.misnamed.push(Misnamed { index, given: given.to_string(), meant }),
        }
    }
    for one in seen.wanted.iter_mut().filter(|one| one.entered) {
        let policies = eks.access_policies(name, &one.principal).await?;
        one.associated = policies.iter().any(|policy| policy.arn == one.policy && policy.namespaces.is_empty());
    }
    Ok(seen)
}

/// The roles behind which our functions come: the one that they assume in the cluster's account, else the deployment's two.
fn ourselves(scene: Scene<'_>) -> Vec<(String, &'static str)> {
    let target = &scene.cluster.target;
    if scene.cluster.import.as_ref().is_some_and(|import| !import.grant_access) {
        return Vec::new();
    }
    if let Some(role) = &target.role_arn {
        return vec![(role.clone(), ADMIN)];
    }
    let policy = |role: KubernetesRole| match role {
        KubernetesRole::Reader => VIEW,
        KubernetesRole::Writer => ADMIN,
    };
    KubernetesRole::ALL.map(|role| (role.arn(&target.region, &target.account), policy(role))).to_vec()
}

/// The ARN that IAM has for what `given` names. Principals of other accounts cannot be looked up: a role or user is taken as
/// it is, and of a session the role's path stays unknown.
async fn real_arn(iam: &Iam, scene: Scene<'_>, given: &PrincipalArn) -> Result<Option<String>, Trouble> {
    match given.account() == scene.cluster.target.account.as_str() {
        true => iam.principal(given).await,
        false => Ok(Some(given.to_string()).filter(|_| !given.is_session())),
    }
}
