//! The control-plane stage: from nothing to an EKS cluster in service, and what may go wrong on the way.

use account::{
    eks::{self, CreationFailure},
    faults::{Effect, Fault},
};
use contract::journal::Fate;
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage, StageState},
};
use engine::{
    record::Operation,
    submit::{ClusterWrite, Submission},
};
use harness::{Product, decisions};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

/// The creation of a cluster called `demo`, to its end.
async fn made(product: &Product, more: Value) -> Operation {
    let accepted = product.create(decisions("demo", more), Stage::ControlPlane).await;
    product.ended(accepted.operation.id).await
}

/// The stage run once more by an operation of its own, to its end.
async fn run_stage(product: &Product, earlier: &Operation) -> Operation {
    let cluster = product.front.desk.store.cluster(earlier.cluster_id).await.unwrap().unwrap();
    let submission = Submission {
        kind: "run_stage",
        cluster: ClusterWrite::Keep(cluster),
        principal: earlier.principal.clone(),
        input: json!({ "stage": "control-plane" }),
        idempotency_key: None,
        machine: "cluster",
        stages: Some((Stage::ControlPlane, Stage::ControlPlane)),
        lane: "cluster",
        needs_approval: false,
    };
    let accepted = product.front.desk.submit(submission).await.unwrap();
    product.ended(accepted.operation.id).await
}

/// The operation run again, to its end.
async fn again(product: &Product, operation: &Operation) -> Operation {
    product.front.desk.retry(operation.id).await.unwrap();
    product.ended(operation.id).await
}

fn failure(operation: &Operation) -> (ErrorCode, &str, &str) {
    let failure = operation.failure.as_ref().unwrap_or_else(|| panic!("it did not fail: {operation:#?}"));
    (failure.code, &failure.message, &failure.action)
}

const NOT_ASSUMABLE: &str = "Role with arn: arn:aws:iam::111122223333:role/x, could not be assumed because it does not \
                             exist or the trusted entity is not correct";

fn refusing_the_role() -> Fault {
    let effect =
        Effect::Error { code: "InvalidParameterException".to_owned(), status: 400, message: NOT_ASSUMABLE.to_owned() };
    Fault::new("role", effect).on("eks", "CreateCluster")
}

#[tokio::test(start_paused = true)]
async fn a_cluster_comes_into_service_with_its_add_ons_and_entries() {
    let product = Product::new(11).await;
    let before = product.changes();
    let ended = made(&product, json!({})).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let changes = product.changes_since(&before);
    for (action, times) in [
        ("iam:CreateRole", 1),
        ("iam:AttachRolePolicy", 1),
        ("iam:CreateOpenIDConnectProvider", 1),
        ("eks:CreateCluster", 1),
        ("eks:CreateAddon", 4),
        ("ec2:CreateNatGateway", 1),
    ] {
        assert_eq!(changes.get(action), Some(&times), "{action}: {changes:?}");
    }
    let stage = product.stage(ended.cluster_id, Stage::ControlPlane).await;
    assert_eq!(stage.outcome["eks"]["kubernetesVersion"], "1.34");
    let admitted = stage.outcome["eks"]["admitted"].as_array().unwrap();
    let role = |name: &str| json!(format!("arn:aws:iam::{}:role/{name}", product.installed.account));
    let ours = ["hyperpod-instantstart-kubernetes-reader", "hyperpod-instantstart-kubernetes-writer"];
    assert_eq!(admitted, &ours.map(role), "one entry for each of two roles, whatever functions there are");
    let took = ended.finished_at.unwrap().duration_since(ended.created_at).as_mins();
    assert!((8..=13).contains(&took), "EKS takes 8 to 12 minutes, and the NAT gateway comes up meanwhile: {took}");
}

#[tokio::test(start_paused = true)]
async fn a_stage_that_is_done_changes_nothing_when_it_is_run_again() {
    let product = Product::new(12).await;
    let first = made(&product, json!({})).await;
    assert_eq!(first.state, OperationState::Succeeded, "{first:#?}");
    let before = product.changes();
    let second = run_stage(&product, &first).await;
    assert_eq!(second.state, OperationState::Succeeded, "{second:#?}");
    assert_eq!(product.changes_since(&before), BTreeMap::new());
}

