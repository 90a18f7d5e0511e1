//! How a node comes into being, step by step: capacity, network interfaces, instance, EFA check, lifecycle script,
//! Kubernetes, first health verdict.
//!
//! Each step looks at the world as it is at that moment (a rule that was mended in the meantime counts), tells the
//! cluster's events what it did, and puts the next one on the agenda. A step that fails ends the attempt; Continuous
//! clusters try again with a new instance for as long as the node is wanted.

use super::{
    Event,
    cluster::{CapacityKind, Cluster, Group, Node, NodeStatus, Place, Stage, addresses},
    cluster_events::{About, Level, record},
    converge, deep_checks, departure, placement,
    script::{self, Outcome},
    world_access,
};
use crate::world::World;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// One attempt at a node, with what it needs to know about its group.
pub(super) struct Errand {
    pub(super) arn: String,
    pub(super) region: String,
    pub(super) cluster_name: String,
    pub(super) node: Node,
    pub(super) group: Group,
    pub(super) subnets: Vec<String>,
    pub(super) security_groups: Vec<String>,
}

impl Errand {
    pub(super) fn of(world: &World, arn: &str, logical_id: &str, attempt: u32) -> Option<Self> {
        let cluster = world.sagemaker.clusters.get(arn)?;
        let node = cluster.nodes.get(logical_id).filter(|node| node.attempt == attempt)?.clone();
        let group = cluster.groups.get(&node.group)?.clone();
        Some(Self {
            arn: arn.to_owned(),
            region: cluster.region.clone(),
            cluster_name: cluster.name.clone(),
            subnets: cluster.subnets(&group),
            security_groups: cluster.security_groups(&group),
            node,
            group,
        })
    }

    pub(super) fn node_mut<'a>(&self, world: &'a mut World) -> Option<&'a mut Node> {
        world.sagemaker.clusters.get_mut(&self.arn)?.nodes.get_mut(&self.node.logical_id)
    }

    fn about(&self) -> About {
        About::instance(&self.node.group, self.node.instance_id.as_deref())
    }

    fn label(&self, what: &str) -> String {
        format!("{what}:{}:{}:{}", self.arn, self.node.logical_id, self.node.attempt)
    }

    fn tell(&self, world: &mut World, at: Timestamp, description: &str, mut fields: Value) {
        fields["NodeLogicalId"] = json!(self.node.logical_id);
        record(world, &self.arn, at, Level::Info, self.about().with("Instance", fields), description);
    }

    /// Goes to `stage` and comes back for its end after `after`.
    fn go(&self, world: &mut World, at: Timestamp, stage: Stage, after: SignedDuration) {
        if let Some(node) = self.node_mut(world) {
            node.stage = stage;
        }
        self.come_back(world, at, after);
    }

    fn come_back(&self, world: &mut World, at: Timestamp, after: SignedDuration) {
        let (cluster, node) = (self.arn.clone(), self.node.logical_id.clone());
        let event = Event::Step { cluster, node, attempt: self.node.attempt };
        world.schedule(at, after, crate::life::Event::SageMaker(event));
    }
}

/// Ends the present step of a node and begins the next.
pub(super) fn step(world: &mut World, arn: &str, logical_id: &str, attempt: u32, at: Timestamp) {
    let Some(errand) = Errand::of(world, arn, logical_id, attempt) else { return };
    match errand.node.stage {
        Stage::Seeking => seek(world, &errand, at),
        Stage::Provisioning => provisioned(world, &errand, at),
        Stage::CheckingEfa => efa_checked(world, &errand, at),
        Stage::RunningScript => script_ended(world, &errand, at),
        Stage::Joining => joined(world, &errand, at),
        Stage::BasicChecks => judged(world, &errand, at),
        Stage::Alive | Stage::Rebooting | Stage::Leaving { .. } => {}
    }
}

/// The share of a node's whole birth that `percent` is.
///
/// A node with many EFA interfaces (p5 and its like) takes 15 to 25 minutes, others 8 to 15.
fn share(world: &World, errand: &Errand, percent: i32) -> SignedDuration {
    let many = world_access::hardware(&errand.node.instance_type).is_some_and(|it| it.efa_interfaces >= 4);
    let range = if many { 900..1_500 } else { 480..900 };
    world.draw(&errand.label("birth"), range) * percent / 100
}

fn seek(world: &mut World, errand: &Errand, at: Timestamp) {
    let spot = match placement::take(world, errand) {
        Ok(spot) => spot,
        Err(refusal) => return lack(world, errand, &refusal, at),
    };
    match claim(world, errand, &spot, at) {
        Ok(place) => settle_in(world, errand, &spot.instance_type, place, at),
        Err(refusal) => {
            world_access::return_capacity(world, &spot.zone_id, &spot.instance_type, &errand.group.kind());
            lack(world, errand, &refusal, at);
        }
    }
}

