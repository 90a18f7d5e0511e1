//! What every run starts from and is compared with: the account before each stage, and one undisturbed run of it.
//!
//! Each is made once for the whole binary, in a runtime of its own; tests fork it.

use crate::inventory::Inventory;
use account::{Account, account::Snapshot, calls};
use domain::{ids::ClusterId, states::Stage};
use engine::{record::Operation, submit::Submission};
use harness::{Product, decisions, grounds::alone};
use serde_json::json;
use std::{collections::BTreeMap, sync::OnceLock};

/// The account before a stage, and what an undisturbed run of the stage does.
pub(crate) struct Ground {
    pub(crate) stage: Stage,
    before: Snapshot,
    cluster: Option<ClusterId>,
    /// Every call of the stage's function that changed something, in order, the engine's own writes among them.
    pub(crate) changes: Vec<Change>,
    /// What there was in the end.
    pub(crate) after: Inventory,
    /// How often each call that makes a thing succeeded.
    pub(crate) made: Made,
}

/// How often calls that make things succeeded, by `service:Action`.
pub(crate) type Made = BTreeMap<&'static str, u64>;

/// Calls that make another thing each time they succeed: those with a client token, which answer a second one with the first
/// thing, are held by the inventory alone.
const MAKING: [&str; 9] = [
    "ec2:AllocateAddress",
    "ec2:CreateInternetGateway",
    "ec2:CreateSecurityGroup",
    "ec2:CreateSubnet",
    "ec2:CreateVpc",
    "iam:CreateOpenIDConnectProvider",
    "iam:CreateRole",
    "s3:CreateBucket",
    "sagemaker:CreateCluster",
];

/// What was made in `account` since its log began.
pub(crate) fn made(account: &Account) -> Made {
    account.read(|world| {
        let count = |name: &&'static str| world.calls.counts().get(*name).map_or(0, |count| count.succeeded);
        MAKING.iter().map(|name| (*name, count(name))).collect()
    })
}

/// A call that changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) service: String,
    pub(crate) action: String,
    /// As which role it was made.
    pub(crate) role: String,
    /// Which of the calls of this action it is, from 1.
    pub(crate) nth: u32,
}

impl std::fmt::Display for Change {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{} number {}", self.service, self.action, self.nth)
    }
}

/// The ground of every stage, in their order.
pub(crate) fn all() -> &'static [Ground] {
    static ALL: OnceLock<Vec<Ground>> = OnceLock::new();
    ALL.get_or_init(|| alone(lay))
}

/// The ground of one stage.
pub(crate) fn of(stage: Stage) -> &'static Ground {
    all().iter().find(|ground| ground.stage == stage).unwrap()
}

/// How much quicker AWS is here than it is: most of a creation is waiting, which other journeys try. Reads lag as long as
/// they do at AWS's own pace, and a little longer where that is short.
const HURRY: u32 = 20;

async fn lay() -> Vec<Ground> {
    let product = Product::new(7).await;
    product.account.with_world(|world| {
        (world.pace, world.pace_of_waits) = (HURRY, Some(1));
        (world.ec2.read_lag, world.iam.lag) = (5 * HURRY, 0..20 * HURRY);
        for quota in ["ml.g6.4xlarge for cluster usage", "ml.m5.2xlarge for cluster usage"] {
            assert!(account::quotas::set(world, "sagemaker", quota, "us-west-2", 8.0), "{quota}");
        }
    });
    let mut before = product.account.snapshot().unwrap();
    let mut cluster = None;
    let mut grounds = Vec::new();
    for stage in Stage::ALL {
        let mut ground = Ground {
            stage: *stage,
            before,
            cluster,
            changes: Vec::new(),
            after: Inventory::default(),
            made: Made::new(),
        };
        let product = ground.product().await;
        let asked = ground.ask(&product).await;
        let ended = product.ended(asked.id).await;
        assert!(ended.failure.is_none(), "{stage}: {:#?}\n{}", ended.failure, product.trail());
        ground.changes = changes(&product.account, *stage);
        ground.after = Inventory::of(&product.account);
        ground.made = made(&product.account);
        cluster = Some(ended.cluster_id);
        before = product.account.snapshot().unwrap();
        grounds.push(ground);
    }
    grounds
}

impl Ground {
    /// The product over a fork of the account before the stage. The log of calls begins anew.
    pub(crate) async fn product(&self) -> Product {
        let account = self.before.account().unwrap();
        account.with_world(|world| world.calls.clear());
        Product::over(account).await
    }

    /// Asks for the stage, unhindered by faults that meet roles.
    pub(crate) async fn ask(&self, product: &Product) -> Operation {
        product.owner.desk.submit(self.request(product).await).await.unwrap().operation
    }

    /// The request for the stage: the first one is part of a creation, the others are runs of the stage.
    pub(crate) async fn request(&self, product: &Product) -> Submission {
        match self.cluster {
            None => product.creation(decided(), self.stage),
            Some(cluster) => product.run_of_stages(cluster, self.stage, self.stage).await,
        }
    }
}

/// A cluster with one GPU node, and one CPU node for what the cluster itself runs.
pub(crate) fn decided() -> domain::decisions::CreateCluster {
    let hyperpod = json!({
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } },
        "systemGroup": { "zoneId": "usw2-az2", "instanceType": "ml.m5.2xlarge", "instanceCount": 1 },
    });
    decisions("demo", json!({ "hyperpod": hyperpod }))
}

/// What the stage's function changed.
fn changes(account: &Account, stage: Stage) -> Vec<Change> {
    // Inside of the cluster it acts as the deployment's writer.
    let roles = [domain::naming::function_role(stage.as_str()), domain::naming::KubernetesRole::Writer.name()];
    let by_it = |role: &String| roles.contains(role);
    let ours = |record: &&calls::Record| record.mutating && record.role.as_ref().is_some_and(by_it);
    account.read(|world| {
        let mut changes: Vec<Change> = Vec::new();
        for record in world.calls.latest().filter(ours) {
            let same =
                changes.iter().filter(|change| (&change.service, &change.action) == (&record.service, &record.action));
            let nth = u32::try_from(same.count()).unwrap() + 1;
            let role = record.role.clone().unwrap();
            changes.push(Change { role, service: record.service.clone(), action: record.action.clone(), nth });
        }
        changes
    })
}
