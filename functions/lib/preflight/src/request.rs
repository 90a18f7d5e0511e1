//! A request as preflight and plan see it: the record as it would be, and where its input's fields are. Pure.

use domain::{
    capacity::addresses,
    catalogue::{Hardware, hardware},
    decisions::{CapacityType, HyperPodDecision},
    ids::{InstanceType, TrainingPlanArn, ZoneId},
    naming::SYSTEM_GROUP,
};
use engine::record::Cluster;
use jiff::Timestamp;

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A cluster from nothing.
    Create,
    /// An EKS cluster that is there is taken over.
    Import,
    /// The instance groups of a cluster that has none yet.
    Capacity,
    /// Something of a cluster is run again as it was decided.
    Again,
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The record as it would be.
    pub cluster: &'a Cluster,
    /// What it is about.
    pub purpose: Purpose,
    /// The time now.
    pub now: Timestamp,
}

/// A group that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Its name.
    pub name: &'a str,
    /// JSON pointer to its decision in the input.
    pub at: String,
    /// Its zone.
    pub zone_id: &'a ZoneId,
    /// Its type.
    pub instance_type: &'a InstanceType,
    /// Its instances.
    pub count: u32,
    /// Where they come from.
    pub capacity: CapacityType,
    /// Its plan.
    pub plan: Option<&'a TrainingPlanArn>,
    /// Size of each node's extra volume.
    pub volume_gib: Option<u32>,
}

impl Wanted<'_> {
    /// What its type is made of; none if we do not know the type.
    pub fn hardware(&self) -> Option<&'static Hardware> {
        hardware(self.instance_type)
    }

    /// Addresses that its nodes take; one each if the type is not known.
    pub fn addresses(&self) -> u64 {
        let known = addresses(self.instance_type, self.count);
        known.map_or_else(|| u64::from(self.count), |known| known.needed)
    }

    /// The pointer of one of its members.
    pub fn pointer(&self, member: &str) -> String {
        format!("{}/{member}", self.at)
    }
}

impl<'a> Request<'a> {
    /// Every group that is wanted; the system group is the group `system`.
    pub fn groups(&self) -> Vec<Wanted<'a>> {
        let Some(decision) = &self.cluster.decisions.hyperpod else { return Vec::new() };
        let base = match self.purpose {
            Purpose::Capacity => "",
            Purpose::Create | Purpose::Import | Purpose::Again => "/hyperpod",
        };
        let mut wanted = decided(decision, base);
        wanted.extend(system(decision, base));
        wanted
    }

    /// The pointer of the instance groups as a whole.
    pub fn groups_pointer(&self) -> &'static str {
        if self.purpose == Purpose::Capacity { "/instanceGroups" } else { "/hyperpod/instanceGroups" }
    }

    /// Whether it is an import that asks for this fix.
    pub fn mends(&self, fix: &str) -> bool {
        self.cluster.import.as_ref().is_some_and(|import| import.fixes.iter().any(|asked| asked == fix))
    }

    /// Whether a VPC would be made.
    pub fn makes_network(&self) -> bool {
        self.purpose == Purpose::Create && self.cluster.decisions.network.is_none()
    }
}

fn decided<'a>(decision: &'a HyperPodDecision, base: &str) -> Vec<Wanted<'a>> {
    let of = decision.instance_groups.iter().map(|(name, group)| Wanted {
        name: name.as_str(),
        at: format!("{base}/instanceGroups/{name}"),
        zone_id: &group.zone_id,
        instance_type: &group.instance_type,
        count: group.instance_count,
        capacity: group.capacity_type,
        plan: group.training_plan_arn.as_ref(),
        volume_gib: group.volume_size_gib,
    });
    of.collect()
}

fn system<'a>(decision: &'a HyperPodDecision, base: &str) -> Option<Wanted<'a>> {
    decision.system_group.as_ref().map(|group| Wanted {
        name: SYSTEM_GROUP,
        at: format!("{base}/systemGroup"),
        zone_id: &group.zone_id,
        instance_type: &group.instance_type,
        count: group.instance_count,
        capacity: CapacityType::OnDemand,
        plan: None,
        volume_gib: None,
    })
}