fn settle_in(world: &mut World, errand: &Errand, instance_type: &str, place: Place, at: Timestamp) {
    let source = match &place.kind {
        CapacityKind::Plan(_) => "Found capacity reservation for the instance.",
        CapacityKind::Spot => "No capacity reservation found. The instance will be launched from the Spot pool.",
        CapacityKind::OnDemand => {
            "No capacity reservation found. The instance will be launched from the on-demand pool."
        }
    };
    errand.tell(world, at, source, json!({}));
    let others = &place.interfaces[1..];
    let fields = json!({ "CustomerEni": place.interfaces.first(), "AdditionalEnis": { "EfaEnis": others } });
    errand.tell(world, at, "Successfully created the customer ENI for the instance.", fields);
    let release = errand.group.image_release.clone();
    let instance_id = world.new_id("i-");
    if let Some(node) = errand.node_mut(world) {
        node.instance_type = instance_type.to_owned();
        node.instance_id = Some(instance_id);
        node.place = Some(place);
        node.status = NodeStatus::Pending;
        node.launched = at;
        node.image_release = release;
    }
    let Some(errand) = Errand::of(world, &errand.arn, &errand.node.logical_id, errand.node.attempt) else { return };
    let wait = share(world, &errand, 45);
    errand.go(world, at, Stage::Provisioning, wait);
}

/// Claims the node's interfaces with the execution role's permissions: one a network card, the first with the addresses
/// for pods.
fn claim(world: &mut World, errand: &Errand, spot: &placement::Spot, at: Timestamp) -> Result<Place, String> {
    let role = errand.group.text("ExecutionRole");
    let resource = format!("arn:aws:ec2:{}:{}:subnet/{}", errand.region, crate::call::ACCOUNT_ID, spot.subnet);
    if !world_access::allows(world, role, "ec2:CreateNetworkInterface", &resource, at) {
        return Err(format!(
            "Failed to create customer ENI: the execution role {role} is not authorized to perform: \
             ec2:CreateNetworkInterface on resource: {resource}"
        ));
    }
    let Some(hardware) = world_access::hardware(&spot.instance_type) else {
        return Err(format!("Instance type {} is not known", spot.instance_type));
    };
    let further = hardware.network_cards.saturating_sub(1);
    let all = addresses(hardware, &errand.group.spec);
    let each = u32::from(all > hardware.ipv4_per_eni);
    let mut interfaces = Vec::new();
    let mut address = String::new();
    for card in 0..=further {
        let wanted = if card == 0 { all.saturating_sub(further * each) } else { each };
        let description =
            format!("Amazon SageMaker HyperPod cluster {} {}", errand.cluster_name, errand.node.logical_id);
        let groups = &errand.security_groups;
        match world_access::claim_interface(world, &errand.region, &spot.subnet, groups, wanted, &description) {
            Ok(interface) if card == 0 => (address, interfaces) = (interface.address, vec![interface.id]),
            Ok(interface) => interfaces.push(interface.id),
            Err(refusal) => {
                for id in interfaces {
                    world_access::release_interface(world, &errand.region, &id, at);
                }
                return Err(format!("Failed to create customer ENI: {refusal}"));
            }
        }
    }
    let (subnet, zone, zone_id) = (spot.subnet.clone(), spot.zone.clone(), spot.zone_id.clone());
    Ok(Place { subnet, zone, zone_id, interfaces, address, kind: errand.group.kind() })
}

fn provisioned(world: &mut World, errand: &Errand, at: Timestamp) {
    errand.tell(world, at, "Successfully provisioned the EC2 instance.", json!({}));
    let efa = world_access::hardware(&errand.node.instance_type).is_some_and(|it| it.efa_interfaces > 0);
    let wait = share(world, errand, 10);
    if efa { errand.go(world, at, Stage::CheckingEfa, wait) } else { start_script(world, errand, at) }
}

fn efa_checked(world: &mut World, errand: &Errand, at: Timestamp) {
    let closed: Vec<&str> = errand
        .security_groups
        .iter()
        .filter(|id| !world_access::group_allows_self(world, &errand.region, id))
        .map(String::as_str)
        .collect();
    if closed.is_empty() {
        return start_script(world, errand, at);
    }
    let text = "EFA health checks did not run successfully. Ensure that your VPC and security groups are properly \
                configured before attempting to create a new cluster.";
    fail(
        world,
        errand,
        &format!("{text} Security groups without rules for all traffic to and from themselves: {}", closed.join(", ")),
        at,
    );
}

