//! EC2 networking: what a region's network consists of, and which file answers which action.
//!
//! One file per resource family holds its state, its actions and its refusals. What all share is here: the network of a
//! region, what is visible yet, tokens, and the defaults that a fresh account has. HyperPod nodes are no EC2 instances of
//! the account; only their network interfaces are ([`interface`]).

mod acl;
pub mod address;
pub mod cidr;
pub mod endpoint;
pub mod gateway;
pub mod group;
pub mod ids;
pub mod interface;
mod listing;
pub mod nat;
mod offering;
pub mod route;
pub mod routing;
mod rule;
mod rule_actions;
pub mod subnet;
pub mod tags;
pub mod vpc;

#[cfg(test)]
mod tests;

use crate::{
    call::{Answer, AwsError, Call},
    life,
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

pub use group::self_rules;
pub use interface::{claim_interface, release_interface};
pub use vpc::make_default_vpc;

/// EC2's part of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// How many seconds of AWS's pace a new thing may be missing from `Describe*` at the most; 0 switches the lag off.
    pub read_lag: u32,
    networks: BTreeMap<String, Network>,
}

impl Default for State {
    fn default() -> Self {
        Self { read_lag: 3, networks: BTreeMap::new() }
    }
}

impl State {
    /// The network of `region`; empty if nothing was asked of it yet.
    pub fn network(&mut self, region: &str) -> &mut Network {
        self.networks.entry(region.to_owned()).or_default()
    }

    /// The same for reading; none if nothing was asked of it yet.
    pub fn existing(&self, region: &str) -> Option<&Network> {
        self.networks.get(region)
    }
}

/// Everything of one region, by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// VPCs.
    pub vpcs: BTreeMap<String, vpc::Vpc>,
    /// Subnets.
    pub subnets: BTreeMap<String, subnet::Subnet>,
    /// Internet gateways.
    pub gateways: BTreeMap<String, gateway::InternetGateway>,
    /// NAT gateways, also failed and deleted ones that are still listed.
    pub nats: BTreeMap<String, nat::NatGateway>,
    /// Elastic IP addresses by allocation id.
    pub addresses: BTreeMap<String, address::Address>,
    /// Route tables.
    pub route_tables: BTreeMap<String, routing::RouteTable>,
    /// Security groups.
    pub groups: BTreeMap<String, group::Group>,
    /// Gateway endpoints.
    pub endpoints: BTreeMap<String, endpoint::Endpoint>,
    /// Network interfaces.
    pub interfaces: BTreeMap<String, interface::Interface>,
    /// Tags by the id that carries them.
    pub tags: BTreeMap<String, tags::Tags>,
    /// From when on a new thing is in lists; what is absent here always was.
    seen_from: BTreeMap<String, Timestamp>,
    /// Fingerprint of the request and id made, by action and client token.
    tokens: BTreeMap<String, (String, String)>,
}

impl Network {
    /// Forgets what is kept beside a thing that is gone.
    fn forget(&mut self, id: &str) {
        self.tags.remove(id);
        self.seen_from.remove(id);
    }

    /// Whether `Describe*` shows `id` at `now`.
    fn shows(&self, id: &str, now: Timestamp) -> bool {
        self.seen_from.get(id).is_none_or(|from| *from <= now)
    }
}

/// What EC2 resources do by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A pending NAT gateway becomes available or fails.
    NatSettles(nat::Which),
    /// A deleting NAT gateway is deleted and lets its address and interface go.
    NatIsDeleted(nat::Which),
    /// A failed or deleted NAT gateway leaves the list.
    NatIsForgotten(nat::Which),
    /// A released interface of a service is gone.
    InterfaceIsGone {
        /// Region of the interface.
        region: String,
        /// `eni-…`.
        id: String,
    },
}

impl Event {
    /// Lets the event happen, if what it is about still exists.
    pub fn happen(self, world: &mut World, at: Timestamp) {
        match self {
            Self::NatSettles(which) => nat::settle(world, &which, at),
            Self::NatIsDeleted(which) => nat::finish_deletion(world, &which, at),
            Self::NatIsForgotten(which) => nat::leave_list(world, &which),
            Self::InterfaceIsGone { region, id } => interface::remove(world, &region, &id),
        }
    }
}

/// Answers an EC2 call.
///
/// EC2's model names no errors and hardly any required member, so each action checks its own; a dry run that got here
/// was allowed by IAM and ends with `DryRunOperation`.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    if call.flag("DryRun") == Some(true) {
        let message = "Request would have succeeded, but DryRun flag is set.";
        return Err(AwsError::new("DryRunOperation", message).with_status(412));
    }
    prepare(world, &call.region);
    let families: [fn(&mut World, &Call) -> Option<Answer>; 14] = [
        vpc::handle,
        subnet::handle,
        gateway::handle,
        nat::handle,
        address::handle,
        routing::handle,
        route::handle,
        group::handle,
        rule_actions::handle,
        endpoint::handle,
        interface::handle,
        tags::handle,
        offering::handle,
        acl::handle,
    ];
    families.iter().find_map(|family| family(world, call)).unwrap_or_else(|| {
        let message = format!("The action {} is not valid for this web service.", call.action);
        Err(AwsError::new("InvalidAction", message))
    })
}

