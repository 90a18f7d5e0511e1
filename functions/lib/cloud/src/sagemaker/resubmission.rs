//! Lossless resubmission (requirement G4): a group goes back to AWS as it was described, with one figure changed.
//!
//! UpdateCluster is declarative per group: what is left out is switched off or removed. So a change starts from
//! DescribeCluster, maps every member, and refuses when there is one that it does not know.

use super::{HyperPod, changing, groups::signed, known::unknown_members, maybe, raw::Body};
use aws_sdk_sagemaker::{
    error::BuildError,
    types::{
        ClusterAutoPatchConfig, ClusterAutoPatchConfigDetails, ClusterInstanceGroupDetails,
        ClusterInstanceGroupSpecification, ClusterInstanceRequirements, ClusterKubernetesConfig,
        ClusterKubernetesConfigDetails, ClusterNetworkInterface, ClusterPatchSchedule, ClusterSlurmConfig,
        ClusterSlurmConfigDetails,
    },
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};
use serde_json::Value;
use std::collections::BTreeMap;

impl HyperPod {
    /// Sets the wanted counts of groups that exist, by name; nothing else about them changes, but for a minimum count
    /// that would be above the new one. Groups that are not named stay as they are.
    ///
    /// # Errors
    /// `not_found` for a cluster or group that is gone; `conflict` for a group with members that we do not know, named.
    pub async fn set_targets(&self, cluster: &str, targets: &BTreeMap<String, u32>) -> Result<(), Trouble> {
        let body = Body::default();
        let call = self.read.describe_cluster().cluster_name(cluster).customize().interceptor(body.clone());
        let Some(seen) = maybe("DescribeCluster", call.send().await)? else {
            return Err(gone(format!("the HyperPod cluster {cluster} does not exist any more")));
        };
        let raw = body.take().unwrap_or_default();
        let mut specifications = Vec::new();
        for (name, target) in targets {
            let group = seen.instance_groups().iter().find(|group| group.instance_group_name() == Some(name));
            let group = group.ok_or_else(|| gone(format!("{cluster} has no instance group {name} any more")))?;
            blocked(name, raw_group(&raw, name))?;
            let specification = specification(group, *target).map_err(|error| unfit(name, &error.to_string()))?;
            specifications.push(specification);
        }
        let call = self.change.update_cluster().cluster_name(cluster).set_instance_groups(Some(specifications));
        call.send().await.map(drop).map_err(|error| changing("UpdateCluster", &error))
    }
}

fn raw_group<'a>(raw: &'a Value, name: &str) -> Option<&'a Value> {
    raw["InstanceGroups"].as_array()?.iter().find(|group| group["InstanceGroupName"] == name)
}

fn gone(text: String) -> Trouble {
    Trouble::Fatal(Failure::new(ErrorCode::NotFound, text))
}

fn unfit(name: &str, what: &str) -> Trouble {
    let text = format!("instance group {name} cannot be changed without losing settings that are not ours: {what}");
    let action = "Change the group's count with the AWS console or CLI, or update this product.";
    Trouble::Fatal(Failure::new(ErrorCode::Conflict, text).with_action(action))
}

/// A group whose description has members that we do not know, or that we could not look through, stays as it is.
fn blocked(name: &str, group: Option<&Value>) -> Result<(), Trouble> {
    let unknown = group.map(unknown_members);
    match unknown {
        Some(unknown) if unknown.is_empty() => Ok(()),
        Some(unknown) => Err(unfit(name, &format!("unknown to this version: {}", unknown.join(", ")))),
        None => Err(unfit(name, "its description could not be read as JSON")),
    }
}

