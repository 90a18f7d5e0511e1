//! What is found before anything is recorded: everything at once, each with its pointer, and nothing changed.

use crate::{House, cluster, person};
use account::faults::{Effect, Fault};
use contract::problem::Problem;
use domain::ErrorCode;
use serde_json::{Value, json};
use surface::Request;

/// A creation with one group.
fn with_group(group: Value) -> Value {
    json!({ "tag": "a", "region": "us-west-2", "hyperpod": { "instanceGroups": { "g": group } } })
}

fn group(zone: &str, kind: &str, count: u32) -> Value {
    json!({ "zoneId": zone, "instanceType": kind, "instanceCount": count })
}

/// The refusal of a creation that must change nothing.
async fn refused(house: &House, input: Value) -> Problem {
    let before = house.mutations();
    let refused = house.ask("create_cluster", input, Some("k")).await.unwrap_err();
    assert_eq!(house.mutations(), before, "{refused:?}");
    assert!((400..500).contains(&refused.status), "{refused:?}");
    refused
}

fn pointers(problem: &Problem) -> Vec<&str> {
    problem.errors.iter().map(|error| error.pointer.as_str()).collect()
}

fn denied(service: &str, action: &str) -> Fault {
    let (code, message) = ("AccessDeniedException".to_owned(), format!("not authorized to perform {service}:{action}"));
    Fault::new(action, Effect::Error { code, status: 403, message }).on(service, action)
}

async fn ec2(house: &House) -> aws_sdk_ec2::Client {
    let config = house.product.owner.cloud.engine_config(&house.product.installed.home()).await;
    aws_sdk_ec2::Client::new(&config)
}

#[tokio::test(start_paused = true)]
async fn everything_that_is_wrong_is_found_at_once() {
    let house = House::furnished().await;
    let input = json!({
        "tag": "research", "region": "us-west-2", "vpcCidr": "10.40.0.0/20",
        "administrators": ["arn:aws:iam::123456789012:role/Other", format!("arn:aws:iam::{}:role/Nobody", house.product.installed.account)],
        "hyperpod": { "instanceGroups": {
            "far": group("usw2-az9", "ml.g6.4xlarge", 1),
            "many": group("usw2-az2", "ml.p5.48xlarge", 9),
            "typo": group("usw2-az2", "ml.g6.5xlarge", 1),
        } },
    });
    let found = refused(&house, input).await;
    let at = pointers(&found);
    for pointer in [
        "/tag",
        "/vpcCidr",
        "/administrators/1",
        "/hyperpod/instanceGroups/far/zoneId",
        "/hyperpod/instanceGroups/many/instanceCount",
        "/hyperpod/instanceGroups/typo/instanceType",
    ] {
        assert!(at.contains(&pointer), "{pointer} in {:#?}", found.errors);
    }
    let typo = found.errors.iter().find(|error| error.pointer.ends_with("typo/instanceType")).unwrap();
    assert!(typo.detail.contains("Did you mean ml.g6."), "{}", typo.detail);
    assert!(!at.contains(&"/administrators/0"), "another account cannot be looked up: that is no refusal");
}

#[tokio::test(start_paused = true)]
async fn br_058_the_cluster_usage_quota_alone_decides_and_is_told_with_figures() {
    let house = House::new().await;
    house.allow("sagemaker", "ml.p5.48xlarge for cluster usage", 1.0);
    house.allow("sagemaker", "ml.p5.48xlarge for endpoint usage", 8.0);
    let found = refused(&house, with_group(group("usw2-az3", "ml.p5.48xlarge", 2))).await;
    assert_eq!((found.code, found.status), (ErrorCode::QuotaExceeded, 409));
    let error = found.errors.iter().find(|error| error.pointer == "/hyperpod/instanceGroups/g/instanceCount").unwrap();
    for figure in ["limit 1", "used 0", "free 1", "needs 2", "ml.p5.48xlarge for cluster usage"] {
        assert!(error.detail.contains(figure), "{figure}: {}", error.detail);
    }
}

