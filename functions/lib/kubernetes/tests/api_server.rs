//! The client against an API server in the same process, on an empty cluster and a paused clock.

use account::{
    clock::Clock,
    kubernetes::{
        Cluster, Host, Request, User,
        server::{Door, in_process},
    },
};
use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use aws_smithy_async::time::SharedTimeSource;
use domain::{codes::ErrorCode, failure::Trouble, states::WaitingOn};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Namespace},
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kubernetes::{
    Call, Endpoint, FORBIDDEN, Identity, Kubernetes, Object, Ownership, Question, Reach, UNREACHABLE, Unreachable,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// A cluster and the clock that it lives by.
#[derive(Clone)]
struct House {
    cluster: Arc<Mutex<Cluster>>,
    changes: Arc<watch::Sender<u64>>,
    clock: Clock,
}

impl Door for House {
    fn with_cluster<R>(&self, act: impl FnOnce(&mut Cluster, Timestamp) -> R) -> Option<R> {
        let answer = act(&mut self.cluster.lock().unwrap(), self.clock.now());
        self.changes.send_modify(|count| *count += 1);
        Some(answer)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn clock(&self) -> Clock {
        self.clock
    }
}

impl House {
    fn new() -> Self {
        let clock = Clock::starting_at("2026-12-01T08:00:00Z".parse().unwrap());
        let cluster = Arc::new(Mutex::new(Cluster::new("1.34", clock.now())));
        Self { cluster, changes: Arc::new(watch::channel(0).0), clock }
    }

    /// A client as `user`, whose access entry was made at `access_since`.
    fn client(&self, user: User, access_since: Option<Timestamp>) -> Kubernetes {
        let house = self.clone();
        let reach = Reach::new(move |_| {
            let user = user.clone();
            in_process(house.clone(), move |token: &str| {
                token.starts_with("k8s-aws-v1.").then(|| user.clone()).ok_or(())
            })
        });
        Kubernetes::new(&reach, &endpoint(), self.identity(access_since))
    }

    fn identity(&self, access_since: Option<Timestamp>) -> Identity {
        Identity {
            cluster: "demo".to_owned(),
            region: "us-west-2".to_owned(),
            credentials: SharedCredentialsProvider::new(Credentials::new("AKID", "secret", None, None, "test")),
            time: SharedTimeSource::new(self.clock),
            access_since,
        }
    }

    fn admin(&self) -> Kubernetes {
        self.client(User::system("admin"), None)
    }

    /// Lets the controllers act until nothing is left to be done now.
    fn settle(&self) {
        while self
            .cluster
            .lock()
            .unwrap()
            .reconcile(&Bare, self.clock.now())
            .is_some_and(|next| next <= self.clock.now())
        {}
    }

    /// Applies an object as another manager.
    fn apply_as(&self, manager: &str, path: &str, object: &Value) {
        let request = Request {
            method: http::Method::PATCH,
            path: path.to_owned(),
            query: format!("fieldManager={manager}"),
            content_type: Some("application/apply-patch+yaml".to_owned()),
            accept: None,
            body: object.to_string().into_bytes(),
            user: User::system("other"),
        };
        self.with_cluster(|cluster, now| cluster.handle(&request, now));
    }
}

/// No node to ask.
struct Bare;

impl Host for Bare {
    fn mount(&self, _: &Value, driver: &str, _: &BTreeMap<String, String>, _: &[String]) -> Result<(), String> {
        Err(format!("driver {driver} is not here"))
    }

    fn read(&self, _: &BTreeMap<String, String>, _: &[String], path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path}: No such file or directory"))
    }

    fn list(&self, _: &BTreeMap<String, String>, _: &[String], path: &str) -> Result<Vec<String>, String> {
        Err(format!("{path}: No such file or directory"))
    }

    fn draw(&self, _: &str, seconds: std::ops::Range<u32>) -> SignedDuration {
        SignedDuration::from_secs(i64::from(seconds.end))
    }
}

fn endpoint() -> Endpoint {
    Endpoint { url: "https://0123.gr7.us-west-2.eks.amazonaws.com".to_owned(), certificate_authority: String::new() }
}

fn settings(color: &str, ours: bool) -> Object {
    let labels =
        ours.then(|| BTreeMap::from([("app.kubernetes.io/managed-by".into(), "hyperpod-instantstart".into())]));
    let metadata = ObjectMeta {
        name: Some("settings".into()),
        namespace: Some("default".into()),
        labels,
        ..ObjectMeta::default()
    };
    let data = Some(BTreeMap::from([("color".to_owned(), color.to_owned())]));
    Object::of(&ConfigMap { metadata, data, ..ConfigMap::default() })
}

const SETTINGS: &str = "/api/v1/namespaces/default/configmaps/settings";

#[tokio::test(start_paused = true)]
async fn an_object_is_applied_any_number_of_times_and_is_ours() {
    let kubernetes = House::new().admin();
    let object = settings("blue", true);
    assert_eq!(kubernetes.ownership(&object).await.unwrap(), Ownership::Absent);
    let uid = kubernetes.apply(&object).await.unwrap();
    let first = kubernetes.seen(&object).await.unwrap().unwrap();
    assert_eq!(kubernetes.apply(&object).await.unwrap(), uid);
    let second = kubernetes.seen(&object).await.unwrap().unwrap();
    assert_eq!(first["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"], "nothing was written");
    assert!(object.is_within(&second) && !settings("red", true).is_within(&second));
    assert_eq!(kubernetes.ownership(&object).await.unwrap(), Ownership::Ours);
    kubernetes.delete(&object).await.unwrap();
    kubernetes.delete(&object).await.unwrap();
    assert_eq!(kubernetes.seen(&object).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_field_of_another_manager_is_a_conflict_that_names_both_and_is_taken_back_in_our_own_object() {
    let house = House::new();
    let kubernetes = house.admin();
    house.apply_as("helm", SETTINGS, settings("green", false).value());
    let refused = kubernetes.apply(&settings("blue", false)).await.unwrap_err();
    let failure = refused.failure();
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains("helm") && failure.message.contains("color"), "{failure}");
    house.apply_as("helm", SETTINGS, settings("green", true).value());
    kubernetes.apply(&settings("blue", true)).await.unwrap();
    assert_eq!(kubernetes.seen(&settings("blue", true)).await.unwrap().unwrap()["data"]["color"], "blue");
}

#[tokio::test(start_paused = true)]
async fn br_028_fields_of_an_object_of_ours_are_taken_over_by_our_manager_and_of_others_never() {
    let house = House::new();
    let kubernetes = house.admin();
    let manager_of_color = |seen: &Value| -> Vec<String> {
        let entries = seen["metadata"]["managedFields"].as_array().unwrap();
        let owning = entries.iter().filter(|entry| entry["fieldsV1"]["f:data"]["f:color"].is_object());
        owning.map(|entry| entry["manager"].as_str().unwrap().to_owned()).collect()
    };
    house.apply_as("kubectl", SETTINGS, settings("green", false).value());
    let seen = kubernetes.seen(&settings("blue", true)).await.unwrap();
    assert_eq!(Ownership::of(seen.as_ref()), Ownership::Foreign);
    assert_eq!(kubernetes.apply(&settings("blue", true)).await.unwrap_err().failure().code, ErrorCode::Conflict);
    let seen = kubernetes.seen(&settings("blue", true)).await.unwrap().unwrap();
    assert_eq!((&seen["data"]["color"], manager_of_color(&seen)), (&json!("green"), vec!["kubectl".to_owned()]));

    house.apply_as("kubectl", SETTINGS, settings("green", true).value());
    kubernetes.apply(&settings("blue", true)).await.unwrap();
    let seen = kubernetes.seen(&settings("blue", true)).await.unwrap().unwrap();
    assert_eq!(
        (&seen["data"]["color"], manager_of_color(&seen)),
        (&json!("blue"), vec!["hyperpod-instantstart".to_owned()])
    );
}

/// Credentials that end sixteen minutes after they were given, again and again.
#[derive(Debug)]
struct ShortLived(Clock);

impl aws_credential_types::provider::ProvideCredentials for ShortLived {
    fn provide_credentials<'a>(&'a self) -> aws_credential_types::provider::future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let ends = std::time::SystemTime::from(self.0.now() + SignedDuration::from_mins(16));
        let given = Credentials::new("AKID", "secret", None, Some(ends), "test");
        aws_credential_types::provider::future::ProvideCredentials::ready(Ok(given))
    }
}

