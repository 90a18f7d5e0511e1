//! The front door: what each operation and query of the list does. One file per family.
//!
//! It reads the engine's records and, for choices, nodes, subnets and plans, AWS and Kubernetes; it writes records and
//! starts executions. It never changes infrastructure.

mod choices;
mod clusters;
mod cursor;
mod ground;
mod health;
mod imports;
mod nodes;
mod operations;
mod plan;
mod previews;
mod problems;
mod stages;
mod submitting;
mod subnets;
mod views;

use cloud::{Cloud, Who};
use contract::{Descriptor, problem::Problem};
use domain::{ErrorCode, ids::ClusterTag};
use engine::{
    record::{Cluster, Principal, Target},
    store::ClusterPage,
    submit::Desk,
};
use futures::future::BoxFuture;
use preflight::Eyes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::Arc;
use surface::{FrontDoor, Request, problem::problem};

/// What the front door runs with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Records and state machines.
    pub desk: Desk,
    /// How AWS is reached for reading.
    pub cloud: Cloud,
    /// The account in which clusters are made, 12 digits.
    pub account: String,
    /// Role to assume for that account; none to act as ourselves.
    pub role_arn: Option<String>,
    /// How clusters' Kubernetes endpoints are reached; none if they are not.
    pub kubernetes: Option<kubernetes::Reach>,
}

/// The front door; clones are the same.
#[derive(Debug, Clone)]
pub struct Api(Arc<Setup>);

impl Api {
    /// Opens it.
    pub fn new(setup: Setup) -> Self {
        Self(Arc::new(setup))
    }

    /// What it runs with.
    pub fn setup(&self) -> &Setup {
        &self.0
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.0.desk
    }

    /// Where a cluster of `region` is.
    pub(crate) fn target(&self, region: domain::ids::Region) -> Target {
        Target { account: self.0.account.clone(), region, role_arn: self.0.role_arn.clone() }
    }

    /// For looking at AWS in `region`.
    pub(crate) async fn eyes(&self, region: &domain::ids::Region) -> Result<Eyes, Problem> {
        let opened = Eyes::open(&self.0.cloud, &self.target(region.clone()), &Who::reader("api")).await;
        opened.map_err(problems::of_trouble)
    }

    /// The living cluster of `tag`.
    pub(crate) async fn cluster(&self, tag: &ClusterTag) -> Result<Cluster, Problem> {
        let found = self.desk().store.cluster_by_tag(tag).await.map_err(problems::of_trouble)?;
        found.filter(|cluster| cluster.deleted_at.is_none()).ok_or_else(|| no_cluster(tag))
    }

    /// The same with its stages, and who may change it now.
    pub(crate) async fn page(&self, tag: &ClusterTag) -> Result<ClusterPage, Problem> {
        let found = self.desk().store.page_of(tag, submitting::LANE).await.map_err(problems::of_trouble)?;
        found.filter(|page| page.cluster.deleted_at.is_none()).ok_or_else(|| no_cluster(tag))
    }
}

fn no_cluster(tag: &ClusterTag) -> Problem {
    let made = problem(ErrorCode::NotFound, format!("there is no cluster {tag}"));
    Problem { action: "See list_clusters for those that are there.".to_owned(), ..made }
}

impl FrontDoor for Api {
    async fn call(&self, descriptor: &'static Descriptor, input: Value, request: Request) -> Result<Value, Problem> {
        match descriptor.name {
            "list_clusters" => answer(asked(input, |input| clusters::list(self, input))?.await),
            "get_cluster" => answer(asked(input, |input| clusters::get(self, input))?.await),
            "plan_cluster" | "create_cluster" => asked(input, |input| clusters::create(self, input, request))?.await,
            "create_hyperpod" => asked(input, |input| clusters::create_hyperpod(self, input, request))?.await,
            "stop_spending" => asked(input, |input| clusters::stop_spending(self, input, request))?.await,
            "import_cluster" => asked(input, |input| imports::import(self, input, request))?.await,
            "list_stages" => answer(asked(input, |input| stages::list(self, input))?.await),
            "get_stage" => answer(asked(input, |input| stages::get(self, input))?.await),
            "run_stage" => asked(input, |input| stages::run(self, input, request))?.await,
            "list_operations" => answer(asked(input, |input| operations::list(self, input))?.await),
            "get_operation" => answer(asked(input, |input| operations::get(self, input))?.await),
            "wait_for_operation" => answer(asked(input, |input| operations::wait(self, input))?.await),
            "get_journal" => answer(asked(input, |input| operations::journal(self, input))?.await),
            "retry_operation" => answer(asked(input, |input| operations::retry(self, input, &request))?.await),
            "cancel_operation" => answer(asked(input, |input| operations::cancel(self, input))?.await),
            "list_nodes" => answer(asked(input, |input| nodes::list_nodes(self, input))?.await),
            "list_subnets" => answer(asked(input, |input| subnets::list_subnets(self, input))?.await),
            "list_regions" => answer(asked(input, |input| choices::list_regions(self, input))?.await),
            "list_zones" => answer(asked(input, |input| choices::list_zones(self, input))?.await),
            "list_instance_types" => answer(asked(input, |input| choices::list_instance_types(self, input))?.await),
            "list_training_plans" => answer(asked(input, |input| choices::list_training_plans(self, input))?.await),
            "list_importable_clusters" => {
                answer(asked(input, |input| choices::list_importable_clusters(self, input))?.await)
            }
            "get_health" => answer(Ok(health::get(self).await)),
            name => Err(problem(ErrorCode::Internal, format!("{name} is described and not implemented"))),
        }
    }
}

/// What answers `input`, once that is read as its type. It is boxed and made in a frame of its own: of two dozen answers
/// only one is ever there, and the frame of a match over all of them would hold room for each.
#[inline(never)]
fn asked<'a, T, F>(input: Value, answer: impl FnOnce(T) -> F) -> Result<BoxFuture<'a, F::Output>, Problem>
where
    T: DeserializeOwned,
    F: Future + Send + 'a,
{
    Ok(Box::pin(answer(read(input)?)))
}

/// An input as its type. It has been held against its schema; what only the type knows is found here.
fn read<T: DeserializeOwned>(input: Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let pointer = problems::pointer(error.path());
        surface::problem::of_fields(vec![domain::FieldError::new(pointer, error.into_inner().to_string())])
    })
}

/// An answer as JSON.
fn answer<T: Serialize>(result: Result<T, Problem>) -> Result<Value, Problem> {
    let written =
        |error: serde_json::Error| problem(ErrorCode::Internal, format!("the answer cannot be written: {error}"));
    serde_json::to_value(result?).map_err(written)
}

/// Who asks, as records have it.
fn principal(request: &Request) -> Principal {
    Principal { id: request.principal.id.clone(), agent: request.principal.agent }
}