#[tokio::test(start_paused = true)]
async fn br_004_elastic_addresses_that_are_all_in_use_refuse_the_creation() {
    let house = House::new().await;
    house.allow("ec2", "EC2-VPC Elastic IPs", 2.0);
    let ec2 = ec2(&house).await;
    for _ in 0..2 {
        ec2.allocate_address().domain(aws_sdk_ec2::types::DomainType::Vpc).send().await.unwrap();
    }
    // What EC2 has made shows a little later.
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let found = refused(&house, cluster("a")).await;
    assert_eq!(found.code, ErrorCode::QuotaExceeded);
    assert!(
        found.detail.contains("EC2-VPC Elastic IPs") && found.detail.contains("needs 1, free 0"),
        "{}",
        found.detail
    );
}

#[tokio::test(start_paused = true)]
async fn a_block_that_overlaps_a_vpc_is_refused_with_a_free_one() {
    let house = House::furnished().await;
    let found = refused(&house, json!({ "tag": "a", "region": "us-west-2", "vpcCidr": "10.40.128.0/20" })).await;
    assert_eq!((found.code, pointers(&found)), (ErrorCode::InvalidInput, vec!["/vpcCidr"]));
    assert!(found.detail.contains("overlaps 10.40.0.0/16 of vpc-"), "{}", found.detail);
    assert!(found.action.contains("such as 10."), "{}", found.action);
}

#[tokio::test(start_paused = true)]
async fn a_region_that_is_not_there_is_the_only_finding() {
    let house = House::new().await;
    let found = refused(&house, json!({ "tag": "a", "region": "us-west-9" })).await;
    assert_eq!((found.status, pointers(&found)), (400, vec!["/region"]));
}

#[tokio::test(start_paused = true)]
async fn br_001_a_given_subnet_in_a_zone_that_eks_does_not_take_is_named() {
    let house = House::new().await;
    let target = engine::record::Target { region: "us-east-1".parse().unwrap(), ..house.product.installed.home() };
    let ec2 = aws_sdk_ec2::Client::new(&house.product.owner.cloud.engine_config(&target).await);
    let vpc = ec2.create_vpc().cidr_block("10.9.0.0/16").send().await.unwrap();
    let vpc = vpc.vpc.unwrap().vpc_id.unwrap();
    let mut ids = Vec::new();
    for (zone, cidr) in [("use1-az3", "10.9.0.0/24"), ("use1-az1", "10.9.1.0/24")] {
        let call = ec2.create_subnet().vpc_id(&vpc).availability_zone_id(zone).cidr_block(cidr);
        ids.push(call.send().await.unwrap().subnet.unwrap().subnet_id.unwrap());
    }
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let input = json!({ "tag": "a", "region": "us-east-1", "network": { "subnetIds": ids } });
    let found = refused(&house, input).await;
    assert_eq!(pointers(&found), ["/network/subnetIds/0"]);
    assert!(found.detail.contains("use1-az3"), "{}", found.detail);
    ids[1] = "subnet-0123456789abcdef0".to_owned();
    let input = json!({ "tag": "a", "region": "us-east-1", "network": { "subnetIds": ids } });
    assert!(pointers(&refused(&house, input).await).contains(&"/network/subnetIds/1"));
}

#[tokio::test(start_paused = true)]
async fn br_016_two_zones_are_needed_and_a_type_is_wanted_where_it_is_offered() {
    let house = House::new().await;
    let ec2 = ec2(&house).await;
    let vpc = ec2.create_vpc().cidr_block("10.9.0.0/16").send().await.unwrap().vpc.unwrap().vpc_id.unwrap();
    let mut ids = Vec::new();
    for cidr in ["10.9.0.0/24", "10.9.1.0/24"] {
        let call = ec2.create_subnet().vpc_id(&vpc).availability_zone_id("usw2-az1").cidr_block(cidr);
        ids.push(call.send().await.unwrap().subnet.unwrap().subnet_id.unwrap());
    }
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let one_zone = json!({ "tag": "a", "region": "us-west-2", "network": { "subnetIds": ids } });
    let found = refused(&house, one_zone).await;
    assert_eq!((found.code, pointers(&found)), (ErrorCode::InvalidInput, vec!["/network/subnetIds"]));
    assert!(found.detail.contains("EKS needs two"), "{}", found.detail);

    house.allow("sagemaker", "ml.p5.48xlarge for cluster usage", 8.0);
    house.product.account.with_world(|world| {
        for zone in ["usw2-az1", "usw2-az2", "usw2-az3"] {
            account::capacity::set_offered(world, zone, "ml.p5.48xlarge", false);
        }
        account::capacity::set_offered(world, "usw2-az4", "ml.p5.48xlarge", true);
    });
    let found = refused(&house, with_group(group("usw2-az1", "ml.p5.48xlarge", 1))).await;
    let error = found.errors.iter().find(|error| error.pointer == "/hyperpod/instanceGroups/g/zoneId").unwrap();
    assert!(error.detail.contains("ml.p5.48xlarge") && error.detail.contains("usw2-az4"), "{found:#?}");
    // The network is built where the capacity is.
    let request = Request { validate_only: true, ..person() };
    let plan = house.send("create_cluster", with_group(group("usw2-az4", "ml.p5.48xlarge", 1)), request).await.unwrap();
    assert!(plan["ready"] == true && plan.to_string().contains("create-compute-subnet/usw2-az4"), "{plan:#}");
}