#[tokio::test(start_paused = true)]
async fn br_002_a_role_that_iam_is_still_spreading_is_waited_for() {
    let product = Product::new(13).await;
    product.account.with_world(|world| {
        world.iam.lag = 0..1;
        world.faults.switch_on(refusing_the_role().times(3)).unwrap();
    });
    let ended = made(&product, json!({})).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    let calls = product.account.read(|world| world.calls.count("eks", "CreateCluster"));
    assert_eq!((calls.all, calls.succeeded), (4, 1));
    let journal = product.front.desk.store.journal(ended.id, 0, 100).await.unwrap().items;
    let tried: Vec<_> = journal.iter().filter(|entry| entry.change == "create-eks-cluster").collect();
    assert_eq!(tried.len(), 1, "a refusal that is waited out makes no long journal");
    let refusals = tried[0].refusals.expect("it was refused");
    assert_eq!((tried[0].fate, refusals.count), (Fate::Applied, 3));
    assert!(refusals.since < tried[0].intended_at, "{:?}", tried[0]);
    assert_eq!(journal.iter().filter(|entry| entry.refusals.is_some()).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn br_002_a_role_that_trusts_somebody_else_is_named_with_whom_it_trusts() {
    let product = Product::new(14).await;
    product.account.with_world(|world| world.faults.switch_on(refusing_the_role())).unwrap();
    let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let running = product.operation(accepted.operation.id).await;
    let waiting = running.waiting.expect("it waits for IAM");
    assert!(waiting.reason.contains("waiting for IAM"), "{}", waiting.reason);
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let iam = aws_sdk_iam::Client::new(&config);
    let roles = iam.list_roles().path_prefix("/hyperpod-instantstart/").send().await.unwrap();
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "Service": "ec2.amazonaws.com" }, "Action": "sts:AssumeRole" },
    ]});
    let call = iam.update_assume_role_policy().role_name(roles.roles()[0].role_name());
    call.policy_document(trust.to_string()).send().await.unwrap();
    let ended = product.ended(accepted.operation.id).await;
    let (code, message, _) = failure(&ended);
    assert_eq!(code, ErrorCode::InvalidInput);
    assert!(message.contains("trusts ec2.amazonaws.com, not eks.amazonaws.com"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn br_002_a_refusal_that_lasts_is_no_spreading() {
    let product = Product::new(15).await;
    product.account.with_world(|world| world.faults.switch_on(refusing_the_role())).unwrap();
    let ended = made(&product, json!({})).await;
    let (code, _, action) = failure(&ended);
    assert_eq!(code, ErrorCode::PermissionDenied);
    assert!(action.contains("service control policy"), "{action}");
    let took = ended.finished_at.unwrap().duration_since(ended.created_at).as_secs();
    assert!((180..240).contains(&took), "bounded by three minutes: {took} s");
    product.account.with_world(|world| world.faults.clear());
    let before = product.changes();
    let ended = again(&product, &ended).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(product.changes_since(&before).get("ec2:CreateVpc"), None, "the network of the first run is used");
}

#[tokio::test(start_paused = true)]
async fn br_014_a_provider_that_is_there_is_adopted_and_given_the_audience() {
    let product = Product::new(16).await;
    let before = product.changes();
    let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
    tokio::time::sleep(Duration::from_secs(120)).await;
    let issuer = product.account.read(|world| eks::clusters(world).next().unwrap().issuer());
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let iam = aws_sdk_iam::Client::new(&config);
    let call = iam.create_open_id_connect_provider().url(format!("{issuer}/"));
    call.thumbprint_list("0123456789abcdef0123456789abcdef01234567").send().await.unwrap();
    let ended = product.ended(accepted.operation.id).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    let changes = product.changes_since(&before);
    assert_eq!(changes["iam:CreateOpenIDConnectProvider"], 1, "the one of the test");
    assert_eq!(changes["iam:AddClientIDToOpenIDConnectProvider"], 1);
}

#[tokio::test(start_paused = true)]
async fn br_014_a_provider_that_somebody_makes_at_the_same_time_is_looked_for_again() {
    let product = Product::new(17).await;
    let effect = Effect::Error {
        code: "EntityAlreadyExists".to_owned(),
        status: 409,
        message: "Provider with url https://oidc.eks already exists.".to_owned(),
    };
    let raced = Fault::new("raced", effect).on("iam", "CreateOpenIDConnectProvider").nth(1);
    product.account.with_world(|world| world.faults.switch_on(raced)).unwrap();
    let ended = made(&product, json!({})).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_vpc_that_never_shows_is_made_three_times_and_told_with_every_id() {
    let product = Product::new(21).await;
    let fault = Fault::new("forgetful", Effect::NotKept).on("ec2", "CreateVpc");
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let ended = made(&product, json!({})).await;
    let (code, message, action) = failure(&ended);
    assert_eq!((code, code.retryable()), (ErrorCode::Internal, false), "no program makes a fourth one by itself");
    assert!(message.contains("success 3 times") && message.contains("create VPC"), "{message}");
    assert!(action.contains("delete"), "{action}");
    assert_eq!(product.made("ec2", "CreateVpc"), 3);
    let ids: Vec<&String> = ended.left.iter().filter(|line| line.starts_with("vpcId vpc-")).collect();
    assert_eq!(ids.len(), 3, "{:?}", ended.left);
    let named = |line: &String| message.contains(line.split(' ').nth(1).unwrap());
    assert!(ids.into_iter().all(named), "{message}");
    product.account.with_world(|world| world.faults.clear());
    let ended = again(&product, &ended).await;
    assert_eq!(ended.state, OperationState::Succeeded, "another attempt begins anew: {ended:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_failed_is_told_and_made_again_by_the_next_run() {
    let product = Product::new(18).await;
    product.account.with_world(|world| {
        let message = "The subnet ID 'subnet-1' does not exist".to_owned();
        world.eks.creation_failure = Some(CreationFailure { code: "Ec2SubnetNotFound".to_owned(), message });
    });
    let ended = made(&product, json!({})).await;
    let (code, message, action) = failure(&ended);
    assert_eq!(code, ErrorCode::DependencyMissing);
    assert!(message.contains("Ec2SubnetNotFound: The subnet ID 'subnet-1' does not exist"), "{message}");
    assert!(action.contains("deletes the failed cluster"), "{action}");
    let before = product.changes();
    let ended = again(&product, &ended).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    let changes = product.changes_since(&before);
    let of = |action: &str| changes.get(action).copied().unwrap_or(0);
    assert_eq!((of("eks:DeleteCluster"), of("eks:CreateCluster"), of("ec2:CreateVpc")), (1, 1, 0), "{changes:?}");
    let stage = product.stage(ended.cluster_id, Stage::ControlPlane).await;
    assert_eq!((stage.state, stage.attempts), (StageState::Succeeded, 2));
}

#[tokio::test(start_paused = true)]
async fn br_001_a_zone_refused_late_ends_the_stage_and_keeps_the_network() {
    let product = Product::new(19).await;
    let message = "Cannot create cluster 'demo' because us-west-2a, the targeted availability zone, does not currently \
                   have sufficient capacity to support the cluster. Retry and choose from these availability zones: \
                   us-west-2b, us-west-2c";
    let effect = Effect::Error {
        code: "UnsupportedAvailabilityZoneException".to_owned(),
        status: 400,
        message: message.to_owned(),
    };
    let late = Fault::new("zone", effect).on("eks", "CreateCluster").nth(1);
    product.account.with_world(|world| {
        world.iam.lag = 0..1;
        world.faults.switch_on(late).unwrap();
    });
    let ended = made(&product, json!({})).await;
    let (code, message, action) = failure(&ended);
    assert_eq!(code, ErrorCode::InvalidInput);
    assert!(message.contains("us-west-2b, us-west-2c"), "{message}");
    assert!(action.contains("network.subnetIds"), "{action}");
    let calls = product.account.read(|world| world.calls.count("eks", "CreateCluster"));
    assert_eq!(calls.all, 1, "the same zones are not tried again");
    assert!(ended.left.iter().any(|line| line.starts_with("vpcId ")), "{:?}", ended.left);
}

#[tokio::test(start_paused = true)]
async fn br_007_an_administrator_without_its_path_is_refused_with_the_right_arn() {
    let product = Product::new(20).await;
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let iam = aws_sdk_iam::Client::new(&config);
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "AWS": "111122223333" }, "Action": "sts:AssumeRole" },
    ]});
    let call = iam.create_role().role_name("Admin_abc").path("/aws-reserved/sso.amazonaws.com/eu-west-1/");
    let role = call.assume_role_policy_document(trust.to_string()).send().await.unwrap();
    let right = role.role().unwrap().arn().to_owned();
    let before = product.changes();
    let short = "arn:aws:iam::111122223333:role/Admin_abc";
    let ended = made(&product, json!({ "administrators": [short] })).await;
    let (code, message, action) = failure(&ended);
    assert_eq!(code, ErrorCode::InvalidInput);
    assert!(message.contains("administrators[0]"), "{message}");
    assert!(action.contains(&right), "{action}");
    assert_eq!(product.changes_since(&before), BTreeMap::new(), "nothing was made");
}

