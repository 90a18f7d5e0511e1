//! Security groups and their rules.

use super::{Ec2, REGION};
use crate::ec2::self_rules;
use serde_json::{Value, json};

fn to_self(group: &str) -> Value {
    json!({ "GroupId": group, "IpPermissions": [{ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": group }] }] })
}

#[test]
fn a_new_group_lets_everything_out_and_nothing_in() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    let seen = ec2.get("DescribeSecurityGroups", json!({ "GroupIds": [group] }))["SecurityGroups"][0].clone();
    assert_eq!(seen["IpPermissions"], json!([]));
    assert_eq!(seen["IpPermissionsEgress"][0]["IpRanges"], json!([{ "CidrIp": "0.0.0.0/0" }]));
    assert_eq!(self_rules(ec2.world.ec2.network(REGION), &group), (false, false));
}

#[test]
fn a_default_group_lets_itself_in() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let filters = json!([{ "Name": "vpc-id", "Values": [vpc] }, { "Name": "group-name", "Values": ["default"] }]);
    let seen = ec2.get("DescribeSecurityGroups", json!({ "Filters": filters }))["SecurityGroups"][0].clone();
    let id = seen["GroupId"].clone();
    assert_eq!(seen["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"], id);
    assert_eq!(ec2.refusal("DeleteSecurityGroup", json!({ "GroupId": id })), "CannotDelete");
}

#[test]
fn self_rules_go_both_ways_and_only_once() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    for (at, action) in ["AuthorizeSecurityGroupIngress", "AuthorizeSecurityGroupEgress"].into_iter().enumerate() {
        let made = ec2.get(action, to_self(&group));
        assert_eq!(made["SecurityGroupRules"][0]["ReferencedGroupInfo"]["GroupId"], group.as_str());
        let error = ec2.ask(action, to_self(&group)).expect_err("a refusal");
        assert_eq!(error.code, "InvalidPermission.Duplicate");
        assert_eq!(error.message, format!("the specified rule \"peer: {group}, ALL, ALLOW\" already exists"));
        assert_eq!(self_rules(ec2.world.ec2.network(REGION), &group), (true, at == 1));
    }
    ec2.get("DeleteSecurityGroup", json!({ "GroupId": group }));
}

#[test]
fn rules_are_added_all_or_none() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    let https =
        json!({ "IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{ "CidrIp": "10.0.0.0/16" }] });
    let ask = |list: Value| json!({ "GroupId": group, "IpPermissions": list });
    ec2.get("AuthorizeSecurityGroupIngress", ask(json!([https])));
    let mut kubelet = https.clone();
    kubelet["FromPort"] = 10250.into();
    kubelet["ToPort"] = 10250.into();
    let code = ec2.refusal("AuthorizeSecurityGroupIngress", ask(json!([kubelet, https])));
    assert_eq!(code, "InvalidPermission.Duplicate");
    let rules =
        ec2.get("DescribeSecurityGroupRules", json!({ "Filters": [{ "Name": "group-id", "Values": [group] }] }));
    assert_eq!(
        rules["SecurityGroupRules"].as_array().map(Vec::len),
        Some(2),
        "the first egress rule and one ingress rule"
    );
}

#[test]
fn rules_say_which_ports_and_blocks_they_mean() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    for (permission, code) in [
        (json!({ "IpProtocol": "tcp", "IpRanges": [{ "CidrIp": "10.0.0.0/16" }] }), "InvalidParameterValue"),
        (
            json!({ "IpProtocol": "tcp", "FromPort": 9, "ToPort": 1, "IpRanges": [{ "CidrIp": "10.0.0.0/16" }] }),
            "InvalidParameterValue",
        ),
        (
            json!({ "IpProtocol": "tcp", "FromPort": 1, "ToPort": 70000, "IpRanges": [{ "CidrIp": "10.0.0.0/16" }] }),
            "InvalidParameterValue",
        ),
        (json!({ "IpProtocol": "-1", "IpRanges": [{ "CidrIp": "10.0.0.999/16" }] }), "InvalidParameterValue"),
        (
            json!({ "IpProtocol": "-1", "UserIdGroupPairs": [{ "GroupId": "sg-0123456789abcdef0" }] }),
            "InvalidGroup.NotFound",
        ),
        (json!({ "IpProtocol": "-1" }), "MissingParameter"),
    ] {
        let ask = json!({ "GroupId": group, "IpPermissions": [permission] });
        assert_eq!(ec2.refusal("AuthorizeSecurityGroupIngress", ask.clone()), code, "{ask}");
    }
}

#[test]
fn a_rule_is_revoked_by_what_it_says_or_by_its_id() {
    let mut ec2 = Ec2::new();
    let vpc = ec2.vpc("10.0.0.0/16");
    let group = ec2.group(&vpc, "nodes");
    ec2.get("AuthorizeSecurityGroupIngress", to_self(&group));
    let gone = ec2.get("RevokeSecurityGroupIngress", to_self(&group));
    assert_eq!(gone["RevokedSecurityGroupRules"][0]["ReferencedGroupId"], group.as_str());
    assert_eq!(ec2.refusal("RevokeSecurityGroupIngress", to_self(&group)), "InvalidPermission.NotFound");
    let rule = ec2.id("AuthorizeSecurityGroupIngress", to_self(&group), "/SecurityGroupRules/0/SecurityGroupRuleId");
    let by_id = json!({ "GroupId": group, "SecurityGroupRuleIds": [rule] });
    assert_eq!(ec2.refusal("RevokeSecurityGroupEgress", by_id.clone()), "InvalidSecurityGroupRuleId.NotFound");
    ec2.get("RevokeSecurityGroupIngress", by_id);
}

#[test]
fn group_names_are_unique_in_their_vpc() {
    let mut ec2 = Ec2::new();
    let (one, two) = (ec2.vpc("10.0.0.0/16"), ec2.vpc("10.1.0.0/16"));
    let ask = |vpc: &str, name: &str| json!({ "GroupName": name, "Description": "d", "VpcId": vpc });
    ec2.get("CreateSecurityGroup", ask(&one, "nodes"));
    ec2.get("CreateSecurityGroup", ask(&two, "nodes"));
    assert_eq!(ec2.refusal("CreateSecurityGroup", ask(&one, "nodes")), "InvalidGroup.Duplicate");
    assert_eq!(ec2.refusal("CreateSecurityGroup", ask(&one, "sg-nodes")), "InvalidParameterValue");
    assert_eq!(ec2.refusal("CreateSecurityGroup", ask(&one, "default")), "InvalidGroup.Reserved");
    assert_eq!(ec2.refusal("CreateSecurityGroup", json!({ "GroupName": "x" })), "MissingParameter");
}
