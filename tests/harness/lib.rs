//! The product over the simulated account in one process, under a paused clock: what every journey starts from.

pub mod grounds;
pub mod house;
mod stages;

use account::{Account, clock::Clock, iam::Credentials, lambda::Functions, world::World};
use domain::{
    decisions::CreateCluster,
    ids::{ClusterId, OperationId},
    states::Stage,
};
use engine::{
    record::{Cluster, Operation, Principal, SCHEMA, StageRecord},
    submit::{Accepted, ClusterWrite, Submission},
};
use gateway::{
    functions,
    wiring::{Installed, Wired},
};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use tokio::task::JoinHandle;

/// When every journey begins.
pub const START: &str = "2026-12-01T08:00:00Z";

/// The product, installed and running; dropping it stops everything, as the death of its process would.
pub struct Product {
    /// The simulated account.
    pub account: Account,
    /// What the front door runs with, as its role.
    pub front: Wired,
    /// The account's owner: for what a test looks at and changes beside the product, whatever meets the product's roles.
    pub owner: Wired,
    /// Names under which it is installed.
    pub installed: Installed,
    life: Option<Life>,
}

struct Life(JoinHandle<()>);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Product {
    /// A fresh account with the product installed; what AWS does in it from now on depends on `seed`.
    pub async fn new(seed: u64) -> Self {
        let account = grounds::installed().account().unwrap();
        account.with_world(|world| world.seed = seed);
        Self::over(account).await
    }

    /// The same where the roles that the product makes have this permissions boundary.
    pub async fn within(seed: u64, boundary: &str) -> Self {
        let account = Account::new(World::new(seed, 1), Clock::starting_at(START.parse().unwrap())).unwrap();
        let installed = Installed { permissions_boundary: Some(boundary.to_owned()), ..here() };
        let product = Self::named(account, installed).await;
        grounds::install(&product).await;
        product
    }

    /// The product over an account in which it is installed.
    pub async fn over(account: Account) -> Self {
        Self::named(account, here()).await
    }

    async fn named(account: Account, installed: Installed) -> Self {
        let functions = functions::all(&account, &installed);
        Self::resting(account, installed).await.living(functions)
    }

    /// The product with other functions over an account in which it is installed: another release.
    pub async fn release(account: Account, functions: Functions) -> Self {
        Self::at_rest(account).await.living(functions)
    }

    fn living(mut self, functions: Functions) -> Self {
        self.account.set_functions(functions);
        self.life = Some(Life(self.account.run()));
        self
    }

    /// The product over an account in which nothing moves by itself: no state machine goes on.
    pub async fn at_rest(account: Account) -> Self {
        Self::resting(account, here()).await
    }

    async fn resting(account: Account, installed: Installed) -> Self {
        let front = Wired::of(&account, &installed, "api").await;
        let owner = Wired::new(&account, &installed, &root(&account)).await;
        Self { account, front, owner, installed, life: None }
    }

    /// Submits the creation of a cluster.
    pub async fn create(&self, decisions: CreateCluster, last: Stage) -> Accepted {
        self.owner.desk.submit(self.creation(decisions, last)).await.unwrap()
    }

    /// A request to create a cluster.
    pub fn creation(&self, decisions: CreateCluster, last: Stage) -> Submission {
        let context = &self.front.engine.context;
        let cluster = Cluster {
            schema: SCHEMA,
            id: context.cluster_id(),
            tag: decisions.tag.clone(),
            target: engine::record::Target { region: decisions.region.clone(), ..self.installed.home() },
            decisions: decisions.clone(),
            import: None,
            generation: 1,
            version: 1,
            created_at: context.now(),
            created_by: "a-person".to_owned(),
            first_operation: context.operation_id(),
            deleted_at: None,
        };
        Submission {
            kind: "create_cluster",
            cluster: ClusterWrite::New(cluster),
            principal: Principal { id: "a-person".to_owned(), agent: false },
            input: serde_json::to_value(&decisions).unwrap(),
            idempotency_key: None,
            machine: "cluster",
            stages: Some((Stage::ControlPlane, last)),
            lane: "cluster",
            needs_approval: false,
        }
    }

    /// The operation as recorded now.
    pub async fn operation(&self, id: OperationId) -> Operation {
        self.owner.desk.store.operation(id).await.unwrap().unwrap()
    }

    /// A stage as recorded now.
    pub async fn stage(&self, cluster: ClusterId, stage: Stage) -> StageRecord {
        self.owner.desk.store.stage(cluster, stage).await.unwrap()
    }

    /// The operation once it has ended; gives up after three virtual hours.
    pub async fn ended(&self, id: OperationId) -> Operation {
        self.ended_within(id, 3).await
    }

    /// The same; gives up after so many virtual hours.
    pub async fn ended_within(&self, id: OperationId, hours: u32) -> Operation {
        for _ in 0..(hours * 360) {
            let operation = self.operation(id).await;
            if operation.is_terminal() {
                return operation;
            }
            tokio::time::sleep(Duration::from_secs(10)).await;
        }
        panic!("the operation never ended: {:#?}\n{}", self.operation(id).await, self.trail());
    }

    /// What happened last, for a test that fails: the newest calls, and how executions stand.
    pub fn trail(&self) -> String {
        self.account.read(|world| {
            let telling = |record: &&account::calls::Record| record.role.is_some() || record.outcome != "ok";
            let calls: Vec<String> = world.calls.latest().filter(telling).map(|record| format!("{record:?}")).collect();
            let mut executions = Vec::new();
            for execution in world.states.executions.values() {
                executions.extend(execution.history.iter().rev().take(12).rev().map(|event| format!("{event:?}")));
            }
            let newest = calls.len().saturating_sub(40);
            format!("{}\n{}", calls[newest..].join("\n"), executions.join("\n"))
        })
    }

    /// How often each action changed something in the account, besides the product's own records and executions.
    pub fn changes(&self) -> BTreeMap<String, u64> {
        let ours = ["dynamodb:", "states:", "lambda:", "events:", "logs:"];
        let theirs = |name: &str| !ours.iter().any(|service| name.starts_with(service));
        self.account.read(|world| {
            let counts = world.calls.counts().iter().filter(|(name, count)| theirs(name) && count.mutating > 0);
            counts.map(|(name, count)| (name.clone(), count.mutating)).collect()
        })
    }

    /// The same since `before`.
    pub fn changes_since(&self, before: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let more = |(name, count): (String, u64)| {
            let more = count - before.get(&name).copied().unwrap_or(0);
            (more > 0).then_some((name, more))
        };
        self.changes().into_iter().filter_map(more).collect()
    }

    /// How often calls of this action succeeded.
    pub fn made(&self, service: &str, action: &str) -> u64 {
        self.account.read(|world| world.calls.count(service, action).succeeded)
    }
}

/// Decisions for a cluster in us-west-2, from JSON members.
pub fn decisions(tag: &str, more: Value) -> CreateCluster {
    let mut value = serde_json::json!({ "tag": tag, "region": "us-west-2" });
    for (name, member) in more.as_object().cloned().unwrap_or_default() {
        value[name] = member;
    }
    serde_json::from_value(value).unwrap()
}

fn here() -> Installed {
    Installed::in_region(&"us-west-2".parse().unwrap())
}

fn root(account: &Account) -> Credentials {
    account.read(account::iam::root_credentials)
}
