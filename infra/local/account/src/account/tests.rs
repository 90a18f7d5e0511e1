//! Real SDK clients at the account's door, over a small handler, with a paused clock.

use super::*;
use crate::{
    call::AwsError,
    faults::{Effect, Fault},
    iam, in_process,
};
use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use aws_sdk_dynamodb::{
    config::{BehaviorVersion, Region, StalledStreamProtectionConfig, retry::RetryConfig, timeout::TimeoutConfig},
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::{AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType},
};
use serde_json::json;
use std::time::Duration;

/// Keeps one VPC id a call in the world's numbers; answers what each test asks for.
fn handler(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "CreateVpc" => {
            let id = world.new_id("vpc-");
            Ok(json!({"Vpc": {"VpcId": id, "CidrBlock": call.required("CidrBlock"), "State": "pending"}}))
        }
        "CreateRole" => Ok(json!({"Role": {
            "Path": "/", "RoleName": call.required("RoleName"), "RoleId": "AROAEXAMPLEEXAMPLE00",
            "Arn": "arn:aws:iam::111122223333:role/r", "CreateDate": call.now.as_second(),
        }})),
        "GetCallerIdentity" => {
            Ok(json!({"Account": "111122223333", "Arn": call.caller.arn, "UserId": call.caller.user_id}))
        }
        "DescribeCluster" => {
            let message = format!("No cluster found for name: {}.", call.required("name"));
            Err(AwsError::new("ResourceNotFoundException", message).with("clusterName", call.required("name")))
        }
        "ListClusters" => Ok(json!({"clusters": ["a"], "nextToken": "more"})),
        other => Err(AwsError::new("UnknownOperationException", other)),
    }
}

fn account() -> Account {
    let clock = Clock::starting_at("2026-11-30T00:00:00Z".parse().unwrap());
    Account::with_handler(World::new(7, 1), clock, handler).unwrap()
}

fn root(account: &Account) -> SharedCredentialsProvider {
    let root = account.read(iam::root_credentials);
    let (id, secret) = (root.access_key_id, root.secret_access_key);
    SharedCredentialsProvider::new(Credentials::new(id, secret, None, None, "test"))
}

/// A client of `$sdk` in the way of the product: no retries, own time-outs.
macro_rules! client {
    ($sdk:ident, $account:expr) => {
        client!($sdk, $account, root($account))
    };
    ($sdk:ident, $account:expr, $credentials:expr) => {
        $sdk::Client::from_conf(
            $sdk::Config::builder()
                .behavior_version(BehaviorVersion::latest())
                .region(Region::from_static("us-west-2"))
                .credentials_provider($credentials)
                .time_source($account.clock())
                .retry_config(RetryConfig::disabled())
                .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
                .timeout_config(TimeoutConfig::builder().operation_timeout(Duration::from_secs(15)).build())
                .http_client(in_process::http_client($account))
                .build(),
        )
    };
}

#[tokio::test(start_paused = true)]
async fn each_protocol_answers_its_sdk() {
    let account = account();
    let vpc = client!(aws_sdk_ec2, &account).create_vpc().cidr_block("10.0.0.0/16").send().await.unwrap();
    assert!(vpc.request_id().is_some());
    let vpc = vpc.vpc.unwrap();
    assert_eq!((vpc.cidr_block(), vpc.state().map(|state| state.as_str())), (Some("10.0.0.0/16"), Some("pending")));

    let role = client!(aws_sdk_iam, &account).create_role().role_name("r").assume_role_policy_document("{}");
    let role = role.send().await.unwrap().role.unwrap();
    assert_eq!(role.create_date().secs(), account.now().as_second());

    let caller = client!(aws_sdk_sts, &account).get_caller_identity().send().await.unwrap();
    assert_eq!(caller.arn(), Some("arn:aws:iam::111122223333:root"));

    let eks = client!(aws_sdk_eks, &account);
    let clusters = eks.list_clusters().max_results(1).send().await.unwrap();
    assert_eq!((clusters.clusters(), clusters.next_token()), (&["a".to_owned()][..], Some("more")));
    let missing = eks.describe_cluster().name("b").send().await.unwrap_err().into_service_error();
    let aws_sdk_eks::operation::describe_cluster::DescribeClusterError::ResourceNotFoundException(missing) = missing
    else {
        panic!("{missing:?}");
    };
    assert_eq!((missing.cluster_name(), missing.message()), (Some("b"), Some("No cluster found for name: b.")));
}

