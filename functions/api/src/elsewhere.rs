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
