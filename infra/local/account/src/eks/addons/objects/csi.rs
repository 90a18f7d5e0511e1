//! Storage drivers: EBS, Mountpoint for S3, FSx for Lustre.

use super::{
    Setting,
    builder::{Workload, account, cluster_role, definition, driver, identity_account},
};
use serde_json::{Value, json};

fn volume_rules() -> Value {
    json!([
        { "apiGroups": [""], "resources": ["persistentvolumes", "persistentvolumeclaims"], "verbs": ["get", "list", "watch", "create", "delete", "patch", "update"] },
        { "apiGroups": ["storage.k8s.io"], "resources": ["storageclasses", "csinodes", "volumeattachments"], "verbs": ["get", "list", "watch", "patch"] },
        { "apiGroups": [""], "resources": ["nodes", "pods", "events"], "verbs": ["get", "list", "watch", "create", "patch"] },
    ])
}

/// A driver with a controller and a part on every node.
fn controller_and_node(setting: &Setting<'_>, short: &str, image: &str, spec: Value) -> Vec<Value> {
    let (controller, node) = (format!("{short}-csi-controller"), format!("{short}-csi-node"));
    let (controller_account, node_account) = (format!("{controller}-sa"), format!("{node}-sa"));
    let mut objects = vec![
        driver(&format!("{short}.csi.aws.com"), spec, setting),
        identity_account(&controller_account, setting),
        account(&node_account, setting),
    ];
    objects.extend(cluster_role(
        &format!("{short}-external-provisioner-role"),
        &controller_account,
        volume_rules(),
        setting,
    ));
    let image = setting.image(image);
    objects.push(
        Workload::deployment(&controller, &controller_account, image.clone(), 2)
            .labelled("app", &controller)
            .critical()
            .object(setting),
    );
    objects.push(Workload::daemon_set(&node, &node_account, image).labelled("app", &node).everywhere().object(setting));
    objects
}

/// EBS volumes.
pub(super) fn ebs(setting: &Setting<'_>) -> Vec<Value> {
    controller_and_node(
        setting,
        "ebs",
        "eks/aws-ebs-csi-driver",
        json!({ "attachRequired": true, "podInfoOnMount": false }),
    )
}

/// FSx for Lustre file systems.
pub(super) fn fsx(setting: &Setting<'_>) -> Vec<Value> {
    controller_and_node(setting, "fsx", "eks/aws-fsx-csi-driver", json!({ "attachRequired": false }))
}

/// Mountpoint for S3: version 1 mounts on the node itself; version 2 has a controller, which runs a pod for each mount.
pub(super) fn mountpoint_s3(setting: &Setting<'_>) -> Vec<Value> {
    let spec = json!({ "attachRequired": false, "podInfoOnMount": true, "requiresRepublish": true, "tokenRequests": [{ "audience": "sts.amazonaws.com", "expirationSeconds": 3600 }] });
    let account_name = "s3-csi-driver-sa";
    let image = setting.image("eks/aws-s3-csi-driver");
    let mut objects = vec![driver("s3.csi.aws.com", spec, setting), identity_account(account_name, setting)];
    objects.extend(cluster_role("s3-csi-driver-cluster-role", account_name, volume_rules(), setting));
    if setting.version.starts_with("v2.") {
        let controller = "s3-csi-controller";
        let attachments =
            definition("MountpointS3PodAttachment", "mountpoints3podattachments", "s3.csi.aws.com", "v2", "Cluster");
        let account_of_controller = format!("{controller}-sa");
        objects.push(attachments);
        objects.push(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "mount-s3" } }));
        objects.push(account(&account_of_controller, setting));
        objects.push(
            Workload::deployment(controller, &account_of_controller, image.clone(), 1)
                .labelled("app", controller)
                .critical()
                .object(setting),
        );
    }
    let node = Workload::daemon_set("s3-csi-node", account_name, image).labelled("app", "s3-csi-node");
    objects.push(tolerating(node, setting).object(setting));
    objects
}

/// The node part tolerates taints as its values say: all, those given, or the usual few.
fn tolerating<'a>(node: Workload<'a>, setting: &Setting<'_>) -> Workload<'a> {
    if setting.values.pointer("/node/tolerateAllTaints") == Some(&Value::Bool(true)) {
        return node.everywhere();
    }
    let mut tolerations = vec![
        json!({ "key": "CriticalAddonsOnly", "operator": "Exists" }),
        json!({ "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 }),
    ];
    tolerations
        .extend(setting.values.pointer("/node/tolerations").and_then(Value::as_array).into_iter().flatten().cloned());
    node.pod("tolerations", tolerations.into()).pod("priorityClassName", "system-node-critical".into())
}
