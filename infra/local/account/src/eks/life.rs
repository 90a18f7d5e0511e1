//! What happens to clusters by itself.

use super::{
    Cluster, access, addons,
    cluster::{Status, cluster_by_arn},
    create_cluster::{CreationFailure, ready},
    delete_cluster, identity, updates, world_access,
};
use crate::{life, world::World};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Something that will happen to a cluster. `id` tells it from a later cluster of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Creation ends.
    ClusterReady {
        /// Cluster ARN.
        arn: String,
        /// Cluster id.
        id: String,
    },
    /// Deletion ends.
    ClusterGone {
        /// Cluster ARN.
        arn: String,
        /// Cluster id.
        id: String,
    },
    /// An update ends.
    UpdateDone {
        /// Cluster ARN.
        arn: String,
        /// Update id.
        update: String,
    },
    /// EKS looks at an add-on's objects in the cluster.
    AddonLook {
        /// Cluster ARN.
        arn: String,
        /// Add-on ARN, which holds an id of its own.
        addon: String,
    },
    /// An add-on's deletion ends.
    AddonGone {
        /// Cluster ARN.
        arn: String,
        /// Add-on ARN.
        addon: String,
    },
    /// Access rights of a principal reach the cluster.
    AccessSpreads {
        /// Cluster ARN.
        arn: String,
        /// Principal ARN.
        principal: String,
    },
    /// A deleted pod identity association is gone for every reader.
    AssociationGone {
        /// Cluster ARN.
        arn: String,
        /// Association id.
        association: String,
    },
}

impl From<Event> for life::Event {
    fn from(event: Event) -> Self {
        life::Event::Eks(event)
    }
}

impl Event {
    /// Lets it happen, if the thing that it is about is still there.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        match self {
            Self::ClusterReady { arn, id } if is(world, &arn, &id, Status::Creating) => become_ready(world, &arn, at),
            Self::ClusterGone { arn, id } if is(world, &arn, &id, Status::Deleting) => {
                delete_cluster::finish(world, &arn, at);
            }
            Self::ClusterReady { .. } | Self::ClusterGone { .. } => {}
            Self::UpdateDone { arn, update } => updates::finish(world, &arn, &update),
            Self::AddonLook { arn, addon } => addons::look(world, &arn, &addon, at),
            Self::AddonGone { arn, addon } => addons::finish_deletion(world, &arn, &addon, at),
            Self::AccessSpreads { arn, principal } => access::spread(world, &arn, &principal, at),
            Self::AssociationGone { arn, association } => identity::finish_deletion(world, &arn, &association),
        }
    }
}

fn is(world: &World, arn: &str, id: &str, status: Status) -> bool {
    cluster_by_arn(world, arn).is_some_and(|cluster| cluster.id == id && cluster.status == status)
}

/// Puts the end of creation on the agenda: 8 to 12 minutes.
pub(super) fn start_creation(world: &mut World, cluster: &Cluster, now: Timestamp) {
    let after = world.draw(&format!("creation of {}", cluster.id), 480..720);
    world.schedule(now, after, ready(cluster).into());
}

fn become_ready(world: &mut World, arn: &str, now: Timestamp) {
    let failure = world.eks.creation_failure.take().or_else(|| obstacle(world, arn, now));
    let Some(mut cluster) = world.eks.clusters.get(arn).cloned() else { return };
    if let Some(failure) = failure {
        cluster.status = Status::Failed;
        cluster.issues = vec![json!({ "code": failure.code, "message": failure.message, "resourceIds": [] })];
        world.eks.clusters.insert(arn.to_owned(), cluster);
        return;
    }
    join_network(world, &mut cluster, now);
    open_endpoint(world, &mut cluster, now);
    cluster.status = Status::Active;
    let (bootstrap, creator) = (cluster.bootstrap_addons, cluster.creator_is_admin);
    let principal = cluster.creator.clone();
    world.eks.clusters.insert(arn.to_owned(), cluster);
    if bootstrap {
        addons::bootstrap(world, arn, now);
    }
    if creator {
        access::admit_creator(world, arn, &principal, now);
    }
}

/// What has gone missing since the request was accepted.
fn obstacle(world: &World, arn: &str, now: Timestamp) -> Option<CreationFailure> {
    let cluster = cluster_by_arn(world, arn)?;
    let gone = |id: &&String| world_access::subnet(world, &cluster.region, id).is_none();
    if let Some(id) = cluster.network.subnet_ids.iter().find(gone) {
        let message = format!("The subnet ID '{id}' does not exist");
        return Some(CreationFailure { code: "Ec2SubnetNotFound".to_owned(), message });
    }
    if !world_access::role_assumable(world, &cluster.role_arn, "eks.amazonaws.com", now) {
        let message = format!("Role with arn: {}, could not be assumed", cluster.role_arn);
        return Some(CreationFailure { code: "IamRoleNotFound".to_owned(), message });
    }
    None
}

/// The cluster security group and the control plane's interfaces, one in each of the first subnets of two zones.
fn join_network(world: &mut World, cluster: &mut Cluster, now: Timestamp) {
    let (region, name) = (cluster.region.clone(), cluster.name.clone());
    let group = world_access::make_cluster_security_group(world, &region, &cluster.network.vpc_id, &name, now);
    let mut groups = cluster.network.security_group_ids.clone();
    groups.extend((!group.is_empty()).then(|| group.clone()));
    cluster.network.cluster_security_group_id = group;
    for subnet in cluster.network.subnet_ids.clone() {
        let description = format!("Amazon EKS {name}");
        let claimed = world_access::claim_interface(world, &region, &subnet, &groups, &description);
        cluster.network.interfaces.extend(claimed);
    }
}

fn open_endpoint(world: &mut World, cluster: &mut Cluster, now: Timestamp) {
    cluster.port = world.eks.first_port.and_then(|first| free_port(world, first));
    cluster.endpoint = match cluster.port {
        Some(port) => format!("https://127.0.0.1:{port}"),
        None => format!("https://{}.gr7.{}.eks.amazonaws.com", cluster.id, cluster.region),
    };
    cluster.authority = world_access::start_kubernetes(world, &cluster.arn, &cluster.version, now);
}

fn free_port(world: &World, first: u16) -> Option<u16> {
    (first..=u16::MAX).find(|port| super::ports(world).all(|(taken, _)| taken != *port))
}
