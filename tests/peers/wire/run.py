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
# Handled, but nothing here can make them succeed; their refusals are held.
ONLY_REFUSED = {
    "eks": {"DescribeNodegroup", "DescribeInsight"},  # there are none of these
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
    missing = sorted(actions - succeeded - (refused & ONLY_REFUSED.get(service, set())))
    t.check(f"every action of {service} has succeeded", [missing and f"not: {', '.join(missing)}"])
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
