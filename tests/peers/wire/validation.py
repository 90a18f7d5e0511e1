"""Requests that break the model are refused by every protocol: an unknown parameter, a word that is none of an enum's, a
required member that is missing.

botocore would not send them, so each is an ordinary request whose body is changed before it is signed.
"""

import json
import urllib.parse

# Of each service an action with required members and one with an enum, and the codes of AWS's refusals. A kind
# is missing where no action here has such a member.
CASES = {
    "dynamodb": {"unknown": ("DescribeTable", {"TableName": "nothing"}, "ValidationException"),
                 "missing": ("DescribeTable", {}, "ValidationException"),
                 "type": ("Query", {"TableName": "nothing", "Limit": True}, "SerializationException"),
                 "enum": ("CreateTable", {"TableName": "abc", "KeySchema": [{"AttributeName": "a", "KeyType": "OTHER"}]},
                          "ValidationException")},
    "ec2": {"unknown": ("DescribeVpcs", {}, "UnknownParameter"),
            "missing": ("CreateSubnet", {"CidrBlock": "10.0.0.0/24"}, "MissingParameter"),
            "enum": ("DescribeVpcAttribute", {"VpcId": "vpc-00000000000000000", "Attribute": "other"},
                     "InvalidParameterValue")},
    "iam": {"missing": ("GetRole", {}, "ValidationError"),
            "enum": ("ListPolicies", {"Scope": "Other"}, "ValidationError")},
    "sts": {"missing": ("AssumeRole", {"RoleArn": "arn:aws:iam::111122223333:role/a"}, "ValidationError")},
    "eks": {"unknown": ("CreateCluster", {"name": "a", "roleArn": "b", "resourcesVpcConfig": {}},
                        "InvalidParameterException"),
            "missing": ("CreateCluster", {"name": "a"}, "InvalidParameterException")},
    "sagemaker": {"unknown": ("DescribeCluster", {"ClusterName": "research"}, "ValidationException"),
                  "missing": ("DescribeCluster", {}, "ValidationException"),
                  "enum": ("ListClusters", {"SortBy": "OTHER"}, "ValidationException")},
    "states": {"missing": ("DescribeExecution", {}, "ValidationException"),
               "enum": ("ListExecutions", {"statusFilter": "OTHER"}, "ValidationException")},
    "servicequotas": {"missing": ("GetServiceQuota", {"ServiceCode": "eks"}, "ValidationException")},
    "events": {"missing": ("DescribeRule", {}, "ValidationException"),
               "enum": ("PutRule", {"Name": "a", "State": "OTHER"}, "ValidationException")},
    "logs": {"missing": ("CreateLogGroup", {}, "InvalidParameterException")},
    "pricing": {"missing": ("GetAttributeValues", {"ServiceCode": "AmazonEC2"}, "ValidationException")},
    "lambda": {"enum": ("Invoke", {"FunctionName": "a", "InvocationType": "OTHER"}, "ValidationException")},
}
STRANGE = "NoSuchParameter"


def run(t, service, client_name):
    for kind, (action, parameters, code) in CASES.get(service, {}).items():
        call = lambda: t.ask(client_name, action, **parameters)
        if kind == "unknown":
            call = lambda: _with_a_strange_member(t, client_name, action, parameters)
        t.held(client_name, action, code, call)


def _with_a_strange_member(t, service, action, parameters):
    events = t.client(service).meta.events
    event = f"before-call.{t.client(service).meta.service_model.service_id.hyphenize()}.{action}"

    def add(params, **_):
        body = params["body"]
        if isinstance(body, dict):
            params["body"] = {**body, STRANGE: "x"}
        elif body[:1] == b"{":
            params["body"] = json.dumps({**json.loads(body), STRANGE: "x"}).encode()
        else:
            params["body"] = body + b"&" + urllib.parse.urlencode({STRANGE: "x"}).encode()

    events.register(event, add)
    try:
        return t.ask(service, action, **parameters)
    finally:
        events.unregister(event, add)