/// Gives a region that nobody asked for yet what a fresh account has there.
fn prepare(world: &mut World, region: &str) {
    if world.ec2.existing(region).is_none() {
        make_default_vpc(world, region);
    }
}

/// A required member, or EC2's refusal of a request without it.
fn need<'a>(call: &'a Call, member: &str) -> Result<&'a str, AwsError> {
    call.text(member).filter(|text| !text.is_empty()).ok_or_else(|| missing(member))
}

/// `MissingParameter` for `member`, which EC2 writes with a small first letter.
fn missing(member: &str) -> AwsError {
    AwsError::new("MissingParameter", format!("The request must contain the parameter {}", lower_first(member)))
}

/// `VpcId` as EC2's errors write it: `vpcId`.
fn lower_first(member: &str) -> String {
    let mut letters = member.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// `InvalidParameterValue` in EC2's usual wording.
fn invalid(member: &str, value: &str, why: &str) -> AwsError {
    let message = format!("Value ({value}) for parameter {} is invalid. {why}", lower_first(member));
    AwsError::new("InvalidParameterValue", message)
}

/// `{"Return": true}`, the answer of actions that have nothing else to say.
fn done() -> Answer {
    Ok(serde_json::json!({ "Return": true }))
}

/// Enters a new thing: its tags, and when it will be seen.
///
/// EC2 reads are eventually consistent: what was just made may be missing from `Describe*` for a moment, while a request
/// that uses it by id finds it.
fn enter(world: &mut World, call: &Call, id: &str, tags: tags::Tags) {
    let lag = world.draw(&format!("ec2 lag {id}"), 0..world.ec2.read_lag.saturating_add(1));
    let seen = call.now.saturating_add(world.paced(lag)).unwrap_or(Timestamp::MAX);
    let network = world.ec2.network(&call.region);
    if !tags.is_empty() {
        network.tags.insert(id.to_owned(), tags);
    }
    network.seen_from.insert(id.to_owned(), seen);
}

/// What a client token answers with: the id that was made under it, whatever became of it, if the request is the same.
fn made_before(world: &mut World, call: &Call) -> Result<Option<String>, AwsError> {
    let Some(key) = token_key(call) else { return Ok(None) };
    match world.ec2.network(&call.region).tokens.get(&key) {
        None => Ok(None),
        Some((fingerprint, id)) if *fingerprint == fingerprint_of(&call.input) => Ok(Some(id.clone())),
        Some(_) => Err(AwsError::new(
            "IdempotentParameterMismatch",
            "The client token you have provided is associated with a resource or request that has different parameters.",
        )),
    }
}

/// Remembers that `id` was made under the request's client token, if it has one.
fn remember_token(world: &mut World, call: &Call, id: &str) {
    if let Some(key) = token_key(call) {
        let entry = (fingerprint_of(&call.input), id.to_owned());
        world.ec2.network(&call.region).tokens.insert(key, entry);
    }
}

fn token_key(call: &Call) -> Option<String> {
    call.text("ClientToken").filter(|token| !token.is_empty()).map(|token| format!("{}/{token}", call.action))
}

fn fingerprint_of(input: &Value) -> String {
    hex::encode(Sha256::digest(input.to_string()))
}

/// Puts an event of this module on the agenda, `after` a duration of AWS's.
fn later(world: &mut World, now: Timestamp, after: SignedDuration, event: Event) {
    world.schedule(now, after, life::Event::Ec2(event));
}

/// Refuses with `code` if `used` things leave no room under the quota.
fn within_quota(
    world: &World,
    region: &str,
    (service, quota): (&str, &str),
    used: usize,
    (code, message): (&str, &str),
) -> Result<(), AwsError> {
    let limit = crate::quotas::limit(world, service, quota, region);
    if crate::quotas::count(used) < limit { Ok(()) } else { Err(AwsError::new(code, message)) }
}

/// Refuses more than the rules that a group may have in one direction.
fn quotas_of_rules(world: &World, region: &str, wanted: usize) -> Result<(), AwsError> {
    let message = "The maximum number of rules per security group has been reached.";
    let refusal = ("RulesPerSecurityGroupLimitExceeded", message);
    within_quota(world, region, ("vpc", "L-0EA8095F"), wanted.saturating_sub(1), refusal)
}
