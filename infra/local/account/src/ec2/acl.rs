//! Network ACLs: every VPC has its default one, which lets everything pass and guards all of its subnets.
//!
//! There are no others: none can be made or changed. Ids are those of the VPC and the subnets under ACL's prefixes.

use super::{
    ids::ACL,
    listing::{self, Listing},
    vpc::Vpc,
};
use crate::{
    call::{ACCOUNT_ID, Answer, Call},
    world::World,
};
use serde_json::{Value, json};

/// Number of the rule that catches what no other rule does (VPC user guide: the `*` rule).
const LAST: u32 = 32767;

pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    (call.action == "DescribeNetworkAcls").then(|| describe(world, call))
}

fn describe(world: &mut World, call: &Call) -> Answer {
    let network = world.ec2.network(&call.region);
    let rows = network.vpcs.values().filter(|vpc| network.shows(&vpc.id, call.now));
    let rows = rows.map(|vpc| {
        let subnets = network.subnets.values();
        let guarded = subnets.filter(|subnet| subnet.vpc == vpc.id && network.shows(&subnet.id, call.now));
        row(vpc, guarded.map(|subnet| subnet.id.as_str()))
    });
    let listing = Listing {
        rows: "NetworkAcls",
        ids: "NetworkAclIds",
        id: "NetworkAclId",
        kind: ACL,
        filters: &[
            ("vpc-id", "VpcId"),
            ("network-acl-id", "NetworkAclId"),
            ("default", "IsDefault"),
            ("owner-id", "OwnerId"),
            ("association.association-id", "Associations.NetworkAclAssociationId"),
            ("association.network-acl-id", "Associations.NetworkAclId"),
            ("association.subnet-id", "Associations.SubnetId"),
        ],
    };
    listing::answer(network, call, &listing, rows.collect())
}

fn row<'a>(vpc: &Vpc, subnets: impl Iterator<Item = &'a str>) -> Value {
    let id = vpc.id.replacen("vpc-", ACL.prefix, 1);
    let associations: Value = subnets
        .map(|subnet| {
            json!({
                "NetworkAclAssociationId": subnet.replacen("subnet-", "aclassoc-", 1),
                "NetworkAclId": id,
                "SubnetId": subnet,
            })
        })
        .collect();
    let rule = |number: u32, egress: bool, action: &str| json!({"CidrBlock": "0.0.0.0/0", "Egress": egress, "Protocol": "-1", "RuleAction": action, "RuleNumber": number});
    json!({
        "NetworkAclId": id,
        "VpcId": vpc.id,
        "OwnerId": ACCOUNT_ID,
        "IsDefault": true,
        "Entries": [
            rule(100, true, "allow"), rule(LAST, true, "deny"), rule(100, false, "allow"), rule(LAST, false, "deny"),
        ],
        "Associations": associations,
    })
}