#[tokio::test(start_paused = true)]
async fn an_invalid_request_is_refused_before_the_service_sees_it() {
    let account = account();
    let error = client!(aws_sdk_ec2, &account).create_vpc().instance_tenancy("shared".into()).send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidParameterValue"));
    assert_eq!(account.read(|world| world.calls.mutations()), 0);
    assert_eq!(account.read(|world| world.calls.count("ec2", "CreateVpc").all), 1);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_is_refused_in_the_words_of_each_protocol() {
    let account = account();
    let stranger = SharedCredentialsProvider::new(Credentials::new("AKIAEXAMPLE", "secret", None, None, "test"));
    let error = client!(aws_sdk_ec2, &account, stranger.clone()).describe_vpcs().send().await.unwrap_err();
    assert_eq!(error.code(), Some("AuthFailure"));
    let error = client!(aws_sdk_iam, &account, stranger.clone()).list_roles().send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidClientTokenId"));
    let error = client!(aws_sdk_eks, &account, stranger).list_clusters().send().await.unwrap_err();
    assert_eq!(error.code(), Some("UnrecognizedClientException"));
}

#[tokio::test(start_paused = true)]
async fn a_throttle_and_a_server_error_keep_the_service_from_acting() {
    let account = account();
    let ec2 = client!(aws_sdk_ec2, &account);
    account.with_world(|world| {
        world.faults.switch_on(Fault::new("t", Effect::Throttle).on("ec2", "Create*").nth(1)).unwrap()
    });
    let error = ec2.create_vpc().send().await.unwrap_err();
    assert_eq!(error.code(), Some("RequestLimitExceeded"));
    let broken = Fault::new("e", Effect::ServerError { status: 500 }).times(1);
    account.with_world(|world| world.faults.switch_on(broken).unwrap());
    let error = ec2.create_vpc().send().await.unwrap_err();
    assert_eq!(error.raw_response().map(|response| response.status().as_u16()), Some(500));
    assert_eq!(account.read(|world| world.calls.mutations()), 0);
    ec2.create_vpc().send().await.unwrap();
    assert_eq!(account.read(|world| world.calls.count("ec2", "CreateVpc").mutating), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_a_time_out_of_a_call_that_happened() {
    let account = account();
    account
        .with_world(|world| world.faults.switch_on(Fault::new("l", Effect::LostAnswer).on_mutations().nth(1)).unwrap());
    let error = client!(aws_sdk_ec2, &account).create_vpc().send().await.unwrap_err();
    assert!(matches!(&error, SdkError::DispatchFailure(failure) if failure.is_timeout()), "{error:?}");
    assert_eq!(account.read(|world| world.calls.count("ec2", "CreateVpc").mutating), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_happens_late_on_the_accounts_clock() {
    let account = account();
    account.with_world(|world| world.faults.switch_on(Fault::new("s", Effect::Slow { seconds: 10 })).unwrap());
    let began = account.now();
    client!(aws_sdk_ec2, &account).create_vpc().send().await.unwrap();
    assert_eq!(account.now().duration_since(began).as_secs(), 10);
    assert_eq!(account.read(|world| world.calls.latest().next().unwrap().at.duration_since(began).as_secs()), 10);
}

#[tokio::test(start_paused = true)]
async fn a_kill_ends_the_invocation_right_after_its_nth_change() {
    use crate::invocation::{INVOCATION, Invocation};
    let account = account();
    let kill = Fault::new("k", Effect::Kill { function: "stage-*".into() }).on_mutations().nth(2);
    account.with_world(|world| world.faults.switch_on(kill).unwrap());
    let ec2 = client!(aws_sdk_ec2, &account);
    let (invocation, death) = Invocation::new("id", "stage-one");
    let work = INVOCATION.scope(invocation, async {
        for _ in 0..3 {
            ec2.create_vpc().send().await.unwrap();
        }
    });
    tokio::select! {
        () = death.wait() => {}
        () = work => panic!("the invocation outlived its kill"),
    }
    assert_eq!(account.read(|world| world.calls.count("ec2", "CreateVpc").mutating), 2);
    ec2.create_vpc().send().await.unwrap();
}

async fn table_with_item(account: &Account) -> aws_sdk_dynamodb::Client {
    let client = client!(aws_sdk_dynamodb, account);
    let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash).build().unwrap();
    let attribute = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S).build();
    let table = client.create_table().table_name("things").billing_mode(BillingMode::PayPerRequest);
    table.key_schema(key).attribute_definitions(attribute.unwrap()).send().await.unwrap();
    client.put_item().table_name("things").item("pk", AttributeValue::S("a".into())).send().await.unwrap();
    client
}

#[tokio::test(start_paused = true)]
async fn dynamodb_is_behind_the_same_door() {
    let account = account();
    let client = table_with_item(&account).await;
    let again = client.put_item().table_name("things").item("pk", AttributeValue::S("a".into()));
    let error = again.condition_expression("attribute_not_exists(pk)").send().await.unwrap_err();
    assert!(error.as_service_error().unwrap().is_conditional_check_failed_exception());
    let count = account.read(|world| world.calls.count("dynamodb", "PutItem"));
    assert_eq!((count.all, count.succeeded, count.mutating), (2, 1, 1));
    let error = client.get_item().table_name("none").key("pk", AttributeValue::S("a".into())).send().await.unwrap_err();
    assert!(error.as_service_error().unwrap().is_resource_not_found_exception());
    account.with_world(|world| world.faults.switch_on(Fault::new("l", Effect::LostAnswer).times(1)).unwrap());
    client.put_item().table_name("things").item("pk", AttributeValue::S("b".into())).send().await.unwrap_err();
    assert_eq!(client.scan().table_name("things").send().await.unwrap().count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_fork_goes_its_own_way() {
    let first = account();
    table_with_item(&first).await;
    let second = first.fork().unwrap();
    assert_eq!(first.read(World::clone), second.read(World::clone));
    let theirs = client!(aws_sdk_dynamodb, &second);
    theirs.put_item().table_name("things").item("pk", AttributeValue::S("b".into())).send().await.unwrap();
    client!(aws_sdk_ec2, &second).create_vpc().send().await.unwrap();
    assert_eq!(theirs.scan().table_name("things").send().await.unwrap().count(), 2);
    let ours = client!(aws_sdk_dynamodb, &first);
    assert_eq!(ours.scan().table_name("things").send().await.unwrap().count(), 1);
    assert_eq!(first.read(|world| world.calls.count("ec2", "CreateVpc").all), 0);
}

#[test]
fn a_snapshot_goes_on_in_another_runtime_at_its_own_time() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (snapshot, taken) = runtime().block_on(async {
        let account = account();
        table_with_item(&account).await;
        tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
        (account.snapshot().unwrap(), account.now())
    });
    for _ in 0..2 {
        runtime().block_on(async {
            let account = snapshot.account().unwrap();
            assert_eq!(account.now(), taken);
            let client = client!(aws_sdk_dynamodb, &account);
            assert_eq!(client.scan().table_name("things").send().await.unwrap().count(), 1);
            client.put_item().table_name("things").item("pk", AttributeValue::S("b".into())).send().await.unwrap();
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_account_is_the_same_when_it_is_opened() {
    let folder = std::env::temp_dir().join(format!("account-test-keep-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    assert!(!Account::is_kept_in(&folder));
    let first = account();
    first.save(&folder).unwrap();
    table_with_item(&first).await;
    let fault = crate::faults::Fault { count: Some(1), ..crate::faults::Fault::new("once", Effect::Throttle) };
    first.with_world(|world| world.faults.switch_on(fault.on("ec2", "CreateVpc")).unwrap());
    client!(aws_sdk_ec2, &first).create_vpc().send().await.unwrap_err();
    first.save(&folder).unwrap();
    let second = Account::open(&folder, first.clock()).unwrap();
    assert_eq!(first.read(World::clone), second.read(World::clone));
    assert_eq!(second.read(|world| world.faults.active()[0].met), 1, "a fault that is spent stays spent");
    let item =
        client!(aws_sdk_dynamodb, &second).get_item().table_name("things").key("pk", AttributeValue::S("a".into()));
    assert!(item.send().await.unwrap().item.is_some());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
    std::fs::write(folder.join("of-somebody-else"), "").unwrap();
    Keep::forget(&folder).unwrap();
    assert!(!Account::is_kept_in(&folder));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "what we did not keep is not ours to remove");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_part_of_the_world_is_written_again_only_when_it_has_changed() {
    let folder = std::env::temp_dir().join(format!("account-test-parts-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let parts = || {
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("part-")).collect::<std::collections::BTreeSet<_>>()
    };
    let first = account();
    first.with_world(|world| {
        for arn in ["a", "b"] {
            world.kubernetes.insert(arn.into(), crate::kubernetes::Cluster::new("33", first.now()).into());
        }
    });
    let mut keep = Keep::in_folder(&folder);
    keep.keep(&first).unwrap();
    let before = parts();
    keep.keep(&first).unwrap();
    assert_eq!(parts(), before);
    first.with_world(|world| world.kubernetes.get_mut("b").unwrap().set_minor("34"));
    keep.keep(&first).unwrap();
    assert_eq!((parts().len(), parts().intersection(&before).count()), (2, 1));
    first.with_world(|world| world.kubernetes.remove("a"));
    keep.keep(&first).unwrap();
    assert_eq!(parts().len(), 1);
    let second = Account::open(&folder, first.clock()).unwrap();
    assert_eq!(first.read(World::clone), second.read(World::clone));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_change_wakes_those_who_wait_for_one() {
    let account = account();
    let life = account.run();
    let mut changes = account.changes();
    client!(aws_sdk_ec2, &account).create_vpc().send().await.unwrap();
    changes.changed().await.unwrap();
    account.read(|_| ());
    assert!(!changes.has_changed().unwrap());
    drop((account, changes));
    life.await.unwrap();
}

#[tokio::test]
async fn the_account_answers_over_tcp() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let account = account();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(crate::server::serve(account.clone(), listener));
    let ask = async |request: String| {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let head = "host: localhost\r\nconnection: close\r\n";
    let fault = json!({"name": "x", "effect": {"kind": "slow", "seconds": 1}, "service": "s3", "count": 1}).to_string();
    let length = fault.len();
    let answer = ask(format!("POST /_account/faults HTTP/1.1\r\n{head}content-length: {length}\r\n\r\n{fault}")).await;
    assert!(answer.starts_with("HTTP/1.1 201") && answer.contains("\"spent\":false"), "{answer}");
    assert_eq!(account.read(|world| world.faults.active().len()), 1);
    let answer = ask(format!("GET / HTTP/1.1\r\n{head}x-amz-target: SageMaker.ListClusters\r\n\r\n")).await;
    assert!(answer.contains("MissingAuthenticationTokenException"), "{answer}");
    let answer = ask(format!("GET /_account/calls HTTP/1.1\r\n{head}\r\n")).await;
    assert!(answer.contains("\"mutations\":0"), "{answer}");
    server.abort();
}

mod life;
