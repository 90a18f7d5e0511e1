//! What no policy may say, and what is left unconditioned, each with its reason.

use super::POLICIES;
use serde_json::Value;

/// What a destructive action's name begins with.
const DESTRUCTIVE: [&str; 10] =
    ["Delete", "Terminate", "Release", "Detach", "Revoke", "Disassociate", "Deregister", "Remove", "Stop", "Untag"];

/// Reads, and what changes nothing but our own records and executions.
const HARMLESS: [&str; 8] = ["Describe", "List", "Get", "Simulate", "Query", "ConditionCheck", "Search", "Head"];

/// Changes that neither a condition nor the resource's name narrows to what is ours, and why they cannot be.
const UNCONDITIONED: [(&str, &str, &str); 27] = [
    ("control-plane", "ec2:CreateVpc", MAKING),
    ("control-plane", "ec2:CreateSubnet", MAKING),
    ("control-plane", "ec2:CreateInternetGateway", MAKING),
    ("control-plane", "ec2:AllocateAddress", MAKING),
    ("control-plane", "ec2:CreateNatGateway", MAKING),
    ("control-plane", "ec2:CreateRouteTable", MAKING),
    ("control-plane", "ec2:CreateVpcEndpoint", MAKING),
    ("control-plane", "ec2:CreateSecurityGroup", MAKING),
    ("control-plane", "ec2:AuthorizeSecurityGroupIngress", FIX),
    ("control-plane", "ec2:AuthorizeSecurityGroupEgress", FIX),
    ("control-plane", "ec2:CreateRoute", FIX),
    ("control-plane", "ec2:ReplaceRoute", FIX),
    ("control-plane", "ec2:ModifyVpcEndpoint", FIX),
    ("control-plane", "iam:CreateOpenIDConnectProvider", ISSUER),
    ("control-plane", "iam:TagOpenIDConnectProvider", ISSUER),
    ("control-plane", "iam:AddClientIDToOpenIDConnectProvider", ISSUER),
    ("hyperpod", "ec2:CreateSubnet", MAKING),
    ("hyperpod", "ec2:CreateRouteTable", MAKING),
    ("hyperpod", "eks:CreateAccessEntry", CALLER),
    ("hyperpod", "eks:AssociateAccessPolicy", CALLER),
    ("hyperpod", "eks:DeleteAccessEntry", CALLER),
    ("hyperpod", "sagemaker:CreateCluster", PLANS),
    ("hyperpod", "sagemaker:UpdateCluster", IMPORTED),
    ("stop-spending", "sagemaker:UpdateCluster", IMPORTED),
    ("stop-spending", "eks:CreateAccessEntry", CALLER),
    ("stop-spending", "eks:AssociateAccessPolicy", CALLER),
    ("storage", "eks:UpdatePodIdentityAssociation", IMPORTED),
];

const MAKING: &str = "what is made has no tag yet, and what it is made in may be borrowed";
const FIX: &str = "a fix of an import, asked for by name, changes a borrowed thing: decision 4";
const ISSUER: &str = "the provider's name is EKS's; the resource is narrowed to EKS's issuers";
const CALLER: &str = "HyperPod makes and removes its nodes' entries with the rights of whoever makes or changes the cluster, \
                      and asks for them on all of the cluster's entries beforehand";
const PLANS: &str = "clusters by our tag, but training plans and the capacity behind them are bought by people";
const IMPORTED: &str = "an imported cluster's groups are changed on request, and it does not carry our tag";

struct Grant {
    function: &'static str,
    action: String,
    narrowed: bool,
}

