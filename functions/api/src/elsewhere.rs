//! The queries whose answers are read from AWS and Kubernetes, until they are part of this crate.
//!
//! Each says so instead of guessing: a query answers `upstream_unavailable`, a preflight is told as unchecked. The
//! signatures are those of the modules that take this one's place: `choices`, `nodes`, `subnets`, `plan`.

use contract::problem::Problem;
use domain::ErrorCode;
use surface::problem::problem;

fn not_read(what: &str) -> Problem {
    problem(ErrorCode::UpstreamUnavailable, format!("this release cannot read {what}"))
}

/// Nodes of a cluster.
pub(crate) mod nodes {
    use crate::Api;
    use contract::{
        nodes::{ListNodes, NodeList},
        problem::Problem,
    };

    pub(crate) async fn list_nodes(api: &Api, input: ListNodes) -> Result<NodeList, Problem> {
        api.cluster(&input.tag).await?;
        Err(super::not_read("nodes"))
    }
}

/// Subnets of a cluster's VPC.
pub(crate) mod subnets {
    use crate::Api;
    use contract::{
        problem::Problem,
        subnets::{ListSubnets, SubnetList},
    };

    pub(crate) async fn list_subnets(api: &Api, input: ListSubnets) -> Result<SubnetList, Problem> {
        api.cluster(&input.tag).await?;
        Err(super::not_read("subnets"))
    }
}

/// What a request would do, and what can be checked before it.
pub(crate) mod plan {
    use crate::Api;
    use contract::{
        plan::{Finding, PlanView, Severity},
        problem::Problem,
    };
    use domain::{ErrorCode, states::Stage};
    use engine::record::Cluster;

    /// The plan of `stages` for `cluster` as its record would be.
    pub(crate) async fn plan(_: &Api, _: &Cluster, _: Option<(Stage, Stage)>) -> Result<PlanView, Problem> {
        Err(super::not_read("plans"))
    }

    /// All findings about `cluster` as its record would be, before `stages` are run.
    pub(crate) async fn preflight(_: &Api, _: &Cluster, _: Option<(Stage, Stage)>) -> Result<Vec<Finding>, Problem> {
        Ok(vec![Finding {
            severity: Severity::Unchecked,
            code: ErrorCode::UpstreamUnavailable,
            pointer: None,
            message: "quotas, zones, capacity and addresses were not checked before the request was recorded"
                .to_owned(),
            action: "The first stage checks them before it changes anything.".to_owned(),
        }])
    }
}
