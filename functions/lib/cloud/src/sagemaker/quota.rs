//! What SageMaker's quota refusals say, as figures (field reports BR-058, BR-059).

use domain::failure::Failure;

/// A quota that was too small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The quota's name in Service Quotas.
    pub name: String,
    /// Its applied value.
    pub limit: u64,
    /// What is used now; may be above the limit.
    pub used: u64,
    /// What was asked for in addition.
    pub needed: u64,
}

impl Limit {
    /// Reads the figures out of a refusal's text; none if it is worded otherwise.
    pub fn read(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("limit '")?;
        let (name, rest) = rest.split_once('\'')?;
        let mut figures = rest
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map_while(|digits| digits.parse().ok());
        let limit = figures.next()?;
        let (used, needed) = match (figures.next(), figures.next()) {
            (Some(used), Some(needed)) => (used, needed),
            (Some(needed), None) => (0, needed),
            _ => return None,
        };
        Some(Self { name: name.to_owned(), limit, used, needed })
    }

    /// What is left; never below zero.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// The refusal with its figures put plainly, and what to do about it.
pub(super) fn explained(failure: Failure) -> Failure {
    let Some(quota) = Limit::read(&failure.message) else { return failure };
    let message = format!(
        "the SageMaker quota '{}' is too small: limit {}, used {}, free {}, needed {}",
        quota.name,
        quota.limit,
        quota.used,
        quota.free(),
        quota.needed
    );
    let action = format!("Ask for a higher '{}' in Service Quotas (Amazon SageMaker), or ask for less.", quota.name);
    Failure { message, ..failure }.with_action(action)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "sagemaker CreateCluster: The account-level service limit 'ml.p5.48xlarge for cluster usage' is 8 \
        Instances, with current utilization of 16 Instances and a request delta of 1 Instances. Please use AWS Service \
        Quotas to request an increase for this quota.";

    #[test]
    fn a_quota_refusal_is_read_as_limit_used_and_needed_and_free_is_never_negative() {
        let quota = Limit::read(REFUSED).unwrap();
        assert_eq!(quota.name, "ml.p5.48xlarge for cluster usage");
        assert_eq!((quota.limit, quota.used, quota.needed, quota.free()), (8, 16, 1, 0));
    }

    #[test]
    fn a_volume_quota_names_what_was_asked_for() {
        let text = "The account-level service limit 'Maximum size of EBS volume in GB for a SageMaker HyperPod cluster \
            instance' is 500 Gigabytes, with a requested volume size of 900 Gigabytes. Please";
        let quota = Limit::read(text).unwrap();
        assert_eq!((quota.limit, quota.used, quota.needed), (500, 0, 900));
    }

    #[test]
    fn another_wording_is_no_figure() {
        assert_eq!(Limit::read("Quota exceeded"), None);
        assert_eq!(Limit::read("limit 'x' is unknown"), None);
    }
}
