//! What it costs by the hour, and from when. What has no price is unknown, never zero.

use crate::{
    Eyes, Read, bounded,
    request::{Purpose, Request, Wanted},
    scene::Seen,
};
use contract::plan::{Cost, CostLine};
use domain::decisions::CapacityType;
use std::collections::BTreeMap;

/// Prices by the hour, each read by itself.
#[derive(Debug)]
pub struct HourlyPrices {
    /// Instances in HyperPod clusters, by type.
    pub instances: Read<BTreeMap<String, f64>>,
    /// An EKS control plane, and what extended support adds.
    pub control_plane: Read<(Option<f64>, Option<f64>)>,
    /// A NAT gateway.
    pub nat_gateway: Read<Option<f64>>,
}

impl HourlyPrices {
    /// Asks the Price List.
    pub async fn look(eyes: &Eyes) -> Self {
        let (instances, control_plane, nat_gateway) = tokio::join!(
            bounded("prices of instances", eyes.prices.cluster_instances()),
            bounded("price of EKS", eyes.prices.control_plane()),
            bounded("price of NAT gateways", eyes.prices.nat_gateway()),
        );
        Self { instances, control_plane, nat_gateway }
    }
}

pub(super) fn of(request: &Request<'_>, seen: &Seen, prices: &HourlyPrices, version: &str) -> Cost {
    let mut lines = Vec::new();
    if request.purpose == Purpose::Create {
        lines.extend(ground(request, seen, prices, version));
    }
    lines.extend(request.groups().iter().map(|group| instances(group, &prices.instances)));
    lines.extend(request.groups().iter().filter_map(volume));
    let known: f64 = lines.iter().filter_map(|line| line.hourly_usd).sum();
    Cost { known_hourly_usd: cents(known), incomplete: lines.iter().any(|line| line.hourly_usd.is_none()), lines }
}

/// A hundredth of a cent is as far as a sum of list prices is worth telling.
fn cents(dollars: f64) -> f64 {
    (dollars * 10_000.0).round() / 10_000.0
}

fn line(item: impl Into<String>, quantity: u32, each: Result<Option<f64>, String>, note: &str) -> CostLine {
    let (hourly_usd, note) = match each {
        Ok(Some(each)) => (Some(cents(each * f64::from(quantity))), note.to_owned()),
        Ok(None) => (None, format!("The Price List has no price for it. {note}")),
        Err(why) => (None, format!("The price could not be read: {why}. {note}")),
    };
    CostLine { item: item.into(), quantity, hourly_usd, note }
}

fn told<T: Clone>(read: &Read<T>) -> Result<T, String> {
    read.as_ref().map(Clone::clone).map_err(|trouble| trouble.failure().message.clone())
}

fn ground(request: &Request<'_>, seen: &Seen, prices: &HourlyPrices, version: &str) -> Vec<CostLine> {
    let plane = told(&prices.control_plane);
    let each = plane.clone().map(|(standard, _)| standard);
    let mut lines = vec![line("EKS control plane", 1, each, "Billed from its creation on.")];
    let offered = seen.versions.as_ref().ok();
    let extended = offered.and_then(|all| all.iter().find(|one| one.version.to_string() == version));
    if extended.is_some_and(|one| one.support == "EXTENDED_SUPPORT") {
        let note = "Kubernetes versions in extended support are billed more.";
        lines.push(line("EKS extended support", 1, plane.map(|(_, extra)| extra), note));
    }
    if request.makes_network() {
        let note = "Billed from its creation on, traffic apart.";
        lines.push(line("NAT gateway", 1, told(&prices.nat_gateway), note));
    }
    lines
}

fn instances(group: &Wanted<'_>, prices: &Read<BTreeMap<String, f64>>) -> CostLine {
    let item = format!("{}: {}", group.name, group.instance_type);
    match group.capacity {
        CapacityType::OnDemand => {
            let each = told(prices).map(|prices| prices.get(group.instance_type.as_str()).copied());
            line(item, group.count, each, "Each node is billed from its lifecycle script on.")
        }
        CapacityType::Spot => line(item, group.count, Ok(None), "Spot prices change; at most the on-demand price."),
        CapacityType::TrainingPlan => {
            line(item, group.count, Ok(Some(0.0)), "Paid when the training plan was bought; nothing more by the hour.")
        }
    }
}

fn volume(group: &Wanted<'_>) -> Option<CostLine> {
    let size = group.volume_gib.filter(|_| group.count > 0)?;
    let item = format!("{}: extra volume of {size} GiB", group.name);
    Some(line(item, group.count, Ok(None), "EBS bills it by the month while its node is there."))
}
