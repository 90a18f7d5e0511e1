//! The one place where AWS clients are configured.

use crate::sessions::Sessions;
use aws_config::{AppName, BehaviorVersion, Region, SdkConfig, sts::AssumeRoleProvider};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_async::{rt::sleep::SharedAsyncSleep, time::SharedTimeSource};
use aws_smithy_runtime_api::client::{
    http::SharedHttpClient, identity::SharedIdentityCache, stalled_stream_protection::StalledStreamProtectionConfig,
};
use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use domain::ids::OperationId;
use engine::record::{Operation, Target};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A read that takes longer is asked again by the next tick.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// A change that takes longer is uncertain.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(15);

/// On whose behalf calls are made: it goes into session name and user agent, so that CloudTrail tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Who(String);

impl Who {
    /// A tick of an operation's attempt.
    pub fn operation(operation: &Operation) -> Self {
        Self::attempt(operation.id, operation.attempt)
    }

    /// The same, from its parts.
    pub fn attempt(id: OperationId, attempt: u32) -> Self {
        Self(format!("{id}-{attempt}"))
    }

    /// The words of it: an STS session name.
    #[cfg(feature = "sts")]
    pub(crate) fn session_name(&self) -> &str {
        &self.0
    }

    /// A surface that reads.
    pub fn reader(name: &'static str) -> Self {
        Self(name.to_owned())
    }
}

/// How AWS is reached: connector, endpoint, identity and clock. The same for the real account and the simulated one.
#[derive(Debug, Clone)]
pub struct Cloud {
    /// Sends requests.
    pub http: SharedHttpClient,
    /// Endpoint of every service; none for AWS's own.
    pub endpoint: Option<String>,
    /// Our identity.
    pub credentials: SharedCredentialsProvider,
    /// Signs requests; the same clock as everything else's.
    pub time: SharedTimeSource,
    /// Measures time-outs.
    pub sleep: SharedAsyncSleep,
    /// Configurations that were made already; starts empty.
    pub kept: Kept,
    /// Roles that were assumed and can be used on; empty to begin with.
    pub sessions: Sessions,
}

/// Configurations by whom they are for. Clients of one configuration share its signing identity, so that a role is
/// assumed once for reads and once for changes, and not again for each client of each look.
#[derive(Debug, Clone, Default)]
pub struct Kept(Arc<Mutex<HashMap<(Target, Who, Duration), SdkConfig>>>);

/// Most configurations that are kept: a function that lives for long meets ever new operations.
const MOST_KEPT: usize = 64;

/// The two configurations of a service's clients.
#[derive(Debug, Clone)]
pub(crate) struct Configs {
    /// For reads.
    pub(crate) read: SdkConfig,
    /// For changes.
    pub(crate) change: SdkConfig,
}

impl Cloud {
    /// Configurations for `target`.
    pub(crate) async fn configs(&self, target: &Target, who: &Who) -> Configs {
        Configs {
            read: self.config(target, who, READ_TIMEOUT).await,
            change: self.config(target, who, CHANGE_TIMEOUT).await,
        }
    }

    /// A configuration for `target`, for clients with which the engine reads its table and state machines.
    pub async fn engine_config(&self, target: &Target) -> SdkConfig {
        self.config(target, &Who::reader("engine"), READ_TIMEOUT).await
    }

    /// The same for clients with which it writes records and starts executions.
    pub async fn engine_change_config(&self, target: &Target) -> SdkConfig {
        self.config(target, &Who::reader("engine"), CHANGE_TIMEOUT).await
    }

    async fn config(&self, target: &Target, who: &Who, timeout: Duration) -> SdkConfig {
        let key = (target.clone(), who.clone(), timeout);
        let lock = || self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(&key) {
            return kept.clone();
        }
        let config = self.new_config(target, who, timeout).await;
        let mut kept = lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, config.clone());
        config
    }

    async fn new_config(&self, target: &Target, who: &Who, timeout: Duration) -> SdkConfig {
        let region = Region::new(target.region.to_string());
        let base = self.base(region.clone(), self.credentials.clone(), who, timeout);
        let Some(role) = &target.role_arn else { return base };
        let assumed = AssumeRoleProvider::builder(role.as_str())
            .session_name(who.0.clone())
            .region(region.clone())
            .configure(&base)
            .build_from_provider(self.credentials.clone())
            .await;
        self.base(region, SharedCredentialsProvider::new(assumed), who, timeout)
    }

    fn base(&self, region: Region, credentials: SharedCredentialsProvider, who: &Who, timeout: Duration) -> SdkConfig {
        let mut builder = SdkConfig::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(region)
            .credentials_provider(credentials)
            .identity_cache(self.identity_cache())
            .http_client(self.http.clone())
            .time_source(self.time.clone())
            .sleep_impl(self.sleep.clone())
            .retry_config(RetryConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(timeout).build());
        builder.set_endpoint_url(self.endpoint.clone());
        builder.set_app_name(AppName::new(format!("hyperpod-instantstart-{}", who.0)).ok());
        builder.build()
    }

    /// The cache of signing identities, on our clock: the default one reads the wall clock.
    fn identity_cache(&self) -> SharedIdentityCache {
        aws_config::identity::IdentityCache::lazy()
            .time_source(self.time.clone())
            .sleep_impl(self.sleep.clone())
            .build()
    }
}