fn start_script(world: &mut World, errand: &Errand, at: Timestamp) {
    errand.tell(world, at, "Lifecycle script execution started.", json!({ "LcsExecutionState": "Started" }));
    let wait = share(world, errand, 25);
    errand.go(world, at, Stage::RunningScript, wait);
}

fn script_ended(world: &mut World, errand: &Errand, at: Timestamp) {
    match script::run(world, errand, at) {
        Outcome::Succeeded { digest } => {
            if let Some(node) = errand.node_mut(world) {
                node.script = digest;
            }
            errand.tell(
                world,
                at,
                "Lifecycle script execution succeeded.",
                json!({ "LcsExecutionState": "Succeeded" }),
            );
            let wait = share(world, errand, 15);
            errand.go(world, at, Stage::Joining, wait);
        }
        Outcome::Failed { text } => fail(world, errand, &text, at),
    }
}

fn joined(world: &mut World, errand: &Errand, at: Timestamp) {
    let eks_arn = world.sagemaker.clusters.get(&errand.arn).map(|cluster| cluster.eks_arn.clone()).unwrap_or_default();
    let reachable = world_access::eks_cluster(world, &eks_arn).is_some_and(|eks| eks.serving);
    let admitted = world_access::has_access_entry(world, &eks_arn, errand.group.text("ExecutionRole"));
    if !reachable || !admitted {
        // The kubelet goes on knocking; nothing else happens until somebody opens.
        return errand.come_back(world, at, SignedDuration::from_secs(60));
    }
    if let Some(node) = errand.node_mut(world) {
        node.status = NodeStatus::Running;
    }
    let wait = share(world, errand, 5);
    errand.go(world, at, Stage::BasicChecks, wait);
}

fn judged(world: &mut World, errand: &Errand, at: Timestamp) {
    if let Some(node) = errand.node_mut(world) {
        node.stage = Stage::Alive;
    }
    errand.tell(
        world,
        at,
        "Instance operation completed. The instance passed basic health checks and joined the cluster.",
        json!({}),
    );
    if errand.group.deep_checks() {
        deep_checks::begin(world, &errand.arn, &errand.node.logical_id, at);
    }
    converge::run(world, &errand.arn, at);
}

/// Ends an attempt that never had an instance: no capacity, no address, no permission.
fn lack(world: &mut World, errand: &Errand, text: &str, at: Timestamp) {
    if let Some(node) = errand.node_mut(world) {
        node.message = Some(text.to_owned());
    }
    tell_twice(world, errand, text, at);
    if is_fatal(world, errand) {
        return converge::fail_all(world, &errand.arn, text, at);
    }
    let wait = world.draw(&format!("{}:{at}", errand.label("lack")), 120..300);
    errand.come_back(world, at, wait);
}

/// Ends an attempt that had an instance: it is terminated, and a new one is tried.
fn fail(world: &mut World, errand: &Errand, text: &str, at: Timestamp) {
    if let Some(node) = errand.node_mut(world) {
        node.status = NodeStatus::Failure;
        node.message = Some(text.to_owned());
    }
    tell_twice(world, errand, text, at);
    if is_fatal(world, errand) {
        return converge::fail_all(world, &errand.arn, text, at);
    }
    let wait = world.draw(&errand.label("retry"), 120..300);
    departure::release(world, &errand.arn, &errand.node.logical_id, at);
    if let Some(node) = errand.node_mut(world) {
        node.stage = Stage::Leaving { returns: true };
    }
    departure::come_back_for(world, &errand.arn, &errand.node.logical_id, at, wait);
}

/// One fault shows as two events, about a second apart.
fn tell_twice(world: &mut World, errand: &Errand, text: &str, at: Timestamp) {
    let fields = json!({ "FailureMessage": text, "NodeLogicalId": errand.node.logical_id });
    let about = errand.about().with("Instance", fields);
    let first = format!("Failed to provision EC2 Instance. {text}");
    record(world, &errand.arn, at, Level::Error, about.clone(), first);
    let event = Event::CreationFailed {
        cluster: errand.arn.clone(),
        group: errand.node.group.clone(),
        instance: errand.node.instance_id.clone(),
        text: text.to_owned(),
    };
    world.schedule(at, SignedDuration::from_secs(1), crate::life::Event::SageMaker(event));
}

/// Whether one failure fails the whole request, as it does without Continuous provisioning.
fn is_fatal(world: &World, errand: &Errand) -> bool {
    let cluster: Option<&Cluster> = world.sagemaker.clusters.get(&errand.arn);
    cluster.is_some_and(|cluster| !cluster.continuous)
}
