//! From an empty account to a pod that reads a bucket on a GPU node: every service and its neighbours, through real SDK
//! and Kubernetes clients, in virtual time.

use super::*;
use crate::{capacity, eks::tests::presigned, quotas};
use aws_sdk_eks::types::{AuthenticationMode, CreateAccessConfigRequest, VpcConfigRequest};
use aws_sdk_sagemaker::types::{
    ClusterInstanceGroupSpecification, ClusterInstanceType, ClusterLifeCycleConfig, ClusterNodeProvisioningMode,
    ClusterOrchestrator, ClusterOrchestratorEksConfig, VpcConfig,
};
use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod};
use kube::{Api, Client, api::LogParams};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

const NODES: &str = "arn:aws:iam::111122223333:role/nodes";
const DRIVER: &str = "arn:aws:iam::111122223333:role/driver";

async fn minutes(count: u64) {
    tokio::time::sleep(Duration::from_secs(60 * count)).await;
}

async fn role(account: &Account, name: &str, service: &str) {
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "Service": service }, "Action": ["sts:AssumeRole", "sts:TagSession"] }
    ] });
    let iam = client!(aws_sdk_iam, account);
    iam.create_role().role_name(name).assume_role_policy_document(trust.to_string()).send().await.unwrap();
}

async fn policy(account: &Account, role: &str, action: &str, effect: &str) {
    let document = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": effect, "Action": action, "Resource": "*" }
    ] });
    let iam = client!(aws_sdk_iam, account);
    let put = iam.put_role_policy().role_name(role).policy_name(effect).policy_document(document.to_string());
    put.send().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn every_answer_of_a_cluster_tells_its_audit_id_and_keeps_one_that_is_sent() {
    let account = Account::new(World::new(7, 1), Clock::starting_at("2026-12-01T08:00:00Z".parse().unwrap())).unwrap();
    account.run();
    role(&account, "control-plane", "eks.amazonaws.com").await;
    let (subnets, group) = network(&account).await;
    minutes(1).await;
    let eks = client!(aws_sdk_eks, &account);
    let network = VpcConfigRequest::builder().set_subnet_ids(Some(subnets)).security_group_ids(group).build();
    let made = eks.create_cluster().name("demo").resources_vpc_config(network);
    made.role_arn("arn:aws:iam::111122223333:role/control-plane").send().await.unwrap();
    minutes(15).await;
    let endpoint = eks.describe_cluster().name("demo").send().await.unwrap().cluster.unwrap().endpoint.unwrap();
    let ask = async |sent: Option<&str>| {
        let mut request = http::Request::get(format!("{endpoint}/api/v1/nodes"));
        if let Some(sent) = sent {
            request = request.header("Audit-ID", sent);
        }
        let request = request.body(kube::client::Body::empty()).unwrap();
        let answer = tower::ServiceExt::oneshot(kubernetes_service(&account), request).await.unwrap();
        (answer.status().as_u16(), answer.headers()["audit-id"].to_str().unwrap().to_owned())
    };
    let (first, second) = (ask(None).await, ask(None).await);
    assert_eq!((first.0, first.1.len()), (403, 36), "{first:?}");
    assert_ne!(first.1, second.1);
    assert_eq!(ask(Some("of-the-client")).await.1, "of-the-client");
}

/// A VPC with a subnet in each of two zones and a group that is open to itself; answers subnets and group.
async fn network(account: &Account) -> (Vec<String>, String) {
    let ec2 = client!(aws_sdk_ec2, account);
    let vpc = ec2.create_vpc().cidr_block("10.1.0.0/16").send().await.unwrap().vpc.unwrap().vpc_id.unwrap();
    let mut subnets = Vec::new();
    for (zone, block) in [("usw2-az1", "10.1.0.0/20"), ("usw2-az2", "10.1.16.0/20")] {
        let subnet = ec2.create_subnet().vpc_id(&vpc).availability_zone_id(zone).cidr_block(block);
        subnets.push(subnet.send().await.unwrap().subnet.unwrap().subnet_id.unwrap());
    }
    let group = ec2.create_security_group().vpc_id(&vpc).group_name("nodes").description("nodes");
    let group = group.send().await.unwrap().group_id.unwrap();
    let pair = aws_sdk_ec2::types::UserIdGroupPair::builder().group_id(&group).build();
    let all = aws_sdk_ec2::types::IpPermission::builder().ip_protocol("-1").user_id_group_pairs(pair).build();
    ec2.authorize_security_group_ingress().group_id(&group).ip_permissions(all.clone()).send().await.unwrap();
    ec2.authorize_security_group_egress().group_id(&group).ip_permissions(all).send().await.unwrap();
    (subnets, group)
}

