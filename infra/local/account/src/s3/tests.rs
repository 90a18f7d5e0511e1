//! S3 as the official SDK sees it.

use super::{Door, Visit, serve};
use crate::{call::Caller, iam::test_world, world::World};
use aws_sdk_s3::{
    Client,
    config::{Builder, Credentials, Region, SharedHttpClient, retry::RetryConfig},
    error::ProvideErrorMetadata,
    primitives::ByteStream,
    types::{
        BucketLocationConstraint, CompletedMultipartUpload, CompletedPart, CreateBucketConfiguration, Delete,
        ObjectIdentifier,
    },
};
use aws_smithy_runtime_api::{
    client::{
        http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn},
        orchestrator::HttpRequest,
        result::ConnectorError,
    },
    http::{Response, StatusCode},
};
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use serde_json::json;
use std::sync::{Arc, Mutex};

#[derive(Debug)]
struct Account(Mutex<World>);

impl Door for Account {
    fn with_world<R>(&self, work: impl FnOnce(&mut World) -> R) -> R {
        work(&mut self.0.lock().unwrap())
    }
}

#[derive(Debug, Clone)]
struct Connector {
    door: Arc<Account>,
    visit: Visit,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (door, visit) = (Arc::clone(&self.door), self.visit.clone());
        HttpConnectorFuture::new(async move {
            let request = request.try_into_http1x().map_err(|error| ConnectorError::other(error.into(), None))?;
            let (parts, body) = request.into_parts();
            let body =
                http_body_util::BodyExt::collect(body).await.map_err(|error| ConnectorError::other(error, None))?;
            let answer = serve(door, visit, http::Request::from_parts(parts, body.to_bytes())).await;
            let (parts, body) = answer.into_parts();
            let mut response = Response::new(StatusCode::try_from(parts.status.as_u16()).unwrap(), SdkBody::from(body));
            for (name, value) in &parts.headers {
                response.headers_mut().append(name.as_str().to_owned(), value.to_str().unwrap().to_owned());
            }
            Ok(response)
        })
    }
}

fn account() -> Arc<Account> {
    Arc::new(Account(Mutex::new(test_world::world())))
}

fn client_of(door: &Arc<Account>, caller: Caller, region: &'static str, path_style: bool) -> Client {
    let visit = Visit { caller, region: region.to_owned(), now: test_world::noon(), request_id: "ID".to_owned() };
    let connector = SharedHttpConnector::new(Connector { door: Arc::clone(door), visit });
    let http: SharedHttpClient = http_client_fn(move |_, _| connector.clone());
    let config = Builder::new()
        .behavior_version(aws_sdk_s3::config::BehaviorVersion::latest())
        .region(Region::new(region))
        .credentials_provider(Credentials::new("AKIA", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .force_path_style(path_style)
        .http_client(http)
        .build();
    Client::from_conf(config)
}

fn client(door: &Arc<Account>) -> Client {
    client_of(door, Caller::root(), "us-west-2", false)
}

async fn make_bucket(client: &Client, name: &str, region: &str) -> Result<(), String> {
    let place =
        CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region)).build();
    let sent = client.create_bucket().bucket(name).create_bucket_configuration(place).send().await;
    sent.map(|_| ()).map_err(|error| error.code().unwrap_or("none").to_owned())
}

async fn put(client: &Client, key: &str, body: &'static str) {
    client.put_object().bucket("b-1").key(key).body(ByteStream::from_static(body.as_bytes())).send().await.unwrap();
}

