"""A whole inspection by the `aws` CLI, held against boto3's: the VPC, the cluster, its add-ons, the HyperPod nodes, the
product's table and its executions. Both must see the same world."""

import json
import os
import subprocess

NAME = "research"


def run(t):
    cluster = t.ask("eks", "DescribeCluster", name=NAME)["cluster"]
    vpc = cluster["resourcesVpcConfig"]["vpcId"]
    table = t.ask("dynamodb", "ListTables")["TableNames"][0]
    machine = t.ask("stepfunctions", "ListStateMachines")["stateMachines"][0]["stateMachineArn"]
    filters = [{"Name": "vpc-id", "Values": [vpc]}]
    sights = [
        (["sts", "get-caller-identity"], "Arn", ("sts", "GetCallerIdentity", {})),
        (["ec2", "describe-vpcs", "--vpc-ids", vpc], "Vpcs", ("ec2", "DescribeVpcs", {"VpcIds": [vpc]})),
        (["ec2", "describe-subnets", "--filters", f"Name=vpc-id,Values={vpc}"], "Subnets",
         ("ec2", "DescribeSubnets", {"Filters": filters})),
        (["ec2", "describe-route-tables", "--filters", f"Name=vpc-id,Values={vpc}"], "RouteTables",
         ("ec2", "DescribeRouteTables", {"Filters": filters})),
        (["eks", "describe-cluster", "--name", NAME], "cluster", ("eks", "DescribeCluster", {"name": NAME})),
        (["eks", "list-addons", "--cluster-name", NAME], "addons", ("eks", "ListAddons", {"clusterName": NAME})),
        (["eks", "describe-addon", "--cluster-name", NAME, "--addon-name", "coredns"], "addon",
         ("eks", "DescribeAddon", {"clusterName": NAME, "addonName": "coredns"})),
        (["sagemaker", "describe-cluster", "--cluster-name", NAME], "InstanceGroups",
         ("sagemaker", "DescribeCluster", {"ClusterName": NAME})),
        (["sagemaker", "list-cluster-nodes", "--cluster-name", NAME], "ClusterNodeSummaries",
         ("sagemaker", "ListClusterNodes", {"ClusterName": NAME})),
        (["iam", "get-role", "--role-name", "team-nodes"], "Role", ("iam", "GetRole", {"RoleName": "team-nodes"})),
        (["s3api", "list-buckets"], "Buckets", ("s3", "ListBuckets", {})),
        (["dynamodb", "describe-table", "--table-name", table], "Table",
         ("dynamodb", "DescribeTable", {"TableName": table})),
        (["dynamodb", "scan", "--table-name", table], "Items", ("dynamodb", "Scan", {"TableName": table})),
        (["stepfunctions", "list-executions", "--state-machine-arn", machine], "executions",
         ("stepfunctions", "ListExecutions", {"stateMachineArn": machine})),
    ]
    for command, member, (service, action, parameters) in sights:
        _same(t, command, member, t.ask(service, action, **parameters)[member])
    _refused(t, ["eks", "describe-cluster", "--name", "nothing"], "ResourceNotFoundException")
    _refused(t, ["ec2", "describe-vpcs", "--vpc-ids", "vpc-00000000000000000"], "InvalidVpcID.NotFound")


def _cli(arguments):
    # The CLI's own settings of whoever runs this stay out of it.
    environment = {**os.environ, "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_PAGER": ""}
    command = [os.environ["AWS_CLI"], *arguments, "--output", "json", "--cli-read-timeout", "60"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def _same(t, command, member, seen):
    what = f"aws {' '.join(command[:2])} sees what boto3 sees"
    answer = _cli(command)
    if answer.returncode:
        t.check(what, [answer.stderr.strip()[-300:] or f"exit {answer.returncode}"])
        return
    said = json.loads(answer.stdout)[member]
    t.check(what, [_plain(said) != _plain(seen) and f"{_plain(said)[:200]} instead of {_plain(seen)[:200]}"])


def _plain(value):
    """JSON with times left out, since the two write them differently."""
    def without(one):
        if isinstance(one, dict):
            return {key: without(item) for key, item in one.items() if not _is_time(key, item)}
        return [without(item) for item in one] if isinstance(one, list) else one
    return json.dumps(without(value), sort_keys=True, default=str)


def _is_time(key, value):
    named = key.lower().endswith(("time", "date", "at", "lastused", "timestamp"))
    return named and (hasattr(value, "isoformat") or isinstance(value, (str, float, int)))


def _refused(t, command, code):
    answer = _cli(command)
    t.check(f"aws {' '.join(command[:2])} is refused with {code}",
            [answer.returncode == 0 and "it succeeded", f"({code})" not in answer.stderr and answer.stderr.strip()[-300:]])