/// A Kubernetes client of root's, whose token is fresh for a quarter of an hour.
async fn kubernetes(account: &Account, cluster: &str) -> Client {
    let eks = client!(aws_sdk_eks, account);
    let found = eks.describe_cluster().name(cluster).send().await.unwrap().cluster.unwrap();
    let endpoint = found.endpoint.unwrap();
    let root = account.read(iam::root_credentials);
    let token = presigned::token(&root, "x-k8s-aws-id", cluster, account.now());
    let service = tower::ServiceBuilder::new()
        .map_request(move |mut request: http::Request<kube::client::Body>| {
            *request.uri_mut() = format!("{endpoint}{}", request.uri()).parse().unwrap();
            let bearer = http::HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
            request.headers_mut().insert("authorization", bearer);
            request
        })
        .service(kubernetes_service(account));
    Client::new(service, "default")
}

async fn put<K>(api: Api<K>, object: Value)
where
    K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    api.create(&kube::api::PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
}

/// The account as far as a HyperPod cluster that has been asked for; answers once its node should be there.
async fn with_node() -> Account {
    let account = Account::new(World::new(7, 1), Clock::starting_at("2026-12-01T08:00:00Z".parse().unwrap())).unwrap();
    account.run();
    account.with_world(|world| {
        quotas::set(world, "sagemaker", "ml.g6.xlarge for cluster usage", "us-west-2", 2.0);
        for zone in ["usw2-az1", "usw2-az2"] {
            capacity::set_offered(world, zone, "ml.g6.xlarge", true);
        }
    });
    let (subnets, group) = network(&account).await;
    role(&account, "control-plane", "eks.amazonaws.com").await;
    role(&account, "nodes", "sagemaker.amazonaws.com").await;
    role(&account, "driver", "pods.eks.amazonaws.com").await;
    policy(&account, "nodes", "*", "Allow").await;
    policy(&account, "driver", "s3:*", "Allow").await;
    let s3 = client!(aws_sdk_s3, &account);
    let place = aws_sdk_s3::types::CreateBucketConfiguration::builder().location_constraint("us-west-2".into()).build();
    s3.create_bucket().bucket("project").create_bucket_configuration(place).send().await.unwrap();
    for (key, text) in [("scripts/on_create.sh", "#!/bin/bash\necho ready\n"), ("data/hello.txt", "hello from s3\n")] {
        let body = aws_sdk_s3::primitives::ByteStream::from_static(text.as_bytes());
        s3.put_object().bucket("project").key(key).body(body).send().await.unwrap();
    }
    minutes(1).await;
    let eks = client!(aws_sdk_eks, &account);
    let network = VpcConfigRequest::builder().set_subnet_ids(Some(subnets.clone())).security_group_ids(&group).build();
    let access = CreateAccessConfigRequest::builder().authentication_mode(AuthenticationMode::Api).build();
    let made = eks.create_cluster().name("demo").version("1.33").resources_vpc_config(network).access_config(access);
    let cluster = made.role_arn("arn:aws:iam::111122223333:role/control-plane").send().await.unwrap().cluster.unwrap();
    minutes(15).await;
    for addon in ["eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver"] {
        eks.create_addon().cluster_name("demo").addon_name(addon).send().await.unwrap();
    }
    let identity = eks.create_pod_identity_association().cluster_name("demo").namespace("kube-system");
    identity.service_account("s3-csi-driver-sa").role_arn(DRIVER).send().await.unwrap();
    hyperpod(&account, cluster.arn().unwrap(), &subnets, &group).await;
    minutes(30).await;
    account
}

async fn hyperpod(account: &Account, eks: &str, subnets: &[String], group: &str) {
    let sagemaker = client!(aws_sdk_sagemaker, account);
    let script = ClusterLifeCycleConfig::builder().source_s3_uri("s3://project/scripts/").on_create("on_create.sh");
    let workers = ClusterInstanceGroupSpecification::builder()
        .instance_group_name("workers")
        .instance_type(ClusterInstanceType::from("ml.g6.xlarge"))
        .instance_count(1)
        .execution_role(NODES)
        .life_cycle_config(script.build())
        .build();
    let orchestrator = ClusterOrchestratorEksConfig::builder().cluster_arn(eks).build();
    let network = VpcConfig::builder().set_subnets(Some(subnets.to_vec())).security_group_ids(group).build();
    let asked = sagemaker
        .create_cluster()
        .cluster_name("demo")
        .orchestrator(ClusterOrchestrator::builder().eks(orchestrator).build())
        .node_provisioning_mode(ClusterNodeProvisioningMode::Continuous)
        .vpc_config(network);
    asked.instance_groups(workers).send().await.unwrap();
}