#[tokio::test]
async fn an_object_comes_back_as_it_was_sent_in_both_addressing_styles() {
    let door = account();
    for (style, bucket) in [(false, "virtual-style"), (true, "path-style")] {
        let client = client_of(&door, Caller::root(), "us-west-2", style);
        make_bucket(&client, bucket, "us-west-2").await.unwrap();
        let sent = client.put_object().bucket(bucket).key("a/b c+d.sh").content_type("text/x-sh").metadata("sha", "1");
        let sent = sent.body(ByteStream::from_static(b"echo hello")).send().await.unwrap();
        let got = client.get_object().bucket(bucket).key("a/b c+d.sh").send().await.unwrap();
        assert_eq!((got.e_tag(), got.content_type()), (sent.e_tag(), Some("text/x-sh")));
        assert_eq!(got.metadata().unwrap()["sha"], "1");
        assert_eq!(got.body.collect().await.unwrap().into_bytes(), Bytes::from_static(b"echo hello"));
        let part = client.get_object().bucket(bucket).key("a/b c+d.sh").range("bytes=5-7").send().await.unwrap();
        assert_eq!(part.content_range(), Some("bytes 5-7/10"));
        assert_eq!(part.body.collect().await.unwrap().into_bytes(), Bytes::from_static(b"hel"));
        let missing = client.get_object().bucket(bucket).key("none").send().await.unwrap_err();
        assert_eq!(missing.code(), Some("NoSuchKey"));
        assert!(
            client
                .head_object()
                .bucket(bucket)
                .key("none")
                .send()
                .await
                .unwrap_err()
                .as_service_error()
                .unwrap()
                .is_not_found()
        );
    }
    assert_eq!(super::list(&door.0.lock().unwrap(), "path-style", "a/"), Some(vec!["a/b c+d.sh".to_owned()]));
}

#[tokio::test]
async fn br_115_names_regions_and_conflicts_are_told_apart() {
    let door = account();
    door.with_world(|world| world.s3.foreign.insert("backup".to_owned(), "eu-west-1".to_owned()));
    let (west, east) = (client(&door), client_of(&door, Caller::root(), "us-east-1", false));
    assert_eq!(make_bucket(&west, "backup", "us-west-2").await.unwrap_err(), "BucketAlreadyExists");
    assert_eq!(make_bucket(&west, "b-1", "eu-west-1").await.unwrap_err(), "IllegalLocationConstraintException");
    let without = west.create_bucket().bucket("b-1").send().await.unwrap_err();
    assert_eq!(without.code(), Some("IllegalLocationConstraintException"));
    make_bucket(&west, "b-1", "us-west-2").await.unwrap();
    assert_eq!(make_bucket(&west, "b-1", "us-west-2").await.unwrap_err(), "BucketAlreadyOwnedByYou");
    east.create_bucket().bucket("b-2").send().await.unwrap();
    east.create_bucket().bucket("b-2").send().await.unwrap();
    for (name, status) in [("b-1", 200), ("backup", 403), ("b-2", 301), ("free", 404)] {
        let found = match west.head_bucket().bucket(name).send().await {
            Ok(_) => 200,
            Err(error) => error.raw_response().unwrap().status().as_u16(),
        };
        assert_eq!(found, status, "{name}");
    }
    west.delete_bucket().bucket("b-1").send().await.unwrap();
    assert_eq!(make_bucket(&west, "b-1", "us-west-2").await.unwrap_err(), "OperationAborted");
    let location = west.get_bucket_location().bucket("b-2").send().await.unwrap();
    assert_eq!(location.location_constraint().map_or("", BucketLocationConstraint::as_str), "");
}

#[tokio::test]
async fn a_conditional_put_writes_once() {
    let door = account();
    let client = client(&door);
    make_bucket(&client, "b-1", "us-west-2").await.unwrap();
    let write = |body: &'static [u8]| client.put_object().bucket("b-1").key("k").body(ByteStream::from_static(body));
    let first = write(b"1").if_none_match("*").send().await.unwrap();
    assert_eq!(write(b"2").if_none_match("*").send().await.unwrap_err().code(), Some("PreconditionFailed"));
    write(b"3").if_match(first.e_tag().unwrap()).send().await.unwrap();
    assert_eq!(
        write(b"4").if_match(first.e_tag().unwrap()).send().await.unwrap_err().code(),
        Some("PreconditionFailed")
    );
    assert_eq!(super::get_object(&door.0.lock().unwrap(), "b-1", "k"), Some(Bytes::from_static(b"3")));
}