#[tokio::test(start_paused = true)]
async fn br_154_requests_go_on_while_the_credentials_behind_the_token_come_and_go() {
    let house = House::new();
    let tokens = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let (door, seen) = (house.clone(), Arc::clone(&tokens));
    let reach = Reach::new(move |_| {
        let seen = Arc::clone(&seen);
        in_process(door.clone(), move |token: &str| {
            seen.lock().unwrap().insert(token.to_owned());
            Ok::<User, ()>(User::system("admin"))
        })
    });
    let identity =
        Identity { credentials: SharedCredentialsProvider::new(ShortLived(house.clock)), ..house.identity(None) };
    let kubernetes = Kubernetes::new(&reach, &endpoint(), identity);
    for minutes in [0, 13, 2, 16, 3] {
        tokio::time::sleep(std::time::Duration::from_secs(minutes * 60)).await;
        kubernetes.nodes("").await.unwrap();
    }
    assert_eq!(tokens.lock().unwrap().len(), 3, "at 0 and 13 minutes one, at 15 another, at 31 and 34 the third");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_wait_while_access_spreads_and_a_verdict_after() {
    let house = House::new();
    let nobody = User { name: "nobody".to_owned(), groups: Vec::new() };
    let young = house.client(nobody.clone(), Some(house.clock.now() - SignedDuration::from_secs(30)));
    let refused = young.nodes("").await.unwrap_err();
    assert!(matches!(refused, Trouble::Later { on: WaitingOn::Aws, .. }), "{refused:?}");
    let old = house.client(nobody, Some(house.clock.now() - SignedDuration::from_mins(4)));
    let refused = old.nodes("").await.unwrap_err();
    assert!(matches!(&refused, Trouble::Fatal(failure) if failure.code == ErrorCode::PermissionDenied), "{refused:?}");
    assert!(refused.is_upstream(FORBIDDEN));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_made_anew_when_it_ages_and_requests_go_on() {
    let house = House::new();
    let kubernetes = house.admin();
    assert!(kubernetes.version().await.unwrap().starts_with("v1.34"));
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert!(kubernetes.nodes("").await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn kinds_and_rights_are_asked_of_the_cluster() {
    let kubernetes = House::new().admin();
    assert!(kubernetes.serves("apps/v1", "DaemonSet").await.unwrap());
    assert!(!kubernetes.serves("kueue.x-k8s.io/v1beta1", "ClusterQueue").await.unwrap());
    assert!(!kubernetes.serves_group("cert-manager.io").await.unwrap());
    assert!(kubernetes.may_i(&Question::everything()).await.unwrap().allowed);
    assert!(!kubernetes.may("nobody", &[], &Question::everything()).await.unwrap().allowed);
}

#[tokio::test(start_paused = true)]
async fn cluster_wide_objects_and_empty_lists_are_read() {
    let kubernetes = House::new().admin();
    let metadata = ObjectMeta { name: Some("aws-hyperpod".into()), ..ObjectMeta::default() };
    let namespace = Object::of(&Namespace { metadata, ..Namespace::default() });
    kubernetes.apply(&namespace).await.unwrap();
    assert_eq!(kubernetes.seen(&namespace).await.unwrap().unwrap()["kind"], json!("Namespace"));
    assert!(kubernetes.daemon_sets(None, "").await.unwrap().is_empty());
    assert!(kubernetes.pods(Some("default"), "app=x").await.unwrap().is_empty());
    assert_eq!(kubernetes.pod("default", "none").await.unwrap(), None);
    assert_eq!(kubernetes.log("default", "none").await.unwrap(), None);
    assert_eq!(kubernetes.claim("default", "s3-claim").await.unwrap(), None);
    assert!(kubernetes.events("default", "Pod", "none").await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_found_again_by_the_servers_audit_id_whatever_its_body() {
    let house = House::new();
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 422, "reason": "Invalid", "message": "is wrong",
    });
    let cases = [
        (422, status.to_string(), "Invalid", "is wrong"),
        (413, "<html>too large</html>".to_owned(), "413", "<html>too large</html>"),
        (404, String::new(), "404", "Not Found"),
    ];
    for (code, body, upstream, text) in cases {
        let refusing = Reach::new(move |_| {
            let body = body.clone();
            tower::service_fn(move |_: Call| {
                let answer = http::Response::builder().status(code).header("Audit-Id", "5f0e-1");
                std::future::ready(answer.body(http_body_util::Full::<bytes::Bytes>::from(body.clone())))
            })
        });
        let kubernetes = Kubernetes::new(&refusing, &endpoint(), house.identity(None));
        let refused = kubernetes.nodes("").await.unwrap_err();
        let failure = refused.failure();
        assert!(failure.message.ends_with(text) && !failure.action.is_empty(), "{failure:?}");
        let told = failure.upstream.as_ref().unwrap();
        assert_eq!((told.code.as_str(), told.request_id.as_deref()), (upstream, Some("5f0e-1")));
    }
}

#[tokio::test(start_paused = true)]
async fn pods_of_a_deployment_are_its_own_and_not_those_whose_names_begin_alike() {
    let house = House::new();
    let kubernetes = house.admin();
    for name in ["plugin", "plugin-a"] {
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": { "name": name, "namespace": "default" },
            "spec": { "selector": { "matchLabels": { "app": name } }, "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
            } },
        }))
        .unwrap();
        kubernetes.apply(&Object::of(&deployment)).await.unwrap();
    }
    house.settle();
    let deployments = kubernetes.deployments(Some("default"), "").await.unwrap();
    let plugin = deployments.iter().find(|one| one.name == "plugin").unwrap();
    let pods = kubernetes.pods(Some("default"), "").await.unwrap();
    let sets = kubernetes.replica_sets(Some("default"), "").await.unwrap();
    assert_eq!((pods.len(), sets.len()), (2, 2));
    let mine: Vec<_> = pods.iter().filter(|pod| plugin.controls(pod, &sets)).map(|pod| &pod.labels["app"]).collect();
    assert_eq!(mine, ["plugin"]);
    assert!(pods.iter().all(|pod| !plugin.controls(pod, &[])), "nothing but the ReplicaSet tells whose they are");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_never_answers_is_given_up_after_five_seconds_and_one_without_a_route_is_unreachable() {
    let house = House::new();
    let silent = Reach::new(|_| {
        tower::service_fn(|_: Call| {
            std::future::pending::<Result<http::Response<account::kubernetes::server::Body>, String>>()
        })
    });
    let kubernetes = Kubernetes::new(&silent, &endpoint(), house.identity(None));
    let began = house.clock.now();
    let lost = kubernetes.nodes("").await.unwrap_err();
    assert_eq!(lost.failure().code, ErrorCode::NetworkUnreachable);
    assert_eq!(house.clock.now().duration_since(began).as_secs(), 5);
    let closed = Reach::new(|endpoint: &Endpoint| {
        let url = endpoint.url.clone();
        tower::service_fn(move |_: Call| {
            let refused = Unreachable { url: url.clone(), why: "no route to host".to_owned() };
            std::future::ready(Err::<http::Response<account::kubernetes::server::Body>, _>(refused))
        })
    });
    let kubernetes = Kubernetes::new(&closed, &endpoint(), house.identity(None));
    assert!(kubernetes.apply(&settings("blue", true)).await.unwrap_err().is_upstream(UNREACHABLE));
}
