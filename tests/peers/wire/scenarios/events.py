"""EventBridge: a rule, its targets, an event."""

import json


def run(t):
    ok, no = (lambda action, **p: t.ok("events", action, **p)), (lambda action, code, **p: t.no("events", action, code, **p))
    ok("PutRule", Name="wire", EventPattern=json.dumps({"source": ["wire"]}))
    no("PutRule", "InvalidEventPatternException", Name="other", EventPattern="{")
    no("PutRule", "ValidationException", Name="other", ScheduleExpression="every so often")
    ok("DescribeRule", Name="wire")
    no("DescribeRule", "ResourceNotFoundException", Name="nothing")
    ok("ListRules", NamePrefix="wire")
    account = t.ask("sts", "GetCallerIdentity")["Account"]
    target = f"arn:aws:lambda:{t.region}:{account}:function:nothing"
    ok("PutTargets", Rule="wire", Targets=[{"Id": "1", "Arn": target}])
    no("PutTargets", "ResourceNotFoundException", Rule="nothing", Targets=[{"Id": "1", "Arn": target}])
    ok("ListTargetsByRule", Rule="wire")
    ok("PutEvents", Entries=[{"Source": "elsewhere", "DetailType": "Wire", "Detail": "{}"}])
    ok("DisableRule", Name="wire")
    ok("EnableRule", Name="wire")
    no("EnableRule", "ResourceNotFoundException", Name="nothing")
    no("DeleteRule", "ValidationException", Name="wire")
    ok("RemoveTargets", Rule="wire", Ids=["1"])
    ok("DeleteRule", Name="wire")
