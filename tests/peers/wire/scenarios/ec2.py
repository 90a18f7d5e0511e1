"""EC2: a network built and taken down again."""


def run(t):
    ok, no = (lambda action, **p: t.ok("ec2", action, **p)), (lambda action, code, **p: t.no("ec2", action, code, **p))
    _reads(ok, no)
    vpc = ok("CreateVpc", CidrBlock="10.77.0.0/16",
             TagSpecifications=[{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "wire"}]}])["Vpc"]["VpcId"]
    no("CreateVpc", "InvalidVpc.Range", CidrBlock="10.0.0.0/8")
    t.until("the VPC is available", lambda: _state(t, vpc) == "available")
    _vpc(ok, no, vpc)
    subnet = _subnets(ok, no, vpc)
    t.until("the subnet is seen", lambda: t.ask("ec2", "DescribeSubnets", SubnetIds=[subnet])["Subnets"])
    acl = ok("DescribeNetworkAcls", Filters=[{"Name": "association.subnet-id", "Values": [subnet]}])["NetworkAcls"]
    t.check("ec2: the subnet's network ACL is its VPC's", [[one["VpcId"] for one in acl] != [vpc] and str(acl)])
    no("DescribeNetworkAcls", "InvalidNetworkAclID.NotFound", NetworkAclIds=["acl-00000000000000000"])
    group = _groups(ok, no, vpc)
    interface = _interfaces(t, ok, no, subnet, group)
    gateway, table = _routing(t, ok, no, vpc, subnet)
    ok("CreateTags", Resources=[vpc], Tags=[{"Key": "team", "Value": "wire"}])
    no("CreateTags", "InvalidVpcID.NotFound", Resources=["vpc-00000000000000000"], Tags=[{"Key": "a", "Value": "b"}])
    t.until("the tag is seen", lambda: t.ask("ec2", "DescribeTags", Filters=[{"Name": "key", "Values": ["team"]}])["Tags"])
    ok("DescribeTags", Filters=[{"Name": "resource-id", "Values": [vpc]}])
    ok("DeleteTags", Resources=[vpc], Tags=[{"Key": "team"}])
    no("DeleteSubnet", "DependencyViolation", SubnetId=subnet)
    ok("DeleteNetworkInterface", NetworkInterfaceId=interface)
    _down(t, ok, no, vpc, subnet, group, gateway, table)


def _state(t, vpc):
    return t.ask("ec2", "DescribeVpcs", VpcIds=[vpc])["Vpcs"][0]["State"]


def _reads(ok, no):
    ok("DescribeRegions")
    no("DescribeRegions", "InvalidParameterValue", RegionNames=["xx-nowhere-1"])
    ok("DescribeAvailabilityZones")
    no("DescribeAvailabilityZones", "InvalidParameterValue", ZoneNames=["us-west-2z"])
    ok("DescribeAccountAttributes")
    ok("DescribeInstanceTypes", InstanceTypes=["p5.48xlarge", "g6.4xlarge"])
    no("DescribeInstanceTypes", "InvalidInstanceType", InstanceTypes=["p99.huge"])
    ok("DescribeInstanceTypeOfferings", LocationType="availability-zone-id")
    ok("DescribeInstances")
    no("DescribeInstances", "InvalidInstanceID.NotFound", InstanceIds=["i-00000000000000000"])
    ok("DescribePrefixLists")
    ok("DescribeManagedPrefixLists")
    ok("DescribeDhcpOptions")
    ok("DescribeVpcEndpointServices")
    ok("DescribeVpcs")
    no("DescribeVpcs", "InvalidVpcID.NotFound", VpcIds=["vpc-00000000000000000"])
    no("DescribeVpcs", "InvalidParameterValue", Filters=[{"Name": "no-such-filter", "Values": ["x"]}])


def _vpc(ok, no, vpc):
    ok("DescribeVpcAttribute", VpcId=vpc, Attribute="enableDnsHostnames")
    ok("ModifyVpcAttribute", VpcId=vpc, EnableDnsHostnames={"Value": True})
    no("ModifyVpcAttribute", "InvalidVpcID.NotFound", VpcId="vpc-00000000000000000", EnableDnsHostnames={"Value": True})
    association = ok("AssociateVpcCidrBlock", VpcId=vpc, CidrBlock="100.64.0.0/16")["CidrBlockAssociation"]["AssociationId"]
    ok("DisassociateVpcCidrBlock", AssociationId=association)
    no("DisassociateVpcCidrBlock", "InvalidVpcCidrBlockAssociationID.NotFound",
       AssociationId="vpc-cidr-assoc-00000000000000000")


