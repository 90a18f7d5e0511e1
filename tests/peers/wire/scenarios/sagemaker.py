"""SageMaker: HyperPod clusters, their nodes and events, training plans. Acts on `research`, which a fresh account has."""

NAME = "research"
HERE = {"ClusterName": NAME}
NOWHERE = {"ClusterName": "nothing"}
MISSING = "ResourceNotFound"
WORD = "ValidationException"


def run(t):
    ok = lambda action, **p: t.ok("sagemaker", action, **p)
    no = lambda action, code, **p: t.no("sagemaker", action, code, **p)
    ok("ListClusters")
    cluster = ok("DescribeCluster", **HERE)
    no("DescribeCluster", MISSING, **NOWHERE)
    _tags(ok, no, cluster["ClusterArn"])
    node = _reads(ok, no)
    _made(t, ok, no, cluster)
    _plans(ok, no)
    _nodes(t, ok, no, node)


def _tags(ok, no, arn):
    ok("AddTags", ResourceArn=arn, Tags=[{"Key": "team", "Value": "wire"}])
    ok("ListTags", ResourceArn=arn)
    no("ListTags", WORD, ResourceArn="nothing")
    ok("DeleteTags", ResourceArn=arn, TagKeys=["team"])


def _reads(ok, no):
    node = ok("ListClusterNodes", **HERE)["ClusterNodeSummaries"][0]["InstanceId"]
    no("ListClusterNodes", MISSING, **NOWHERE)
    ok("DescribeClusterNode", **HERE, NodeId=node)
    no("DescribeClusterNode", MISSING, **HERE, NodeId="i-00000000000000000")
    event = ok("ListClusterEvents", **HERE)["Events"][0]["EventId"]
    no("ListClusterEvents", MISSING, **NOWHERE)
    ok("DescribeClusterEvent", **HERE, EventId=event)
    no("DescribeClusterEvent", MISSING, **HERE, EventId="00000000-0000-0000-0000-000000000000")
    return node


def _group(cluster, name, count):
    """An instance group like the cluster's first, with the members that a request has."""
    like = cluster["InstanceGroups"][0]
    members = {member: like[member] for member in ("LifeCycleConfig", "ExecutionRole")}
    return {**members, "InstanceGroupName": name, "InstanceType": "ml.t3.medium", "InstanceCount": count}


def _made(t, ok, no, like):
    """A cluster without nodes, on the EKS cluster that has no HyperPod cluster."""
    eks = t.ask("eks", "DescribeCluster", name="legacy")["cluster"]
    legacy, network = eks["arn"], eks["resourcesVpcConfig"]
    places = {"SecurityGroupIds": network["securityGroupIds"], "Subnets": network["subnetIds"]}
    new = {"ClusterName": "wire-pool", "Orchestrator": {"Eks": {"ClusterArn": legacy}}, "VpcConfig": places,
           "NodeProvisioningMode": "Continuous", "NodeRecovery": "Automatic"}
    no("CreateCluster", WORD, **{**new, "Orchestrator": {"Eks": {"ClusterArn": legacy + "-not"}}}, InstanceGroups=[])
    no("CreateCluster", "ResourceInUse", **{**new, "ClusterName": NAME}, InstanceGroups=[_group(like, "a", 0)])
    ok("CreateCluster", **new, InstanceGroups=[_group(like, "a", 0)])
    here = {"ClusterName": "wire-pool"}

    def settled():
        return t.ask("sagemaker", "DescribeCluster", **here)["ClusterStatus"] == "InService"

    t.until("the cluster is in service", settled)
    ok("UpdateCluster", **here, InstanceGroups=[_group(like, "a", 0), _group(like, "b", 0)])
    no("UpdateCluster", MISSING, **NOWHERE, InstanceGroups=[_group(like, "a", 0)])
    t.until("the cluster is in service again", settled)
    ok("DescribeCluster", **here)
    ok("DeleteCluster", **here)
    no("DeleteCluster", MISSING, **NOWHERE)


def _plans(ok, no):
    plans = ok("ListTrainingPlans")["TrainingPlanSummaries"]
    plan = ok("DescribeTrainingPlan", TrainingPlanName=plans[0]["TrainingPlanName"])
    reserved = plan["ReservedCapacitySummaries"][0]["ReservedCapacityArn"]
    ok("DescribeReservedCapacity", ReservedCapacityArn=reserved)
    no("DescribeReservedCapacity", MISSING, ReservedCapacityArn=reserved + "9")
    no("DescribeTrainingPlan", MISSING, TrainingPlanName="nothing")
    wanted = {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1, "DurationHours": 24,
              "TargetResources": ["hyperpod-cluster"]}
    offers = ok("SearchTrainingPlanOfferings", **wanted)["TrainingPlanOfferings"]
    no("SearchTrainingPlanOfferings", WORD, **{**wanted, "TargetResources": ["other"]})
    ok("CreateTrainingPlan", TrainingPlanName="wire", TrainingPlanOfferingId=offers[0]["TrainingPlanOfferingId"])
    no("CreateTrainingPlan", MISSING, TrainingPlanName="other", TrainingPlanOfferingId="tpo-nothing")


def _nodes(t, ok, no, node):
    def group():
        return t.ask("sagemaker", "DescribeCluster", **HERE)["InstanceGroups"][0]

    def settled(count):
        nodes = t.ask("sagemaker", "ListClusterNodes", **HERE)["ClusterNodeSummaries"]
        return group()["CurrentCount"] == count and all(one["InstanceStatus"]["Status"] == "Running" for one in nodes)

    name = group()["InstanceGroupName"]
    ok("StartClusterHealthCheck", **HERE, DeepHealthCheckConfigurations=[
        {"InstanceGroupName": name, "InstanceIds": [node], "DeepHealthChecks": ["InstanceStress"]}])
    no("StartClusterHealthCheck", MISSING, **NOWHERE, DeepHealthCheckConfigurations=[
        {"InstanceGroupName": name, "DeepHealthChecks": ["InstanceStress"]}])
    t.until("the checks are over", lambda: settled(1))
    ok("BatchRebootClusterNodes", **HERE, NodeIds=[node])
    no("BatchRebootClusterNodes", MISSING, **NOWHERE, NodeIds=[node])
    t.until("the node is back", lambda: settled(1))
    ok("UpdateClusterSoftware", **HERE)
    no("UpdateClusterSoftware", MISSING, **NOWHERE)
    t.until("the software is updated",
            lambda: settled(1) and t.ask("sagemaker", "DescribeCluster", **HERE)["ClusterStatus"] == "InService")
    ok("BatchAddClusterNodes", **HERE, NodesToAdd=[{"InstanceGroupName": name, "IncrementTargetCountBy": 1}])
    no("BatchAddClusterNodes", MISSING, **NOWHERE, NodesToAdd=[{"InstanceGroupName": name, "IncrementTargetCountBy": 1}])
    t.until("there are two nodes", lambda: settled(2))
    nodes = [one["InstanceId"] for one in t.ask("sagemaker", "ListClusterNodes", **HERE)["ClusterNodeSummaries"]]
    ok("BatchDeleteClusterNodes", **HERE, NodeIds=[nodes[1]])
    no("BatchDeleteClusterNodes", MISSING, **NOWHERE, NodeIds=[node])
    t.until("there is one node", lambda: settled(1))
    ok("BatchReplaceClusterNodes", **HERE, NodeIds=[nodes[0]])
    no("BatchReplaceClusterNodes", MISSING, **NOWHERE, NodeIds=[node])
