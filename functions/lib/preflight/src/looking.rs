//! How we look: every service of one target as one reader, and bounds on how long a look takes.

use cloud::{
    Cloud, Who,
    ec2::Ec2,
    eks::Eks,
    iam::Iam,
    pricing::Prices,
    quotas::Quotas,
    sagemaker::{Attached, HyperPod},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    states::WaitingOn,
};
use engine::record::Target;
use futures::{
    FutureExt,
    future::{BoxFuture, try_join_all},
};
use std::{collections::BTreeMap, future::Future, time::Duration};

/// The longest that one look may take, below `PREFLIGHT_SECONDS`.
const LOOK: Duration = Duration::from_secs(9);

/// The longest that a look may take which another one follows.
const HALF: Duration = Duration::from_millis(4_500);

/// Instance types named in one request for offerings: EC2 takes 200 values of a filter.
const TYPES_AT_ONCE: usize = 150;

/// What a look answered, or why it did not.
pub type Read<T> = Result<T, Trouble>;

/// The services of one target, for reading.
#[derive(Debug, Clone)]
pub struct Eyes {
    /// Network.
    pub ec2: Ec2,
    /// EKS clusters.
    pub eks: Eks,
    /// HyperPod clusters and training plans.
    pub hyperpod: HyperPod,
    /// Roles and users.
    pub iam: Iam,
    /// What the account may have.
    pub quotas: Quotas,
    /// What an hour costs.
    pub prices: Prices,
    /// Whose they are.
    pub target: Target,
}

impl Eyes {
    /// Opens them for `target`. Nothing is sent yet.
    ///
    /// # Errors
    /// None in practice; see [`Prices::new`].
    pub async fn open(cloud: &Cloud, target: &Target, who: &Who) -> Read<Self> {
        Ok(Self {
            ec2: Ec2::new(cloud, target, who).await,
            eks: Eks::new(cloud, target, who).await,
            hyperpod: HyperPod::new(cloud, target, who).await,
            iam: Iam::new(cloud, target, who).await,
            quotas: Quotas::new(cloud, target, who).await,
            prices: Prices::new(cloud, target, who).await?,
            target: target.clone(),
        })
    }

    /// Every HyperPod cluster of the Region, by name.
    pub async fn hyperpod_clusters(&self) -> Read<Vec<Attached>> {
        let names = self.hyperpod.names().await?;
        let found = try_join_all(names.iter().map(|name| self.hyperpod.cluster(name))).await?;
        // One that was deleted since the list was made is no trouble.
        let mut found: Vec<Attached> = found.into_iter().flatten().collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Zone ids that offer each of `types` (with `ml.`); a type that no zone offers is absent.
    pub async fn offerings(&self, types: &[&str]) -> Read<BTreeMap<String, Vec<String>>> {
        let bare: Vec<&str> = types.iter().map(|name| name.strip_prefix("ml.").unwrap_or(name)).collect();
        let parts = try_join_all(bare.chunks(TYPES_AT_ONCE).map(|part| self.ec2.offerings(part))).await?;
        let all = parts.into_iter().flatten();
        Ok(all.map(|(kind, zones)| (format!("ml.{kind}"), zones.into_iter().collect())).collect())
    }
}

/// The look, if it answers in time. It is boxed: many of them run side by side, and an SDK's call is a large value.
///
/// # Errors
/// What the look met, or that it took too long.
pub fn bounded<'a, T: 'a>(what: &'a str, look: impl Future<Output = Read<T>> + Send + 'a) -> BoxFuture<'a, Read<T>> {
    within(LOOK, what, look)
}

/// The same in half of the time, for looks that follow each other.
pub(crate) fn bounded_half<'a, T: 'a>(
    what: &'a str,
    look: impl Future<Output = Read<T>> + Send + 'a,
) -> BoxFuture<'a, Read<T>> {
    within(HALF, what, look)
}

fn within<'a, T: 'a>(
    limit: Duration,
    what: &'a str,
    look: impl Future<Output = Read<T>> + Send + 'a,
) -> BoxFuture<'a, Read<T>> {
    let look = look.boxed();
    async move {
        tokio::time::timeout(limit, look).await.unwrap_or_else(|_| {
            let text = format!("{what}: no answer within {} seconds", limit.as_secs_f32());
            Err(Trouble::Later { on: WaitingOn::Aws, failure: Failure::new(ErrorCode::UpstreamUnavailable, text) })
        })
    }
    .boxed()
}
