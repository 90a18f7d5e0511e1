//! Instance groups in our words, and what a new one is sent as.

use super::count;
use aws_sdk_sagemaker::types::{
    ClusterCapacityRequirements, ClusterEbsVolumeConfig, ClusterInstanceGroupDetails,
    ClusterInstanceGroupSpecification, ClusterInstanceStorageConfig, ClusterInstanceType, ClusterLifeCycleConfig,
    ClusterSpotOptions, VpcConfig,
};
use domain::{
    ids::{InstanceGroupName, InstanceType, TrainingPlanArn},
    status::InstanceGroupStatus,
};
use serde::{Deserialize, Serialize};

/// Where instances are put: subnets and security groups, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// Subnets.
    pub subnet_ids: Vec<String>,
    /// Security groups.
    pub security_group_ids: Vec<String>,
}

/// Where a node's lifecycle script is: it is read again whenever a node is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// `s3://bucket/prefix`.
    pub source: String,
    /// Name of the entry script under it.
    pub entry: String,
}

/// Where a new group's instances come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Capacity {
    /// On demand: nothing is said, as AWS does when nothing is asked for.
    OnDemand,
    /// Spot.
    Spot,
    /// A training plan.
    Plan(TrainingPlanArn),
}

/// A group to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewGroup {
    /// Its name in the cluster.
    pub name: InstanceGroupName,
    /// Its type, with `ml.`.
    pub instance_type: InstanceType,
    /// How many instances; zero is a group without instances.
    pub instance_count: u32,
    /// Where they come from.
    pub capacity: Capacity,
    /// ARN of the role that its nodes have.
    pub execution_role: String,
    /// Its script.
    pub lifecycle: Lifecycle,
    /// Its own subnets, if they are not the cluster's.
    pub network: Option<Network>,
    /// An extra volume for each node, in GiB.
    pub volume_size_gib: Option<u32>,
}

/// A group as AWS shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its type; the first of its list if it takes several.
    pub instance_type: String,
    /// Instances now.
    pub current: u32,
    /// Instances wanted.
    pub target: u32,
    /// Its status.
    pub status: InstanceGroupStatus,
    /// Whether its instances are Spot.
    pub spot: bool,
    /// Its training plan.
    pub training_plan: Option<String>,
    /// ARN of its role.
    pub execution_role: String,
    /// Its own subnets, if they are not the cluster's.
    pub network: Option<Network>,
    /// Its script.
    pub lifecycle: Option<Lifecycle>,
    /// Deep health checks that run when its nodes start.
    pub deep_checks: Vec<String>,
}

pub(super) fn seen(details: &ClusterInstanceGroupDetails) -> Group {
    let several = details
        .instance_requirements()
        .and_then(|wanted| wanted.desired_instance_types().first().or_else(|| wanted.current_instance_types().first()));
    let instance_type = details.instance_type().or(several);
    Group {
        name: details.instance_group_name().unwrap_or_default().to_owned(),
        instance_type: instance_type.map(|name| name.as_str().to_owned()).unwrap_or_default(),
        current: count(details.current_count()),
        target: count(details.target_count()),
        status: InstanceGroupStatus::read(details.status().map_or("", |status| status.as_str())),
        spot: details.capacity_requirements().is_some_and(|wanted| wanted.spot().is_some()),
        training_plan: details.training_plan_arn().map(str::to_owned),
        execution_role: details.execution_role().unwrap_or_default().to_owned(),
        network: details.override_vpc_config().map(network),
        lifecycle: details.life_cycle_config().and_then(lifecycle),
        deep_checks: details.on_start_deep_health_checks().iter().map(|check| check.as_str().to_owned()).collect(),
    }
}

pub(super) fn network(config: &VpcConfig) -> Network {
    Network { subnet_ids: config.subnets().to_vec(), security_group_ids: config.security_group_ids().to_vec() }
}

fn lifecycle(config: &ClusterLifeCycleConfig) -> Option<Lifecycle> {
    let entry = config.on_create().or(config.on_init_complete())?;
    Some(Lifecycle { source: config.source_s3_uri()?.trim_end_matches('/').to_owned(), entry: entry.to_owned() })
}

impl Network {
    pub(super) fn sdk(&self) -> VpcConfig {
        VpcConfig::builder()
            .set_subnets(Some(self.subnet_ids.clone()))
            .set_security_group_ids(Some(self.security_group_ids.clone()))
            .build()
    }
}

impl NewGroup {
    /// What is sent. Spot is an empty object: its presence is the meaning (field report BR-055).
    pub(super) fn sdk(&self) -> ClusterInstanceGroupSpecification {
        let lifecycle = ClusterLifeCycleConfig::builder()
            .source_s3_uri(&self.lifecycle.source)
            .on_create(&self.lifecycle.entry)
            .build();
        let volume = |size: u32| {
            let volume = ClusterEbsVolumeConfig::builder().volume_size_in_gb(signed(size)).build();
            ClusterInstanceStorageConfig::EbsVolumeConfig(volume)
        };
        let spot = ClusterCapacityRequirements::builder().spot(ClusterSpotOptions::builder().build()).build();
        let (capacity, plan) = match &self.capacity {
            Capacity::OnDemand => (None, None),
            Capacity::Spot => (Some(spot), None),
            Capacity::Plan(arn) => (None, Some(arn.to_string())),
        };
        ClusterInstanceGroupSpecification::builder()
            .instance_group_name(self.name.as_str())
            .instance_type(ClusterInstanceType::from(self.instance_type.as_str()))
            .instance_count(signed(self.instance_count))
            .execution_role(&self.execution_role)
            .life_cycle_config(lifecycle)
            .set_capacity_requirements(capacity)
            .set_training_plan_arn(plan)
            .set_override_vpc_config(self.network.as_ref().map(Network::sdk))
            .set_instance_storage_configs(self.volume_size_gib.map(|size| vec![volume(size)]))
            .build()
    }
}

/// A count as the API takes it; the bounds of our own types are far below.
pub(super) fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(capacity: Capacity) -> NewGroup {
        NewGroup {
            name: "workers".parse().unwrap(),
            instance_type: "ml.p5.48xlarge".parse().unwrap(),
            instance_count: 0,
            capacity,
            execution_role: "arn:aws:iam::111122223333:role/x".to_owned(),
            lifecycle: Lifecycle { source: "s3://b/p".to_owned(), entry: "on_create.sh".to_owned() },
            network: None,
            volume_size_gib: None,
        }
    }

    #[test]
    fn zero_instances_are_sent_as_zero() {
        assert_eq!(group(Capacity::OnDemand).sdk().instance_count(), Some(0));
    }

    #[test]
    fn br_055_spot_is_sent_as_an_empty_object_and_on_demand_as_nothing() {
        let spot = group(Capacity::Spot).sdk();
        assert!(spot.capacity_requirements().is_some_and(|wanted| wanted.spot().is_some()));
        assert!(group(Capacity::OnDemand).sdk().capacity_requirements().is_none());
    }

    #[test]
    fn a_plan_is_sent_without_capacity_requirements() {
        let arn = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/big-plan-of-four-p5-nodes";
        let plan = group(Capacity::Plan(arn.parse().unwrap())).sdk();
        assert_eq!(plan.training_plan_arn(), Some(arn));
        assert!(plan.capacity_requirements().is_none());
    }
}
