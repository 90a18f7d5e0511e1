//! Changes work later than they are seen.

use crate::{
    call::Call,
    iam::{RoleState, authorize, role_assumable_by, role_assumable_with, test_world::*},
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

fn after(seconds: i64) -> Timestamp {
    noon() + SignedDuration::from_secs(seconds)
}

#[test]
fn br_002_a_new_role_is_visible_at_once_and_assumable_a_little_later() {
    let mut world = world();
    world.iam.lag = 12..13;
    let trust = trust(json!({ "Service": "eks.amazonaws.com" }));
    let input = json!({ "RoleName": "cluster", "AssumeRolePolicyDocument": trust });
    assert_eq!(role_assumable_by(&world, "cluster", "eks.amazonaws.com", noon()), RoleState::Missing);
    iam(&mut world, "CreateRole", input).unwrap();
    assert!(iam(&mut world, "GetRole", json!({ "RoleName": "cluster" })).is_ok());
    let arn = "arn:aws:iam::111122223333:role/cluster";
    assert_eq!(role_assumable_by(&world, arn, "eks.amazonaws.com", after(11)), RoleState::NotYet);
    assert_eq!(role_assumable_by(&world, arn, "eks.amazonaws.com", after(12)), RoleState::Trusted);
    assert_eq!(role_assumable_by(&world, arn, "ec2.amazonaws.com", after(11)), RoleState::Refused);
}

#[test]
fn trust_that_was_taken_away_works_until_that_has_spread() {
    let mut world = world();
    let of = |service: &str| trust(json!({ "Service": service }));
    let input = json!({ "RoleName": "r", "AssumeRolePolicyDocument": of("eks.amazonaws.com") });
    iam(&mut world, "CreateRole", input).unwrap();
    world.iam.lag = 5..6;
    iam(&mut world, "UpdateAssumeRolePolicy", json!({ "RoleName": "r", "PolicyDocument": of("ec2.amazonaws.com") }))
        .unwrap();
    assert_eq!(role_assumable_by(&world, "r", "eks.amazonaws.com", after(4)), RoleState::Trusted);
    assert_eq!(role_assumable_by(&world, "r", "eks.amazonaws.com", after(5)), RoleState::Refused);
}

#[test]
fn pod_identity_needs_tag_session_and_the_right_cluster() {
    let mut world = world();
    let document = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": { "Service": "pods.eks.amazonaws.com" }, "Action": "sts:AssumeRole",
        "Condition": { "ArnEquals": { "aws:SourceArn": "arn:aws:eks:us-west-2:111122223333:cluster/a" } },
    }] });
    let input = json!({ "RoleName": "pod", "AssumeRolePolicyDocument": document.to_string() });
    iam(&mut world, "CreateRole", input).unwrap();
    let state = |actions: &[&str], cluster: &str| {
        role_assumable_with(&world, "pod", "pods.eks.amazonaws.com", actions, &[("aws:SourceArn", cluster)], noon())
    };
    let cluster = "arn:aws:eks:us-west-2:111122223333:cluster/a";
    assert_eq!(state(&["sts:AssumeRole"], cluster), RoleState::Trusted);
    assert_eq!(state(&["sts:AssumeRole", "sts:TagSession"], cluster), RoleState::Refused);
    assert_eq!(state(&["sts:AssumeRole"], "arn:aws:eks:us-west-2:111122223333:cluster/b"), RoleState::Refused);
}

#[test]
fn a_policy_allows_only_when_it_has_spread_and_goes_the_same_way() {
    let mut world = world();
    let caller = role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }]));
    world.iam.lag = 10..11;
    let document = policy(json!([{ "Effect": "Allow", "Action": "eks:*", "Resource": "*" }]));
    iam(&mut world, "PutRolePolicy", json!({ "RoleName": "r", "PolicyName": "q", "PolicyDocument": document }))
        .unwrap();
    let at = |world: &_, second| {
        let call = Call { caller: caller.clone(), now: after(second), ..call("eks", "ListClusters", json!({})) };
        authorize(world, &call).is_ok()
    };
    assert_eq!((at(&world, 9), at(&world, 10)), (false, true));
    let later =
        Call { now: after(20), ..call("iam", "DeleteRolePolicy", json!({ "RoleName": "r", "PolicyName": "q" })) };
    crate::iam::handle(&mut world, &later).unwrap();
    assert_eq!((at(&world, 29), at(&world, 30)), (true, false));
}

#[test]
fn the_default_lag_is_up_to_twenty_seconds_at_awss_pace_and_shrinks_with_it() {
    for pace in [1, 10] {
        let mut world = crate::world::World::new(3, pace);
        let trust = trust(json!({ "Service": "eks.amazonaws.com" }));
        for number in 0..20 {
            let name = format!("r{number}");
            iam(&mut world, "CreateRole", json!({ "RoleName": name, "AssumeRolePolicyDocument": trust })).unwrap();
            let end = after(20 / i64::from(pace));
            assert_eq!(role_assumable_by(&world, &name, "eks.amazonaws.com", end), RoleState::Trusted);
        }
    }
}
