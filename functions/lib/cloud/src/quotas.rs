//! Service Quotas: what the account may have. A quota is a permission; what is used, and what there is, others know.

use crate::{Cloud, Who, errors};
use aws_sdk_servicequotas::{Client, types::ServiceQuota};
use domain::failure::Trouble;
use engine::record::Target;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where a quota's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The account's own value.
    Applied,
    /// AWS's default: the account has no value of its own (field report BR-059).
    Default,
}

impl Source {
    /// As surfaces write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Default => "default",
        }
    }
}

/// A quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Quota {
    /// Its name, by which it is told apart.
    pub name: String,
    /// Its code.
    pub code: String,
    /// Its value; fractions are cut.
    pub value: u32,
    /// Whose value it is.
    pub source: Source,
}

/// Service Quotas of one target.
#[derive(Debug, Clone)]
pub struct Quotas {
    read: Client,
}

impl Quotas {
    /// Service Quotas of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        Self { read: Client::new(&cloud.configs(target, who).await.read) }
    }

    /// Every quota of a service by name: the applied value, else AWS's default. All pages of both lists.
    pub async fn of_service(&self, service: &str) -> Result<BTreeMap<String, Quota>, Trouble> {
        let (mut quotas, applied) = tokio::try_join!(self.defaults(service), self.applied(service))?;
        quotas.extend(applied);
        Ok(quotas)
    }

    /// One quota: the applied value, else AWS's default; none if AWS knows no such code.
    pub async fn quota(&self, service: &str, code: &str) -> Result<Option<Quota>, Trouble> {
        let answer = self.read.get_service_quota().service_code(service).quota_code(code).send().await;
        let applied = errors::maybe("servicequotas", "GetServiceQuota", answer)?.and_then(|answer| answer.quota);
        if let Some(found) = applied.as_ref().and_then(|seen| quota(seen, Source::Applied)) {
            return Ok(Some(found));
        }
        let answer = self.read.get_aws_default_service_quota().service_code(service).quota_code(code).send().await;
        let default = errors::maybe("servicequotas", "GetAWSDefaultServiceQuota", answer)?;
        Ok(default.and_then(|answer| answer.quota).as_ref().and_then(|seen| quota(seen, Source::Default)))
    }

    async fn applied(&self, service: &str) -> Result<BTreeMap<String, Quota>, Trouble> {
        let mut quotas = BTreeMap::new();
        let mut token = None;
        loop {
            let call = self.read.list_service_quotas().service_code(service).max_results(100);
            let page = call.set_next_token(token.take()).send().await;
            let page = page.map_err(|error| errors::read("servicequotas", "ListServiceQuotas", &error))?;
            quotas.extend(named(page.quotas(), Source::Applied));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(quotas);
            }
        }
    }

    async fn defaults(&self, service: &str) -> Result<BTreeMap<String, Quota>, Trouble> {
        let mut quotas = BTreeMap::new();
        let mut token = None;
        loop {
            let call = self.read.list_aws_default_service_quotas().service_code(service).max_results(100);
            let page = call.set_next_token(token.take()).send().await;
            let page = page.map_err(|error| errors::read("servicequotas", "ListAWSDefaultServiceQuotas", &error))?;
            quotas.extend(named(page.quotas(), Source::Default));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(quotas);
            }
        }
    }
}

fn named(page: &[ServiceQuota], source: Source) -> impl Iterator<Item = (String, Quota)> + '_ {
    page.iter().filter_map(move |seen| quota(seen, source)).map(|quota| (quota.name.clone(), quota))
}

fn quota(seen: &ServiceQuota, source: Source) -> Option<Quota> {
    Some(Quota {
        name: seen.quota_name()?.to_owned(),
        code: seen.quota_code()?.to_owned(),
        value: whole(seen.value()?),
        source,
    })
}

/// Quotas are counts, written as floating-point numbers; one beyond our bounds is as good as none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to the bounds of the type first")]
fn whole(value: f64) -> u32 {
    value.clamp(0.0, f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn a_value_is_cut_to_a_count() {
        assert_eq!((whole(4.0), whole(0.9), whole(-1.0), whole(1e18)), (4, 0, 0, u32::MAX));
    }
}
