//! What each identifier takes and refuses, and that its text, serde and schema forms agree.

use schemars::JsonSchema;
use utoipa::PartialSchema;

use super::*;

#[track_caller]
fn takes<T: FromStr<Err = InvalidId> + fmt::Display>(good: &[&str], bad: &[&str]) {
    for text in good {
        match text.parse::<T>() {
            Ok(id) => assert_eq!(id.to_string(), *text),
            Err(error) => panic!("{error}"),
        }
    }
    for text in bad {
        assert!(text.parse::<T>().is_err(), "{text:?} was taken");
    }
}

#[test]
fn a_cluster_tag_follows_the_eks_rule() {
    let longest = "a".repeat(100);
    takes::<ClusterTag>(
        &["a", "0-_", "Team_A-1", &longest],
        &["", "-a", "_a", "a b", "ä", "a.b", "a\n", &"a".repeat(101)],
    );
}

#[test]
fn an_instance_group_name_follows_the_sagemaker_rule() {
    let longest = "a".repeat(63);
    takes::<InstanceGroupName>(&["a", "a--b", "A-1", &longest], &["", "a-", "-a", "a_b", "a/b", &"a".repeat(64)]);
}

#[test]
fn zones_and_regions_are_told_apart() {
    takes::<Region>(
        &["us-west-2", "us-gov-west-1", "ap-southeast-7", "mx-central-1"],
        &["us-west", "us-west-2a", "uswest2", "US-WEST-2"],
    );
    takes::<ZoneName>(&["us-west-2a", "us-east-1-dfw-2a", "us-gov-west-1b"], &["us-west-2", "usw2-az1", "us-west-2A"]);
    takes::<ZoneId>(
        &["usw2-az2", "use1-dfw2-az1", "apse1-az3", "usgw1-az1"],
        &["us-west-2a", "usw2", "usw2-az", "-az1", "usw2-az2x"],
    );
}

#[test]
fn a_zone_id_belongs_to_one_region() {
    for (zone, region) in [
        ("usw2-az2", "us-west-2"),
        ("use1-dfw2-az1", "us-east-1"),
        ("apse1-az3", "ap-southeast-1"),
        ("apne1-az4", "ap-northeast-1"),
        ("aps1-az1", "ap-south-1"),
        ("euc1-az1", "eu-central-1"),
        ("eun1-az1", "eu-north-1"),
        ("cac1-az1", "ca-central-1"),
        ("usgw1-az1", "us-gov-west-1"),
        ("cnnw1-az1", "cn-northwest-1"),
    ] {
        let zone: ZoneId = zone.parse().unwrap();
        assert!(zone.is_in(&region.parse().unwrap()), "{zone} in {region}");
        assert!(!zone.is_in(&"sa-east-1".parse().unwrap()));
    }
}

#[test]
fn an_instance_type_keeps_its_prefix_and_may_be_unknown() {
    takes::<InstanceType>(
        &["ml.p5.48xlarge", "ml.p9.48xlarge", "ml.p6e-gb200.36xlarge"],
        &["p5.48xlarge", "ml.p5", "ml..x", "ml.P5.48xlarge"],
    );
    assert_eq!(InstanceType::EXAMPLE.parse::<InstanceType>().unwrap().ec2_name(), "p5.48xlarge");
}

#[test]
fn arns_are_well_formed() {
    takes::<PrincipalArn>(
        &[
            "arn:aws:iam::111122223333:role/Admin",
            "arn:aws-us-gov:iam::111122223333:user/team/ann",
            "arn:aws:sts::111122223333:assumed-role/Admin/ann@example.com",
        ],
        &[
            "arn:aws:sts::111122223333:assumed-role/Admin",
            "arn:aws:sts::111122223333:assumed-role//ann",
            "arn:aws:sts::111122223333:assumed-role/path/Admin/ann",
            "arn:aws:sts::111122223333:federated-user/ann",
            "arn:aws:iam::111122223333:assumed-role/Admin/ann",
            "arn:aws:iam::111122223333:root",
            "arn:aws:iam::1111:role/Admin",
            "arn:aws:iam::111122223333:role/",
        ],
    );
    takes::<TrainingPlanArn>(
        &["arn:aws:sagemaker:us-west-2:111122223333:training-plan/p"],
        &["arn:aws:sagemaker:us-west-2:111122223333:cluster/abcdefghijkl", "training-plan/p"],
    );
    assert_eq!(TrainingPlanArn::EXAMPLE.parse::<TrainingPlanArn>().unwrap().region(), "us-west-2");
}

#[test]
fn br_007_a_session_stands_for_its_role_wherever_that_is() {
    let session: PrincipalArn = "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/user".parse().unwrap();
    assert!(session.is_session() && session.name() == "AWSReservedSSO_Admin_abc");
    let role = |path: &str| format!("arn:aws:iam::111122223333:role/{path}AWSReservedSSO_Admin_abc");
    assert!(session.stands_for(&role("")) && session.stands_for(&role("aws-reserved/sso.amazonaws.com/eu-west-1/")));
    assert!(!session.stands_for(&role("x-")), "another name");
    assert!(!session.stands_for(&role("").replace("1111", "9999")), "another account");
    assert!(!session.stands_for(&role("").replace(":role/", ":user/")));
    let short: PrincipalArn = role("").parse().unwrap();
    assert!(short.stands_for(&role("")) && !short.stands_for(&role("path/")), "an ARN is itself alone");
}

