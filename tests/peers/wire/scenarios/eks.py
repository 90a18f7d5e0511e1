"""EKS: a cluster on a network of its own, with add-on, access entry, pod identity and updates."""

import json

TRUST = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": ["eks.amazonaws.com", "pods.eks.amazonaws.com"]},
     "Action": ["sts:AssumeRole", "sts:TagSession"]}]})
NAME = "wire"
ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
SCOPE = {"type": "cluster"}
NOWHERE = {"clusterName": "nothing"}
MISSING = "ResourceNotFoundException"


def run(t):
    ok, no = (lambda action, **p: t.ok("eks", action, **p)), (lambda action, code, **p: t.no("eks", action, code, **p))
    role = t.ask("iam", "CreateRole", RoleName="wire-eks", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    t.ask("iam", "AttachRolePolicy", RoleName="wire-eks", PolicyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
    subnets = _network(t)
    ok("DescribeClusterVersions")
    ok("DescribeAddonVersions", addonName="vpc-cni")
    version = t.ask("eks", "DescribeAddonVersions", addonName="vpc-cni")["addons"][0]["addonVersions"][0]["addonVersion"]
    ok("DescribeAddonConfiguration", addonName="vpc-cni", addonVersion=version)
    no("DescribeAddonConfiguration", MISSING, addonName="nothing", addonVersion=version)
    ok("ListAccessPolicies")
    cluster = {"name": NAME, "roleArn": role, "version": "1.32", "resourcesVpcConfig": {"subnetIds": subnets},
               "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"}}
    no("CreateCluster", "InvalidParameterException", **{**cluster, "version": "1.01"})
    arn = ok("CreateCluster", **cluster)["cluster"]["arn"]
    no("CreateCluster", "ResourceInUseException", **cluster)
    ok("DescribeCluster", name=NAME)
    no("DescribeCluster", MISSING, name="nothing")
    ok("ListClusters")
    t.until("the cluster is active", lambda: t.ask("eks", "DescribeCluster", name=NAME)["cluster"]["status"] == "ACTIVE")
    ok("DescribeCluster", name=NAME)
    _addon(t, ok, no)
    _access(ok, no, role)
    _identity(ok, no, role)
    _updates(t, ok, no)
    _nothing_there(ok, no)
    ok("TagResource", resourceArn=arn, tags={"team": "wire"})
    ok("ListTagsForResource", resourceArn=arn)
    no("ListTagsForResource", "NotFoundException", resourceArn=arn + "-not")
    ok("UntagResource", resourceArn=arn, tagKeys=["team"])
    ok("DeleteCluster", name=NAME)
    no("DeleteCluster", MISSING, name="nothing")


def _network(t):
    vpc = t.ask("ec2", "CreateVpc", CidrBlock="10.78.0.0/16")["Vpc"]["VpcId"]
    t.until("the VPC is seen", lambda: t.ask("ec2", "DescribeVpcs", VpcIds=[vpc]))
    places = [("usw2-az1", "10.78.0.0/24"), ("usw2-az2", "10.78.1.0/24")]
    made = [t.ask("ec2", "CreateSubnet", VpcId=vpc, AvailabilityZoneId=zone, CidrBlock=block) for zone, block in places]
    subnets = [one["Subnet"]["SubnetId"] for one in made]
    t.until("the subnets are seen", lambda: t.ask("ec2", "DescribeSubnets", SubnetIds=subnets))
    return subnets


def _addon(t, ok, no):
    addon = {"clusterName": NAME, "addonName": "vpc-cni"}
    ok("CreateAddon", **addon, resolveConflicts="OVERWRITE")
    no("CreateAddon", "ResourceInUseException", **addon)
    no("CreateAddon", "InvalidParameterException", clusterName=NAME, addonName="nothing")
    t.until("the add-on is active", lambda: t.ask("eks", "DescribeAddon", **addon)["addon"]["status"] == "ACTIVE")
    ok("DescribeAddon", **addon)
    no("DescribeAddon", MISSING, clusterName=NAME, addonName="coredns")
    ok("ListAddons", clusterName=NAME)
    ok("UpdateAddon", **addon, resolveConflicts="PRESERVE")
    no("UpdateAddon", MISSING, clusterName=NAME, addonName="coredns")
    t.until("the add-on is active", lambda: t.ask("eks", "DescribeAddon", **addon)["addon"]["status"] == "ACTIVE")
    ok("DeleteAddon", **addon, preserve=True)
    no("DeleteAddon", MISSING, clusterName=NAME, addonName="coredns")


def _access(ok, no, role):
    entry = {"clusterName": NAME, "principalArn": role}
    ok("CreateAccessEntry", **entry, kubernetesGroups=["viewers"])
    no("CreateAccessEntry", "ResourceInUseException", **entry)
    ok("DescribeAccessEntry", **entry)
    no("DescribeAccessEntry", MISSING, clusterName=NAME, principalArn=role + "-not")
    ok("ListAccessEntries", clusterName=NAME)
    ok("UpdateAccessEntry", **entry, kubernetesGroups=["others"])
    ok("AssociateAccessPolicy", **entry, policyArn=ADMIN, accessScope=SCOPE)
    no("AssociateAccessPolicy", MISSING, **entry, policyArn=ADMIN + "Not", accessScope=SCOPE)
    ok("ListAssociatedAccessPolicies", **entry)
    ok("DisassociateAccessPolicy", **entry, policyArn=ADMIN)
    ok("DeleteAccessEntry", **entry)
    no("DeleteAccessEntry", MISSING, **entry)


def _identity(ok, no, role):
    account = {"clusterName": NAME, "namespace": "default", "serviceAccount": "wire"}
    association = ok("CreatePodIdentityAssociation", **account, roleArn=role)["association"]["associationId"]
    no("CreatePodIdentityAssociation", "ResourceInUseException", **account, roleArn=role)
    one = {"clusterName": NAME, "associationId": association}
    ok("DescribePodIdentityAssociation", **one)
    no("DescribePodIdentityAssociation", MISSING, clusterName=NAME, associationId="a-00000000000000000")
    ok("ListPodIdentityAssociations", clusterName=NAME)
    ok("UpdatePodIdentityAssociation", **one, roleArn=role)
    ok("DeletePodIdentityAssociation", **one)


def _updates(t, ok, no):
    def done(update):
        return t.ask("eks", "DescribeUpdate", name=NAME, updateId=update)["update"]["status"] == "Successful"

    logging = {"clusterLogging": [{"types": ["api", "audit"], "enabled": True}]}
    update = ok("UpdateClusterConfig", name=NAME, logging=logging)["update"]["id"]
    ok("DescribeUpdate", name=NAME, updateId=update)
    no("DescribeUpdate", MISSING, name=NAME, updateId="00000000-0000-0000-0000-000000000000")
    t.until("the configuration is updated", lambda: done(update))
    update = ok("UpdateClusterVersion", name=NAME, version="1.33")["update"]["id"]
    no("UpdateClusterVersion", "ResourceInUseException", name=NAME, version="1.33")
    t.until("the version is updated", lambda: done(update))
    no("UpdateClusterVersion", "InvalidParameterException", name=NAME, version="1.32")
    ok("ListUpdates", name=NAME)


def _nothing_there(ok, no):
    for action in ("ListNodegroups", "ListFargateProfiles", "ListIdentityProviderConfigs", "ListInsights"):
        ok(action, clusterName=NAME)
        no(action, MISSING, **NOWHERE)
    no("DescribeInsight", MISSING, clusterName=NAME, id="00000000-0000-0000-0000-000000000000")
    no("DescribeNodegroup", MISSING, clusterName=NAME, nodegroupName="nothing")
