//! Which actions the account's protocol layer can read and write: those that the product calls, and those with which
//! people look at, prepare and clean up the same things from the `aws` CLI or boto3.

/// A service and its listed actions.
pub(super) struct Service {
    /// Name in a signature's credential scope; how the account names the service.
    pub scope: &'static str,
    /// Folder name in botocore's data.
    pub folder: &'static str,
    /// Keep the actions' names only: another implementation reads and writes their shapes.
    pub names_only: bool,
    /// Names of the actions, as botocore spells them.
    pub actions: &'static [&'static str],
}

/// How many actions are listed.
pub(super) fn count() -> usize {
    SERVICES.iter().map(|service| service.actions.len()).sum()
}

/// All services, in the order of their scope names.
#[rustfmt::skip]
pub(super) const SERVICES: &[Service] = &[
    Service { scope: "dynamodb", folder: "dynamodb", names_only: true, actions: &[
        "BatchExecuteStatement", "BatchGetItem", "BatchWriteItem", "CreateTable", "DeleteItem", "DeleteTable",
        "DescribeTable", "DescribeTimeToLive", "ExecuteStatement", "ExecuteTransaction", "GetItem", "ListTables",
        "ListTagsOfResource", "PutItem", "Query", "Scan", "TagResource", "TransactGetItems", "TransactWriteItems",
        "UntagResource", "UpdateItem", "UpdateTable", "UpdateTimeToLive",
    ] },
    Service { scope: "ec2", folder: "ec2", names_only: false, actions: &[
        "AllocateAddress", "AssociateAddress", "AssociateRouteTable", "AssociateVpcCidrBlock", "AttachInternetGateway",
        "AttachVolume", "AuthorizeSecurityGroupEgress", "AuthorizeSecurityGroupIngress", "CreateInternetGateway",
        "CreateNatGateway", "CreateNetworkInterface", "CreateRoute", "CreateRouteTable", "CreateSecurityGroup",
        "CreateSubnet", "CreateTags", "CreateVolume", "CreateVpc", "CreateVpcEndpoint", "DeleteInternetGateway",
        "DeleteNatGateway", "DeleteNetworkInterface", "DeleteRoute", "DeleteRouteTable", "DeleteSecurityGroup",
        "DeleteSubnet", "DeleteTags", "DeleteVolume", "DeleteVpc", "DeleteVpcEndpoints", "DescribeAccountAttributes",
        "DescribeAddresses", "DescribeAvailabilityZones", "DescribeInstanceTypeOfferings", "DescribeInstanceTypes",
        "DescribeInstances", "DescribeInternetGateways", "DescribeNatGateways", "DescribeNetworkAcls",
        "DescribeNetworkInterfaces", "DescribePrefixLists", "DescribeRegions", "DescribeRouteTables",
        "DescribeSecurityGroupRules", "DescribeSecurityGroups", "DescribeSubnets", "DescribeTags", "DescribeVolumes",
        "DescribeVpcAttribute", "DescribeVpcEndpoints", "DescribeVpcEndpointServices", "DescribeVpcs",
        "DetachInternetGateway", "DetachNetworkInterface", "DetachVolume", "DisassociateAddress",
        "DisassociateRouteTable", "DisassociateVpcCidrBlock", "ModifySubnetAttribute", "ModifyVpcAttribute",
        "ModifyVpcEndpoint", "DescribeDhcpOptions", "DescribeManagedPrefixLists", "ReplaceRouteTableAssociation",
        "ReleaseAddress", "ReplaceRoute", "RevokeSecurityGroupEgress", "RevokeSecurityGroupIngress",
    ] },
    Service { scope: "eks", folder: "eks", names_only: false, actions: &[
        "AssociateAccessPolicy", "AssociateEncryptionConfig", "CreateAccessEntry", "CreateAddon", "CreateCluster",
        "CreateNodegroup", "CreatePodIdentityAssociation", "DeleteAccessEntry", "DeleteAddon", "DeleteCluster",
        "DeleteNodegroup", "DeletePodIdentityAssociation", "DescribeAccessEntry", "DescribeAddon",
        "DescribeAddonConfiguration", "DescribeAddonVersions", "DescribeCluster", "DescribeClusterVersions",
        "DescribeInsight", "DescribeNodegroup", "DescribePodIdentityAssociation", "DescribeUpdate",
        "DisassociateAccessPolicy", "ListAccessEntries", "ListAccessPolicies", "ListAddons",
        "ListAssociatedAccessPolicies", "ListClusters", "ListFargateProfiles", "ListIdentityProviderConfigs",
        "ListInsights", "ListNodegroups", "ListPodIdentityAssociations", "ListTagsForResource", "ListUpdates",
        "TagResource", "UntagResource", "UpdateAccessEntry", "UpdateAddon", "UpdateClusterConfig",
        "UpdateClusterVersion", "UpdatePodIdentityAssociation",
    ] },
    Service { scope: "events", folder: "events", names_only: false, actions: &[
        "DeleteRule", "DescribeEventBus", "DescribeRule", "DisableRule", "EnableRule", "ListEventBuses",
        "ListRuleNamesByTarget", "ListRules", "ListTagsForResource", "ListTargetsByRule", "PutEvents", "PutRule",
        "PutTargets", "RemoveTargets", "TagResource", "TestEventPattern", "UntagResource",
    ] },
    Service { scope: "iam", folder: "iam", names_only: false, actions: &[
        "AddClientIDToOpenIDConnectProvider", "AddRoleToInstanceProfile", "AttachRolePolicy", "AttachUserPolicy",
        "CreateAccessKey", "CreateInstanceProfile",
        "CreateOpenIDConnectProvider", "CreatePolicy", "CreatePolicyVersion", "CreateRole", "CreateServiceLinkedRole",
        "CreateUser", "DeleteAccessKey", "DeleteInstanceProfile", "DeleteOpenIDConnectProvider", "DeletePolicy",
        "DeletePolicyVersion", "DeleteRole", "DeleteRolePermissionsBoundary", "DeleteRolePolicy",
        "DeleteServiceLinkedRole", "DeleteUser", "DeleteUserPolicy", "DetachRolePolicy", "DetachUserPolicy",
        "GetAccountSummary", "GetInstanceProfile", "GetOpenIDConnectProvider", "GetPolicy", "GetPolicyVersion",
        "GetRole", "GetRolePolicy", "GetServiceLinkedRoleDeletionStatus", "GetUser", "GetUserPolicy",
        "ListAccessKeys", "ListAccountAliases", "ListAttachedRolePolicies", "ListAttachedUserPolicies",
        "ListEntitiesForPolicy", "ListInstanceProfiles", "ListInstanceProfilesForRole", "ListOpenIDConnectProviders",
        "ListPolicies", "ListPolicyVersions", "ListRolePolicies", "ListRoleTags", "ListRoles", "ListUserPolicies",
        "ListUsers", "PutRolePermissionsBoundary", "PutRolePolicy", "PutUserPolicy",
        "RemoveClientIDFromOpenIDConnectProvider", "RemoveRoleFromInstanceProfile",
        "SetDefaultPolicyVersion", "SimulatePrincipalPolicy", "TagOpenIDConnectProvider", "TagPolicy", "TagRole",
        "UntagOpenIDConnectProvider", "UntagPolicy", "UntagRole", "UpdateAssumeRolePolicy", "UpdateRole",
        "UpdateRoleDescription",
    ] },
    Service { scope: "lambda", folder: "lambda", names_only: false, actions: &[
        "GetFunction", "GetFunctionConfiguration", "Invoke", "ListFunctions",
    ] },
    Service { scope: "logs", folder: "logs", names_only: false, actions: &[
        "CreateLogGroup", "CreateLogStream", "DeleteLogGroup", "DeleteLogStream", "DescribeLogGroups",
        "DescribeLogStreams", "FilterLogEvents", "GetLogEvents", "ListTagsForResource", "PutLogEvents",
        "PutRetentionPolicy", "TagResource", "UntagResource",
    ] },
    Service { scope: "pricing", folder: "pricing", names_only: false, actions: &[
        "DescribeServices", "GetAttributeValues", "GetProducts",
    ] },
    Service { scope: "sagemaker", folder: "sagemaker", names_only: false, actions: &[
        "AddTags", "AttachClusterNodeVolume", "BatchAddClusterNodes", "BatchDeleteClusterNodes",
        "BatchRebootClusterNodes", "BatchReplaceClusterNodes", "CreateCluster", "CreateClusterSchedulerConfig",
        "CreateComputeQuota", "CreateMlflowApp", "CreateMlflowTrackingServer", "CreateTrainingPlan", "DeleteCluster",
        "DeleteClusterSchedulerConfig", "DeleteComputeQuota", "DeleteMlflowApp", "DeleteMlflowTrackingServer",
        "DeleteTags", "DescribeCluster", "DescribeClusterEvent", "DescribeClusterNode", "DescribeClusterOperation",
        "DescribeClusterSchedulerConfig", "DescribeComputeQuota", "DescribeMlflowApp", "DescribeMlflowTrackingServer",
        "DescribeReservedCapacity", "DescribeTrainingPlan", "DetachClusterNodeVolume", "ExtendTrainingPlan",
        "ListClusterEvents", "ListClusterNodes", "ListClusterOperations", "ListClusterSchedulerConfigs",
        "ListClusters", "ListComputeQuotas", "ListMlflowApps", "ListMlflowTrackingServers", "ListTags",
        "ListTrainingPlans", "MoveClusterNodes", "SearchTrainingPlanOfferings", "StartClusterHealthCheck",
        "UpdateCluster", "UpdateClusterSchedulerConfig", "UpdateClusterSoftware", "UpdateComputeQuota",
    ] },
    Service { scope: "servicequotas", folder: "service-quotas", names_only: false, actions: &[
        "GetAWSDefaultServiceQuota", "GetRequestedServiceQuotaChange", "GetServiceQuota",
        "ListAWSDefaultServiceQuotas", "ListRequestedServiceQuotaChangeHistory",
        "ListRequestedServiceQuotaChangeHistoryByQuota", "ListServiceQuotas", "ListServices",
        "RequestServiceQuotaIncrease",
    ] },
    Service { scope: "states", folder: "stepfunctions", names_only: false, actions: &[
        "CreateStateMachine", "DeleteStateMachine", "DescribeExecution", "DescribeMapRun", "DescribeStateMachine",
        "DescribeStateMachineForExecution", "GetExecutionHistory", "ListExecutions", "ListMapRuns",
        "ListStateMachineAliases", "ListStateMachineVersions", "ListStateMachines", "ListTagsForResource",
        "RedriveExecution", "StartExecution", "StopExecution", "TagResource", "UntagResource", "UpdateStateMachine",
        "ValidateStateMachineDefinition",
    ] },
    Service { scope: "sts", folder: "sts", names_only: false, actions: &[
        "AssumeRole", "AssumeRoleWithWebIdentity", "DecodeAuthorizationMessage", "GetAccessKeyInfo",
        "GetCallerIdentity", "GetSessionToken",
    ] },
];
