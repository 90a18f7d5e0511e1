//! The front door over the account's table and state machines: what each request does to the records, and what is
//! answered. The surfaces in front of it have their own tests.

mod commands;
mod lists;
mod requests;

use api::{Api, Setup};
use contract::problem::Problem;
use harness::Product;
use serde_json::{Value, json};
use surface::{FrontDoor, Principal, Request};

/// A product with its front door.
pub(crate) struct House {
    pub(crate) product: Product,
    pub(crate) api: Api,
}

impl House {
    pub(crate) async fn new() -> Self {
        let product = Product::new(7).await;
        let api = Api::new(Setup {
            desk: product.front.desk.clone(),
            cloud: product.front.cloud.clone(),
            account: product.installed.account.clone(),
            role_arn: None,
        });
        Self { product, api }
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
