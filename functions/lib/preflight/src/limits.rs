//! Quotas with what is left of them: what is free is never below zero, and never guessed (field reports BR-058, BR-059).

use crate::{Read, Usage};
use cloud::quotas::Quota;
use contract::choices::QuotaView;
use domain::{
    catalogue::{cluster_quota_name, spot_quota_name},
    decisions::CapacityType,
    ids::InstanceType,
};
use std::collections::BTreeMap;

/// SageMaker's quotas by name.
pub type SageMakerQuotas = BTreeMap<String, Quota>;

/// Service Quotas name: nodes of one cluster.
pub const PER_CLUSTER: &str = "Maximum number instances allowed per SageMaker HyperPod cluster";
/// Service Quotas name: nodes of all clusters of account and Region.
pub const IN_ALL: &str = "Total number of instances allowed across SageMaker HyperPod clusters";
/// Service Quotas name: Spot nodes of all clusters of account and Region.
pub const SPOT_IN_ALL: &str = "Total number of Spot instances allowed across SageMaker HyperPod clusters";
/// Service Quotas name: the volume of one node.
pub const VOLUME: &str = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance";

/// The quota that counts instances of a type bought in a way; none for training plans, which bring their own capacity.
pub fn quota_of(instance_type: &InstanceType, capacity: CapacityType) -> Option<String> {
    match capacity {
        CapacityType::OnDemand => Some(cluster_quota_name(instance_type)),
        CapacityType::Spot => Some(spot_quota_name(instance_type)),
        CapacityType::TrainingPlan => None,
    }
}

/// Instances of a type in use, bought in a way.
pub fn used(usage: &Usage, instance_type: &InstanceType, capacity: CapacityType) -> u32 {
    let of_kind = match capacity {
        CapacityType::OnDemand => &usage.on_demand,
        CapacityType::Spot => &usage.spot,
        CapacityType::TrainingPlan => return 0,
    };
    of_kind.get(instance_type.as_str()).copied().unwrap_or(0)
}

/// A quota by name, with what is used of it.
pub fn view(name: &str, quotas: &Read<SageMakerQuotas>, used: Result<u32, String>) -> QuotaView {
    let found = match quotas {
        Ok(quotas) => quotas.get(name).ok_or_else(|| "Service Quotas lists no quota of this name".to_owned()),
        Err(trouble) => Err(trouble.failure().message.clone()),
    };
    match found {
        Ok(quota) => of(quota, used),
        Err(why) => QuotaView {
            name: name.to_owned(),
            limit: None,
            used: used.ok(),
            free: None,
            source: "unknown".to_owned(),
            note: Some(format!("It could not be read: {why}.")),
        },
    }
}

/// A quota with what is used of it.
pub fn of(quota: &Quota, used: Result<u32, String>) -> QuotaView {
    let note = match (&used, quota.source) {
        (Err(why), _) => Some(format!("What is used could not be read: {why}.")),
        (Ok(_), cloud::quotas::Source::Default) => {
            Some("AWS's default value: this account has none of its own.".to_owned())
        }
        (Ok(_), cloud::quotas::Source::Applied) => None,
    };
    QuotaView {
        name: quota.name.clone(),
        limit: Some(quota.value),
        used: used.clone().ok(),
        free: used.ok().map(|used| quota.value.saturating_sub(used)),
        source: quota.source.as_str().to_owned(),
        note,
    }
}

/// A failed read as the reason for not knowing.
pub fn why<T>(read: &Read<T>) -> Result<&T, String> {
    read.as_ref().map_err(|trouble| trouble.failure().message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloud::quotas::Source;
    use domain::{ErrorCode, failure::Failure};

    fn quota(value: u32, source: Source) -> Quota {
        Quota { name: "q".to_owned(), code: "L-1".to_owned(), value, source }
    }

    #[test]
    fn br_059_more_used_than_allowed_leaves_nothing_and_a_default_says_that_it_is_one() {
        let view = of(&quota(8, Source::Applied), Ok(16));
        assert_eq!((view.limit, view.used, view.free, view.note), (Some(8), Some(16), Some(0), None));
        let view = of(&quota(4, Source::Default), Ok(0));
        assert_eq!((view.free, view.source.as_str()), (Some(4), "default"));
        assert!(view.note.unwrap().contains("default value"));
    }

    #[test]
    fn what_could_not_be_read_is_unknown_with_the_reason_and_nothing_is_called_free() {
        let denied = Err(Failure::new(ErrorCode::PermissionDenied, "no").into());
        let unread = view("q", &denied, Ok(3));
        assert_eq!((unread.limit, unread.used, unread.free), (None, Some(3), None));
        assert_eq!((unread.source.as_str(), unread.note.unwrap().contains("no")), ("unknown", true));
        let quotas = Ok(BTreeMap::from([("q".to_owned(), quota(8, Source::Applied))]));
        assert_eq!(view("q", &quotas, Err("denied".to_owned())).free, None);
        assert_eq!(view("other", &quotas, Ok(0)).source, "unknown");
    }
}
