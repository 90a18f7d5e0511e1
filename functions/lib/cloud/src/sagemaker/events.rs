//! What a Continuous cluster tells about itself; the cause of a failure is in the description of a single event alone.

use super::{HyperPod, maybe, reading, time};
use aws_sdk_sagemaker::types::{ClusterEventLevel, EventMetadata, EventSortBy, SortOrder};
use domain::failure::Trouble;
use jiff::Timestamp;
use serde::Serialize;

/// Failures that are described, newest first; each costs a call.
const DESCRIBED: usize = 6;

/// A failure that a cluster tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The service's id.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// The group that it is about.
    pub group: Option<String>,
    /// The instance that it is about.
    pub instance_id: Option<String>,
    /// The cause: the failure message wherever it stands, else the description.
    pub text: String,
}

impl HyperPod {
    /// The newest failures of a group, newest first: of the last hundred events, the first few errors. Empty for a
    /// cluster that is gone, and for one that is not Continuous (it has no events).
    pub async fn failures(&self, cluster: &str, group: &str) -> Result<Vec<Event>, Trouble> {
        let call = self.read.list_cluster_events().cluster_name(cluster).instance_group_name(group);
        let call = call.sort_by(EventSortBy::EventTime).sort_order(SortOrder::Descending).max_results(100);
        let Some(page) = maybe("ListClusterEvents", call.send().await)? else { return Ok(Vec::new()) };
        let errors = page.events().iter().filter(|event| event.event_level == Some(ClusterEventLevel::Error));
        let mut failures = Vec::new();
        for summary in errors.take(DESCRIBED) {
            let (Some(id), Some(at)) = (summary.event_id(), time(summary.event_time())) else { continue };
            let described = self.failure_message(cluster, id).await?;
            failures.push(Event {
                id: id.to_owned(),
                at,
                group: summary.instance_group_name().map(str::to_owned),
                instance_id: summary.instance_id().filter(|id| !id.is_empty()).map(str::to_owned),
                text: described.unwrap_or_else(|| summary.description().unwrap_or_default().to_owned()),
            });
        }
        Ok(failures)
    }

    async fn failure_message(&self, cluster: &str, id: &str) -> Result<Option<String>, Trouble> {
        let answer = self.read.describe_cluster_event().cluster_name(cluster).event_id(id).send().await;
        let answer = answer.map_err(|error| reading("DescribeClusterEvent", &error));
        let answer = match answer {
            // Events are forgotten after a while: the summary has to do.
            Err(trouble) if trouble.is_upstream("ResourceNotFound") => return Ok(None),
            answer => answer?,
        };
        let details = answer.event_details().and_then(|event| event.event_details());
        Ok(details.and_then(|details| details.event_metadata()).and_then(message))
    }
}

/// The failure message, in whichever member it stands.
fn message(metadata: &EventMetadata) -> Option<String> {
    let text = match metadata {
        EventMetadata::Cluster(it) => it.failure_message(),
        EventMetadata::InstanceGroup(it) => it.failure_message(),
        EventMetadata::InstanceGroupScaling(it) => it.failure_message(),
        EventMetadata::Instance(it) => it.failure_message(),
        EventMetadata::DatabaseConfiguration(it) => it.failure_message(),
        _ => None,
    };
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_sagemaker::types::{ClusterMetadata, InstanceGroupScalingMetadata, InstanceMetadata};

    #[test]
    fn the_cause_is_found_in_whichever_member_it_stands() {
        let instance = InstanceMetadata::builder().failure_message("a").build();
        let scaling = InstanceGroupScalingMetadata::builder().failure_message("b").build();
        let cluster = ClusterMetadata::builder().failure_message("c").build();
        assert_eq!(message(&EventMetadata::Instance(instance)).as_deref(), Some("a"));
        assert_eq!(message(&EventMetadata::InstanceGroupScaling(scaling)).as_deref(), Some("b"));
        assert_eq!(message(&EventMetadata::Cluster(cluster)).as_deref(), Some("c"));
        assert_eq!(message(&EventMetadata::Instance(InstanceMetadata::builder().build())), None);
    }
}