/// The group as it is, with another count.
fn specification(
    group: &ClusterInstanceGroupDetails,
    target: u32,
) -> Result<ClusterInstanceGroupSpecification, BuildError> {
    let requirements = group.instance_requirements().map(|details| {
        let types = if details.desired_instance_types().is_empty() {
            details.current_instance_types()
        } else {
            details.desired_instance_types()
        };
        ClusterInstanceRequirements::builder().set_instance_types(Some(types.to_vec())).build()
    });
    let interface = group.network_interface().map(|details| {
        ClusterNetworkInterface::builder().set_interface_type(details.interface_type().cloned()).build()
    });
    let specification = ClusterInstanceGroupSpecification::builder()
        .set_instance_group_name(group.instance_group_name.clone())
        .instance_count(signed(target))
        .set_min_instance_count(group.min_count.map(|least| least.min(signed(target))))
        .set_instance_type(group.instance_type.clone())
        .set_instance_requirements(requirements)
        .set_life_cycle_config(group.life_cycle_config.clone())
        .set_execution_role(group.execution_role.clone())
        .set_threads_per_core(group.threads_per_core)
        .set_instance_storage_configs(group.instance_storage_configs.clone())
        .set_on_start_deep_health_checks(group.on_start_deep_health_checks.clone().filter(|checks| !checks.is_empty()))
        .set_training_plan_arn(group.training_plan_arn.clone())
        .set_override_vpc_config(group.override_vpc_config.clone())
        .set_scheduled_update_config(group.scheduled_update_config.clone())
        .set_auto_patch_config(group.auto_patch_config().map(patching).transpose()?)
        .set_image_id(group.desired_image_id.clone().or_else(|| group.current_image_id.clone()))
        .set_image_release_version(release(group))
        .set_kubernetes_config(group.kubernetes_config().map(kubernetes))
        .set_slurm_config(group.slurm_config().map(slurm).transpose()?)
        .set_capacity_requirements(group.capacity_requirements.clone())
        .set_network_interface(interface);
    Ok(specification.build())
}

/// A release that is on its way is asked for again; one that is simply there is not pinned by asking for it.
fn release(group: &ClusterInstanceGroupDetails) -> Option<String> {
    let (desired, current) = (group.desired_image_release_version(), group.current_image_release_version());
    desired.filter(|desired| Some(*desired) != current).map(str::to_owned)
}

fn patching(details: &ClusterAutoPatchConfigDetails) -> Result<ClusterAutoPatchConfig, BuildError> {
    let schedule = details.desired_patch_schedule().or(details.current_patch_schedule());
    let date = schedule.and_then(|schedule| schedule.next_patch_date().copied());
    ClusterAutoPatchConfig::builder()
        .set_patching_strategy(details.patching_strategy.clone())
        .set_patch_schedule(date.map(|date| ClusterPatchSchedule::builder().next_patch_date(date).build()))
        .set_deployment_config(details.deployment_config.clone())
        .build()
}

fn kubernetes(details: &ClusterKubernetesConfigDetails) -> ClusterKubernetesConfig {
    ClusterKubernetesConfig::builder()
        .set_labels(details.desired_labels.clone().or_else(|| details.current_labels.clone()))
        .set_taints(details.desired_taints.clone().or_else(|| details.current_taints.clone()))
        .build()
}

