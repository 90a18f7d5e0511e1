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
    named = ok("ListRuleNamesByTarget", TargetArn=target)["RuleNames"]
    t.check("events: a target's rules are found", [named != ["wire"] and f"found {named}"])
    ok("DescribeEventBus", Name="default")
    no("DescribeEventBus", "ResourceNotFoundException", Name="nothing")
    ok("ListEventBuses")
    _patterns(t, ok, no, account)
    ok("PutEvents", Entries=[{"Source": "elsewhere", "DetailType": "Wire", "Detail": "{}"}])
    ok("DisableRule", Name="wire")
    ok("EnableRule", Name="wire")
    no("EnableRule", "ResourceNotFoundException", Name="nothing")
    no("DeleteRule", "ValidationException", Name="wire")
    ok("RemoveTargets", Rule="wire", Ids=["1"])
    ok("DeleteRule", Name="wire")


def _patterns(t, ok, no, account):
    event = {"id": "1", "account": account, "source": "wire", "time": "2026-01-01T00:00:00Z", "region": t.region,
             "resources": [], "detail-type": "Wire", "detail": {}}
    for source, matches in (("wire", True), ("other", False)):
        pattern = json.dumps({"source": [source]})
        said = ok("TestEventPattern", EventPattern=pattern, Event=json.dumps(event))["Result"]
        t.check(f"events: the pattern of {source} matches: {matches}", [said != matches and f"it says {said}"])
    no("TestEventPattern", "InvalidEventPatternException", EventPattern="{", Event=json.dumps(event))
    no("TestEventPattern", "ValidationException", EventPattern=pattern, Event="{}")
