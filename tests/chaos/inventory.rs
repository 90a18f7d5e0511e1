//! What there is in an account, in a form that two runs can be compared by: things with names by their names, things
//! without by their number, and how many were ever made.

use account::{
    Account,
    kubernetes::{Cluster, Reply, Request, User},
    world::World,
};
use http::Method;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

const REGION: &str = "us-west-2";

/// Lists of what is looked for inside a cluster. Pods are left to their controllers, but for those in `default`: what
/// probes leave behind.
const KUBERNETES_LISTS: [&str; 12] = [
    "/api/v1/namespaces",
    "/api/v1/persistentvolumes",
    "/api/v1/persistentvolumeclaims",
    "/api/v1/serviceaccounts",
    "/api/v1/namespaces/default/pods",
    "/apis/apps/v1/daemonsets",
    "/apis/apps/v1/deployments",
    "/apis/batch/v1/jobs",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/storage.k8s.io/v1/storageclasses",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
];

/// Everything that there is, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inventory(BTreeMap<String, Vec<String>>);

impl Inventory {
    /// What there is in `account` now.
    pub(crate) fn of(account: &Account) -> Self {
        let now = account.now();
        account.read(|world| {
            let mut inventory = Self::default();
            inventory.network(world);
            inventory.identities(world);
            inventory.eks(world);
            inventory.hyperpod(world);
            inventory.buckets(world);
            for (arn, cluster) in &world.kubernetes {
                inventory.inside(arn, &mut cluster.clone(), now);
            }
            inventory
        })
    }

    /// What one has and the other has not, a line each; nothing if they are alike.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let nothing = Vec::new();
        let kinds: std::collections::BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let differing = kinds.into_iter().filter_map(|kind| {
            let (ours, theirs) = (self.0.get(kind).unwrap_or(&nothing), other.0.get(kind).unwrap_or(&nothing));
            (ours != theirs).then(|| format!("{kind}: undisturbed {ours:?}, disturbed {theirs:?}"))
        });
        differing.collect()
    }

    fn add(&mut self, kind: &str, names: impl IntoIterator<Item = String>) {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        self.0.insert(kind.to_owned(), names);
    }

    fn count(&mut self, kind: &str, count: usize) {
        self.add(kind, [count.to_string()]);
    }

    fn network(&mut self, world: &World) {
        let Some(network) = world.ec2.existing(REGION) else { return };
        let living = network.nats.values().filter(|nat| nat.deleted.is_none());
        self.count("NAT gateways", living.count());
        self.count("VPCs", network.vpcs.len());
        self.count("internet gateways", network.gateways.len());
        self.count("addresses", network.addresses.len());
        self.count("network interfaces", network.interfaces.len());
        self.add("subnets", network.subnets.values().map(|subnet| subnet.cidr.to_string()));
        self.add("route tables", network.route_tables.values().map(|table| format!("{} routes", table.routes.len())));
        let rules = |group: &account::ec2::group::Group| format!("{} with {} rules", group.name, group.rules.len());
        self.add("security groups", network.groups.values().map(rules));
        self.add("VPC endpoints", network.endpoints.values().map(|endpoint| endpoint.service.clone()));
    }

    fn identities(&mut self, world: &World) {
        let iam = serde_json::to_value(&world.iam).unwrap();
        self.add("roles", names(&iam["roles"]));
        self.add("policies", names(&iam["policies"]));
        self.add("OIDC providers", names(&iam["providers"]));
    }

    fn eks(&mut self, world: &World) {
        let eks = serde_json::to_value(&world.eks).unwrap();
        for (arn, cluster) in eks["clusters"].as_object().into_iter().flatten() {
            self.add(arn, [cluster["status"].to_string()]);
            self.add("access entries", names(&cluster["access_entries"]));
            self.add("add-ons", names(&cluster["addons"]));
            self.count("pod identity associations", names(&cluster["associations"]).len());
        }
    }

    fn hyperpod(&mut self, world: &World) {
        for (arn, cluster) in &world.sagemaker.clusters {
            self.add(arn, [format!("{:?}", cluster.status)]);
            self.add("instance groups", cluster.groups.keys().cloned());
            self.add("nodes", cluster.nodes.values().map(|node| node.group.clone()));
        }
    }

    fn buckets(&mut self, world: &World) {
        let s3 = serde_json::to_value(&world.s3).unwrap();
        for (bucket, kept) in s3["buckets"].as_object().into_iter().flatten() {
            self.add(&format!("objects in {bucket}"), names(&kept["objects"]));
            self.add(&format!("uploads in {bucket}"), names(&kept["uploads"]));
        }
    }

    fn inside(&mut self, arn: &str, cluster: &mut Cluster, now: Timestamp) {
        for path in KUBERNETES_LISTS {
            let request = Request {
                method: Method::GET,
                path: path.to_owned(),
                query: String::new(),
                content_type: None,
                accept: None,
                body: Vec::new(),
                user: User::system("inventory"),
            };
            let Reply::Json { body, .. } = cluster.handle(&request, now) else { unreachable!("a list is JSON") };
            let items = body["items"].as_array().unwrap_or_else(|| panic!("{path}: {body}"));
            let name = |item: &Value| format!("{}/{}", item["metadata"]["namespace"], item["metadata"]["name"]);
            self.add(&format!("{path} of {arn}"), items.iter().map(name));
        }
    }
}

/// Keys of a JSON object.
fn names(object: &Value) -> Vec<String> {
    object.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}