def _subnets(ok, no, vpc):
    subnet = ok("CreateSubnet", VpcId=vpc, CidrBlock="10.77.0.0/20", AvailabilityZoneId="usw2-az1")["Subnet"]["SubnetId"]
    no("CreateSubnet", "InvalidSubnet.Conflict", VpcId=vpc, CidrBlock="10.77.8.0/24")
    no("CreateSubnet", "InvalidSubnet.Range", VpcId=vpc, CidrBlock="10.78.0.0/20")
    no("CreateSubnet", "InvalidVpcID.NotFound", VpcId="vpc-00000000000000000", CidrBlock="10.77.32.0/20")
    ok("ModifySubnetAttribute", SubnetId=subnet, MapPublicIpOnLaunch={"Value": True})
    ok("DescribeSubnets", Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    no("DescribeSubnets", "InvalidSubnetID.NotFound", SubnetIds=["subnet-00000000000000000"])
    return subnet


def _groups(ok, no, vpc):
    group = ok("CreateSecurityGroup", GroupName="wire", Description="wire", VpcId=vpc)["GroupId"]
    no("CreateSecurityGroup", "InvalidGroup.Duplicate", GroupName="wire", Description="wire", VpcId=vpc)
    rule = [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}]
    ok("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=rule)
    no("AuthorizeSecurityGroupIngress", "InvalidPermission.Duplicate", GroupId=group, IpPermissions=rule)
    ok("AuthorizeSecurityGroupEgress", GroupId=group, IpPermissions=rule)
    ok("DescribeSecurityGroups", GroupIds=[group])
    no("DescribeSecurityGroups", "InvalidGroup.NotFound", GroupIds=["sg-00000000000000000"])
    ok("DescribeSecurityGroupRules", Filters=[{"Name": "group-id", "Values": [group]}])
    ok("RevokeSecurityGroupIngress", GroupId=group, IpPermissions=rule)
    no("RevokeSecurityGroupIngress", "InvalidPermission.NotFound", GroupId=group, IpPermissions=rule)
    ok("RevokeSecurityGroupEgress", GroupId=group, IpPermissions=rule)
    return group


def _interfaces(t, ok, no, subnet, group):
    made = ok("CreateNetworkInterface", SubnetId=subnet, Groups=[group], Description="wire")["NetworkInterface"]
    interface = made["NetworkInterfaceId"]
    no("CreateNetworkInterface", "InvalidSubnetID.NotFound", SubnetId="subnet-00000000000000000")
    t.until("the interface is seen",
            lambda: t.ask("ec2", "DescribeNetworkInterfaces", NetworkInterfaceIds=[interface])["NetworkInterfaces"])
    ok("DescribeNetworkInterfaces", NetworkInterfaceIds=[interface])
    no("DescribeNetworkInterfaces", "InvalidNetworkInterfaceID.NotFound", NetworkInterfaceIds=["eni-00000000000000000"])
    return interface


def _routing(t, ok, no, vpc, subnet):
    gateway = ok("CreateInternetGateway")["InternetGateway"]["InternetGatewayId"]
    ok("AttachInternetGateway", InternetGatewayId=gateway, VpcId=vpc)
    no("AttachInternetGateway", "Resource.AlreadyAssociated", InternetGatewayId=gateway, VpcId=vpc)
    ok("DescribeInternetGateways", InternetGatewayIds=[gateway])
    table = ok("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"]
    association = ok("AssociateRouteTable", RouteTableId=table, SubnetId=subnet)["AssociationId"]
    everywhere = {"RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0"}
    ok("CreateRoute", **everywhere, GatewayId=gateway)
    no("CreateRoute", "InvalidRouteTableID.NotFound", RouteTableId="rtb-00000000000000000",
       DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    _nat(t, ok, no, subnet, everywhere)
    endpoint = ok("CreateVpcEndpoint", VpcId=vpc, ServiceName="com.amazonaws.us-west-2.s3",
                  RouteTableIds=[table])["VpcEndpoint"]["VpcEndpointId"]
    no("CreateVpcEndpoint", "InvalidServiceName", VpcId=vpc, ServiceName="com.amazonaws.us-west-2.nothing")
    ok("ModifyVpcEndpoint", VpcEndpointId=endpoint, RemoveRouteTableIds=[table])
    ok("ModifyVpcEndpoint", VpcEndpointId=endpoint, AddRouteTableIds=[table])
    no("ModifyVpcEndpoint", "InvalidVpcEndpointId.NotFound", VpcEndpointId="vpce-00000000000000000", AddRouteTableIds=[table])
    ok("DescribeVpcEndpoints")
    ok("DescribeRouteTables", RouteTableIds=[table])
    no("DescribeRouteTables", "InvalidRouteTableID.NotFound", RouteTableIds=["rtb-00000000000000000"])
    ok("DeleteVpcEndpoints", VpcEndpointIds=[endpoint])
    ok("DeleteRoute", **everywhere)
    no("DeleteRoute", "InvalidRoute.NotFound", **everywhere)
    association = ok("ReplaceRouteTableAssociation", AssociationId=association, RouteTableId=table)["NewAssociationId"]
    ok("DisassociateRouteTable", AssociationId=association)
    no("DisassociateRouteTable", "InvalidAssociationID.NotFound", AssociationId="rtbassoc-00000000000000000")
    return gateway, table


def _nat(t, ok, no, subnet, everywhere):
    allocation = ok("AllocateAddress", Domain="vpc")["AllocationId"]
    nat = ok("CreateNatGateway", SubnetId=subnet, AllocationId=allocation)["NatGateway"]["NatGatewayId"]
    no("CreateNatGateway", "InvalidAllocationID.NotFound", SubnetId=subnet, AllocationId="eipalloc-00000000000000000")

    def state(wanted):
        gateways = t.ask("ec2", "DescribeNatGateways", NatGatewayIds=[nat])["NatGateways"]
        return gateways and gateways[0]["State"] == wanted

    t.until("the NAT gateway is available", lambda: state("available"))
    ok("DescribeNatGateways", NatGatewayIds=[nat])
    no("DescribeNatGateways", "NatGatewayNotFound", NatGatewayIds=["nat-00000000000000000"])
    no("CreateRoute", "RouteAlreadyExists", **everywhere, NatGatewayId=nat)
    ok("ReplaceRoute", **everywhere, NatGatewayId=nat)
    ok("DescribeAddresses", AllocationIds=[allocation])
    no("DescribeAddresses", "InvalidAllocationID.NotFound", AllocationIds=["eipalloc-00000000000000000"])
    ok("DeleteNatGateway", NatGatewayId=nat)
    no("DeleteNatGateway", "NatGatewayNotFound", NatGatewayId="nat-00000000000000000")
    t.until("the NAT gateway is deleted", lambda: state("deleted"))
    # Whatever the NAT gateway held is free again.
    ok("ReleaseAddress", AllocationId=allocation)
    no("ReleaseAddress", "InvalidAllocationID.NotFound", AllocationId=allocation)


def _down(t, ok, no, vpc, subnet, group, gateway, table):
    allocation = ok("AllocateAddress", Domain="vpc")["AllocationId"]
    interface = ok("CreateNetworkInterface", SubnetId=subnet, Groups=[group])["NetworkInterface"]["NetworkInterfaceId"]
    association = ok("AssociateAddress", AllocationId=allocation, NetworkInterfaceId=interface)["AssociationId"]
    ok("DisassociateAddress", AssociationId=association)
    no("DisassociateAddress", "InvalidAssociationID.NotFound", AssociationId="eipassoc-00000000000000000")
    ok("ReleaseAddress", AllocationId=allocation)
    ok("DeleteNetworkInterface", NetworkInterfaceId=interface)
    ok("DeleteRouteTable", RouteTableId=table)
    ok("DeleteSubnet", SubnetId=subnet)
    ok("DeleteSecurityGroup", GroupId=group)
    no("DeleteSecurityGroup", "InvalidGroup.NotFound", GroupId="sg-00000000000000000")
    no("DeleteInternetGateway", "DependencyViolation", InternetGatewayId=gateway)
    ok("DetachInternetGateway", InternetGatewayId=gateway, VpcId=vpc)
    ok("DeleteInternetGateway", InternetGatewayId=gateway)
    ok("DeleteVpc", VpcId=vpc)
    no("DeleteVpc", "InvalidVpcID.NotFound", VpcId=vpc)