/// Asks for a pod that prints a file of the bucket, and gives it time.
async fn read_bucket(account: &Account) -> Api<Pod> {
    let client = kubernetes(account, "demo").await;
    put::<PersistentVolume>(
        Api::all(client.clone()),
        json!({
            "metadata": { "name": "project" },
            "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                "mountOptions": ["prefix data/", "region us-west-2"],
                "csi": { "driver": "s3.csi.aws.com", "volumeHandle": "project", "volumeAttributes": { "bucketName": "project" } },
            },
        }),
    )
    .await;
    put::<PersistentVolumeClaim>(
        Api::default_namespaced(client.clone()),
        json!({
            "metadata": { "name": "project" },
            "spec": {
                "accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": "project",
                "resources": { "requests": { "storage": "1Gi" } },
            },
        }),
    )
    .await;
    put::<Pod>(
        Api::default_namespaced(client.clone()),
        json!({
            "metadata": { "name": "reader" },
            "spec": {
                "restartPolicy": "Never",
                "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": "project" } }],
                "containers": [{
                    "name": "main", "image": "busybox:1", "command": ["cat", "/data/hello.txt"],
                    "volumeMounts": [{ "name": "data", "mountPath": "/data" }],
                }],
            },
        }),
    )
    .await;
    minutes(5).await;
    Api::default_namespaced(client)
}

#[tokio::test(start_paused = true)]
async fn an_empty_account_becomes_a_cluster_whose_pod_reads_a_bucket() {
    let account = with_node().await;
    let nodes = Api::<Node>::all(kubernetes(&account, "demo").await).list(&Default::default()).await.unwrap().items;
    assert_eq!(nodes.len(), 1);
    let labels = nodes[0].metadata.labels.as_ref().unwrap();
    assert_eq!(labels["sagemaker.amazonaws.com/node-health-status"], "Schedulable");
    let conditions = nodes[0].status.as_ref().unwrap().conditions.as_ref().unwrap();
    assert!(conditions.iter().any(|one| one.type_ == "Ready" && one.status == "True"), "{conditions:?}");
    let pods = read_bucket(&account).await;
    let pod = pods.get("reader").await.unwrap();
    assert_eq!(pod.status.as_ref().unwrap().phase.as_deref(), Some("Succeeded"), "{:?}", pod.status);
    assert_eq!(pods.logs("reader", &LogParams::default()).await.unwrap(), "hello from s3\n");
    let (created, listed) = account.read(|world| {
        (world.calls.count("kubernetes", "create pods").mutating, world.calls.count("kubernetes", "list nodes"))
    });
    assert_eq!((created, listed.succeeded, listed.mutating), (1, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_may_not_list_the_bucket_keeps_the_pod_waiting_and_says_why() {
    let account = with_node().await;
    policy(&account, "driver", "s3:ListBucket", "Deny").await;
    minutes(1).await;
    let pods = read_bucket(&account).await;
    assert_eq!(pods.get("reader").await.unwrap().status.unwrap().phase.as_deref(), Some("Pending"));
    let client = kubernetes(&account, "demo").await;
    let events = Api::<k8s_openapi::api::core::v1::Event>::default_namespaced(client);
    let events = events.list(&Default::default()).await.unwrap().items;
    let failed = events.iter().find(|event| event.reason.as_deref() == Some("FailedMount")).unwrap();
    assert!(failed.message.as_ref().unwrap().contains("AccessDenied"), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_closed_endpoint_hangs_and_a_throttled_one_says_so() {
    let account = with_node().await;
    let fault = Fault::new("busy", Effect::Throttle).on("kubernetes", "list nodes").times(1);
    account.with_world(|world| world.faults.switch_on(fault).unwrap());
    let client = kubernetes(&account, "demo").await;
    let nodes = Api::<Node>::all(client.clone());
    let error = nodes.list(&Default::default()).await.unwrap_err();
    assert!(matches!(&error, kube::Error::Api(status) if status.code == 429), "{error:?}");
    let eks = client!(aws_sdk_eks, &account);
    let closed = VpcConfigRequest::builder().endpoint_public_access(false).endpoint_private_access(true).build();
    eks.update_cluster_config().name("demo").resources_vpc_config(closed).send().await.unwrap();
    minutes(15).await;
    assert!(tokio::time::timeout(Duration::from_secs(3600), nodes.list(&Default::default())).await.is_err());
}
