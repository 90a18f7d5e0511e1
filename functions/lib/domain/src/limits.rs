//! The limits of the platforms and of our own contracts, in one table. Code is written against these names, and tests
//! hold records, inputs and requests against them.
//!
//! Limits of an account (quotas) are asked of Service Quotas and are not here.

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The constant's name.
    pub name: &'static str,
    /// The greatest value allowed.
    pub max: u64,
    /// What the value counts.
    pub unit: &'static str,
    /// Who sets it.
    pub source: &'static str,
}

macro_rules! limits {
    ($( $(#[$doc:meta])* $name:ident = $max:expr, $unit:literal, $source:literal; )+) => {
        $( $(#[$doc])* pub const $name: usize = $max; )+

        /// Every limit, for documentation and tests.
        pub const ALL: &[Limit] = &[$(
            Limit { name: stringify!($name), max: $name as u64, unit: $unit, source: $source }
        ),+];
    };
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

limits! {
    /// One DynamoDB item, names and values together.
    DYNAMODB_ITEM = 400 * KIB, "bytes", "DynamoDB";
    /// Items of one DynamoDB transaction.
    DYNAMODB_TRANSACTION_ITEMS = 100, "items", "DynamoDB";
    /// Keys of one BatchGetItem.
    DYNAMODB_BATCH_GET_KEYS = 100, "keys", "DynamoDB";
    /// A partition key's value.
    DYNAMODB_PARTITION_KEY = 2048, "bytes", "DynamoDB";
    /// A sort key's value.
    DYNAMODB_SORT_KEY = 1024, "bytes", "DynamoDB";
    /// One page of a DynamoDB query.
    DYNAMODB_PAGE = MIB, "bytes", "DynamoDB";
    /// Our operation record, well below an item.
    OPERATION_RECORD = 64 * KIB, "bytes", "ours";
    /// Our input of a state machine: ids only.
    STATE_MACHINE_INPUT = 4 * KIB, "bytes", "ours";
    /// Input or output of any state, and of a task.
    STEP_FUNCTIONS_PAYLOAD = 256 * KIB, "bytes", "Step Functions";
    /// Events in the history of one standard execution.
    STEP_FUNCTIONS_EVENTS = 25_000, "events", "Step Functions";
    /// An execution's name.
    STEP_FUNCTIONS_NAME = 80, "characters", "Step Functions";
    /// An answer of ours.
    ANSWER = MIB, "bytes", "ours";
    /// A request body that we read.
    REQUEST_BODY = MIB, "bytes", "ours";
    /// A synchronous Lambda request or response.
    LAMBDA_PAYLOAD = 6 * MIB, "bytes", "Lambda";
    /// A request through API Gateway.
    API_GATEWAY_BODY = 10 * MIB, "bytes", "API Gateway";
    /// How long API Gateway waits for an answer.
    API_GATEWAY_SECONDS = 29, "seconds", "API Gateway";
    /// How long any call of ours over MCP or REST takes at the most.
    CALL_SECONDS = 25, "seconds", "ours";
    /// Waits of one principal at a time.
    WAITS_PER_PRINCIPAL = 2, "waits", "ours";
    /// How long preflight may take when a request is posted.
    PREFLIGHT_SECONDS = 10, "seconds", "ours";
    /// How long `api` waits for a plan.
    PLAN_WAIT_SECONDS = 20, "seconds", "ours";
    /// How long one tick goes round.
    TICK_SECONDS = 20, "seconds", "ours";
    /// A stage or operation function's time.
    FUNCTION_SECONDS = 60, "seconds", "ours";
    /// A tick lease: more than a function's time and clock skew.
    TICK_LEASE_SECONDS = 90, "seconds", "ours";
    /// One read of AWS or Kubernetes.
    READ_SECONDS = 5, "seconds", "ours";
    /// One mutation of AWS or Kubernetes.
    MUTATION_SECONDS = 15, "seconds", "ours";
    /// After a mutation without an answer: how long the service may not show it.
    VISIBILITY_SECONDS = 60, "seconds", "ours";
    /// The longest single wait of a state machine between two ticks, unless a date is known.
    TICK_WAIT_SECONDS = 60, "seconds", "ours";
    /// How long a refusal that names a new role is a wait.
    NEW_ROLE_SECONDS = 180, "seconds", "ours";
    /// How long a wait may last unless it is known to be longer.
    WAIT_DEADLINE_SECONDS = 24 * 3600, "seconds", "ours";
    /// A tool result over MCP: clients cut longer ones.
    MCP_RESULT = 60_000, "bytes", "MCP clients";
    /// Rows of a page over MCP, by default.
    MCP_PAGE = 20, "rows", "ours";
    /// A tool's name, with the prefix that clients put before it.
    MCP_TOOL_NAME = 128, "characters", "MCP clients";
    /// Server instructions that clients show.
    MCP_INSTRUCTIONS = 2048, "characters", "MCP clients";
    /// Rows of a page over REST, at the most.
    REST_PAGE = 100, "rows", "ours";
    /// A WebSocket frame.
    WEBSOCKET_FRAME = 32 * KIB, "bytes", "API Gateway";
    /// An idempotency key.
    IDEMPOTENCY_KEY = 255, "characters", "ours";
    /// An IAM role's name.
    IAM_ROLE_NAME = 64, "characters", "IAM";
    /// An IAM policy's name.
    IAM_POLICY_NAME = 128, "characters", "IAM";
    /// All inline policies of a role together, white space not counted.
    IAM_ROLE_INLINE_POLICIES = 10_240, "characters", "IAM";
    /// An STS session's name.
    STS_SESSION_NAME = 64, "characters", "STS";
    /// An S3 bucket's name.
    S3_BUCKET_NAME = 63, "characters", "S3";
    /// An S3 key.
    S3_KEY = 1024, "bytes", "S3";
    /// A client token of EC2.
    EC2_CLIENT_TOKEN = 64, "characters", "EC2";
    /// A tag's value.
    TAG_VALUE = 256, "characters", "AWS tags";
    /// A tag's key.
    TAG_KEY = 128, "characters", "AWS tags";
    /// A security group's name.
    SECURITY_GROUP_NAME = 255, "characters", "EC2";
    /// An EKS cluster's name.
    EKS_CLUSTER_NAME = 100, "characters", "EKS";
    /// IPv4 CIDR blocks of a VPC before its quota is raised.
    VPC_CIDR_BLOCKS = 5, "blocks", "EC2";
    /// A log group's name.
    LOG_GROUP_NAME = 512, "characters", "CloudWatch Logs";
    /// A Kubernetes object's name, and a label's value.
    KUBERNETES_LABEL = 63, "characters", "Kubernetes";
    /// A Kubernetes object's name where the rule is that of a DNS subdomain.
    KUBERNETES_NAME = 253, "characters", "Kubernetes";
    /// A HyperPod cluster's or instance group's name.
    HYPERPOD_NAME = 63, "characters", "SageMaker";
    /// Instances of one group.
    HYPERPOD_GROUP_INSTANCES = 6758, "instances", "SageMaker";
    /// Instance groups of one request.
    HYPERPOD_GROUPS = 100, "groups", "SageMaker";
    /// Size of a group's extra EBS volume.
    HYPERPOD_VOLUME_GIB = 16_384, "GiB", "SageMaker";
    /// Subnets of a VpcConfig.
    HYPERPOD_SUBNETS = 16, "subnets", "SageMaker";
    /// Security groups of a VpcConfig.
    HYPERPOD_SECURITY_GROUPS = 5, "groups", "SageMaker";
    /// Labels of a group, and taints of a group.
    HYPERPOD_LABELS = 50, "entries", "SageMaker";
    /// Instance types of a flexible group.
    HYPERPOD_FLEXIBLE_TYPES = 20, "types", "SageMaker";
    /// Nodes of one BatchAddClusterNodes.
    HYPERPOD_BATCH_ADD_NODES = 50, "nodes", "SageMaker";
    /// Group entries of one BatchAddClusterNodes.
    HYPERPOD_BATCH_ADD_GROUPS = 5, "groups", "SageMaker";
    /// Ids of one BatchDeleteClusterNodes.
    HYPERPOD_BATCH_DELETE_NODES = 99, "nodes", "SageMaker";
    /// Ids of one BatchRebootClusterNodes or BatchReplaceClusterNodes.
    HYPERPOD_BATCH_REPAIR_NODES = 25, "nodes", "SageMaker";
    /// Administrators that a creation may name.
    ADMINISTRATORS = 50, "principals", "ours";
    /// Subnets that a creation may name.
    GIVEN_SUBNETS = 16, "subnets", "ours";
    /// A key prefix in the project bucket.
    STORAGE_PREFIX = 512, "characters", "ours";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits_in(ours: usize, platform: usize) -> bool {
        ours <= platform
    }

    #[test]
    fn br_136_br_140_our_limits_lie_within_those_of_the_platform() {
        assert!(fits_in(OPERATION_RECORD, DYNAMODB_ITEM));
        assert!(fits_in(STATE_MACHINE_INPUT, STEP_FUNCTIONS_PAYLOAD));
        assert!(fits_in(ANSWER, LAMBDA_PAYLOAD), "an answer passes a function");
        assert!(fits_in(REQUEST_BODY * 4 / 3, LAMBDA_PAYLOAD), "a body may arrive as base64");
        assert!(fits_in(CALL_SECONDS, API_GATEWAY_SECONDS - 1));
        assert!(fits_in(PREFLIGHT_SECONDS.max(PLAN_WAIT_SECONDS), CALL_SECONDS));
        assert!(fits_in(TICK_SECONDS + MUTATION_SECONDS, FUNCTION_SECONDS), "a change begun last is still answered");
        assert!(fits_in(FUNCTION_SECONDS, TICK_LEASE_SECONDS - 15), "15 s of clock skew");
        assert!(fits_in(STORAGE_PREFIX, S3_KEY));
    }

    #[test]
    fn a_day_of_waits_stays_below_the_history_limit() {
        let events_per_tick = 11; // task: 5, choice: 2, wait: 2, and room for one retry
        assert!(fits_in(WAIT_DEADLINE_SECONDS / TICK_WAIT_SECONDS * events_per_tick, STEP_FUNCTIONS_EVENTS));
    }

    #[test]
    fn every_row_has_its_own_name_and_a_value() {
        let names: std::collections::BTreeSet<&str> = ALL.iter().map(|limit| limit.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|limit| limit.max > 0 && !limit.unit.is_empty() && !limit.source.is_empty()));
    }
}
