use super::place::{ARN, Place, request, request_with};
use crate::{
    ec2,
    eks::{CreationFailure, cluster, issuer, reachable},
    quotas,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

#[test]
fn creation_takes_eight_to_twelve_minutes() {
    let mut place = Place::new();
    let made = place.call("CreateCluster", request()).unwrap();
    assert_eq!(made["cluster"]["status"], "CREATING");
    assert!(made["cluster"].get("endpoint").is_none());
    place.pass_seconds(8 * 60 - 1);
    assert_eq!(place.cluster()["status"], "CREATING");
    place.pass_seconds(4 * 60 + 1);
    let ready = place.cluster();
    assert_eq!(ready["status"], "ACTIVE");
    assert!(ready["endpoint"].as_str().unwrap().ends_with(".gr7.us-west-2.eks.amazonaws.com"));
    assert!(
        ready["identity"]["oidc"]["issuer"]
            .as_str()
            .unwrap()
            .starts_with("https://oidc.eks.us-west-2.amazonaws.com/id/")
    );
    assert_eq!(ready["identity"]["oidc"]["issuer"], issuer(&place.world, ARN).unwrap());
    assert!(ready["resourcesVpcConfig"]["clusterSecurityGroupId"].as_str().unwrap().starts_with("sg-"));
}

#[test]
fn the_control_plane_has_an_interface_in_each_subnet_until_the_cluster_is_gone() {
    let mut place = Place::with_cluster(json!({}));
    assert_eq!(place.control_plane_subnets().len(), 2);
    let group = place.cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"].as_str().unwrap().to_owned();
    assert!(ec2::self_rules(place.world.ec2.existing("us-west-2").unwrap(), &group).0);
    place.call("DeleteCluster", json!({ "name": "demo" })).unwrap();
    assert_eq!(place.cluster()["status"], "DELETING");
    place.pass_minutes(6);
    assert_eq!(place.refused("DescribeCluster", json!({ "name": "demo" })).code, "ResourceNotFoundException");
    assert_eq!(place.control_plane_subnets(), Vec::<String>::new());
    assert_eq!(place.world.ec2.existing("us-west-2").unwrap().groups.get(&group), None);
    assert!(place.world.kubernetes.is_empty());
}

#[test]
fn br_001_a_zone_without_eks_is_refused_with_the_zones_that_have_it() {
    let mut place = Place::new();
    place.region = "us-east-1";
    let refusal = place.refused(
        "CreateCluster",
        request_with("/resourcesVpcConfig", json!({ "subnetIds": ["subnet-e3", "subnet-e1"] })),
    );
    assert_eq!(refusal.code, "UnsupportedAvailabilityZoneException");
    let zone = place.zone_name("use1-az3");
    let valid = refusal.members["validZones"].as_array().unwrap();
    assert!(!valid.is_empty() && !valid.contains(&Value::from(zone.as_str())));
    assert!(refusal.message.contains(&format!("{zone}, the targeted availability zone")));
}

#[test]
fn subnets_must_exist_lie_in_two_zones_of_one_vpc_and_have_addresses_left() {
    let mut place = Place::new();
    let cases = [
        (json!(["subnet-a"]), "at least two different AZs"),
        (json!(["subnet-b", "subnet-b2"]), "at least two different AZs"),
        (json!(["subnet-a", "subnet-other"]), "same VPC"),
        (json!(["subnet-a", "subnet-gone"]), "'subnet-gone' does not exist"),
    ];
    for (subnets, words) in cases {
        let refusal = place.refused("CreateCluster", request_with("/resourcesVpcConfig/subnetIds", subnets));
        assert_eq!(refusal.code, "InvalidParameterException");
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
    place.fill_subnet_b();
    assert!(place.refused("CreateCluster", request()).message.contains("free IP addresses"));
}

#[test]
fn br_002_a_role_that_iam_has_not_spread_yet_cannot_be_assumed() {
    const FRESH: &str = "arn:aws:iam::111122223333:role/fresh";
    let mut place = Place::new();
    place.world.iam.lag = 10..11;
    place.role(FRESH, "eks.amazonaws.com");
    let asked = request_with("/roleArn", json!(FRESH));
    let refusal = place.refused("CreateCluster", asked.clone());
    assert_eq!(refusal.code, "InvalidParameterException");
    assert_eq!(
        refusal.message,
        format!(
            "Role with arn: {FRESH}, could not be assumed because it does not exist or the trusted entity is not correct"
        )
    );
    place.pass_seconds(10);
    assert!(place.call("CreateCluster", asked).is_ok());
}

#[test]
fn other_members_are_checked_against_each_other_and_the_account() {
    let mut place = Place::new();
    let cases = [
        ("/name", json!("-demo")),
        ("/version", json!("1.12")),
        ("/roleArn", json!("demo-cluster")),
        ("/resourcesVpcConfig/securityGroupIds", json!(["sg-2"])),
        ("/resourcesVpcConfig/securityGroupIds", json!(["sg-gone"])),
        ("/resourcesVpcConfig/endpointPrivateAccess", json!(false)),
        ("/kubernetesNetworkConfig", json!({ "serviceIpv4Cidr": "10.0.4.0/22" })),
        ("/kubernetesNetworkConfig", json!({ "serviceIpv4Cidr": "8.8.0.0/16" })),
        ("/outpostConfig", json!({ "outpostArns": [], "controlPlaneInstanceType": "m5.large" })),
        ("/computeConfig", json!({ "enabled": true })),
    ];
    for (member, value) in cases {
        let mut asked = request_with(member, value);
        if member.ends_with("endpointPrivateAccess") {
            asked["resourcesVpcConfig"]["endpointPublicAccess"] = json!(false);
        }
        assert_eq!(place.refused("CreateCluster", asked).code, "InvalidParameterException", "{member}");
    }
    let mut asked = request();
    for (cidr, right) in [("10.1.0.0/16", false), ("203.0.113.0/33", false), ("203.0.113.0/24", true)] {
        asked["resourcesVpcConfig"]["publicAccessCidrs"] = json!([cidr]);
        assert_eq!(place.call("CreateCluster", asked.clone()).is_ok(), right, "{cidr}");
    }
}

#[test]
fn the_same_token_is_answered_with_the_same_cluster_even_a_failed_one() {
    let mut place = Place::new();
    let first = place.call("CreateCluster", request()).unwrap();
    assert_eq!(place.call("CreateCluster", request()).unwrap()["cluster"]["arn"], first["cluster"]["arn"]);
    place.world.eks.creation_failure = Some(CreationFailure {
        code: "InsufficientFreeAddresses".to_owned(),
        message: "No addresses left.".to_owned(),
    });
    place.pass_minutes(12);
    let failed = place.cluster();
    assert_eq!(
        (&failed["status"], &failed["health"]["issues"][0]["code"]),
        (&json!("FAILED"), &json!("InsufficientFreeAddresses"))
    );
    assert_eq!(place.call("CreateCluster", request()).unwrap()["cluster"]["status"], "FAILED");

    let mut anew = request();
    anew["clientRequestToken"] = json!("token-2");
    assert_eq!(place.refused("CreateCluster", anew.clone()).code, "ResourceInUseException");
    place.call("DeleteCluster", json!({ "name": "demo" })).unwrap();
    place.pass_minutes(5);
    // Its old token still gives the failed cluster, which is not there any more.
    assert_eq!(place.call("CreateCluster", request()).unwrap()["cluster"]["status"], "DELETING");
    assert!(place.call("DescribeCluster", json!({ "name": "demo" })).is_err());
    assert_eq!(place.call("CreateCluster", anew).unwrap()["cluster"]["status"], "CREATING");
}

#[test]
fn a_token_that_is_used_for_another_request_is_refused() {
    let mut place = Place::new();
    place.call("CreateCluster", request()).unwrap();
    assert_eq!(
        place.refused("CreateCluster", request_with("/version", json!("1.34"))).code,
        "InvalidParameterException"
    );
}

#[test]
fn a_subnet_that_goes_while_the_cluster_is_being_made_fails_it() {
    let mut place = Place::new();
    place.call("CreateCluster", request()).unwrap();
    place.ask("ec2", "DeleteSubnet", json!({ "SubnetId": "subnet-b" })).unwrap();
    place.pass_minutes(12);
    let failed = place.cluster();
    assert_eq!(failed["status"], "FAILED");
    assert_eq!(failed["health"]["issues"][0]["code"], "Ec2SubnetNotFound");
    assert!(failed.get("endpoint").is_none());
}

#[test]
fn the_quota_of_clusters_is_kept() {
    let mut place = Place::with_cluster(json!({}));
    assert!(quotas::set(&mut place.world, "eks", "L-1194D53C", "us-west-2", 1.0));
    let mut second = request_with("/name", json!("second"));
    second["clientRequestToken"] = json!("token-2");
    assert_eq!(place.refused("CreateCluster", second).code, "ResourceLimitExceededException");
}

#[test]
fn clusters_are_listed_a_page_at_a_time_in_their_region() {
    let mut place = Place::new();
    for name in ["c", "a", "b"] {
        let mut asked = request_with("/name", json!(name));
        asked["clientRequestToken"] = json!(name);
        place.call("CreateCluster", asked).unwrap();
    }
    let first = place.call("ListClusters", json!({ "maxResults": 2 })).unwrap();
    assert_eq!(first["clusters"], json!(["a", "b"]));
    let rest = place.call("ListClusters", json!({ "maxResults": 2, "nextToken": first["nextToken"] })).unwrap();
    assert_eq!(rest, json!({ "clusters": ["c"] }));
    assert_eq!(place.refused("ListClusters", json!({ "nextToken": "?" })).code, "InvalidParameterException");
    place.region = "us-east-1";
    assert_eq!(place.call("ListClusters", json!({})).unwrap()["clusters"], json!([]));
}

#[test]
fn deletion_is_refused_while_protected_or_being_made() {
    let mut place = Place::new();
    place.call("CreateCluster", request_with("/deletionProtection", json!(true))).unwrap();
    assert_eq!(place.refused("DeleteCluster", json!({ "name": "demo" })).code, "InvalidRequestException");
    place.pass_minutes(12);
    assert_eq!(place.refused("DeleteCluster", json!({ "name": "demo" })).code, "InvalidRequestException");
    place.call("UpdateClusterConfig", json!({ "name": "demo", "deletionProtection": false })).unwrap();
    assert_eq!(place.refused("DeleteCluster", json!({ "name": "demo" })).code, "InvalidRequestException");
    place.pass_seconds(10);
    assert!(place.call("DeleteCluster", json!({ "name": "demo" })).is_ok());

    let mut place = Place::new();
    place.call("CreateCluster", request()).unwrap();
    assert_eq!(place.refused("DeleteCluster", json!({ "name": "demo" })).code, "ResourceInUseException");
}

#[test]
fn br_011_a_private_endpoint_cannot_be_reached_from_outside() {
    let mut place = Place::with_cluster(json!({}));
    assert!(reachable(&place.world, ARN));
    let change = json!({ "name": "demo", "resourcesVpcConfig": { "endpointPublicAccess": false } });
    place.call("UpdateClusterConfig", change).unwrap();
    assert!(reachable(&place.world, ARN));
    place.pass_minutes(7);
    assert!(!reachable(&place.world, ARN));
}

#[test]
fn endpoints_have_loopback_ports_of_their_own_where_asked_for() {
    let mut place = Place::new();
    place.world.eks.first_port = Some(3101);
    for name in ["one", "two"] {
        let mut asked = request_with("/name", json!(name));
        asked["clientRequestToken"] = json!(name);
        place.call("CreateCluster", asked).unwrap();
    }
    place.pass_minutes(12);
    let mut endpoints: Vec<_> =
        ["one", "two"].iter().map(|name| cluster(&place.world, "us-west-2", name).unwrap().endpoint.clone()).collect();
    endpoints.sort();
    assert_eq!(endpoints, ["https://127.0.0.1:3101", "https://127.0.0.1:3102"]);
}

#[test]
fn the_certificate_authority_is_that_of_the_api_server() {
    let mut place = Place::with_cluster(json!({}));
    let data = place.cluster()["certificateAuthority"]["data"].as_str().unwrap().to_owned();
    let served = place.world.kubernetes.get_mut(ARN).unwrap().authority().unwrap().certificate.clone();
    assert_eq!(STANDARD.decode(data).unwrap(), served.as_bytes());
}

#[test]
fn tags_are_added_and_taken_by_arn() {
    let mut place = Place::with_cluster(json!({}));
    place.call("TagResource", json!({ "resourceArn": ARN, "tags": { "SageMaker": "true" } })).unwrap();
    assert_eq!(place.cluster()["tags"], json!({ "SageMaker": "true", "team": "ml" }));
    place.call("UntagResource", json!({ "resourceArn": ARN, "tagKeys": ["team"] })).unwrap();
    assert_eq!(
        place.call("ListTagsForResource", json!({ "resourceArn": ARN })).unwrap()["tags"],
        json!({ "SageMaker": "true" })
    );
    assert_eq!(
        place.refused("TagResource", json!({ "resourceArn": ARN, "tags": { "aws:x": "y" } })).code,
        "BadRequestException"
    );
    assert_eq!(
        place
            .refused("ListTagsForResource", json!({ "resourceArn": "arn:aws:eks:us-west-2:111122223333:cluster/none" }))
            .code,
        "NotFoundException"
    );
}

#[test]
fn versions_carry_the_state_of_their_support_at_the_time() {
    let mut place = Place::new();
    let listed = place.call("DescribeClusterVersions", json!({})).unwrap();
    let state = |listed: &Value, version: &str| {
        let found =
            listed["clusterVersions"].as_array().unwrap().iter().find(|one| one["clusterVersion"] == version).cloned();
        found.map(|one| one["versionStatus"].as_str().unwrap().to_owned())
    };
    assert_eq!(state(&listed, "1.34").as_deref(), Some("STANDARD_SUPPORT"));
    assert_eq!(state(&listed, "1.32").as_deref(), Some("EXTENDED_SUPPORT"));
    assert_eq!(state(&listed, "1.29"), None);
    let all = place.call("DescribeClusterVersions", json!({ "includeAll": true })).unwrap();
    assert_eq!(state(&all, "1.29").as_deref(), Some("UNSUPPORTED"));
    let default = place.call("DescribeClusterVersions", json!({ "defaultOnly": true })).unwrap();
    assert_eq!(default["clusterVersions"][0]["clusterVersion"], "1.35");
    assert_eq!(default["clusterVersions"].as_array().unwrap().len(), 1);
}

#[test]
fn what_no_cluster_here_has_is_listed_as_empty() {
    let mut place = Place::with_cluster(json!({}));
    let ask = json!({ "clusterName": "demo" });
    assert_eq!(place.call("ListNodegroups", ask.clone()).unwrap(), json!({ "nodegroups": [] }));
    assert_eq!(place.call("ListFargateProfiles", ask.clone()).unwrap(), json!({ "fargateProfileNames": [] }));
    assert_eq!(place.call("ListIdentityProviderConfigs", ask).unwrap(), json!({ "identityProviderConfigs": [] }));
    assert_eq!(place.refused("ListNodegroups", json!({ "clusterName": "none" })).code, "ResourceNotFoundException");
}

#[test]
fn an_action_that_is_not_offered_is_said_to_be_unknown() {
    assert_eq!(Place::new().refused("CreateNodegroup", json!({})).code, "UnknownOperationException");
}
