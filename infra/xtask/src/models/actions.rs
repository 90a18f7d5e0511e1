//! Which actions the account's protocol layer can read and write: those that the product calls, and those with which
//! people look at, prepare and clean up the same things from the `aws` CLI or boto3.

/// A service and its listed actions.
pub(super) struct Service {
    /// Name in a signature's credential scope; how the account names the service.
    pub scope: &'static str,
    /// Folder name in botocore's data.
    pub folder: &'static str,
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
    Service { scope: "dynamodb", folder: "dynamodb", actions: &[
        "BatchExecuteStatement", "BatchGetItem", "BatchWriteItem", "CreateTable", "DeleteItem", "DeleteTable",
        "DescribeTable", "DescribeTimeToLive", "ExecuteStatement", "ExecuteTransaction", "GetItem", "ListTables",
        "ListTagsOfResource", "PutItem", "Query", "Scan", "TagResource", "TransactGetItems", "TransactWriteItems",
        "UntagResource", "UpdateItem", "UpdateTable", "UpdateTimeToLive",
    ] },
    Service { scope: "ec2", folder: "ec2", actions: &[
        "AllocateAddress", "AssociateAddress", "AssociateRouteTable", "AssociateVpcCidrBlock", "AttachInternetGateway",
        "AuthorizeSecurityGroupEgress", "AuthorizeSecurityGroupIngress", "CreateInternetGateway", "CreateNatGateway",
        "CreateNetworkInterface", "CreateRoute", "CreateRouteTable", "CreateSecurityGroup", "CreateSubnet",
        "CreateTags", "CreateVpc", "CreateVpcEndpoint", "DeleteInternetGateway", "DeleteNatGateway",
        "DeleteNetworkInterface", "DeleteRoute", "DeleteRouteTable", "DeleteSecurityGroup", "DeleteSubnet",
        "DeleteTags", "DeleteVpc", "DeleteVpcEndpoints", "DescribeAccountAttributes", "DescribeAddresses",
        "DescribeAvailabilityZones", "DescribeDhcpOptions", "DescribeInstanceTypeOfferings", "DescribeInstanceTypes",
        "DescribeInstances", "DescribeInternetGateways", "DescribeManagedPrefixLists", "DescribeNatGateways",
        "DescribeNetworkAcls", "DescribeNetworkInterfaces", "DescribePrefixLists", "DescribeRegions",
        "DescribeRouteTables", "DescribeSecurityGroupRules", "DescribeSecurityGroups", "DescribeSubnets",
        "DescribeTags", "DescribeVpcAttribute", "DescribeVpcEndpointServices", "DescribeVpcEndpoints", "DescribeVpcs",
        "DetachInternetGateway", "DisassociateAddress", "DisassociateRouteTable", "DisassociateVpcCidrBlock",
        "ModifySubnetAttribute", "ModifyVpcAttribute", "ModifyVpcEndpoint", "ReleaseAddress", "ReplaceRoute",
        "ReplaceRouteTableAssociation", "RevokeSecurityGroupEgress", "RevokeSecurityGroupIngress",
    ] },
    Service { scope: "eks", folder: "eks", actions: &[
        "AssociateAccessPolicy", "CreateAccessEntry", "CreateAddon", "CreateCluster", "CreatePodIdentityAssociation",
        "DeleteAccessEntry", "DeleteAddon", "DeleteCluster", "DeletePodIdentityAssociation", "DescribeAccessEntry",
        "DescribeAddon", "DescribeAddonConfiguration", "DescribeAddonVersions", "DescribeCluster",
        "DescribeClusterVersions", "DescribeInsight", "DescribeNodegroup", "DescribePodIdentityAssociation",
        "DescribeUpdate", "DisassociateAccessPolicy", "ListAccessEntries", "ListAccessPolicies", "ListAddons",
        "ListAssociatedAccessPolicies", "ListClusters", "ListFargateProfiles", "ListIdentityProviderConfigs",
        "ListInsights", "ListNodegroups", "ListPodIdentityAssociations", "ListTagsForResource", "ListUpdates",
        "TagResource", "UntagResource", "UpdateAccessEntry", "UpdateAddon", "UpdateClusterConfig",
        "UpdateClusterVersion", "UpdatePodIdentityAssociation",
    ] },
    Service { scope: "events", folder: "events", actions: &[
        "DeleteRule", "DescribeEventBus", "DescribeRule", "DisableRule", "EnableRule", "ListEventBuses",
        "ListRuleNamesByTarget", "ListRules", "ListTargetsByRule", "PutEvents", "PutRule", "PutTargets",
        "RemoveTargets", "TestEventPattern",
    ] },
    Service { scope: "iam", folder: "iam", actions: &[
        "AddClientIDToOpenIDConnectProvider", "AttachRolePolicy", "AttachUserPolicy", "CreateAccessKey",
        "CreateOpenIDConnectProvider", "CreatePolicy", "CreatePolicyVersion", "CreateRole", "CreateServiceLinkedRole",
        "CreateUser", "DeleteAccessKey", "DeleteOpenIDConnectProvider", "DeletePolicy", "DeletePolicyVersion",
        "DeleteRole", "DeleteRolePermissionsBoundary", "DeleteRolePolicy", "DeleteServiceLinkedRole", "DeleteUser",
        "DeleteUserPolicy", "DetachRolePolicy", "DetachUserPolicy", "GetAccountSummary", "GetOpenIDConnectProvider",
        "GetPolicy", "GetPolicyVersion", "GetRole", "GetRolePolicy", "GetServiceLinkedRoleDeletionStatus", "GetUser",
        "GetUserPolicy", "ListAccessKeys", "ListAccountAliases", "ListAttachedRolePolicies", "ListAttachedUserPolicies",
        "ListEntitiesForPolicy", "ListInstanceProfiles", "ListInstanceProfilesForRole", "ListOpenIDConnectProviders",
        "ListPolicies", "ListPolicyVersions", "ListRolePolicies", "ListRoleTags", "ListRoles", "ListUserPolicies",
        "ListUsers", "PutRolePermissionsBoundary", "PutRolePolicy", "PutUserPolicy",
        "RemoveClientIDFromOpenIDConnectProvider", "SetDefaultPolicyVersion", "SimulatePrincipalPolicy",
        "TagOpenIDConnectProvider", "TagPolicy", "TagRole", "UntagOpenIDConnectProvider", "UntagPolicy", "UntagRole",
        "UpdateAssumeRolePolicy", "UpdateRole", "UpdateRoleDescription",
    ] },
    Service { scope: "lambda", folder: "lambda", actions: &[
        "GetFunction", "GetFunctionConfiguration", "Invoke", "ListFunctions",
    ] },
    Service { scope: "logs", folder: "logs", actions: &[
        "CreateLogGroup", "CreateLogStream", "DeleteLogGroup", "DeleteLogStream", "DescribeLogGroups",
        "DescribeLogStreams", "FilterLogEvents", "GetLogEvents", "PutLogEvents",
    ] },
    Service { scope: "pricing", folder: "pricing", actions: &[
        "DescribeServices", "GetAttributeValues", "GetProducts",
    ] },
    Service { scope: "sagemaker", folder: "sagemaker", actions: &[
        "AddTags", "BatchAddClusterNodes", "BatchDeleteClusterNodes", "BatchRebootClusterNodes",
        "BatchReplaceClusterNodes", "CreateCluster", "CreateTrainingPlan", "DeleteCluster", "DeleteTags",
        "DescribeCluster", "DescribeClusterEvent", "DescribeClusterNode", "DescribeReservedCapacity",
        "DescribeTrainingPlan", "ListClusterEvents", "ListClusterNodes", "ListClusters", "ListTags",
        "ListTrainingPlans", "SearchTrainingPlanOfferings", "StartClusterHealthCheck", "UpdateCluster",
        "UpdateClusterSoftware",
    ] },
    Service { scope: "servicequotas", folder: "service-quotas", actions: &[
        "GetAWSDefaultServiceQuota", "GetRequestedServiceQuotaChange", "GetServiceQuota", "ListAWSDefaultServiceQuotas",
        "ListRequestedServiceQuotaChangeHistory", "ListRequestedServiceQuotaChangeHistoryByQuota", "ListServiceQuotas",
        "ListServices", "RequestServiceQuotaIncrease",
    ] },
    Service { scope: "states", folder: "stepfunctions", actions: &[
        "CreateStateMachine", "DeleteStateMachine", "DescribeExecution", "DescribeStateMachine",
        "DescribeStateMachineForExecution", "GetExecutionHistory", "ListExecutions", "ListStateMachines",
        "ListTagsForResource", "StartExecution", "StopExecution", "TagResource", "UntagResource", "UpdateStateMachine",
        "ValidateStateMachineDefinition",
    ] },
    Service { scope: "sts", folder: "sts", actions: &[
        "AssumeRole", "AssumeRoleWithWebIdentity", "GetAccessKeyInfo", "GetCallerIdentity", "GetSessionToken",
    ] },
];
