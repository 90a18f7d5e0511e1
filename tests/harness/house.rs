//! The product with its front door, asked as the surfaces ask it: by an operation's name and its input.

use crate::{Product, grounds};
use account::account::{Handler, Snapshot};
use api::{Api, Setup};
use contract::{Scope, problem::Problem};
use domain::ids::OperationId;
use engine::record::Operation;
use serde_json::Value;
use surface::{FrontDoor, Principal, Request};

/// A product with its front door.
pub struct House {
    /// The product.
    pub product: Product,
    /// Its front door.
    pub api: Api,
}

impl House {
    /// A fresh account with the product, and quotas for a few clusters with small GPU nodes.
    pub async fn new() -> Self {
        let house = Self::over(Product::new(7).await);
        house.allow("vpc", "VPCs per Region", 50.0);
        house.allow("vpc", "Internet gateways per Region", 50.0);
        house.allow("vpc", "NAT gateways per Availability Zone", 50.0);
        house.allow("ec2", "EC2-VPC Elastic IPs", 50.0);
        house.allow("sagemaker", "ml.g6.4xlarge for cluster usage", 8.0);
        house
    }

    /// The same over an account that has two EKS clusters, a training plan, and quotas for the usual choices.
    pub async fn furnished() -> Self {
        Self::at(grounds::furnished()).await
    }

    /// The same where calls are answered in another way.
    pub async fn furnished_answering(handler: Handler) -> Self {
        Self::over(grounds::furnish(handler).await)
    }

    /// The front door of `product`.
    pub fn over(product: Product) -> Self {
        let api = Api::new(Setup {
            desk: product.front.desk.clone(),
            cloud: product.front.cloud.clone(),
            account: product.installed.account.clone(),
            role_arn: None,
            kubernetes: Some(product.front.reach.clone()),
        });
        Self { product, api }
    }

    /// A house over an account as it was once, in which the product is installed: what ran then goes on from there.
    pub async fn at(snapshot: &Snapshot) -> Self {
        Self::over(Product::over(snapshot.account().unwrap()).await)
    }

    /// Sets a quota in us-west-2.
    pub fn allow(&self, service: &str, quota: &str, value: f64) {
        let set =
            self.product.account.with_world(|world| account::quotas::set(world, service, quota, "us-west-2", value));
        assert!(set, "{quota}");
    }

    /// Asks as a person, with an idempotency key or without.
    ///
    /// # Errors
    /// What the front door refuses.
    pub async fn ask(&self, name: &str, input: Value, key: Option<&str>) -> Result<Value, Problem> {
        self.send(name, input, Request { idempotency_key: key.map(str::to_owned), ..person() }).await
    }

    /// Asks with all that a surface can say of a request.
    ///
    /// # Errors
    /// What the front door refuses.
    pub async fn send(&self, name: &str, input: Value, request: Request) -> Result<Value, Problem> {
        self.api.call(contract::list::find(name).unwrap(), input, request).await
    }

    /// Asks for an operation, and answers it once it has ended.
    pub async fn run(&self, name: &str, input: Value) -> Operation {
        let accepted = self.ask(name, input, None).await.unwrap_or_else(|problem| panic!("{name}: {problem:#?}"));
        self.product.ended(Self::id(&accepted)).await
    }

    /// Calls that change the account, all services together.
    pub fn mutations(&self) -> u64 {
        self.product.account.read(|world| world.calls.mutations())
    }

    /// An operation's id out of an answer, as the type.
    pub fn id(answer: &Value) -> OperationId {
        answer["operationId"].as_str().unwrap().parse().unwrap()
    }
}

/// How a person's request comes through a surface.
pub fn person() -> Request {
    Request {
        principal: Principal { id: "a-person".to_owned(), agent: false },
        scopes: vec![Scope::Read, Scope::Logs, Scope::Operate, Scope::Admin, Scope::Approve],
        request_id: "request".to_owned(),
        idempotency_key: None,
        expected_generation: None,
        validate_only: false,
    }
}
