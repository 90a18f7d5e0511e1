//! Training plans: capacity that was bought for some time in one zone.

use super::{Attached, HyperPod, count, maybe, reading, time};
use domain::failure::Trouble;
use jiff::Timestamp;
use serde::Serialize;

/// A span of time in which a plan's instances are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// From when.
    pub start: Timestamp,
    /// Until when.
    pub end: Timestamp,
    /// Zone id.
    pub zone_id: Option<String>,
    /// This account's name of the zone.
    pub zone_name: Option<String>,
    /// Type of its instances.
    pub instance_type: String,
}

/// A training plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrainingPlan {
    /// Its ARN.
    pub arn: String,
    /// Its name.
    pub name: String,
    /// `Pending`, `Active`, `Scheduled` (before its start, and between two blocks), `Expired` or `Failed`.
    pub status: String,
    /// Instances that nothing uses.
    pub available: u32,
    /// Instances in all.
    pub total: u32,
    /// What it may be used for: `hyperpod-cluster` …
    pub targets: Vec<String>,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

impl TrainingPlan {
    /// When the block begins that comes next after `now`.
    pub fn next_start(&self, now: Timestamp) -> Option<Timestamp> {
        self.blocks.iter().map(|block| block.start).filter(|start| *start > now).min()
    }

    /// Instances that no group uses or waits for. AWS counts what is available now, which is nothing outside of a block:
    /// there it is the whole plan without what groups of `clusters` want of it.
    pub fn free<'a>(&self, clusters: impl IntoIterator<Item = &'a Attached>, now: Timestamp) -> u32 {
        if self.block_at(now).is_some() {
            return self.available;
        }
        let groups = clusters.into_iter().flat_map(|cluster| &cluster.groups);
        let waiting = groups.filter(|group| group.training_plan.as_deref() == Some(self.arn.as_str()));
        waiting.fold(self.total, |left, group| left.saturating_sub(group.target))
    }

    /// The block in which `now` lies.
    pub fn block_at(&self, now: Timestamp) -> Option<&Block> {
        self.blocks.iter().find(|block| block.start <= now && now < block.end)
    }
}

impl HyperPod {
    /// ARNs of all training plans of the Region; all pages.
    pub async fn training_plan_arns(&self) -> Result<Vec<String>, Trouble> {
        let mut arns = Vec::new();
        let mut token = None;
        loop {
            let page = self.read.list_training_plans().max_results(100).set_next_token(token.take()).send().await;
            let page = page.map_err(|error| reading("ListTrainingPlans", &error))?;
            arns.extend(page.training_plan_summaries().iter().filter_map(|plan| plan.training_plan_arn.clone()));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(arns);
            }
        }
    }

    /// The training plan of this name or ARN.
    pub async fn training_plan(&self, name: &str) -> Result<Option<TrainingPlan>, Trouble> {
        let answer = self.read.describe_training_plan().training_plan_name(name).send().await;
        let Some(seen) = maybe("DescribeTrainingPlan", answer)? else { return Ok(None) };
        let mut blocks: Vec<Block> = seen
            .reserved_capacity_summaries()
            .iter()
            .filter_map(|block| {
                Some(Block {
                    start: time(block.start_time())?,
                    end: time(block.end_time())?,
                    zone_id: block.availability_zone_id().map(str::to_owned),
                    zone_name: block.availability_zone().map(str::to_owned),
                    instance_type: block.instance_type().map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
                })
            })
            .collect();
        blocks.sort_by_key(|block| block.start);
        Ok(Some(TrainingPlan {
            arn: seen.training_plan_arn().unwrap_or_default().to_owned(),
            name: seen.training_plan_name().unwrap_or_default().to_owned(),
            status: seen.status().map(|status| status.as_str().to_owned()).unwrap_or_default(),
            available: count(seen.available_instance_count()),
            total: count(seen.total_instance_count()),
            targets: seen.target_resources().iter().map(|target| target.as_str().to_owned()).collect(),
            blocks,
        }))
    }
}
