//! Kinds of EC2 resources: what their ids look like, and how EC2 says that one is missing or malformed.

use crate::call::AwsError;

/// A kind of resource.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Prefix of its ids, with the dash.
    pub prefix: &'static str,
    /// Its name in tag specifications and `DescribeTags`.
    pub tagged_as: &'static str,
    /// Stem of its error codes: `InvalidVpcID` gives `InvalidVpcID.NotFound`.
    stem: &'static str,
    /// How EC2 says that it is missing; `{}` is the id.
    absence: &'static str,
}

impl Kind {
    const fn new(prefix: &'static str, tagged_as: &'static str, stem: &'static str, absence: &'static str) -> Self {
        Self { prefix, tagged_as, stem, absence }
    }

    /// The refusal of a request that names `id`, which does not exist or does not look like an id of this kind.
    pub fn missing(&self, id: &str) -> AwsError {
        if !self.fits(id) {
            let message = format!("Invalid id: \"{id}\" (expecting \"{}...\")", self.prefix);
            let code = match self.stem {
                "NatGateway" => "NatGatewayMalformed".to_owned(),
                "InvalidGroup" => "InvalidGroupId.Malformed".to_owned(),
                stem => format!("{stem}.Malformed"),
            };
            return AwsError::new(&code, message);
        }
        let code = match self.stem {
            "NatGateway" => "NatGatewayNotFound".to_owned(),
            stem => format!("{stem}.NotFound"),
        };
        AwsError::new(&code, self.absence.replace("{}", id))
    }

    /// Whether `id` has this kind's prefix and 8 or 17 hexadecimal digits.
    pub fn fits(&self, id: &str) -> bool {
        id.strip_prefix(self.prefix).is_some_and(|digits| {
            matches!(digits.len(), 8 | 17) && digits.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'))
        })
    }
}

/// VPC.
pub const VPC: Kind = Kind::new("vpc-", "vpc", "InvalidVpcID", "The vpc ID '{}' does not exist");
/// Subnet.
pub const SUBNET: Kind = Kind::new("subnet-", "subnet", "InvalidSubnetID", "The subnet ID '{}' does not exist");
/// Internet gateway.
pub const GATEWAY: Kind =
    Kind::new("igw-", "internet-gateway", "InvalidInternetGatewayID", "The internetGateway ID '{}' does not exist");
/// NAT gateway.
pub const NAT: Kind = Kind::new("nat-", "natgateway", "NatGateway", "NatGateway {} was not found");
/// Network ACL.
pub const ACL: Kind = Kind::new("acl-", "network-acl", "InvalidNetworkAclID", "The networkAcl ID '{}' does not exist");
/// Elastic IP address.
pub const ADDRESS: Kind =
    Kind::new("eipalloc-", "elastic-ip", "InvalidAllocationID", "The allocation ID '{}' does not exist");
/// Route table.
pub const ROUTE_TABLE: Kind =
    Kind::new("rtb-", "route-table", "InvalidRouteTableID", "The routeTable ID '{}' does not exist");
/// Security group.
pub const GROUP: Kind = Kind::new("sg-", "security-group", "InvalidGroup", "The security group '{}' does not exist");
/// Security group rule.
pub const RULE: Kind = Kind::new(
    "sgr-",
    "security-group-rule",
    "InvalidSecurityGroupRuleId",
    "The security group rule ID '{}' does not exist",
);
/// VPC endpoint.
pub const ENDPOINT: Kind =
    Kind::new("vpce-", "vpc-endpoint", "InvalidVpcEndpointId", "The Vpc Endpoint Id '{}' does not exist");
/// Network interface.
pub const INTERFACE: Kind =
    Kind::new("eni-", "network-interface", "InvalidNetworkInterfaceID", "The networkInterface ID '{}' does not exist");
/// DHCP options.
pub const DHCP: Kind =
    Kind::new("dopt-", "dhcp-options", "InvalidDhcpOptionID", "The dhcpOption ID '{}' does not exist");
/// Instance; the account never has one.
pub const INSTANCE: Kind = Kind::new("i-", "instance", "InvalidInstanceID", "The instance ID '{}' does not exist");

/// Every kind that can carry tags.
pub const TAGGABLE: [Kind; 12] =
    [VPC, SUBNET, GATEWAY, NAT, ADDRESS, ROUTE_TABLE, GROUP, RULE, ENDPOINT, INTERFACE, DHCP, INSTANCE];

/// The kind whose prefix `id` has.
pub fn kind_of(id: &str) -> Option<Kind> {
    TAGGABLE.into_iter().find(|kind| id.starts_with(kind.prefix))
}
