//! Whether our own roles may do what a request needs (field report BR-017), as far as IAM's simulator can tell.
//!
//! What a stage may do stands in its policy file; here stands what a creation needs first of all, so that a policy that
//! was cut down, or a boundary, is found before the first change and not after half of a network.

use crate::{Eyes, Read, request::Request};
use domain::naming::{Names, ROLE_PATH, Role, TAG_CLUSTER, function_role};

/// What a role lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// The role's ARN; none if there is no such role, so that nothing was simulated.
    pub role: Option<String>,
    /// Actions that are not allowed, in order.
    pub actions: Vec<String>,
}

/// What makes a network, on any resource.
const NETWORK: [&str; 8] = [
    "ec2:CreateVpc",
    "ec2:CreateSubnet",
    "ec2:CreateInternetGateway",
    "ec2:AllocateAddress",
    "ec2:CreateNatGateway",
    "ec2:CreateRouteTable",
    "ec2:CreateVpcEndpoint",
    "ec2:CreateSecurityGroup",
];

/// Simulates what the first stage does for `request`.
pub(crate) async fn look(eyes: &Eyes, request: &Request<'_>) -> Read<Gaps> {
    let role = match &eyes.target.role_arn {
        Some(role) => Some(role.clone()),
        None => eyes.iam.role(&function_role("control-plane")).await?.map(|role| role.arn),
    };
    let Some(role) = role else { return Ok(Gaps::default()) };
    let (partition, account) = (eyes.target.region.partition(), &eyes.target.account);
    let names = Names::of(&request.cluster.tag, request.cluster.id);
    let made = format!("arn:{partition}:iam::{account}:role{ROLE_PATH}{}", names.role(Role::Cluster));
    let cluster = format!("arn:{partition}:eks:{}:{account}:cluster/{}", eyes.target.region, request.cluster.tag);
    let tagged = [(format!("aws:RequestTag/{TAG_CLUSTER}"), request.cluster.id.to_string())];
    let passed = [("iam:PassedToService".to_owned(), "eks.amazonaws.com".to_owned())];
    let network: &[&str] = if request.makes_network() { &NETWORK } else { &["ec2:CreateSecurityGroup"] };
    // Tags are only given to what is being made.
    let making = ("ec2:CreateAction".to_owned(), "CreateSecurityGroup".to_owned());
    let tagging = [tagged.clone(), [making]].concat();
    let group = format!("arn:{partition}:ec2:{}:{account}:security-group/*", eyes.target.region);
    let (network, tags, roles, pass, eks) = tokio::try_join!(
        eyes.iam.refused(&role, network, "*", &[]),
        eyes.iam.refused(&role, &["ec2:CreateTags"], &group, &tagging),
        eyes.iam.refused(&role, &["iam:CreateRole", "iam:TagRole"], &made, &[]),
        eyes.iam.refused(&role, &["iam:PassRole"], &made, &passed),
        eyes.iam.refused(&role, &["eks:CreateCluster"], &cluster, &tagged),
    )?;
    Ok(Gaps { role: Some(role), actions: [network, tags, roles, pass, eks].concat() })
}