/// Every allowed action of every policy.
fn grants() -> Vec<Grant> {
    let mut grants = Vec::new();
    for (function, policy) in POLICIES {
        let policy: Value = serde_json::from_str(policy).unwrap();
        for statement in policy["Statement"].as_array().unwrap() {
            assert_eq!(statement["Effect"], "Allow", "{function}: a deny that is needed is an allow that is too wide");
            let narrowed = is_conditioned(statement) || texts(&statement["Resource"]).iter().all(|it| is_named(it));
            let actions = texts(&statement["Action"]).into_iter();
            grants.extend(actions.map(|action| Grant { function, action, narrowed }));
        }
    }
    grants
}

/// Whether a condition other than one that is true of most requests narrows the statement.
fn is_conditioned(statement: &Value) -> bool {
    let operators = statement["Condition"].as_object().into_iter().flatten();
    let mut keys = operators.flat_map(|(_, keys)| keys.as_object().into_iter().flatten().map(|(key, _)| key.as_str()));
    keys.any(|key| !["aws:SecureTransport", "aws:RequestedRegion", "aws:PrincipalAccount"].contains(&key))
}

/// Whether the name of the resource is computed by us.
fn is_named(resource: &str) -> bool {
    ["${Table}", "hyperpod-instantstart", "s3:::sagemaker-*-${Account}"].iter().any(|ours| resource.contains(ours))
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn verb_is_one_of(action: &str, verbs: &[&str]) -> bool {
    let verb = action.split_once(':').map_or("", |(_, verb)| verb);
    verbs.iter().any(|start| verb.starts_with(start))
}

#[test]
fn every_function_has_a_policy_of_its_own_and_every_file_is_used() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.map(|name| name.trim_end_matches(".json").to_owned()).collect();
    files.sort();
    let mut used: Vec<&str> = POLICIES.iter().map(|(function, _)| *function).collect();
    used.sort_unstable();
    assert_eq!(files, used);
}

#[test]
fn no_policy_allows_actions_by_wildcard() {
    for grant in grants() {
        assert!(!grant.action.contains('*'), "{}: {}", grant.function, grant.action);
    }
}

#[test]
fn nothing_destructive_is_allowed_without_a_condition_or_a_computed_name() {
    let grants = grants();
    let wide = grants.iter().filter(|grant| verb_is_one_of(&grant.action, &DESTRUCTIVE) && !grant.narrowed);
    let wide: Vec<(&str, &str)> = wide.map(|grant| (grant.function, grant.action.as_str())).collect();
    assert_eq!(wide, [("hyperpod", "eks:DeleteAccessEntry")], "{CALLER}");
}

#[test]
fn what_is_changed_without_a_condition_is_listed_with_its_reason() {
    let wide = grants().into_iter().filter(|grant| !grant.narrowed && !verb_is_one_of(&grant.action, &HARMLESS));
    let mut wide: Vec<(&str, String)> = wide.map(|grant| (grant.function, grant.action)).collect();
    wide.sort();
    wide.dedup();
    let mut listed: Vec<(&str, String)> =
        UNCONDITIONED.iter().map(|(function, action, _)| (*function, (*action).to_owned())).collect();
    listed.sort();
    assert_eq!(wide, listed);
}

#[test]
fn no_action_is_allowed_twice_so_that_no_condition_is_moot() {
    let mut seen: Vec<(&str, String)> = grants().into_iter().map(|it| (it.function, it.action)).collect();
    seen.sort();
    let twice: Vec<_> = seen.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    let split = |grant: &&&(&str, String)| TWICE.contains(&(grant.0, grant.1.as_str()));
    let moot: Vec<_> = twice.iter().filter(|grant| !split(grant)).collect();
    assert!(moot.is_empty(), "{moot:?}");
}

/// Actions that two statements allow on resources of different kinds, each as narrow as its kind can be.
const TWICE: [(&str, &str); 3] = [
    // Clusters by our tag or name; training plans and the capacity behind them, which are bought by people.
    ("hyperpod", "sagemaker:CreateCluster"),
    ("hyperpod", "sagemaker:UpdateCluster"),
    // Add-ons and associations, as each is made.
    ("storage", "eks:TagResource"),
];