#[test]
fn an_error_names_the_kind_the_value_and_what_would_be_right() {
    let error = "-x".parse::<ClusterTag>().unwrap_err().to_string();
    assert!(error.contains("\"-x\" is not a valid cluster tag: expected 1 to 100 letters"), "{error}");
    let long = "é".repeat(5000).parse::<ClusterTag>().unwrap_err();
    assert!(long.to_string().chars().count() < 250);
}

#[test]
fn a_ulid_is_made_of_what_is_given_and_has_one_spelling() {
    let id = OperationId::from_parts(1_700_000_000_000, 0xABCD);
    assert_eq!(id.unix_millis(), 1_700_000_000_000);
    assert_eq!(id.to_string().parse::<OperationId>().unwrap(), id);
    assert!(id < OperationId::from_parts(1_700_000_000_001, 0));
    assert!(id.to_string().to_lowercase().parse::<OperationId>().is_err());
    assert!("8ZZZZZZZZZZZZZZZZZZZZZZZZZ".parse::<OperationId>().is_err(), "more than 128 bits");
    assert!("01J9ZB3V5K8M2N4P6Q7R8S9T0".parse::<OperationId>().is_err());
}

#[test]
fn serde_goes_through_the_same_check() {
    let tag: ClusterTag = serde_json::from_str("\"team-a\"").unwrap();
    assert_eq!(serde_json::to_string(&tag).unwrap(), "\"team-a\"");
    let error = serde_json::from_str::<ClusterTag>("\"-a\"").unwrap_err().to_string();
    assert!(error.contains("cluster tag"), "{error}");
    assert!(serde_json::from_str::<ClusterTag>("7").is_err());
}

#[test]
fn both_schemas_say_the_same_and_their_example_is_legal() {
    fn check<T: JsonSchema + PartialSchema + FromStr<Err = InvalidId> + fmt::Display>(example: &str) {
        assert_eq!(example.parse::<T>().unwrap().to_string(), example);
        let json = serde_json::to_value(schemars::schema_for!(T)).unwrap();
        let open = serde_json::to_value(T::schema()).unwrap();
        for key in ["type", "pattern", "minLength", "maxLength", "description", "examples"] {
            assert!(!json[key].is_null(), "{key}");
            assert_eq!(json[key], open[key], "{}: {key}", T::schema_name());
        }
    }
    check::<ClusterId>(ClusterId::EXAMPLE);
    check::<OperationId>(OperationId::EXAMPLE);
    check::<EventId>(EventId::EXAMPLE);
    check::<ClusterTag>(ClusterTag::EXAMPLE);
    check::<InstanceGroupName>(InstanceGroupName::EXAMPLE);
    check::<HyperPodClusterName>(HyperPodClusterName::EXAMPLE);
    check::<Region>(Region::EXAMPLE);
    check::<ZoneName>(ZoneName::EXAMPLE);
    check::<ZoneId>(ZoneId::EXAMPLE);
    check::<InstanceType>(InstanceType::EXAMPLE);
    check::<AccountId>(AccountId::EXAMPLE);
    check::<VpcId>(VpcId::EXAMPLE);
    check::<SubnetId>(SubnetId::EXAMPLE);
    check::<SecurityGroupId>(SecurityGroupId::EXAMPLE);
    check::<RouteTableId>(RouteTableId::EXAMPLE);
    check::<TrainingPlanArn>(TrainingPlanArn::EXAMPLE);
    check::<PrincipalArn>(PrincipalArn::EXAMPLE);
}

/// Whatever the published pattern allows within the lengths is taken, so that a client may check by the schema.
fn taken_if_published<T: FromStr<Err = InvalidId>>(pattern: &str, longest: usize) {
    let inner = pattern.trim_start_matches('^').trim_end_matches('$');
    let strings = proptest::string::string_regex(inner).unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let found = runner.run(&strings, |text| {
        if text.len() <= longest {
            let taken = text.parse::<T>();
            // A pattern has no lower length bound of its own, so a refusal must be one of length.
            let short = text.len() < 15;
            proptest::prop_assert!(taken.is_ok() || short, "{text:?}");
        }
        Ok(())
    });
    found.unwrap();
}

#[test]
fn the_published_patterns_and_the_checks_agree() {
    taken_if_published::<ClusterTag>(ClusterTag::PATTERN, ClusterTag::MAX_LENGTH);
    taken_if_published::<InstanceGroupName>(InstanceGroupName::PATTERN, InstanceGroupName::MAX_LENGTH);
    taken_if_published::<OperationId>(OperationId::PATTERN, OperationId::MAX_LENGTH);
    taken_if_published::<PrincipalArn>(PrincipalArn::PATTERN, PrincipalArn::MAX_LENGTH);
    taken_if_published::<SubnetId>(SubnetId::PATTERN, SubnetId::MAX_LENGTH);
    taken_if_published::<Region>(Region::PATTERN, Region::MAX_LENGTH);
    taken_if_published::<ZoneName>(ZoneName::PATTERN, ZoneName::MAX_LENGTH);
    taken_if_published::<ZoneId>(ZoneId::PATTERN, ZoneId::MAX_LENGTH);
    taken_if_published::<InstanceType>(InstanceType::PATTERN, InstanceType::MAX_LENGTH);
}
