"""CloudWatch Logs: a group, a stream, its events."""

import time


def run(t):
    ok, no = (lambda action, **p: t.ok("logs", action, **p)), (lambda action, code, **p: t.no("logs", action, code, **p))
    group, place = {"logGroupName": "/wire"}, {"logGroupName": "/wire", "logStreamName": "one"}
    ok("CreateLogGroup", **group)
    no("CreateLogGroup", "ResourceAlreadyExistsException", **group)
    ok("CreateLogStream", **place)
    no("CreateLogStream", "ResourceNotFoundException", logGroupName="/nothing", logStreamName="one")
    ok("PutLogEvents", **place, logEvents=[{"timestamp": int(time.time() * 1000), "message": "hello"}])
    no("PutLogEvents", "ResourceNotFoundException", logGroupName="/wire", logStreamName="other",
       logEvents=[{"timestamp": int(time.time() * 1000), "message": "hello"}])
    ok("DescribeLogGroups", logGroupNamePrefix="/wire")
    ok("DescribeLogStreams", **group)
    answer = ok("GetLogEvents", **place, startFromHead=True)
    t.check("logs: what was put is read", [[one["message"] for one in answer["events"]] != ["hello"] and str(answer)])
    ok("FilterLogEvents", **group, filterPattern="hello")
    no("FilterLogEvents", "ResourceNotFoundException", logGroupName="/nothing")
    ok("DeleteLogStream", **place)
    no("DeleteLogStream", "ResourceNotFoundException", **place)
    ok("DeleteLogGroup", **group)
    no("DeleteLogGroup", "ResourceNotFoundException", **group)
