//! As which role a pod acts.

use super::associations::Association;
use crate::{
    eks::{addons, cluster::cluster_by_arn, world_access},
    world::World,
};
use jiff::Timestamp;
use serde_json::Value;

/// The add-on without which associations have no effect.
const AGENT: &str = "eks-pod-identity-agent";

/// The role that a pod of this service account acts as, if the pod was made at `pod_made_at`.
///
/// A pod identity association counts when the agent add-on is ACTIVE, the association was there before the pod, and the
/// role trusts `pods.eks.amazonaws.com`; it goes before the annotation `eks.amazonaws.com/role-arn` of the service
/// account, which counts when the role trusts the cluster's issuer for this service account. Otherwise the pod has none.
pub fn pod_role(
    world: &mut World,
    cluster_arn: &str,
    namespace: &str,
    service_account: &str,
    pod_made_at: Timestamp,
    now: Timestamp,
) -> Option<String> {
    let cluster = cluster_by_arn(world, cluster_arn)?;
    let counts = |one: &&Association| {
        let is_its = one.namespace == namespace && one.service_account == service_account;
        // Kubernetes tells a pod's creation in whole seconds.
        is_its && one.deleted_at.is_none() && one.created_at.as_second() <= pod_made_at.as_second()
    };
    if let Some(association) = cluster.associations.values().find(counts).filter(|_| addons::is_active(cluster, AGENT))
    {
        let role = association.role_arn.clone();
        return world_access::role_assumable_by_pods(world, &role, cluster_arn, now).then_some(role);
    }
    let issuer = cluster.issuer();
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{service_account}");
    let account = world_access::get(world, cluster_arn, &path, now)?;
    let role = account.pointer("/metadata/annotations/eks.amazonaws.com~1role-arn").and_then(Value::as_str)?;
    let subject = format!("system:serviceaccount:{namespace}:{service_account}");
    world_access::role_trusts_web_identity(world, role, &issuer, &subject, now).then(|| role.to_owned())
}
