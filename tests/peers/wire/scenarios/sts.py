"""STS: who one is, and sessions of roles."""

import json

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]})


def run(t):
    root = t.ok("sts", "GetCallerIdentity")
    t.ok("sts", "GetAccessKeyInfo", AccessKeyId=t.session.get_credentials().access_key)
    role = t.ask("iam", "CreateRole", RoleName="wire-session", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    session = {"RoleArn": role, "RoleSessionName": "wire"}
    t.no("sts", "AssumeRole", "AccessDenied", **session)  # a root user assumes no role
    t.no("sts", "AssumeRole", "ValidationError", RoleArn=role, RoleSessionName="w")
    t.no("sts", "AssumeRoleWithWebIdentity", "InvalidIdentityToken", **session, WebIdentityToken="not.a.token")
    user = _user(t)
    # IAM spreads slowly: key and role are refused at first.
    user.until("the role can be assumed", lambda: user.ask("sts", "AssumeRole", **session))
    user.ok("sts", "AssumeRole", **session)
    nobody = f"arn:aws:iam::{root['Account']}:role/nobody"
    user.no("sts", "AssumeRole", "AccessDenied", RoleArn=nobody, RoleSessionName="wire")
    user.ok("sts", "GetSessionToken")
    user.no("sts", "GetSessionToken", "ValidationError", DurationSeconds=1)


def _user(t):
    """The account as a user that may assume roles and no more."""
    t.ask("iam", "CreateUser", UserName="wire-session")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:*", "Resource": "*"}]}
    t.ask("iam", "PutUserPolicy", UserName="wire-session", PolicyName="sts", PolicyDocument=json.dumps(policy))
    key = t.ask("iam", "CreateAccessKey", UserName="wire-session")["AccessKey"]
    return t.as_user(key["AccessKeyId"], key["SecretAccessKey"])
