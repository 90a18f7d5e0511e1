//! An import that enters here: only what one of its fixes names, and the access that it grants us.

use super::{change, cluster, mended};
use crate::{
    change::{Change, Known, Mend},
    observe::{Borrowed, Observed},
};
use domain::{codes::ErrorCode, failure::Failure, states::WaitingOn, status::StatusClass};
use engine::{
    plan::{End, Plan, Step, Wait},
    reconciler::Scene,
    record::Import,
};
use footing::Lack;

/// The fix that lets access entries count.
const AUTHENTICATION_MODE: &str = "authentication-mode";

/// The plan of an import.
pub(super) fn plan(scene: Scene<'_>, import: &Import, observed: &Observed) -> Result<Plan<Change>, Failure> {
    let around = &observed.eks;
    let name = &import.eks_cluster_name;
    let seen = around.cluster.as_ref().ok_or_else(|| {
        let text = format!("there is no EKS cluster {name} in {}", scene.cluster.target.region);
        Failure::new(ErrorCode::NotFound, text).with_action("Import a cluster that is there.")
    })?;
    if matches!(seen.status.class(), StatusClass::Failed | StatusClass::Gone) {
        let text = format!("EKS cluster {name} is {}: it cannot be imported", seen.status);
        return Err(Failure::new(ErrorCode::Conflict, text).with_action("Import a cluster that is in service."));
    }
    let mut steps = Vec::new();
    cluster::await_service(scene, around, &mut steps);
    if let Some(borrowed) = &observed.borrowed {
        network(import, borrowed, &mut steps)?;
    }
    let mut changes = Vec::new();
    let mode = seen.authentication_mode.as_str();
    if mode == "CONFIG_MAP" && asks(import, AUTHENTICATION_MODE) {
        change(&mut changes, Change::Mend(Mend::UseAccessEntries { cluster: name.clone() }));
    }
    if mode == "CONFIG_MAP" && import.grant_access && !asks(import, AUTHENTICATION_MODE) {
        let text = format!("EKS cluster {name} has authentication mode CONFIG_MAP: it takes no access entries");
        return Err(Failure::new(ErrorCode::Conflict, text)
            .with_action("Import it with the fix authentication-mode; it cannot be undone."));
    }
    cluster::admissions(around, &mut changes);
    cluster::await_update(Some(seen), !changes.is_empty(), &mut steps);
    steps.append(&mut changes);
    Ok(Plan { steps, end: End::Done(mended(observed)) })
}

fn asks(import: &Import, fix: &str) -> bool {
    import.fixes.iter().any(|asked| asked == fix)
}

/// Mends what is lacking, as far as a fix asks for it.
fn network(import: &Import, borrowed: &Borrowed, steps: &mut Vec<Step<Change>>) -> Result<(), Failure> {
    let lacks = borrowed.footing.lacks();
    let asked = || lacks.iter().filter(|lack| lack.fix().is_some_and(|fix| asks(import, fix)));
    for lack in asked() {
        match lack {
            Lack::SelfRules { group, ingress, egress } => {
                if *ingress {
                    change(steps, Change::Mend(Mend::SelfIngress { group: group.clone() }));
                }
                if *egress {
                    change(steps, Change::Mend(Mend::SelfEgress { group: group.clone() }));
                }
            }
            Lack::S3Endpoint { endpoint, tables } => s3_endpoint(borrowed, endpoint.as_deref(), tables, steps),
            Lack::Nat { .. } | Lack::PrivateSubnets => {}
        }
    }
    let tables: Vec<(&String, bool)> = asked()
        .filter_map(|lack| match lack {
            Lack::Nat { table, dead_route } => Some((table, *dead_route)),
            _ => None,
        })
        .collect();
    if tables.is_empty() { Ok(()) } else { nat(borrowed, &tables, steps) }
}

fn s3_endpoint(borrowed: &Borrowed, endpoint: Option<&str>, tables: &[String], steps: &mut Vec<Step<Change>>) {
    let tables = tables.iter().map(|table| Known::of(Some(table))).collect();
    match endpoint {
        Some(endpoint) => {
            steps.push(Step::Change(Change::AddEndpointRouteTables { endpoint: endpoint.to_owned(), tables }));
        }
        None => {
            let vpc = Known::of(Some(&borrowed.footing.vpc_id));
            steps.push(Step::Change(Change::CreateS3Endpoint { vpc, tables }));
        }
    }
}

/// Routes to a NAT gateway of the VPC: one that is there, whosever it is, else one of our own in a public subnet.
fn nat(borrowed: &Borrowed, tables: &[(&String, bool)], steps: &mut Vec<Step<Change>>) -> Result<(), Failure> {
    let footing = &borrowed.footing;
    let in_public = footing.nats.iter().filter(|nat| footing.is_public(&nat.subnet_id));
    let there = in_public.min_by_key(|nat| nat.state != "available");
    match there {
        Some(nat) if nat.state != "available" => {
            let reason = format!("NAT gateway {} is coming up (usually 1 to 2 minutes)", nat.id);
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("nat-gateway")));
        }
        Some(_) => {}
        None => {
            let subnet = footing.public_subnet().ok_or_else(|| {
                let text = format!("{} has no public subnet for a NAT gateway", footing.vpc_id);
                Failure::new(ErrorCode::DependencyMissing, text)
                    .with_action("Make a subnet whose route table leads to an internet gateway, then import again.")
            })?;
            if borrowed.address.is_none() {
                steps.push(Step::Change(Change::AllocateAddress));
            }
            let address = Known::of(borrowed.address.as_ref().map(|address| address.allocation_id.as_str()));
            steps.push(Step::Change(Change::CreateNatGateway { subnet: Known::of(Some(&subnet.id)), address }));
            let reason = "the NAT gateway comes up (usually 1 to 2 minutes)";
            steps.push(Step::Wait(Wait::new(WaitingOn::Aws, reason).of("nat-gateway")));
        }
    }
    let nat = Known::of(there.map(|nat| nat.id.as_str()));
    for (table, dead_route) in tables {
        let mend = Mend::RouteToNat { table: (*table).clone(), nat: nat.clone(), replace: *dead_route };
        change(steps, Change::Mend(mend));
    }
    Ok(())
}