#[tokio::test(start_paused = true)]
async fn br_004_a_quota_met_half_way_keeps_what_is_made_and_a_retry_makes_the_rest_alone() {
    let product = Product::new(21).await;
    let message = "The maximum number of addresses has been reached.".to_owned();
    let effect = Effect::Error { code: "AddressLimitExceeded".to_owned(), status: 400, message };
    let full = Fault::new("full", effect).on("ec2", "AllocateAddress");
    product.account.with_world(|world| world.faults.switch_on(full)).unwrap();
    let ended = made(&product, json!({})).await;
    let (code, message, action) = failure(&ended);
    assert_eq!(code, ErrorCode::QuotaExceeded, "{message}");
    assert!(message.contains("AddressLimitExceeded") || message.contains("maximum number of addresses"), "{message}");
    assert!(action.contains("quota"), "{action}");
    for kind in ["vpcId ", "subnetId "] {
        assert!(ended.left.iter().any(|line| line.starts_with(kind)), "{kind}: {:?}", ended.left);
    }
    let refused = product.account.read(|world| world.calls.count("ec2", "AllocateAddress"));
    assert_eq!(refused.all, 1, "a quota is not asked again");

    product.account.with_world(|world| world.faults.clear());
    let before = product.changes();
    let ended = again(&product, &ended).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    let changes = product.changes_since(&before);
    for action in ["ec2:CreateVpc", "ec2:CreateSubnet", "ec2:CreateInternetGateway", "iam:CreateRole"] {
        assert_eq!(changes.get(action), None, "{changes:?}");
    }
    assert_eq!((changes["ec2:AllocateAddress"], changes["ec2:CreateNatGateway"]), (1, 1), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn br_151_throttled_looks_end_nothing_and_change_nothing() {
    let product = Product::new(22).await;
    let throttled = Fault::new("looks", Effect::Throttle).on("eks", "DescribeCluster");
    product.account.with_world(|world| world.faults.switch_on(throttled.times(15))).unwrap();
    let ended = made(&product, json!({})).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(product.account.read(|world| world.faults.active()[0].met), 15);
    for (service, action) in [("eks", "CreateCluster"), ("ec2", "CreateVpc"), ("ec2", "CreateNatGateway")] {
        assert_eq!(product.made(service, action), 1, "{action}");
    }
}

#[tokio::test(start_paused = true)]
async fn br_160_a_cluster_whose_making_was_never_written_down_is_found_and_kept() {
    let product = Product::new(23).await;
    let effect = Effect::Kill { function: "*-control-plane".to_owned() };
    let killed = Fault::new("killed", effect).on("eks", "CreateCluster").times(1);
    product.account.with_world(|world| {
        world.iam.lag = 0..1;
        world.faults.switch_on(killed).unwrap();
    });
    let ended = made(&product, json!({})).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(product.account.read(|world| world.faults.active()[0].met), 1);
    assert_eq!(product.made("eks", "CreateCluster"), 1);
    assert_eq!(product.account.read(|world| eks::clusters(world).count()), 1);
}
