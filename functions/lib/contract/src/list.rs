//! The list of every operation and query.

use crate::{
    choices, clusters,
    descriptor::{ADDS, Descriptor, Kind, Method, Place, READS, Scope, TAKES},
    health, imports, journal, nodes, operations, plan, stages, subnets,
};
use domain::ErrorCode as Code;

/// Every operation and query, in the order in which surfaces list them.
pub const ALL: &[Descriptor] = &[
    query::<clusters::ListClusters, clusters::ClusterList>(
        "list_clusters",
        "List clusters",
        "Lists the clusters that are managed here, with stage and capacity at a glance. For clusters that could be \
         imported see list_importable_clusters.",
        "/v1/clusters",
        PAGED,
    ),
    query::<clusters::GetCluster, clusters::ClusterView>(
        "get_cluster",
        "Get a cluster",
        "Describes one cluster: decisions, the six stages, conditions, the running operation, and what to do next.",
        "/v1/clusters/{tag}",
        TAG,
    ),
    Descriptor {
        method: Method::Post,
        validates: Some("create_cluster"),
        errors: OPERATION_ERRORS,
        ..query::<clusters::CreateInput, plan::PlanView>(
            "plan_cluster",
            "Plan a cluster",
            "Shows what creating this cluster would do, before anything starts: changes by stage, cost, capacity, \
             addresses, what cannot be changed later, and all findings. Same input as create_cluster; changes nothing.",
            "/v1/clusters",
            &[],
        )
    },
    operation::<clusters::CreateInput>(
        "create_cluster",
        "Create a cluster",
        "Creates an EKS cluster, and a HyperPod cluster on it if instance groups are given, in six stages. Without \
         `hyperpod` it ends after the dependencies and waits for create_hyperpod. Check with plan_cluster first. \
         Follow it with wait_for_operation.",
        "/v1/clusters",
        &[],
    ),
    operation::<clusters::CreateHyperPod>(
        "create_hyperpod",
        "Decide the HyperPod capacity",
        "Decides the instance groups of a cluster that waits for it, and runs the stages hyperpod, storage and \
         verification. Choose zone, type and capacity type with list_zones, list_instance_types and \
         list_training_plans. Follow it with wait_for_operation.",
        "/v1/clusters/{tag}/hyperpod",
        TAG,
    ),
    operation::<imports::ImportCluster>(
        "import_cluster",
        "Import a cluster",
        "Takes an existing EKS cluster, and the HyperPod cluster attached to it, under management, and runs the stages \
         from selection on. Nothing borrowed is changed unless a fix is asked for by name. Find candidates with \
         list_importable_clusters. Follow it with wait_for_operation.",
        "/v1/imports",
        &[],
    ),
    query::<stages::ListStages, stages::StageList>(
        "list_stages",
        "List the stages of a cluster",
        "Lists the six stages of a cluster with state, attempts and what each waits for.",
        "/v1/clusters/{tag}/stages",
        TAG,
    ),
    query::<stages::GetStage, stages::StageView>(
        "get_stage",
        "Get a stage",
        "Describes one stage: what was seen, what remains, why it failed, what it left behind, and what to do next.",
        "/v1/clusters/{tag}/stages/{stage}",
        TAG_STAGE,
    ),
    operation::<stages::RunStage>(
        "run_stage",
        "Run one stage again",
        "Runs one stage of a cluster again, alone. Safe at any time: what is as it should be stays untouched. Follow \
         it with wait_for_operation.",
        "/v1/clusters/{tag}/stages/{stage}/run",
        TAG_STAGE,
    ),
    Descriptor {
        hints: TAKES,
        ..operation::<clusters::StopSpending>(
            "stop_spending",
            "Stop spending",
            "Sets every instance group of the cluster to zero and watches until nothing runs. Running work on the nodes \
             is lost; cluster, network and storage stay. Without the scope approve it waits for a person. Follow it with \
             wait_for_operation.",
            "/v1/clusters/{tag}/stop-spending",
            TAG,
        )
    },
    query::<nodes::ListNodes, nodes::NodeList>(
        "list_nodes",
        "List the nodes of a cluster",
        "Lists a cluster's nodes as SageMaker and Kubernetes see them, joined or not.",
        "/v1/clusters/{tag}/nodes",
        &[("tag", Place::Path), ("instanceGroup", Place::Query), ("limit", Place::Query), ("cursor", Place::Query)],
    ),
    query::<subnets::ListSubnets, subnets::SubnetList>(
        "list_subnets",
        "List the subnets of a cluster",
        "Lists the subnets of a cluster's VPC: zone, addresses, route, owner.",
        "/v1/clusters/{tag}/subnets",
        &[("tag", Place::Path), ("limit", Place::Query), ("cursor", Place::Query)],
    ),
    query::<operations::ListOperations, operations::OperationList>(
        "list_operations",
        "List operations",
        "Lists operations, newest first: of all clusters or of one.",
        "/v1/operations",
        &[("clusterTag", Place::Query), ("limit", Place::Query), ("cursor", Place::Query)],
    ),
    query::<operations::GetOperation, operations::OperationView>(
        "get_operation",
        "Get an operation",
        "Describes one operation: state, stage, what it waits for, failure with cause and remedy, outcome.",
        "/v1/operations/{operationId}",
        OPERATION,
    ),
    query::<operations::WaitForOperation, operations::OperationView>(
        "wait_for_operation",
        "Wait for an operation",
        "Waits up to 25 seconds for an operation to end and answers its state either way. Call it again until `done` \
         is true.",
        "/v1/operations/{operationId}/wait",
        &[("operationId", Place::Path), ("timeoutSeconds", Place::Query)],
    ),
    query::<operations::GetJournal, journal::JournalPage>(
        "get_journal",
        "Get an operation's journal",
        "Lists every change that an operation made or tried, in order, with ids, times and refusals.",
        "/v1/operations/{operationId}/journal",
        &[("operationId", Place::Path), ("limit", Place::Query), ("cursor", Place::Query)],
    ),
    command::<operations::RetryOperation>(
        "retry_operation",
        "Try an operation again",
        "Runs a failed or cancelled operation again from the stage that it reached. What was made is kept. Follow it \
         with wait_for_operation.",
        "/v1/operations/{operationId}/retry",
    ),
    command::<operations::CancelOperation>(
        "cancel_operation",
        "Cancel an operation",
        "Stops an operation before its next change. AWS finishes what it has begun, and bills it; the answer says what. \
         stop_spending sets running capacity to zero. Follow it with wait_for_operation.",
        "/v1/operations/{operationId}/cancel",
    ),
    query::<choices::ListRegions, choices::RegionList>(
        "list_regions",
        "List Regions",
        "Lists the Regions in which a cluster can be made.",
        "/v1/choices/regions",
        &[],
    ),
    query::<choices::ListZones, choices::ZoneList>(
        "list_zones",
        "List zones",
        "Lists the zones of a Region by id and by this account's name, and whether EKS accepts them.",
        "/v1/choices/zones",
        REGION,
    ),
    query::<choices::ListInstanceTypes, choices::InstanceTypeList>(
        "list_instance_types",
        "List instance types",
        "Lists instance types with accelerators, zones that offer them, this account's quota and use, addresses a node \
         takes, and price by hour. Quota is not capacity.",
        "/v1/choices/instance-types",
        &[
            ("region", Place::Query),
            ("zoneId", Place::Query),
            ("accelerated", Place::Query),
            ("limit", Place::Query),
            ("cursor", Place::Query),
        ],
    ),
    query::<choices::ListTrainingPlans, choices::TrainingPlanList>(
        "list_training_plans",
        "List training plans",
        "Lists this account's training plans for HyperPod with zone, dates and free count.",
        "/v1/choices/training-plans",
        REGION,
    ),
    query::<choices::ListImportableClusters, choices::ImportableClusterList>(
        "list_importable_clusters",
        "List clusters that can be imported",
        "Lists EKS clusters of a Region that are not managed here, with the HyperPod cluster attached and what they lack.",
        "/v1/choices/importable-clusters",
        REGION,
    ),
    query::<health::GetHealth, health::HealthView>(
        "get_health",
        "Get health",
        "Says whether the control plane itself works: its table, state machines and clock.",
        "/v1/health",
        &[],
    ),
];

