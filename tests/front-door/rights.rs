//! What the front door's role may do, asked of AWS itself with the front door's own credentials (invariant 2).

use crate::cluster;
use ::cloud::{Who, sts::kubernetes_principal};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_ec2::types::Tag;
use domain::{codes::ErrorCode, naming::KubernetesRole};
use harness::house::House;
use kubernetes::{Endpoint, Identity, Kubernetes, Question, UNAUTHORIZED};
use serde_json::json;
use std::time::Duration;

/// The code of a refusal.
fn code<T, E: ProvideErrorMetadata>(answer: Result<T, E>) -> String {
    answer.err().and_then(|error| error.code().map(str::to_owned)).unwrap_or_else(|| "done".to_owned())
}

#[tokio::test(start_paused = true)]
async fn the_front_door_can_record_and_start_and_change_nothing_else() {
    let house = House::new().await;
    let accepted = house.ask("create_cluster", cluster("demo"), Some("key")).await.unwrap();
    assert_eq!(accepted["state"], "accepted", "{accepted}");
    let before = house.mutations();
    let config = house.product.front.cloud.engine_config(&house.product.installed.home()).await;
    let (ec2, eks) = (aws_sdk_ec2::Client::new(&config), aws_sdk_eks::Client::new(&config));
    let (iam, sagemaker) = (aws_sdk_iam::Client::new(&config), aws_sdk_sagemaker::Client::new(&config));
    let (states, tables) = (aws_sdk_sfn::Client::new(&config), aws_sdk_dynamodb::Client::new(&config));
    let network = aws_sdk_eks::types::VpcConfigRequest::builder().subnet_ids("subnet-1").build();
    let eks_cluster = eks.create_cluster().name("mine").role_arn("arn:aws:iam::123456789012:role/mine");
    let entry = eks.create_access_entry().cluster_name("demo").principal_arn("arn:aws:iam::123456789012:role/mine");
    let machine = format!("{}health-sweep", house.product.installed.machines.operation_prefix);
    let refusals = [
        ("ec2:CreateVpc", code(ec2.create_vpc().cidr_block("10.0.0.0/16").send().await)),
        (
            "ec2:CreateTags",
            code(ec2.create_tags().resources("vpc-1").tags(Tag::builder().key("a").value("b").build()).send().await),
        ),
        ("eks:CreateCluster", code(eks_cluster.resources_vpc_config(network).send().await)),
        ("eks:CreateAccessEntry", code(entry.send().await)),
        ("iam:CreateRole", code(iam.create_role().role_name("mine").assume_role_policy_document("{}").send().await)),
        ("iam:PutRolePolicy", {
            let role = iam.put_role_policy().role_name("hyperpod-instantstart-api").policy_name("api");
            code(role.policy_document(json!({}).to_string()).send().await)
        }),
        ("sagemaker:DeleteCluster", code(sagemaker.delete_cluster().cluster_name("research").send().await)),
        ("states:DeleteStateMachine", code(states.delete_state_machine().state_machine_arn(machine).send().await)),
        ("dynamodb:DeleteTable", code(tables.delete_table().table_name("hyperpod-instantstart").send().await)),
    ];
    for (action, code) in refusals {
        let denied = ["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"];
        assert!(denied.contains(&code.as_str()), "{action}: {code}");
    }
    assert_eq!(house.mutations(), before);
}

/// The front door's way into the Kubernetes API of `research`.
async fn into_research(house: &House) -> Kubernetes {
    let (front, target) = (&house.product.front, house.product.installed.home());
    let who = Who::reader("api");
    let eks = ::cloud::eks::Eks::new(&front.cloud, &target, &who).await;
    let cluster = eks.cluster("research").await.unwrap().unwrap();
    let identity = Identity {
        cluster: cluster.name,
        region: target.region.to_string(),
        credentials: front.cloud.kubernetes_identity(&target, &who, KubernetesRole::Reader).await.unwrap(),
        time: front.cloud.time.clone(),
        access_since: None,
    };
    let endpoint = Endpoint::of_eks(&cluster.endpoint, &cluster.certificate_authority).unwrap();
    Kubernetes::new(&front.reach, &endpoint, identity)
}

#[tokio::test(start_paused = true)]
async fn the_front_door_looks_into_a_cluster_as_the_role_that_reads_and_cannot_become_the_one_that_writes() {
    let house = House::furnished().await;
    let (cloud, target) = (&house.product.front.cloud, house.product.installed.home());
    let refused = cloud.kubernetes_identity(&target, &Who::reader("api"), KubernetesRole::Writer).await.unwrap_err();
    assert_eq!(refused.failure().code, ErrorCode::PermissionDenied, "{refused:?}");
    let kubernetes = into_research(&house).await;
    let unknown = kubernetes.nodes("").await.unwrap_err();
    assert!(unknown.is_upstream(UNAUTHORIZED), "without an entry nobody is let in: {unknown:?}");

    let config = house.product.owner.cloud.engine_config(&target).await;
    let eks = aws_sdk_eks::Client::new(&config);
    let role = kubernetes_principal(&target, KubernetesRole::Reader);
    eks.create_access_entry().cluster_name("research").principal_arn(&role).send().await.unwrap();
    let scope = aws_sdk_eks::types::AccessScope::builder().r#type(aws_sdk_eks::types::AccessScopeType::Cluster).build();
    let view = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSAdminViewPolicy";
    let call = eks.associate_access_policy().cluster_name("research").principal_arn(&role).policy_arn(view);
    call.access_scope(scope).send().await.unwrap();
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert!(!kubernetes.nodes("").await.unwrap().is_empty());
    assert!(!kubernetes.may_i(&Question::everything()).await.unwrap().allowed);
}

#[tokio::test(start_paused = true)]
async fn a_function_that_does_not_come_to_kubernetes_can_take_on_neither_role() {
    let house = House::new().await;
    let (installed, account) = (&house.product.installed, &house.product.account);
    let settle = gateway::wiring::Wired::of(account, installed, "settle").await;
    for role in KubernetesRole::ALL {
        let taken = settle.cloud.kubernetes_identity(&installed.home(), &Who::reader("settle"), role).await;
        assert_eq!(taken.unwrap_err().failure().code, ErrorCode::PermissionDenied, "{role:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn control_plane_can_neither_delete_what_others_made_nor_claim_it_by_our_tag() {
    let house = House::furnished().await;
    let (installed, account) = (&house.product.installed, &house.product.account);
    let owner = aws_sdk_ec2::Client::new(&house.product.owner.cloud.engine_config(&installed.home()).await);
    let gateways = owner.describe_nat_gateways().send().await.unwrap();
    let theirs = gateways.nat_gateways()[0].nat_gateway_id().unwrap();
    let before = house.mutations();
    let stage = gateway::wiring::Wired::of(account, installed, "control-plane").await;
    let ec2 = aws_sdk_ec2::Client::new(&stage.cloud.engine_config(&installed.home()).await);
    let claim = Tag::builder().key(domain::naming::TAG_CLUSTER).value("01KBXZ3V8Y0000000000000000").build();
    for refused in [
        code(ec2.create_tags().resources(theirs).tags(claim).send().await),
        code(ec2.delete_nat_gateway().nat_gateway_id(theirs).send().await),
    ] {
        assert_eq!(refused, "UnauthorizedOperation");
    }
    assert_eq!(house.mutations(), before);
}