fn slurm(details: &ClusterSlurmConfigDetails) -> Result<ClusterSlurmConfig, BuildError> {
    ClusterSlurmConfig::builder()
        .node_type(details.node_type().clone())
        .set_partition_names(details.partition_names.clone())
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_sagemaker::types::{
        ClusterCapacityRequirements, ClusterInstanceRequirementDetails, ClusterInstanceType, ClusterInterfaceType,
        ClusterKubernetesTaint, ClusterKubernetesTaintEffect, ClusterLifeCycleConfig, ClusterNetworkInterfaceDetails,
        ClusterPatchScheduleDetails, ClusterPatchingStrategy, ClusterSpotOptions, DeepHealthCheckType, VpcConfig,
    };
    use aws_smithy_types::DateTime;
    use serde_json::json;

    fn full() -> ClusterInstanceGroupDetails {
        let schedule = ClusterPatchScheduleDetails::builder().next_patch_date(DateTime::from_secs(9)).build();
        ClusterInstanceGroupDetails::builder()
            .instance_group_name("workers")
            .current_count(3)
            .target_count(4)
            .min_count(2)
            .instance_requirements(
                ClusterInstanceRequirementDetails::builder()
                    .current_instance_types(ClusterInstanceType::MlP548Xlarge)
                    .desired_instance_types(ClusterInstanceType::MlP5En48Xlarge)
                    .desired_instance_types(ClusterInstanceType::MlP548Xlarge)
                    .build(),
            )
            .life_cycle_config(ClusterLifeCycleConfig::builder().source_s3_uri("s3://b/p").on_create("x.sh").build())
            .execution_role("arn:aws:iam::111122223333:role/x")
            .threads_per_core(1)
            .on_start_deep_health_checks(DeepHealthCheckType::InstanceStress)
            .override_vpc_config(VpcConfig::builder().subnets("subnet-1").security_group_ids("sg-1").build())
            .auto_patch_config(
                ClusterAutoPatchConfigDetails::builder()
                    .patching_strategy(ClusterPatchingStrategy::from("WhenIdle"))
                    .desired_patch_schedule(schedule)
                    .build(),
            )
            .desired_image_id("ami-0123456789abcdef0")
            .current_image_release_version("1.4.0")
            .desired_image_release_version("1.4.0")
            .kubernetes_config(
                ClusterKubernetesConfigDetails::builder()
                    .desired_labels("team", "a")
                    .desired_taints(
                        ClusterKubernetesTaint::builder()
                            .key("only")
                            .effect(ClusterKubernetesTaintEffect::NoSchedule)
                            .build()
                            .unwrap(),
                    )
                    .build(),
            )
            .capacity_requirements(
                ClusterCapacityRequirements::builder().spot(ClusterSpotOptions::builder().build()).build(),
            )
            .network_interface(
                ClusterNetworkInterfaceDetails::builder()
                    .interface_type(ClusterInterfaceType::from("efa-only"))
                    .build(),
            )
            .build()
    }

    #[test]
    fn everything_that_was_set_goes_back_with_another_count() {
        let (seen, sent) = (full(), specification(&full(), 6).unwrap());
        assert_eq!((sent.instance_count(), sent.min_instance_count()), (Some(6), Some(2)));
        assert_eq!(sent.instance_requirements().unwrap().instance_types().len(), 2);
        assert_eq!(sent.life_cycle_config(), seen.life_cycle_config());
        assert_eq!((sent.execution_role(), sent.threads_per_core()), (seen.execution_role(), Some(1)));
        assert_eq!(sent.on_start_deep_health_checks(), seen.on_start_deep_health_checks());
        assert_eq!(sent.override_vpc_config(), seen.override_vpc_config());
        let patching = sent.auto_patch_config().unwrap();
        assert_eq!(patching.patching_strategy().as_str(), "WhenIdle");
        assert_eq!(patching.patch_schedule().unwrap().next_patch_date(), Some(&DateTime::from_secs(9)));
        assert_eq!(sent.image_id(), Some("ami-0123456789abcdef0"));
        let kubernetes = sent.kubernetes_config().unwrap();
        assert_eq!((kubernetes.labels().unwrap()["team"].as_str(), kubernetes.taints().len()), ("a", 1));
        assert!(sent.capacity_requirements().unwrap().spot().is_some());
        assert_eq!(sent.network_interface().unwrap().interface_type().unwrap().as_str(), "efa-only");
    }

    #[test]
    fn what_was_not_set_is_not_sent() {
        let bare =
            ClusterInstanceGroupDetails::builder().instance_group_name("w").instance_type("ml.g6.4xlarge".into());
        let sent = specification(&bare.build(), 0).unwrap();
        assert_eq!((sent.instance_count(), sent.min_instance_count()), (Some(0), None));
        assert!(sent.capacity_requirements().is_none() && sent.kubernetes_config().is_none());
        assert!(sent.on_start_deep_health_checks().is_empty() && sent.image_id().is_none());
    }

    #[test]
    fn a_minimum_count_is_lowered_with_the_count() {
        assert_eq!(specification(&full(), 0).unwrap().min_instance_count(), Some(0));
    }

    #[test]
    fn a_release_is_asked_for_only_while_it_is_on_its_way() {
        assert_eq!(specification(&full(), 4).unwrap().image_release_version(), None);
        let mut moving = full();
        moving.desired_image_release_version = Some("1.5.0".to_owned());
        assert_eq!(specification(&moving, 4).unwrap().image_release_version(), Some("1.5.0"));
    }

    #[test]
    fn an_unknown_member_blocks_and_is_named() {
        assert!(blocked("workers", Some(&json!({"InstanceGroupName": "workers"}))).is_ok());
        let error = blocked("workers", Some(&json!({"Brand": {"New": 1}}))).unwrap_err();
        assert!(error.failure().message.contains("Brand"), "{error}");
        assert!(blocked("workers", None).is_err(), "what could not be looked through is not known");
    }
}
