//! The cluster seen by the real kube client, in process, under a paused clock.

mod access;
mod objects;
mod workloads;

use super::server::{Door, in_process};
use super::{Cluster, Host, User};
use crate::clock::Clock;
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use serde_json::{Value, json};
use std::{collections::BTreeMap, ops::Range, sync::Arc, sync::Mutex};
use tokio::sync::watch;

/// A world in which one file can be read and buckets named `broken` cannot be mounted.
pub(super) struct Files;

impl Host for Files {
    fn mount(&self, _: &Value, _: &str, attributes: &BTreeMap<String, String>, _: &[String]) -> Result<(), String> {
        if attributes["bucketName"] == "broken" { Err("rpc error: code = Internal".to_owned()) } else { Ok(()) }
    }

    fn read(&self, _: &BTreeMap<String, String>, _: &[String], path: &str) -> Result<Vec<u8>, String> {
        if path == "hello.txt" { Ok(b"hello\n".to_vec()) } else { Err("No such file or directory".to_owned()) }
    }

    fn list(&self, _: &BTreeMap<String, String>, _: &[String], _: &str) -> Result<Vec<String>, String> {
        Ok(vec!["hello.txt".to_owned()])
    }

    fn draw(&self, _: &str, seconds: Range<u32>) -> SignedDuration {
        SignedDuration::from_secs(i64::from(seconds.start))
    }
}

/// A cluster that several clients share, and the clock on which its controllers act.
#[derive(Clone)]
pub(super) struct House {
    cluster: Arc<Mutex<Cluster>>,
    changes: Arc<watch::Sender<u64>>,
    clock: Clock,
}

impl House {
    /// A fresh cluster whose controllers have settled.
    pub(super) fn new() -> Self {
        let clock = Clock::starting_at("2026-03-01T00:00:00Z".parse().unwrap());
        let cluster = Arc::new(Mutex::new(Cluster::new("1.34", clock.now())));
        let house = Self { cluster, changes: Arc::new(watch::channel(0).0), clock };
        house.with_cluster(|_, _| ());
        house
    }

    /// A client that authenticates as an administrator.
    pub(super) fn client(&self) -> Client {
        self.client_of(User::system("admin"))
    }

    /// A client that authenticates as `user`.
    pub(super) fn client_of(&self, user: User) -> Client {
        let server = in_process(self.clone(), move |_: &str| Ok(user.clone()));
        let with_token = tower::ServiceBuilder::new()
            .map_request(|mut request: http::Request<kube::client::Body>| {
                request.headers_mut().insert("authorization", http::HeaderValue::from_static("Bearer token"));
                request
            })
            .service(server);
        Client::new(with_token, "default")
    }

    /// Lets `seconds` pass, with every step that controllers want to take on the way.
    pub(super) async fn pass(&self, seconds: i64) {
        let end = self.clock.now() + SignedDuration::from_secs(seconds);
        while let Some(next) = self.settle().filter(|next| *next <= end) {
            self.clock.sleep_until(next).await;
        }
        self.clock.sleep_until(end).await;
        self.settle();
    }

    fn settle(&self) -> Option<Timestamp> {
        self.cluster.lock().unwrap().reconcile(&Files, self.clock.now())
    }

    /// A node with this much of everything, in a state of health.
    pub(super) fn node(name: &str, gpus: u32) -> Value {
        let room = json!({"cpu": "8", "memory": "32Gi", "pods": "29", "nvidia.com/gpu": gpus.to_string()});
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]},
        })
    }
}

impl Door for House {
    fn with_cluster<R>(&self, act: impl FnOnce(&mut Cluster, Timestamp) -> R) -> Option<R> {
        let mut cluster = self.cluster.lock().unwrap();
        let before = cluster.revision();
        let answer = act(&mut cluster, self.clock.now());
        cluster.reconcile(&Files, self.clock.now());
        if cluster.revision() != before {
            self.changes.send_modify(|count| *count += 1);
        }
        Some(answer)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn clock(&self) -> Clock {
        self.clock
    }
}

/// Parses an object of a typed kind.
pub(super) fn object<K: serde::de::DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

/// Code and message of a refusal.
pub(super) fn refused<T: std::fmt::Debug>(answer: Result<T, kube::Error>) -> (u16, String) {
    match answer.unwrap_err() {
        kube::Error::Api(status) => (status.code, status.message.clone()),
        other => unreachable!("{other}"),
    }
}
