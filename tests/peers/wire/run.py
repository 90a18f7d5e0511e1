"""Wire truth: the account's answers, errors included, as botocore parses them and its models have them.

Every action that the account implements (the list in infra/local/account/model.json) is called. The last line counts.
Arguments name the services to do; without any all are done.
"""

import importlib
import json
import pathlib
import sys
import traceback

import validation
from account import Account, Refused

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
MODEL = REPOSITORY / "infra/local/account/model.json"
# In the order in which they build on each other.
SERVICES = [
    "inspection", "sts", "ec2", "iam", "dynamodb", "s3", "logs", "events", "states", "lambda", "pricing", "servicequotas", "eks", "sagemaker",
]
# boto3's name of a service, where it is not the account's.
CLIENT_NAMES = {"states": "stepfunctions", "servicequotas": "service-quotas"}
# Modelled, but without a handler: answered as actions that do not exist. One that has come to work must leave this list.
UNHANDLED = {
    "ec2": "AttachVolume CreateVolume DeleteVolume DescribeNetworkAcls DescribeVolumes DetachNetworkInterface DetachVolume",
    "eks": "AssociateEncryptionConfig CreateNodegroup DeleteNodegroup DescribeInsight",
    "events": "DescribeEventBus ListEventBuses ListRuleNamesByTarget ListTagsForResource TagResource TestEventPattern"
    " UntagResource",
    "iam": "AddRoleToInstanceProfile CreateInstanceProfile DeleteInstanceProfile GetInstanceProfile ListEntitiesForPolicy"
    " ListInstanceProfiles ListInstanceProfilesForRole RemoveRoleFromInstanceProfile",
    "lambda": "GetFunction GetFunctionConfiguration ListFunctions",
    "logs": "DeleteLogGroup DeleteLogStream ListTagsForResource PutRetentionPolicy TagResource UntagResource",
    "sagemaker": "AttachClusterNodeVolume CreateClusterSchedulerConfig CreateComputeQuota CreateMlflowApp"
    " CreateMlflowTrackingServer DeleteClusterSchedulerConfig DeleteComputeQuota DeleteMlflowApp DeleteMlflowTrackingServer"
    " DescribeClusterOperation DescribeClusterSchedulerConfig DescribeComputeQuota DescribeMlflowApp"
    " DescribeMlflowTrackingServer DescribeReservedCapacity DetachClusterNodeVolume ExtendTrainingPlan"
    " ListClusterOperations ListClusterSchedulerConfigs ListComputeQuotas ListMlflowApps ListMlflowTrackingServers"
    " MoveClusterNodes UpdateClusterSchedulerConfig UpdateComputeQuota",
    "states": "DescribeMapRun ListMapRuns ListStateMachineAliases ListStateMachineVersions RedriveExecution"
    " ValidateStateMachineDefinition",
    "sts": "DecodeAuthorizationMessage",
}

# Handled, but nothing here can make them succeed; their refusals are held.
ONLY_REFUSED = {
    "eks": {"DescribeNodegroup", "DescribeFargateProfile"},  # there are none of these
    "sts": {"AssumeRoleWithWebIdentity"},  # needs a token that a cluster's issuer has signed
}


def implemented():
    services = json.loads(MODEL.read_text())["services"]
    return {name: set(service["actions"]) for name, service in services.items()}


def cover(t, service, actions):
    """Checks that the scenario called everything."""
    client = CLIENT_NAMES.get(service, service)
    succeeded = {action for name, action in t.succeeded if name == client}
    refused = {action for name, action in t.refused_actions if name == client}
    unhandled = set(UNHANDLED.get(service, "").split())
    missing = sorted(actions - unhandled - succeeded - (refused & ONLY_REFUSED.get(service, set())))
    t.check(f"every handled action of {service} has succeeded", [missing and f"not: {', '.join(missing)}"])
    grown = sorted(unhandled & (succeeded | refused))
    t.check(f"the unhandled actions of {service} are listed truly", [grown and f"handled by now: {', '.join(grown)}"])
    t.check(f"an action of {service} has been refused", [not refused and "none was"])
    print(f"{service}: {len(actions & succeeded)} of {len(actions)} actions succeeded, {len(refused)} refused")


def main(chosen):
    t, actions = Account(), implemented()
    for service in chosen or SERVICES:
        try:
            importlib.import_module(f"scenarios.{service}").run(t)
        except Refused as stop:
            print(f"    the scenario of {service} ends here: {stop}")
        except Exception:
            t.check(f"the scenario of {service}", [traceback.format_exc(limit=-3)])
        if service in actions:
            validation.run(t, service, CLIENT_NAMES.get(service, service))
            cover(t, service, actions[service])
    if not chosen:
        unlisted = sorted(set(actions) - set(SERVICES))
        t.check("every service has a scenario", [unlisted and f"not {unlisted}"])
    print(f"{t.tally['passed']} passed, {t.tally['failed']} failed")
    return int(t.tally["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
