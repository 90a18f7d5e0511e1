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

/// What can be chosen in this account.
pub(crate) mod choices {
    use super::not_read;
    use crate::Api;
    use contract::{choices::*, problem::Problem};

    pub(crate) async fn list_regions(_: &Api, _: ListRegions) -> Result<RegionList, Problem> {
        Err(not_read("Regions"))
    }

    pub(crate) async fn list_zones(_: &Api, _: ListZones) -> Result<ZoneList, Problem> {
        Err(not_read("zones"))
    }

    pub(crate) async fn list_instance_types(_: &Api, _: ListInstanceTypes) -> Result<InstanceTypeList, Problem> {
        Err(not_read("instance types"))
    }

    pub(crate) async fn list_training_plans(_: &Api, _: ListTrainingPlans) -> Result<TrainingPlanList, Problem> {
        Err(not_read("training plans"))
    }

    pub(crate) async fn list_importable_clusters(
        _: &Api,
        _: ListImportableClusters,
    ) -> Result<ImportableClusterList, Problem> {
        Err(not_read("EKS clusters"))
    }
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