/// The descriptor of `name`.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    ALL.iter().find(|descriptor| descriptor.name == name)
}

const TAG: &[(&str, Place)] = &[("tag", Place::Path)];
const TAG_STAGE: &[(&str, Place)] = &[("tag", Place::Path), ("stage", Place::Path)];
const PAGED: &[(&str, Place)] = &[("limit", Place::Query), ("cursor", Place::Query)];
const OPERATION: &[(&str, Place)] = &[("operationId", Place::Path)];
const REGION: &[(&str, Place)] = &[("region", Place::Query)];

/// What every operation may answer besides what every route may.
const OPERATION_ERRORS: &[Code] = &[
    Code::InvalidInput,
    Code::QuotaExceeded,
    Code::PermissionDenied,
    Code::CapacityUnavailable,
    Code::SubnetCapacity,
    Code::NetworkUnreachable,
    Code::DependencyMissing,
    Code::DependencyNotReady,
    Code::Conflict,
    Code::OperationInProgress,
    Code::NotFound,
    Code::IdempotencyMismatch,
    Code::PreconditionRequired,
    Code::PreconditionFailed,
];

const fn query<In: schemars::JsonSchema, Out: schemars::JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    path: &'static str,
    places: &'static [(&'static str, Place)],
) -> Descriptor {
    Descriptor {
        name,
        title,
        description,
        kind: Kind::Query,
        method: Method::Get,
        path,
        places,
        scope: Scope::Read,
        hints: READS,
        completion: None,
        validates: None,
        errors: &[Code::InvalidInput, Code::NotFound, Code::PermissionDenied, Code::NetworkUnreachable],
        input: schema::<In>,
        output: schema::<Out>,
    }
}