#[tokio::test]
async fn a_checksum_that_does_not_fit_is_refused() {
    let door = account();
    let client = client(&door);
    make_bucket(&client, "b-1", "us-west-2").await.unwrap();
    let sent =
        client.put_object().bucket("b-1").key("k").checksum_crc32("AAAAAA==").body(ByteStream::from_static(b"x"));
    assert_eq!(sent.send().await.unwrap_err().code(), Some("BadDigest"));
}

#[tokio::test]
async fn listing_pages_and_folds_folders() {
    let door = account();
    let client = client(&door);
    make_bucket(&client, "b-1", "us-west-2").await.unwrap();
    for key in ["a/1", "a/2", "b", "c/1", "d"] {
        put(&client, key, "x").await;
    }
    let (mut seen, mut token) = (Vec::new(), None);
    loop {
        let page = client.list_objects_v2().bucket("b-1").delimiter("/").max_keys(2);
        let page = page.set_continuation_token(token).send().await.unwrap();
        seen.extend(page.common_prefixes().iter().filter_map(|one| one.prefix().map(str::to_owned)));
        seen.extend(page.contents().iter().filter_map(|one| one.key().map(str::to_owned)));
        token = page.next_continuation_token().map(str::to_owned);
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["a/", "b", "c/", "d"]);
    let older = client.list_objects().bucket("b-1").prefix("a/").send().await.unwrap();
    assert_eq!(older.contents().len(), 2);
    let ids = ["a/1", "none"].map(|key| ObjectIdentifier::builder().key(key).build().unwrap());
    let delete = Delete::builder().set_objects(Some(ids.to_vec())).build().unwrap();
    let deleted = client.delete_objects().bucket("b-1").delete(delete).send().await.unwrap();
    assert_eq!((deleted.deleted().len(), deleted.errors().len()), (2, 0));
    assert_eq!(client.delete_bucket().bucket("b-1").send().await.unwrap_err().code(), Some("BucketNotEmpty"));
}

#[tokio::test]
async fn parts_become_one_object() {
    let door = account();
    let client = client(&door);
    make_bucket(&client, "b-1", "us-west-2").await.unwrap();
    let upload = client.create_multipart_upload().bucket("b-1").key("big").send().await.unwrap();
    let id = upload.upload_id().unwrap();
    let mut parts = Vec::new();
    for (number, size) in [(1, 5 * 1024 * 1024), (2, 10)] {
        let body = ByteStream::from(vec![b'x'; size]);
        let part = client.upload_part().bucket("b-1").key("big").upload_id(id).part_number(number).body(body);
        let part = part.send().await.unwrap();
        parts.push(CompletedPart::builder().part_number(number).set_e_tag(part.e_tag).build());
    }
    let complete = |parts: Vec<CompletedPart>| {
        let upload = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        client.complete_multipart_upload().bucket("b-1").key("big").upload_id(id).multipart_upload(upload).send()
    };
    let reversed = parts.iter().rev().cloned().collect();
    assert_eq!(complete(reversed).await.unwrap_err().code(), Some("InvalidPartOrder"));
    let done = complete(parts.clone()).await.unwrap();
    assert!(done.e_tag().unwrap().ends_with("-2\""));
    let head = client.head_object().bucket("b-1").key("big").send().await.unwrap();
    assert_eq!(head.content_length(), Some(5 * 1024 * 1024 + 10));
    assert_eq!(complete(parts).await.unwrap_err().code(), Some("NoSuchUpload"));
}

