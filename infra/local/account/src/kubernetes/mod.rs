//! The Kubernetes API server of an EKS cluster, with the controllers and kubelets behind it, as a plain value.
//!
//! A [`Cluster`] holds objects and what is needed to serve them; it can be kept, forked and compared. It serves one
//! [`Request`] at a time, tells watchers what changed, and lets its controllers act when it is asked to
//! ([`Cluster::reconcile`]). Time comes with each call. What the outside world would answer a kubelet (does the mount
//! work, what is in the file) is asked of a [`Host`].
//!
//! HTTP, TLS and waiting live in [`server`]; what AWS adds to a cluster (nodes, agents, add-ons) is a client of this.
//! What is deliberately absent: CEL rules of CRDs and policies, protobuf, exec and port-forward, garbage collection of
//! images, and everything a network would do.

mod access;
mod admission;
mod apply;
mod bootstrap;
mod controllers;
mod custom;
mod discovery;
mod events;
mod fields;
mod kinds;
mod object;
mod openapi;
mod patch;
mod quantity;
mod query;
mod refusal;
mod resource;
mod route;
mod schema;
mod selector;
mod serve;
pub mod server;
mod store;
mod subresources;
mod table;
mod watch;

#[cfg(test)]
mod tests;

pub use access::{AccessPolicy, Scope};
pub use refusal::Refusal;
pub use watch::{Watch, WatchBatch};

use controllers::Life;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, ops::Range};
use store::Store;

/// One Kubernetes cluster: objects, their recent history, and what its kubelets are doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    minor: String,
    store: Store,
    grants: Vec<access::Grant>,
    life: Life,
    /// Certificate authority of the cluster's endpoint, made when first needed.
    authority: Option<server::Authority>,
}

/// Who asks, as the authenticator named them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// User name, for example an assumed-role ARN or `system:node:NAME`.
    pub name: String,
    /// Groups besides `system:authenticated`, which everyone authenticated is in.
    pub groups: Vec<String>,
}

impl User {
    /// A part of AWS or of the cluster itself, which may do everything.
    pub fn system(name: &str) -> Self {
        Self { name: name.to_owned(), groups: vec!["system:masters".to_owned()] }
    }
}

/// An HTTP request to the API server, after authentication.
#[derive(Debug, Clone)]
pub struct Request {
    /// HTTP method.
    pub method: http::Method,
    /// Path as sent, percent-encoded.
    pub path: String,
    /// Query string as sent, without `?`; empty if there is none.
    pub query: String,
    /// `Content-Type` header.
    pub content_type: Option<String>,
    /// `Accept` header.
    pub accept: Option<String>,
    /// Whole body.
    pub body: Vec<u8>,
    /// Who asks.
    pub user: User,
}

/// What the server answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A JSON body: an object, a list, a table or a `Status`.
    Json {
        /// HTTP status.
        status: u16,
        /// The body.
        body: Value,
        /// Texts of `Warning: 299` headers.
        warnings: Vec<String>,
    },
    /// A plain text body: health and logs.
    Text {
        /// HTTP status.
        status: u16,
        /// The body.
        body: String,
    },
    /// The beginning of a stream: ask [`Cluster::events_after`] for what is in it.
    Watch(Watch),
}

/// What the world of a node answers its kubelet.
pub trait Host {
    /// Mounts a CSI volume for `pod`.
    ///
    /// # Errors
    /// The text of the `FailedMount` event, worded as the driver words it.
    fn mount(
        &self,
        pod: &Value,
        driver: &str,
        attributes: &BTreeMap<String, String>,
        mount_options: &[String],
    ) -> Result<(), String>;
    /// The content of the file at `path` below the mount.
    ///
    /// # Errors
    /// What a program would print, without its name: `/data/x: No such file or directory`.
    fn read(
        &self,
        attributes: &BTreeMap<String, String>,
        mount_options: &[String],
        path: &str,
    ) -> Result<Vec<u8>, String>;
    /// The names in the folder at `path` below the mount.
    ///
    /// # Errors
    /// As for [`Host::read`].
    fn list(
        &self,
        attributes: &BTreeMap<String, String>,
        mount_options: &[String],
        path: &str,
    ) -> Result<Vec<String>, String>;
    /// Draws how long something takes that is said to take `seconds`, at the world's pace.
    fn draw(&self, label: &str, seconds: Range<u32>) -> SignedDuration;
}

impl Cluster {
    /// A cluster as EKS hands it over: system namespaces, the `kubernetes` Service, default roles and bindings.
    ///
    /// `minor` is the Kubernetes version as EKS names it, for example `1.34`.
    pub fn new(minor: &str, now: Timestamp) -> Self {
        let mut cluster = Self {
            minor: minor.to_owned(),
            store: Store::new(now),
            grants: Vec::new(),
            life: Life::default(),
            authority: None,
        };
        bootstrap::fill(&mut cluster, now);
        cluster
    }

    /// Answers `request`: authorizes it by RBAC and access policies, then serves it.
    pub fn handle(&mut self, request: &Request, now: Timestamp) -> Reply {
        serve::serve(self, request, now).unwrap_or_else(|refusal| refusal.reply())
    }

    /// A number that grows with every change of an object.
    pub fn revision(&self) -> u64 {
        self.store.revision()
    }

    /// The Kubernetes version as EKS names it, for example `1.34`.
    pub fn minor(&self) -> &str {
        &self.minor
    }

    /// Sets the version after an upgrade of the control plane.
    pub fn set_minor(&mut self, minor: &str) {
        self.minor = minor.to_owned();
    }
}