const fn operation<In: schemars::JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    path: &'static str,
    places: &'static [(&'static str, Place)],
) -> Descriptor {
    Descriptor {
        name,
        title,
        description,
        kind: Kind::Operation,
        method: Method::Post,
        path,
        places,
        scope: Scope::Operate,
        hints: ADDS,
        completion: Some("wait_for_operation"),
        validates: None,
        errors: OPERATION_ERRORS,
        input: schema::<In>,
        output: schema::<operations::OperationAccepted>,
    }
}

const fn command<In: schemars::JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    path: &'static str,
) -> Descriptor {
    Descriptor {
        kind: Kind::Command,
        errors: &[Code::InvalidInput, Code::NotFound, Code::Conflict, Code::OperationInProgress],
        ..operation::<In>(name, title, description, path, OPERATION)
    }
}

/// The schema of `T`, or the reference to it under which the generator keeps it.
fn schema<T: schemars::JsonSchema>(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_and_every_route_is_there_once() {
        let names: BTreeSet<_> = ALL.iter().map(|descriptor| descriptor.name).collect();
        assert_eq!(names.len(), ALL.len());
        let routed = || ALL.iter().filter(|descriptor| descriptor.validates.is_none());
        let routes: BTreeSet<_> = routed().map(|descriptor| (descriptor.path, descriptor.method as u8)).collect();
        assert_eq!(routes.len(), routed().count());
    }

    #[test]
    fn every_field_outside_the_body_is_a_field_of_the_input() {
        for descriptor in ALL {
            let schema = descriptor.input_schema();
            let known = schema.get("properties").and_then(|fields| fields.as_object()).cloned().unwrap_or_default();
            for (field, place) in descriptor.places {
                assert!(known.contains_key(*field), "{}: {field}", descriptor.name);
                assert_eq!(
                    descriptor.path.contains(&format!("{{{field}}}")),
                    *place == Place::Path,
                    "{}: {field}",
                    descriptor.name
                );
            }
        }
    }

    #[test]
    fn whatever_changes_something_names_the_tool_that_shows_completion() {
        for descriptor in ALL {
            assert_eq!(descriptor.hints.read_only, descriptor.completion.is_none(), "{}", descriptor.name);
            assert_eq!(descriptor.hints.read_only, descriptor.kind == Kind::Query, "{}", descriptor.name);
            if let Some(tool) = descriptor.completion {
                assert!(find(tool).is_some());
            }
        }
    }

    #[test]
    fn no_schema_says_null() {
        for descriptor in ALL {
            for schema in [descriptor.input_schema(), descriptor.output_schema()] {
                let text = serde_json::to_string(&schema).unwrap();
                assert!(!text.contains("\"null\""), "{}: {text}", descriptor.name);
            }
        }
    }
}
