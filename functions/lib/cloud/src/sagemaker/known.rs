//! The members of a described group that we understand: carried over into a specification, or known to be a report.
//!
//! A member that is not here would be dropped by sending the group back, so it blocks the change (requirement G4). That
//! the SDK's model or AWS gains a member is no reason to carry it unread: add it here and in `resubmission` together.

use serde_json::Value;

/// What may be at a place.
enum Shape {
    /// Anything: a scalar, a list of scalars, or a map with keys of the user's own.
    Any,
    /// An object of these members.
    Of(&'static [(&'static str, Shape)]),
    /// A list of such.
    Each(&'static Shape),
}

use Shape::{Any, Each, Of};

const NETWORK: Shape = Of(&[("SecurityGroupIds", Any), ("Subnets", Any)]);
const SIZE: Shape = Of(&[("Type", Any), ("Value", Any)]);
const DEPLOYMENT: Shape = Of(&[
    ("RollingUpdatePolicy", Of(&[("MaximumBatchSize", SIZE), ("RollbackMaximumBatchSize", SIZE)])),
    ("WaitIntervalInSeconds", Any),
    ("AutoRollbackConfiguration", Each(&Of(&[("AlarmName", Any)]))),
]);
const SCHEDULE: Shape = Of(&[("NextPatchDate", Any)]);
const STORAGE: Shape = Of(&[
    ("EbsVolumeConfig", Of(&[("VolumeSizeInGB", Any), ("VolumeKmsKeyId", Any), ("RootVolume", Any)])),
    ("FsxLustreConfig", Of(&[("DnsName", Any), ("MountName", Any), ("MountPath", Any)])),
    ("FsxOpenZfsConfig", Of(&[("DnsName", Any), ("MountPath", Any)])),
]);
const TAINT: Shape = Of(&[("Key", Any), ("Value", Any), ("Effect", Any)]);

/// `ClusterInstanceGroupDetails`.
const GROUP: Shape = Of(&[
    ("CurrentCount", Any),
    ("TargetCount", Any),
    ("TargetStateCount", Any),
    ("MinCount", Any),
    ("InstanceGroupName", Any),
    ("InstanceType", Any),
    ("InstanceRequirements", Of(&[("CurrentInstanceTypes", Any), ("DesiredInstanceTypes", Any)])),
    ("InstanceTypeDetails", Any),
    ("LifeCycleConfig", Of(&[("SourceS3Uri", Any), ("OnCreate", Any), ("OnInitComplete", Any)])),
    ("ExecutionRole", Any),
    ("ThreadsPerCore", Any),
    ("InstanceStorageConfigs", Each(&STORAGE)),
    ("OnStartDeepHealthChecks", Any),
    ("Status", Any),
    ("TrainingPlanArn", Any),
    ("TrainingPlanStatus", Any),
    ("OverrideVpcConfig", NETWORK),
    ("ScheduledUpdateConfig", Of(&[("ScheduleExpression", Any), ("DeploymentConfig", DEPLOYMENT)])),
    (
        "AutoPatchConfig",
        Of(&[
            ("PatchingStrategy", Any),
            ("CurrentPatchSchedule", SCHEDULE),
            ("DesiredPatchSchedule", SCHEDULE),
            ("DeploymentConfig", DEPLOYMENT),
        ]),
    ),
    ("CurrentImageId", Any),
    ("DesiredImageId", Any),
    ("CurrentImageReleaseVersion", Any),
    ("DesiredImageReleaseVersion", Any),
    ("ImageVersionStatus", Any),
    ("ActiveOperations", Any),
    (
        "KubernetesConfig",
        Of(&[
            ("CurrentLabels", Any),
            ("DesiredLabels", Any),
            ("CurrentTaints", Each(&TAINT)),
            ("DesiredTaints", Each(&TAINT)),
        ]),
    ),
    (
        "CapacityRequirements",
        // Both are empty objects: a member in one of them is new.
        Of(&[("Spot", Of(&[])), ("OnDemand", Of(&[]))]),
    ),
    ("SoftwareUpdateStatus", Any),
    ("ActiveSoftwareUpdateConfig", Any),
    ("SlurmConfig", Of(&[("NodeType", Any), ("PartitionNames", Any)])),
    ("NetworkInterface", Of(&[("InterfaceType", Any)])),
]);

/// Members of a described group that we do not understand, as paths: `AutoPatchConfig.DrainPolicy`.
pub(super) fn unknown_members(group: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(group, &GROUP, "", &mut found);
    found
}

fn walk(value: &Value, shape: &Shape, path: &str, found: &mut Vec<String>) {
    match (shape, value) {
        (Of(members), Value::Object(object)) => {
            for (name, inner) in object.iter().filter(|(_, inner)| !inner.is_null()) {
                let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match members.iter().find(|(known, _)| known == name) {
                    Some((_, shape)) => walk(inner, shape, &here, found),
                    None => found.push(here),
                }
            }
        }
        (Each(shape), Value::Array(list)) => list.iter().for_each(|inner| walk(inner, shape, path, found)),
        (Any, _) | (_, Value::Null) => {}
        (Of(_) | Each(_), _) => found.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_we_carry_is_known() {
        let group = json!({
            "InstanceGroupName": "workers", "TargetCount": 2, "CapacityRequirements": {"Spot": {}},
            "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
            "KubernetesConfig": {"DesiredLabels": {"team": "a"}, "DesiredTaints": [{"Key": "k", "Effect": "NoSchedule"}]},
        });
        assert_eq!(unknown_members(&group), Vec::<String>::new());
    }

    #[test]
    fn what_would_be_dropped_is_named_with_its_path() {
        let group = json!({
            "InstanceGroupName": "workers",
            "BrandNew": 1,
            "AutoPatchConfig": {"PatchingStrategy": "DrainFirst", "DrainPolicy": {"OnDrainTimeout": "Force"}},
            "InstanceStorageConfigs": [{"NewKind": {}}],
            "CapacityRequirements": {"Spot": {"MaxPrice": "1"}},
        });
        assert_eq!(
            unknown_members(&group),
            [
                "BrandNew",
                "AutoPatchConfig.DrainPolicy",
                "InstanceStorageConfigs.NewKind",
                "CapacityRequirements.Spot.MaxPrice"
            ]
        );
    }
}
