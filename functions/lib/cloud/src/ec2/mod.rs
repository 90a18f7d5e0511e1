//! EC2 networking: what a cluster's network is made of, seen and made.

mod gateways;
mod routes;
mod security_groups;
mod subnets;
mod tags;
mod vpcs;
mod zones;

pub use gateways::{Address, InternetGateway, NatGateway};
pub use routes::{Route, RouteTable, VpcEndpoint};
pub use security_groups::{SecurityGroup, SelfRules};
pub use subnets::Subnet;
pub use vpcs::Vpc;
pub use zones::Zone;

use crate::{
    Cloud, Who,
    errors::{self, CallError},
};
use aws_sdk_ec2::{Client, error::ProvideErrorMetadata, types::Filter};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};
use engine::record::Target;

/// Where and how to look for things: by ids, or by filters that all must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Find {
    /// Ids; empty for any.
    pub ids: Vec<String>,
    /// Filter names and values, as the API spells them: `("vpc-id", "vpc-…")`, `("tag:KEY", "VALUE")`.
    pub filters: Vec<(String, String)>,
}

impl Find {
    /// Things with this tag.
    pub fn tagged(key: &str, value: impl Into<String>) -> Self {
        Self { ids: Vec::new(), filters: vec![(format!("tag:{key}"), value.into())] }
    }

    /// Things for which filter `name` has `value`.
    pub fn by(name: &str, value: impl Into<String>) -> Self {
        Self { ids: Vec::new(), filters: vec![(name.to_owned(), value.into())] }
    }

    /// The thing of this id; one that does not show yet is an empty answer.
    pub fn id(id: impl Into<String>) -> Self {
        Self { ids: vec![id.into()], filters: Vec::new() }
    }

    fn sdk_ids(&self) -> Option<Vec<String>> {
        (!self.ids.is_empty()).then(|| self.ids.clone())
    }

    fn sdk_filters(&self) -> Option<Vec<Filter>> {
        let filter = |(name, value): &(String, String)| Filter::builder().name(name).values(value).build();
        (!self.filters.is_empty()).then(|| self.filters.iter().map(filter).collect())
    }
}

/// EC2 of one target.
#[derive(Debug, Clone)]
pub struct Ec2 {
    read: Client,
    change: Client,
}

impl Ec2 {
    /// EC2 of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        let configs = cloud.configs(target, who).await;
        Self { read: Client::new(&configs.read), change: Client::new(&configs.change) }
    }
}

fn reading<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::read("ec2", operation, error)
}

fn changing<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>) -> Trouble {
    errors::change("ec2", operation, error)
}

/// The error of a call that makes something under a name of its own.
fn creating<E: ProvideErrorMetadata>(operation: &str, error: &CallError<E>, exists: &str) -> Trouble {
    errors::create("ec2", operation, error, &[exists])
}

/// A list read by ids: that one of them is unknown is an empty answer, since a thing just made may not show yet.
fn listed<T, E: ProvideErrorMetadata>(operation: &str, result: Result<T, CallError<E>>) -> Result<Option<T>, Trouble> {
    errors::maybe("ec2", operation, result)
}

/// A change that was made before counts as made: the service says so by one of `codes`.
fn made_before<T, E: ProvideErrorMetadata>(
    operation: &str,
    result: Result<T, CallError<E>>,
    codes: &[&str],
) -> Result<(), Trouble> {
    match result {
        Ok(_) => Ok(()),
        Err(error) if error.code().is_some_and(|code| codes.contains(&code)) => Ok(()),
        Err(error) => Err(changing(operation, &error)),
    }
}

/// An answer without a member that it always has.
fn incomplete(operation: &str, member: &str) -> Trouble {
    Trouble::Uncertain(Failure::new(
        ErrorCode::UpstreamUnavailable,
        format!("ec2 {operation} answered without {member}"),
    ))
}
