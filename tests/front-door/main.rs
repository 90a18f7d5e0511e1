//! The front door over the account's table and state machines: what each request does to the records, and what is
//! answered. The surfaces in front of it have their own tests.

mod choices;
mod commands;
mod lists;
mod plan;
mod preflight;
mod requests;

use account::{Account, clock::Clock, world::World};
use api::{Api, Setup};
use contract::problem::Problem;
use harness::Product;
use serde_json::{Value, json};
use std::time::Duration;
use surface::{FrontDoor, Principal, Request};

/// A product with its front door.
pub(crate) struct House {
    pub(crate) product: Product,
    pub(crate) api: Api,
}

impl House {
    pub(crate) async fn new() -> Self {
        let product = Product::new(7).await;
        let house = Self::over(product);
        house.allow("vpc", "VPCs per Region", 50.0);
        house.allow("vpc", "Internet gateways per Region", 50.0);
        house.allow("vpc", "NAT gateways per Availability Zone", 50.0);
        house.allow("ec2", "EC2-VPC Elastic IPs", 50.0);
        house.allow("sagemaker", "ml.g6.4xlarge for cluster usage", 8.0);
        house
    }

    /// The same over an account that has two EKS clusters, a training plan, and quotas for the usual choices.
    pub(crate) async fn furnished() -> Self {
        let start: jiff::Timestamp = harness::START.parse().unwrap();
        let mut world = World::new(7, 1);
        account::seed::furnish(&mut world, start, "us-west-2", "sagemaker-project");
        account::seed::found_clusters(&mut world, start, "us-west-2").unwrap();
        let account = Account::new(world, Clock::starting_at(start)).unwrap();
        let product = Product::over(account).await;
        let root = product.account.read(account::iam::root_credentials);
        gateway::install::install(&product.account, &product.installed, &root).await.unwrap();
        // Roles spread slowly.
        tokio::time::sleep(Duration::from_secs(60)).await;
        Self::over(product)
    }

    /// The front door of `product`, which looks at AWS as its own role.
    fn over(product: Product) -> Self {
        let api = Api::new(Setup {
            desk: product.front.desk.clone(),
            cloud: gateway::wiring::cloud_of(&product.account, "api"),
            account: product.installed.account.clone(),
            role_arn: None,
            kubernetes: Some(gateway::wiring::reach(&product.account)),
        });
        Self { product, api }
    }

    /// Sets a quota in us-west-2.
    pub(crate) fn allow(&self, service: &str, quota: &str, value: f64) {
        let set =
            self.product.account.with_world(|world| account::quotas::set(world, service, quota, "us-west-2", value));
        assert!(set, "{quota}");
    }

    /// Asks as a person, with an idempotency key or without.
    pub(crate) async fn ask(&self, name: &str, input: Value, key: Option<&str>) -> Result<Value, Problem> {
        self.send(name, input, Request { idempotency_key: key.map(str::to_owned), ..person() }).await
    }

    pub(crate) async fn send(&self, name: &str, input: Value, request: Request) -> Result<Value, Problem> {
        self.api.call(contract::list::find(name).unwrap(), input, request).await
    }

    /// Calls that change the account, all services together.
    pub(crate) fn mutations(&self) -> u64 {
        self.product.account.read(|world| world.calls.mutations())
    }

    /// An operation's id out of an answer, as the type.
    pub(crate) fn id(answer: &Value) -> domain::ids::OperationId {
        answer["operationId"].as_str().unwrap().parse().unwrap()
    }
}

pub(crate) fn person() -> Request {
    Request {
        principal: Principal { id: "a-person".to_owned(), agent: false },
        scopes: Vec::new(),
        request_id: "request".to_owned(),
        idempotency_key: None,
        expected_generation: None,
        validate_only: false,
    }
}

pub(crate) fn cluster(tag: &str) -> Value {
    json!({ "tag": tag, "region": "us-west-2" })
}

/// One on-demand node.
pub(crate) fn groups() -> Value {
    json!({ "workers": { "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1 } })
}
