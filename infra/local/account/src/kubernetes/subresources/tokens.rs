//! Tokens of service accounts: opaque to clients, known to this cluster by their content.
//!
//! A token says who it is for and until when, sealed with a hash that is the cluster's own, so that no list of tokens is
//! kept. The seal tells clusters apart; it is no defence, as nothing in a simulated account is secret.

use crate::kubernetes::{Cluster, Reply, User, object, refusal::Refusal, resource::known, serve::Call};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Shortest and longest life of a token, in seconds.
const LIFE: std::ops::RangeInclusive<i64> = 600..=86_400;

pub(super) fn request(cluster: &mut Cluster, call: &Call<'_>) -> Result<Reply, Refusal> {
    let mut body = call.body()?;
    let account = cluster.find(&call.resource, &call.route.namespace, &call.route.name)?.copy();
    let asked = object::number(&body, "/spec/expirationSeconds").unwrap_or(3600);
    if asked < *LIFE.start() {
        let message = format!(
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: {asked}: may not specify a duration less than 10 minutes"
        );
        return Err(Refusal::new(422, "Invalid", message));
    }
    let lasts = asked.min(*LIFE.end());
    let ends = call.now.saturating_add(SignedDuration::from_secs(lasts)).unwrap_or(Timestamp::MAX);
    let (namespace, name) = (object::namespace(&account), object::name(&account));
    let claims = json!({
        "sub": format!("system:serviceaccount:{namespace}:{name}"), "exp": ends.as_second(), "uid": account["metadata"]["uid"],
        "aud": ["https://kubernetes.default.svc"],
    });
    let head = BASE64.encode(json!({"alg": "none", "typ": "JWT"}).to_string());
    let content = format!("{head}.{}", BASE64.encode(claims.to_string()));
    let token = format!("{content}.{}", seal(cluster, &content));
    body["apiVersion"] = "authentication.k8s.io/v1".into();
    body["kind"] = "TokenRequest".into();
    body["metadata"] = json!({"name": name, "namespace": namespace, "creationTimestamp": object::time(call.now)});
    object::put(&mut body, "/spec/expirationSeconds", lasts);
    body["status"] = json!({"token": token, "expirationTimestamp": object::time(ends)});
    Ok(Reply::Json { status: 201, body, warnings: Vec::new() })
}

fn seal(cluster: &Cluster, content: &str) -> String {
    BASE64.encode(Sha256::new().chain_update(cluster.store.seed()).chain_update(content).finalize())
}

impl Cluster {
    /// The service account that a token of this cluster is for, while it lasts.
    pub fn service_account(&self, token: &str, now: Timestamp) -> Option<User> {
        let (content, sealed) = token.rsplit_once('.')?;
        if seal(self, content) != sealed {
            return None;
        }
        let claims: Value = serde_json::from_slice(&BASE64.decode(content.split_once('.')?.1).ok()?).ok()?;
        let subject = claims["sub"].as_str()?;
        let (namespace, name) = subject.strip_prefix("system:serviceaccount:")?.split_once(':')?;
        let account = self.store.get(known("", "serviceaccounts"), namespace, name)?;
        (claims["exp"].as_i64()? > now.as_second() && claims["uid"] == account["metadata"]["uid"]).then(|| User {
            name: subject.to_owned(),
            groups: vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")],
        })
    }

    /// The status of a token review.
    pub(in crate::kubernetes) fn token_review(&self, token: &str, now: Timestamp) -> Value {
        match self.service_account(token, now) {
            Some(user) => json!({"authenticated": true, "user": {"username": user.name, "groups": user.groups}}),
            None => json!({"authenticated": false, "error": "invalid bearer token", "user": {}}),
        }
    }
}