#[tokio::test(start_paused = true)]
async fn a_training_plan_is_used_in_its_zone_for_its_type_and_within_its_count() {
    let house = House::furnished().await;
    let plans = house.ask("list_training_plans", json!({ "region": "us-west-2" }), None).await.unwrap();
    let plan = plans["items"][0].clone();
    let with = |zone: &str, kind: &str, count: u32| {
        let mut group = group(zone, kind, count);
        group["capacityType"] = json!("training-plan");
        group["trainingPlanArn"] = plan["arn"].clone();
        with_group(group)
    };
    let zone = plan["zoneId"].as_str().unwrap();
    let zones = house.ask("list_zones", json!({ "region": "us-west-2" }), None).await.unwrap();
    let other = zones["items"].as_array().unwrap().iter().map(|one| one["zoneId"].as_str().unwrap());
    let other = other.filter(|id| *id != zone).last().unwrap();
    let found = refused(&house, with(other, "ml.p5.48xlarge", 4)).await;
    let wrong = found.errors.iter().find(|error| error.detail.contains("is in"));
    assert_eq!(wrong.unwrap().pointer, "/hyperpod/instanceGroups/g/zoneId");
    assert!(wrong.unwrap().detail.contains(&format!("Choose {zone}.")), "{found:?}");
    let found = refused(&house, with(zone, "ml.p5.48xlarge", 5)).await;
    assert_eq!(pointers(&found), ["/hyperpod/instanceGroups/g/instanceCount"]);
    let found = refused(&house, with(zone, "ml.p4d.24xlarge", 1)).await;
    assert!(pointers(&found).contains(&"/hyperpod/instanceGroups/g/instanceType"));
    let accepted = house.ask("create_cluster", with(zone, "ml.p5.48xlarge", 4), Some("ok")).await.unwrap();
    let warnings = accepted["warnings"].to_string();
    assert!(warnings.contains("It starts at 2026-12-01 09:00 UTC"), "{warnings}");
    assert!(warnings.contains("systemGroup"), "nothing stays for the cluster's own pods: {warnings}");
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_read_is_unchecked_and_the_request_is_taken() {
    let house = House::new().await;
    for fault in [denied("servicequotas", "*"), denied("ec2", "DescribeVpcs"), denied("iam", "SimulatePrincipalPolicy")]
    {
        house.product.account.with_world(|world| world.faults.switch_on(fault).unwrap());
    }
    let accepted =
        house.ask("create_cluster", with_group(group("usw2-az2", "ml.g6.4xlarge", 1)), Some("k")).await.unwrap();
    let warnings = accepted["warnings"].to_string();
    for text in ["VPCs per Region", "ml.g6.4xlarge for cluster usage", "DescribeVpcs", "SimulatePrincipalPolicy"] {
        assert!(warnings.contains(text), "{text}: {warnings}");
    }
}

#[tokio::test(start_paused = true)]
async fn looks_that_take_too_long_are_unchecked_within_ten_seconds() {
    let house = House::new().await;
    let slow = Fault::new("slow", Effect::Slow { seconds: 30 }).on("ec2", "DescribeVpcs");
    house.product.account.with_world(|world| world.faults.switch_on(slow).unwrap());
    let began = tokio::time::Instant::now();
    let accepted = house.ask("create_cluster", cluster("a"), Some("k")).await.unwrap();
    assert!(began.elapsed() <= std::time::Duration::from_secs(11), "{:?}", began.elapsed());
    assert!(accepted["warnings"].to_string().contains("could not be checked"), "{accepted}");
}

#[tokio::test(start_paused = true)]
async fn br_017_what_our_role_may_not_do_is_listed_whole() {
    let house = House::new().await;
    let config = house.product.owner.cloud.engine_config(&house.product.installed.home()).await;
    let iam = aws_sdk_iam::Client::new(&config);
    let policy = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Deny", "Action": ["iam:PassRole", "ec2:CreateNatGateway"], "Resource": "*" }] });
    let call = iam.put_role_policy().role_name("hyperpod-instantstart-control-plane").policy_name("cut");
    call.policy_document(policy.to_string()).send().await.unwrap();
    let found = refused(&house, cluster("a")).await;
    assert_eq!((found.code, found.status), (ErrorCode::PermissionDenied, 403));
    assert!(found.detail.contains("iam:PassRole") && found.detail.contains("ec2:CreateNatGateway"), "{}", found.detail);
}

#[tokio::test(start_paused = true)]
async fn br_007_an_administrator_without_its_path_is_refused_with_the_whole_arn() {
    let house = House::new().await;
    let config = house.product.owner.cloud.engine_config(&house.product.installed.home()).await;
    let iam = aws_sdk_iam::Client::new(&config);
    let trust = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": { "Service": "ec2.amazonaws.com" }, "Action": "sts:AssumeRole" }] });
    let call = iam.create_role().role_name("Admin").path("/team/").assume_role_policy_document(trust.to_string());
    let arn = call.send().await.unwrap().role.unwrap().arn;
    let short = arn.replace("/team/", "/");
    let input = |arn: &str| json!({ "tag": "a", "region": "us-west-2", "administrators": [arn] });
    let found = refused(&house, input(&short)).await;
    assert_eq!(pointers(&found), ["/administrators/0"]);
    assert!(found.action.contains(&arn), "{}", found.action);
    house.ask("create_cluster", input(&arn), Some("ok")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn br_013_br_046_addresses_and_pods_that_do_not_fit_are_refused_with_figures() {
    let house = House::new().await;
    house.allow("sagemaker", "ml.p5.48xlarge for cluster usage", 64.0);
    house.allow("sagemaker", "ml.g5.xlarge for cluster usage", 64.0);
    let mut small = with_group(group("usw2-az3", "ml.p5.48xlarge", 4));
    small["vpcCidr"] = json!("10.77.0.0/24");
    let found = refused(&house, small).await;
    let error = found.errors.iter().find(|error| error.pointer.ends_with("instanceCount")).unwrap();
    assert!(found.code == ErrorCode::SubnetCapacity && error.detail.contains("needs 324"), "{found:?}");
    let found = refused(&house, with_group(group("usw2-az2", "ml.g5.xlarge", 1))).await;
    assert!(found.detail.contains("20 needed, 14 available"), "{}", found.detail);
}

#[tokio::test(start_paused = true)]
async fn an_import_of_something_that_is_not_there_or_too_much_is_refused() {
    let house = House::furnished().await;
    let none = json!({ "eksClusterName": "nothing", "region": "us-west-2" });
    let found = house.ask("import_cluster", none, None).await.unwrap_err();
    assert_eq!((found.code, pointers(&found)), (ErrorCode::NotFound, vec!["/eksClusterName"]));
    let attached = json!({ "eksClusterName": "research", "region": "us-west-2", "hyperpod": {
        "instanceGroups": { "g": group("usw2-az2", "ml.g6.4xlarge", 1) } } });
    let found = house.ask("import_cluster", attached, None).await.unwrap_err();
    assert!(pointers(&found).contains(&"/hyperpod"), "{found:?}");
    let accepted =
        house.ask("import_cluster", json!({ "eksClusterName": "legacy", "region": "us-west-2" }), None).await;
    let warnings = accepted.unwrap()["warnings"].to_string();
    assert!(warnings.contains("self-rules") && warnings.contains("grantAccess"), "{warnings}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_plan_is_still_a_plan() {
    let house = House::new().await;
    let request = Request { validate_only: true, ..person() };
    let input = with_group(group("usw2-az3", "ml.p5.48xlarge", 2));
    let before = house.mutations();
    let plan = house.send("create_cluster", input, request).await.unwrap();
    assert_eq!((&plan["ready"], &plan["findings"][0]["severity"]), (&json!(false), &json!("blocking")));
    assert_eq!(house.mutations(), before);
}
