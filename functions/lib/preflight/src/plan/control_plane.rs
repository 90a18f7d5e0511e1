//! The changes of the stage control-plane: keys, titles and order are the stage's own.

use super::{role_name, stages::change};
use crate::{
    findings::{eks_zones, free_block},
    request::Request,
    scene::Seen,
};
use contract::plan::PlannedChange;
use domain::{
    cidr::carve_eks_subnets,
    naming::{Names, Role},
};
use footing::Lack;

/// What is not known before it is made, in a line above.
const LATER: &str = "(made above)";

/// A cluster from nothing.
pub(super) fn made(request: &Request<'_>, seen: &Seen, version: &str) -> Vec<PlannedChange> {
    let tag = &request.cluster.tag;
    let role = role_name(request, Role::Cluster);
    let mut changes = vec![
        change("create-cluster-role", format!("create role {role} for the EKS control plane")),
        change("attach-cluster-policy", format!("attach AmazonEKSClusterPolicy to {role}")),
    ];
    if request.makes_network() {
        changes.extend(network(request, seen));
    }
    changes.extend(security_group(request));
    let title =
        format!("create EKS cluster {tag}, Kubernetes {version} (8 to 12 minutes at AWS's pace, billed from now on)");
    changes.push(change("create-eks-cluster", title));
    if request.makes_network() {
        changes.push(change("route-to-nat", format!("route private subnets to NAT gateway {LATER}")));
    }
    changes.push(change("create-oidc-provider", "create the OIDC provider of the cluster"));
    let addon =
        |name: &str| change(format!("create-addon/{name}"), format!("install add-on {name}, EKS's default version"));
    changes.extend(addons::BASE.iter().map(|one| addon(one.name)));
    changes.push(change("create-access-entry", "create access entries for this control plane's own roles"));
    changes.extend(administrators(request, seen).into_iter().map(|principal| {
        change(format!("create-access-entry/{principal}"), format!("create an access entry for {principal}"))
    }));
    changes
}

/// Who gets an entry, each once: roles and users as given, and the role of a session.
fn administrators(request: &Request<'_>, seen: &Seen) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (index, given) in request.cluster.decisions.administrators.iter().enumerate() {
        let known = seen.administrators.get(index).and_then(|known| known.as_ref().ok()?.clone());
        let principal = known.filter(|_| given.is_session()).unwrap_or_else(|| given.to_string());
        if !all.contains(&principal) {
            all.push(principal);
        }
    }
    all
}

fn network(request: &Request<'_>, seen: &Seen) -> Vec<PlannedChange> {
    let vpc = free_block(request, seen);
    let block = vpc.map_or_else(|| "(chosen free)".to_owned(), |vpc| vpc.to_string());
    let carved = vpc.and_then(carve_eks_subnets);
    let ids: Vec<String> = seen.zones.iter().flatten().map(|zone| zone.id.clone()).collect();
    let zones: Option<[String; 2]> = eks_zones(request, &ids);
    let subnet = |side: &str, zone: usize| {
        let blocks = carved.map(|carved| if side == "public" { carved.public } else { carved.private });
        let block = blocks.and_then(|blocks| blocks.get(zone).map(ToString::to_string)).unwrap_or_default();
        let place = zones.as_ref().and_then(|zones| zones.get(zone).cloned()).unwrap_or_else(|| "(a zone)".to_owned());
        let name = format!("{side}-{}", zone + 1);
        change(format!("create-subnet/{name}"), format!("create subnet {name} {block} in {place}"))
    };
    let public =
        |name: &str| change(format!("map-public-addresses/{name}"), format!("give public addresses in subnet {name}"));
    let routed = |name: &str| {
        change(format!("associate-route-table/{name}"), format!("associate subnet {name} with its routes"))
    };
    vec![
        change("create-vpc", format!("create VPC {block}")),
        change("enable-dns-hostnames", format!("switch DNS host names on in {LATER}")),
        subnet("public", 0),
        public("public-1"),
        subnet("public", 1),
        public("public-2"),
        subnet("private", 0),
        subnet("private", 1),
        change("create-internet-gateway", "create internet gateway"),
        change("attach-internet-gateway", format!("attach internet gateway to {LATER}")),
        change("create-route-table/public", "create public route table"),
        change("route-to-internet", "route public subnets to the internet gateway"),
        routed("public-1"),
        routed("public-2"),
        change("allocate-address", "allocate an elastic address for the NAT gateway"),
        change("create-nat-gateway", "create NAT gateway (billed from now on)"),
        change("create-route-table/private", "create private route table"),
        routed("private-1"),
        routed("private-2"),
        change("create-s3-endpoint", "create S3 gateway endpoint"),
    ]
}

fn security_group(request: &Request<'_>) -> Vec<PlannedChange> {
    let name = Names::of(&request.cluster.tag, request.cluster.id).security_group();
    vec![
        change("create-security-group", format!("create security group {name}")),
        change("allow-self-ingress", format!("allow all traffic from {LATER} to itself")),
        change("allow-self-egress", format!("allow all traffic to {LATER} from itself")),
        change("allow-egress", format!("let all traffic out of {LATER}")),
    ]
}

/// What an import mends, for the fixes that it asks for.
pub(super) fn mended(request: &Request<'_>, seen: &Seen) -> Vec<PlannedChange> {
    let Some(import) = &request.cluster.import else { return Vec::new() };
    let asked = |fix: &str| import.fixes.iter().any(|one| one == fix);
    let footing = seen.site.footing.as_ref().ok().and_then(Option::as_ref);
    let lacks = footing.map(footing::Footing::lacks).unwrap_or_default();
    let mut changes: Vec<PlannedChange> =
        lacks.iter().filter(|lack| lack.fix().is_some_and(asked)).flat_map(mend).collect();
    let eks = seen.site.eks.as_ref().ok().and_then(Option::as_ref);
    if eks.is_some_and(|eks| eks.authentication_mode == "CONFIG_MAP") && asked("authentication-mode") {
        let name = request.cluster.eks_name();
        let title = format!("let EKS cluster {name} use access entries (authentication mode API_AND_CONFIG_MAP)");
        changes.push(change("mend/authentication-mode", title));
    }
    if import.grant_access {
        changes.push(change("create-access-entry", "create access entries for this control plane's own roles"));
    }
    changes
}

fn mend(lack: &Lack) -> Vec<PlannedChange> {
    match lack {
        Lack::SelfRules { group, ingress, egress } => {
            let from =
                change(format!("mend/self-ingress/{group}"), format!("allow all traffic from {group} to itself"));
            let to = change(format!("mend/self-egress/{group}"), format!("allow all traffic to {group} from itself"));
            [(*ingress, from), (*egress, to)].into_iter().filter_map(|(open, one)| open.then_some(one)).collect()
        }
        Lack::Nat { table, .. } => {
            vec![change(format!("mend/route-to-nat/{table}"), format!("route {table} to NAT gateway {LATER}"))]
        }
        Lack::S3Endpoint { endpoint: Some(_), tables } => {
            let title = format!("lead {} more route tables to the S3 gateway endpoint", tables.len());
            vec![change("add-endpoint-route-tables", title)]
        }
        Lack::S3Endpoint { endpoint: None, .. } => vec![change("create-s3-endpoint", "create S3 gateway endpoint")],
        Lack::PrivateSubnets => Vec::new(),
    }
}