#[tokio::test]
async fn policies_of_caller_and_bucket_decide() {
    let door = account();
    let root = client(&door);
    make_bucket(&root, "b-1", "us-west-2").await.unwrap();
    put(&root, "open/k", "x").await;
    put(&root, "closed/k", "x").await;
    let caller = door.with_world(|world| {
        test_world::role(world, "driver", json!([
            { "Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::b-1", "Condition": { "StringLike": { "s3:prefix": "open/*" } } },
            { "Effect": "Allow", "Action": ["s3:PutObject"], "Resource": "arn:aws:s3:::b-1/*" },
        ]))
    });
    let driver = client_of(&door, caller, "us-west-2", false);
    assert!(driver.list_objects_v2().bucket("b-1").prefix("open/").send().await.is_ok());
    assert!(driver.list_objects_v2().bucket("b-1").send().await.is_err());
    let refused = driver.get_object().bucket("b-1").key("open/k").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("AccessDenied"));
    assert!(refused.message().unwrap().contains("s3:GetObject on resource: \"arn:aws:s3:::b-1/open/k\""));
    let policy = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "AWS": "arn:aws:iam::111122223333:role/driver" }, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b-1/open/*" },
        { "Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::b-1/closed/*" },
    ] });
    root.put_bucket_policy().bucket("b-1").policy(policy.to_string()).send().await.unwrap();
    assert!(driver.get_object().bucket("b-1").key("open/k").send().await.is_ok());
    assert!(root.get_object().bucket("b-1").key("closed/k").send().await.is_err(), "a deny binds root too");
    let foreign = policy.to_string().replace("b-1", "b-2");
    assert_eq!(
        root.put_bucket_policy().bucket("b-1").policy(foreign).send().await.unwrap_err().code(),
        Some("MalformedPolicy")
    );
    let driver_arn = "arn:aws:iam::111122223333:role/driver";
    let may = |key: &str| {
        door.with_world(|world| {
            crate::iam::allows(
                world,
                driver_arn,
                "s3:GetObject",
                &format!("arn:aws:s3:::b-1/{key}"),
                test_world::noon(),
            )
            .is_ok()
        })
    };
    assert_eq!((may("open/k"), may("other")), (true, false));
}

#[tokio::test]
async fn settings_of_a_bucket_are_kept() {
    use aws_sdk_s3::types::{
        BucketVersioningStatus, PublicAccessBlockConfiguration, Tag, Tagging, VersioningConfiguration,
    };
    let door = account();
    let client = client(&door);
    make_bucket(&client, "b-1", "us-west-2").await.unwrap();
    let encryption = client.get_bucket_encryption().bucket("b-1").send().await.unwrap();
    let rules = encryption.server_side_encryption_configuration().unwrap().rules();
    assert_eq!(rules[0].apply_server_side_encryption_by_default().unwrap().sse_algorithm().as_str(), "AES256");
    assert_eq!(client.get_bucket_policy().bucket("b-1").send().await.unwrap_err().code(), Some("NoSuchBucketPolicy"));
    assert_eq!(client.get_bucket_tagging().bucket("b-1").send().await.unwrap_err().code(), Some("NoSuchTagSet"));
    let tags = Tagging::builder().tag_set(Tag::builder().key("a").value("b").build().unwrap()).build().unwrap();
    client.put_bucket_tagging().bucket("b-1").tagging(tags).send().await.unwrap();
    assert_eq!(client.get_bucket_tagging().bucket("b-1").send().await.unwrap().tag_set()[0].value(), "b");
    let on = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    client.put_bucket_versioning().bucket("b-1").versioning_configuration(on).send().await.unwrap();
    let versioning = client.get_bucket_versioning().bucket("b-1").send().await.unwrap();
    assert_eq!(versioning.status(), Some(&BucketVersioningStatus::Enabled));
    let block = PublicAccessBlockConfiguration::builder().block_public_acls(true).build();
    client.put_public_access_block().bucket("b-1").public_access_block_configuration(block).send().await.unwrap();
    let block = client.get_public_access_block().bucket("b-1").send().await.unwrap();
    assert_eq!(block.public_access_block_configuration().unwrap().restrict_public_buckets(), Some(false));
    let read: World = door.with_world(|world| serde_json::from_str(&serde_json::to_string(world).unwrap()).unwrap());
    assert_eq!(read, *door.0.lock().unwrap());
}
