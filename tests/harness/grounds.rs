//! Where tests begin that are not about how one gets there: the account as it is once the product is installed, or once
//! stages of a cluster are done. Each is made once for the whole binary, by the product itself; tests fork it.

use crate::{Product, START, decisions, here, root};
use account::{
    Account,
    account::{Handler, Snapshot},
    clock::Clock,
    world::World,
};
use domain::{
    ids::ClusterId,
    states::{OperationState, Stage},
};
use engine::{
    record::{Cluster, Operation},
    store::{
        Condition, Transaction,
        keys::{IndexKey, Key},
    },
};
use gateway::install;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{sync::OnceLock, thread, time::Duration};

/// A fresh account with the product installed.
pub(crate) fn installed() -> &'static Snapshot {
    static INSTALLED: OnceLock<Snapshot> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        alone(|| async {
            let account = Account::new(World::new(7, 1), Clock::starting_at(began())).unwrap();
            let product = Product::named(account, here()).await;
            install(&product).await;
            product.account.snapshot().unwrap()
        })
    })
}

/// An account in which somebody has worked, with the product installed.
pub(crate) fn furnished() -> &'static Snapshot {
    static FURNISHED: OnceLock<Snapshot> = OnceLock::new();
    FURNISHED.get_or_init(|| alone(|| async { furnish(account::services::handle).await.account.snapshot().unwrap() }))
}

/// The same, made anew with another way of answering calls.
pub(crate) async fn furnish(handler: Handler) -> Product {
    let mut world = World::new(7, 1);
    account::seed::furnish(&mut world, began(), "us-west-2", "sagemaker-project");
    account::seed::found_clusters(&mut world, began(), "us-west-2").unwrap();
    let account = Account::with_handler(world, Clock::starting_at(began()), handler).unwrap();
    let product = Product::over(account).await;
    install(&product).await;
    product
}

/// Installs the product; roles spread slowly, and a deployment is not used in its first minute either.
pub(crate) async fn install(product: &Product) {
    install::install(&product.account, &product.installed, &root(&product.account)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
}

fn began() -> Timestamp {
    START.parse().unwrap()
}

/// A cluster called `demo`, its stages done up to one of them: decided with a GPU node, and a CPU node for what the cluster
/// itself runs.
#[derive(Debug)]
pub struct Done {
    snapshot: Snapshot,
    /// What ended with this stage.
    pub operation: Operation,
}

impl Done {
    /// The stages up to `stage`, each run as part of one operation after the other.
    pub fn to(stage: Stage) -> &'static Self {
        static DONE: [OnceLock<Done>; Stage::ALL.len()] = [const { OnceLock::new() }; Stage::ALL.len()];
        let place = Stage::ALL.iter().position(|one| *one == stage).unwrap();
        DONE[place].get_or_init(|| {
            let before = place.checked_sub(1).map(|before| Self::to(Stage::ALL[before]));
            alone(move || Self::lay(stage, before))
        })
    }

    async fn lay(stage: Stage, before: Option<&'static Self>) -> Self {
        let (product, asked) = match before {
            None => {
                let product = Product::new(7).await;
                product.allow_the_usual();
                let asked = product.create(decisions("demo", usual()), stage).await.operation;
                (product, asked)
            }
            Some(before) => {
                let product = before.product().await;
                let asked = product.submit_stages(before.operation.cluster_id, stage, stage).await;
                (product, asked)
            }
        };
        let operation = product.ended(asked.id).await;
        assert_eq!(operation.state, OperationState::Succeeded, "{stage}: {operation:#?}\n{}", product.trail());
        Self { snapshot: product.account.snapshot().unwrap(), operation }
    }

    /// The product over a fork of the account.
    pub async fn product(&self) -> Product {
        Product::over(self.snapshot.account().unwrap()).await
    }
}

/// Members of a creation that decide the usual capacity.
fn usual() -> Value {
    json!({ "hyperpod": {
        "instanceGroups": { "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } },
        "systemGroup": { "zoneId": "usw2-az2", "instanceType": "ml.m5.4xlarge", "instanceCount": 1 },
    } })
}

impl Product {
    /// Quotas for a few nodes of the usual types.
    pub fn allow_the_usual(&self) {
        self.account.with_world(|world| {
            for kind in ["ml.g6.4xlarge", "ml.m5.2xlarge", "ml.m5.4xlarge", "ml.p5.48xlarge"] {
                let quota = format!("{kind} for cluster usage");
                assert!(account::quotas::set(world, "sagemaker", &quota, "us-west-2", 8.0), "{quota}");
            }
        });
    }

    /// Lets a cluster be one of which `more` was decided when it was asked for.
    pub async fn decide(&self, cluster: ClusterId, more: Value) {
        let store = &self.owner.desk.store;
        let before = store.cluster(cluster).await.unwrap().unwrap();
        let decided =
            Cluster { decisions: decisions(before.tag.as_str(), more), version: before.version + 1, ..before.clone() };
        let (key, index) = (Key::cluster(cluster), IndexKey::clusters(&before.tag, cluster));
        let write = Transaction::new().put_indexed(&key, Some(index), &decided, &Condition::Version(before.version));
        store.write(write).await.unwrap();
    }
}

/// Runs `work` in a runtime of its own: the caller's clock does not move meanwhile.
pub fn alone<T: Send + 'static, F: Future<Output = T>>(work: impl FnOnce() -> F + Send + 'static) -> T {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(work())
    };
    thread::spawn(run).join().unwrap_or_else(|told| std::panic::resume_unwind(told))
}
