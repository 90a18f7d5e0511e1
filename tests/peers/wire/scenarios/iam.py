"""IAM: roles, policies, users and providers, each made, read, changed and removed."""

import json

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}]})
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]})
MANAGED = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
TAGS = [{"Key": "team", "Value": "wire"}]


def run(t):
    ok, no = (lambda action, **p: t.ok("iam", action, **p)), (lambda action, code, **p: t.no("iam", action, code, **p))
    ok("GetAccountSummary")
    ok("ListAccountAliases")
    arn = ok("CreateRole", RoleName="wire", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    no("CreateRole", "EntityAlreadyExists", RoleName="wire", AssumeRolePolicyDocument=TRUST)
    no("CreateRole", "MalformedPolicyDocument", RoleName="other", AssumeRolePolicyDocument="{")
    t.until("the role is seen", lambda: t.ask("iam", "GetRole", RoleName="wire"))
    _role(ok, no)
    policy = _policies(t, ok, no)
    ok("PutRolePermissionsBoundary", RoleName="wire", PermissionsBoundary=policy)
    _holders(t, ok, no, policy)
    ok("DeleteRolePermissionsBoundary", RoleName="wire")
    ok("SimulatePrincipalPolicy", PolicySourceArn=arn, ActionNames=["s3:GetObject"])
    no("SimulatePrincipalPolicy", "NoSuchEntity", PolicySourceArn=arn + "-not", ActionNames=["s3:GetObject"])
    _users(ok, no)
    _providers(ok, no)
    no("DeleteRole", "DeleteConflict", RoleName="wire")
    ok("DeleteRolePolicy", RoleName="wire", PolicyName="inline")
    ok("DetachRolePolicy", RoleName="wire", PolicyArn=MANAGED)
    ok("DeleteRole", RoleName="wire")
    no("DeleteRole", "NoSuchEntity", RoleName="wire")
    ok("DeletePolicy", PolicyArn=policy)


def _role(ok, no):
    ok("GetRole", RoleName="wire")
    no("GetRole", "NoSuchEntity", RoleName="nobody")
    ok("ListRoles", MaxItems=2)
    ok("UpdateRole", RoleName="wire", Description="held", MaxSessionDuration=7200)
    ok("UpdateRoleDescription", RoleName="wire", Description="held again")
    ok("UpdateAssumeRolePolicy", RoleName="wire", PolicyDocument=TRUST)
    no("UpdateAssumeRolePolicy", "MalformedPolicyDocument", RoleName="wire", PolicyDocument="[]")
    ok("TagRole", RoleName="wire", Tags=TAGS)
    ok("ListRoleTags", RoleName="wire")
    ok("UntagRole", RoleName="wire", TagKeys=["team"])
    ok("PutRolePolicy", RoleName="wire", PolicyName="inline", PolicyDocument=POLICY)
    ok("GetRolePolicy", RoleName="wire", PolicyName="inline")
    no("GetRolePolicy", "NoSuchEntity", RoleName="wire", PolicyName="other")
    ok("ListRolePolicies", RoleName="wire")
    ok("AttachRolePolicy", RoleName="wire", PolicyArn=MANAGED)
    no("AttachRolePolicy", "NoSuchEntity", RoleName="wire", PolicyArn=MANAGED + "Not")
    ok("ListAttachedRolePolicies", RoleName="wire")
    ok("CreateServiceLinkedRole", AWSServiceName="fsx.amazonaws.com")
    no("CreateServiceLinkedRole", "InvalidInput", AWSServiceName="fsx.amazonaws.com")
    task = ok("DeleteServiceLinkedRole", RoleName="AWSServiceRoleForAmazonFSx")["DeletionTaskId"]
    ok("GetServiceLinkedRoleDeletionStatus", DeletionTaskId=task)


def _policies(t, ok, no):
    policy = ok("CreatePolicy", PolicyName="wire", PolicyDocument=POLICY)["Policy"]["Arn"]
    no("CreatePolicy", "EntityAlreadyExists", PolicyName="wire", PolicyDocument=POLICY)
    t.until("the policy is seen", lambda: t.ask("iam", "GetPolicy", PolicyArn=policy))
    ok("GetPolicy", PolicyArn=policy)
    no("GetPolicy", "NoSuchEntity", PolicyArn=policy + "-not")
    ok("ListPolicies", Scope="Local")
    version = ok("CreatePolicyVersion", PolicyArn=policy, PolicyDocument=POLICY)["PolicyVersion"]["VersionId"]
    ok("GetPolicyVersion", PolicyArn=policy, VersionId="v1")
    ok("ListPolicyVersions", PolicyArn=policy)
    ok("SetDefaultPolicyVersion", PolicyArn=policy, VersionId=version)
    no("DeletePolicyVersion", "DeleteConflict", PolicyArn=policy, VersionId=version)
    ok("DeletePolicyVersion", PolicyArn=policy, VersionId="v1")
    ok("TagPolicy", PolicyArn=policy, Tags=TAGS)
    ok("UntagPolicy", PolicyArn=policy, TagKeys=["team"])
    return policy


def _users(ok, no):
    ok("CreateUser", UserName="wire")
    no("CreateUser", "EntityAlreadyExists", UserName="wire")
    ok("GetUser", UserName="wire")
    no("GetUser", "NoSuchEntity", UserName="nobody")
    ok("ListUsers")
    ok("PutUserPolicy", UserName="wire", PolicyName="inline", PolicyDocument=POLICY)
    ok("GetUserPolicy", UserName="wire", PolicyName="inline")
    ok("ListUserPolicies", UserName="wire")
    ok("AttachUserPolicy", UserName="wire", PolicyArn=MANAGED)
    ok("ListAttachedUserPolicies", UserName="wire")
    key = ok("CreateAccessKey", UserName="wire")["AccessKey"]["AccessKeyId"]
    ok("ListAccessKeys", UserName="wire")
    no("DeleteUser", "DeleteConflict", UserName="wire")
    ok("DeleteAccessKey", UserName="wire", AccessKeyId=key)
    ok("DetachUserPolicy", UserName="wire", PolicyArn=MANAGED)
    ok("DeleteUserPolicy", UserName="wire", PolicyName="inline")
    ok("DeleteUser", UserName="wire")


def _providers(ok, no):
    url = "https://oidc.example.com/id/wire"
    provider = ok("CreateOpenIDConnectProvider", Url=url, ClientIDList=["sts.amazonaws.com"],
                  ThumbprintList=["0" * 40])["OpenIDConnectProviderArn"]
    no("CreateOpenIDConnectProvider", "EntityAlreadyExists", Url=url, ThumbprintList=["0" * 40])
    ok("GetOpenIDConnectProvider", OpenIDConnectProviderArn=provider)
    no("GetOpenIDConnectProvider", "NoSuchEntity", OpenIDConnectProviderArn=provider + "-not")
    ok("ListOpenIDConnectProviders")
    ok("AddClientIDToOpenIDConnectProvider", OpenIDConnectProviderArn=provider, ClientID="other")
    ok("RemoveClientIDFromOpenIDConnectProvider", OpenIDConnectProviderArn=provider, ClientID="other")
    ok("TagOpenIDConnectProvider", OpenIDConnectProviderArn=provider, Tags=TAGS)
    ok("UntagOpenIDConnectProvider", OpenIDConnectProviderArn=provider, TagKeys=["team"])
    ok("DeleteOpenIDConnectProvider", OpenIDConnectProviderArn=provider)


def _holders(t, ok, no, policy):
    roles = lambda **filters: [one["RoleName"] for one in ok("ListEntitiesForPolicy", **filters)["PolicyRoles"]]
    attached = roles(PolicyArn=MANAGED, EntityFilter="Role")
    t.check("iam: the role is among the policy's entities", ["wire" not in attached and f"only {attached}"])
    bounded = roles(PolicyArn=policy, PolicyUsageFilter="PermissionsBoundary")
    t.check("iam: the role is among those that the policy bounds", [bounded != ["wire"] and str(bounded)])
    no("ListEntitiesForPolicy", "NoSuchEntity", PolicyArn=policy + "-not")
    ok("ListInstanceProfiles")
    ok("ListInstanceProfilesForRole", RoleName="wire")
    no("ListInstanceProfilesForRole", "NoSuchEntity", RoleName="nothing")
