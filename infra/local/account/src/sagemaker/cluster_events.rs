//! What a cluster tells about itself: `ListClusterEvents`, `DescribeClusterEvent`, and the same on EventBridge.
//!
//! Descriptions follow the families of the service's event catalogue; callers look for the words in them that AWS
//! documents ("do not have sufficient capacity", "Lifecycle scripts did not run successfully", "EFA health checks did not
//! run successfully").

use super::{
    cluster::{Cluster, seconds},
    find,
    paging::{is_between, is_descending, page},
    world_access,
};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Events that are kept of one cluster; the service forgets old ones too.
const KEPT: usize = 2_000;
/// Events that are kept after they were sent.
const SENT: usize = 10_000;

/// How grave an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Progress.
    Info,
    /// Noteworthy.
    Warn,
    /// Something failed.
    Error,
}

/// One event as `DescribeClusterEvent` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterEvent {
    /// A UUID.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// `Cluster`, `InstanceGroup` or `Instance`.
    pub resource: String,
    /// Group that it is about.
    pub group: Option<String>,
    /// Instance that it is about.
    pub instance: Option<String>,
    /// How grave.
    pub level: Level,
    /// Text for people.
    pub description: String,
    /// `EventMetadata`: one member of the union, or null.
    pub metadata: Value,
    /// The operation that it belongs to.
    pub operation: String,
}

/// What an event is about; the rest is filled in by [`record`].
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    /// Group.
    pub group: Option<String>,
    /// Instance.
    pub instance: Option<String>,
    /// `EventMetadata`.
    pub metadata: Value,
}

impl About {
    /// The cluster as a whole.
    pub(super) fn cluster() -> Self {
        Self::default()
    }

    /// A group.
    pub(super) fn group(name: &str) -> Self {
        Self { group: Some(name.to_owned()), ..Self::default() }
    }

    /// An instance of a group, or the attempt to make one.
    pub(super) fn instance(group: &str, instance: Option<&str>) -> Self {
        Self { instance: Some(instance.unwrap_or_default().to_owned()), ..Self::group(group) }
    }

    /// The same with one member of the metadata union.
    #[must_use]
    pub(super) fn with(mut self, member: &str, fields: Value) -> Self {
        self.metadata = json!({ member: fields });
        self
    }
}

/// Writes an event of a cluster down and puts it on the event bus.
pub(super) fn record(
    world: &mut World,
    arn: &str,
    at: Timestamp,
    level: Level,
    about: About,
    description: impl Into<String>,
) {
    let id = uuid(world);
    let Some(cluster) = world.sagemaker.clusters.get_mut(arn) else { return };
    let resource = match (&about.group, &about.instance) {
        (_, Some(_)) => "Instance",
        (Some(_), None) => "InstanceGroup",
        (None, None) => "Cluster",
    };
    let event = ClusterEvent {
        id,
        at,
        resource: resource.to_owned(),
        group: about.group,
        instance: about.instance.filter(|id| !id.is_empty()),
        level,
        description: description.into(),
        metadata: about.metadata,
        operation: cluster.operation.clone(),
    };
    let shown = shown(cluster, &event, true);
    let region = cluster.region.clone();
    cluster.events.push(event);
    if cluster.events.len() > KEPT {
        cluster.events.remove(0);
    }
    publish(
        world,
        &region,
        arn,
        at,
        "SageMaker HyperPod Cluster Event",
        json!({ "EventDetails": in_milliseconds(shown, at) }),
    );
}

/// Puts the cluster's present state on the event bus.
pub(super) fn publish_state(world: &mut World, arn: &str, at: Timestamp) {
    let Some(cluster) = world.sagemaker.clusters.get(arn) else { return };
    let mut detail = super::describe::cluster(world, cluster);
    detail["CreationTime"] = json!(cluster.created.as_millisecond());
    detail["Tags"] = super::tags::of(world, arn);
    let region = cluster.region.clone();
    publish(world, &region, arn, at, "SageMaker HyperPod Cluster State Change", detail);
}

/// Sends an event to EventBridge, and keeps it in EventBridge's envelope, whose `id` is not the SageMaker event's.
pub(super) fn publish(world: &mut World, region: &str, arn: &str, at: Timestamp, kind: &str, detail: Value) {
    let id = world_access::send_event(world, region, arn, at, kind, &detail);
    if world.sagemaker.bus.len() >= SENT {
        world.sagemaker.bus.remove(0);
    }
    world.sagemaker.bus.push(json!({
        "version": "0",
        "id": id,
        "source": "aws.sagemaker",
        "detail-type": kind,
        "account": ACCOUNT_ID,
        "time": at.to_string(),
        "region": region,
        "resources": [arn],
        "detail": detail,
    }));
}

/// `ListClusterEvents`.
pub(super) fn list(world: &World, call: &Call) -> Answer {
    let cluster = continuous(world, call)?;
    let mut events: Vec<&ClusterEvent> = cluster
        .events
        .iter()
        .filter(|event| call.text("InstanceGroupName").is_none_or(|group| event.group.as_deref() == Some(group)))
        .filter(|event| call.text("NodeId").is_none_or(|node| event.instance.as_deref() == Some(node)))
        .filter(|event| call.text("ResourceType").is_none_or(|kind| event.resource == kind))
        .filter(|event| call.text("OperationId").is_none_or(|operation| event.operation == operation))
        .filter(|event| is_between(call, "EventTimeAfter", "EventTimeBefore", event.at))
        .collect();
    events.sort_by_key(|event| event.at);
    if is_descending(call, true) {
        events.reverse();
    }
    page(call, "Events", events.into_iter().map(|event| shown(cluster, event, false)).collect())
}

/// `DescribeClusterEvent`.
pub(super) fn describe(world: &World, call: &Call) -> Answer {
    let cluster = continuous(world, call)?;
    let id = call.required("EventId");
    let event = cluster.events.iter().find(|event| event.id == id);
    let event =
        event.ok_or_else(|| AwsError::new("ResourceNotFound", format!("Cluster event with ID '{id}' not found")))?;
    Ok(json!({ "EventDetails": shown(cluster, event, true) }))
}

fn continuous<'a>(world: &'a World, call: &Call) -> Result<&'a Cluster, AwsError> {
    let cluster = find(world, call)?;
    if cluster.continuous {
        return Ok(cluster);
    }
    let message = "Cluster events are only available for clusters with NodeProvisioningMode set to Continuous.";
    Err(AwsError::new("ValidationException", message))
}

fn shown(cluster: &Cluster, event: &ClusterEvent, details: bool) -> Value {
    let mut shown = json!({
        "EventId": event.id,
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "ResourceType": event.resource,
        "EventTime": seconds(event.at),
        "EventLevel": event.level,
        "Description": event.description,
        "OperationId": event.operation,
    });
    if let Some(group) = &event.group {
        shown["InstanceGroupName"] = json!(group);
    }
    if let Some(instance) = &event.instance {
        shown["InstanceId"] = json!(instance);
    }
    if details && !event.metadata.is_null() {
        shown["EventDetails"] = json!({ "EventMetadata": event.metadata });
    }
    shown
}

fn in_milliseconds(mut detail: Value, at: Timestamp) -> Value {
    detail["EventTime"] = json!(at.as_millisecond());
    detail
}

/// A new UUID in its usual form.
pub(super) fn uuid(world: &mut World) -> String {
    let (high, low) = (world.next_number("uuid"), world.next_number("uuid"));
    let text = format!("{high:016x}{low:016x}");
    format!("{}-{}-4{}-a{}-{}", &text[..8], &text[8..12], &text[13..16], &text[17..20], &text[20..32])
}
