//! Instance types: hardware from the catalogue, zones, quotas, use and price from AWS.
//!
//! Which types exist and what they are is known; the rest is asked for the page alone where the service allows it. A
//! price or quota that cannot be read leaves its field unknown; zones that cannot be read are an error, since an empty
//! list would say that no zone offers the type.

use super::known;
use crate::{Api, cursor, problems};
use contract::{
    choices::{InstanceTypeList, InstanceTypeView, ListInstanceTypes},
    problem::Problem,
};
use domain::{
    FieldError,
    catalogue::{self, Hardware, cluster_quota_name},
    ids::ZoneId,
};
use preflight::{
    Eyes, Read, Usage, bounded,
    limits::{self, SageMakerQuotas},
};
use std::collections::BTreeMap;
use surface::problem::of_fields;

/// What the account says about types.
struct Account {
    quotas: Read<SageMakerQuotas>,
    usage: Read<Usage>,
    prices: Read<BTreeMap<String, f64>>,
}

pub(crate) async fn list_instance_types(api: &Api, input: ListInstanceTypes) -> Result<InstanceTypeList, Problem> {
    let zone = input.zone_id.as_ref().map_or("every zone", ZoneId::as_str);
    let list = format!("instance types of {} in {zone}, accelerated {:?}", input.region, input.accelerated);
    let after = cursor::open(&list, input.cursor.as_deref())?;
    let eyes = known(api, &input.region).await?;
    if let Some(zone) = &input.zone_id {
        is_there(&eyes, zone).await?;
    }
    let types: Vec<&Hardware> =
        catalogue::all().filter(|one| input.accelerated.is_none_or(|wanted| one.is_accelerated() == wanted)).collect();
    let names: Vec<&str> = types.iter().map(|one| one.instance_type.as_str()).collect();
    let offered = bounded("zones of instance types", eyes.offerings(&names)).await.map_err(problems::of_trouble)?;
    let offers = |one: &Hardware| {
        let zones = offered.get(one.instance_type.as_str());
        input.zone_id.as_ref().is_none_or(|zone| zones.is_some_and(|all| all.iter().any(|id| id == zone.as_str())))
    };
    let mut rest = types
        .into_iter()
        .filter(|one| offers(one))
        .filter(|one| after.as_deref().is_none_or(|after| one.instance_type.as_str() > after));
    let page: Vec<&Hardware> = rest.by_ref().take(cursor::page(input.limit)).collect();
    let more = rest.next().is_some();
    let account = account(&eyes).await;
    let last = page.last().filter(|_| more).map(|one| cursor::seal(&list, one.instance_type.as_str()));
    let items = page.into_iter().map(|one| view(one, &offered, &account)).collect();
    Ok(InstanceTypeList { items, next_cursor: last })
}

async fn is_there(eyes: &Eyes, zone: &ZoneId) -> Result<(), Problem> {
    let zones = bounded("zones", eyes.ec2.zones()).await.map_err(problems::of_trouble)?;
    if zones.iter().any(|one| one.id == zone.as_str()) {
        return Ok(());
    }
    let ids: Vec<&str> = zones.iter().map(|one| one.id.as_str()).collect();
    let detail = format!("{} has no zone {zone}: expected one of {}", eyes.target.region, ids.join(", "));
    Err(of_fields(vec![FieldError::new("/zoneId", detail)]))
}

async fn account(eyes: &Eyes) -> Account {
    let (quotas, clusters, prices) = tokio::join!(
        bounded("quotas", eyes.quotas.of_service("sagemaker")),
        bounded("HyperPod clusters", eyes.hyperpod_clusters()),
        bounded("prices", eyes.prices.cluster_instances()),
    );
    Account { quotas, usage: clusters.map(|clusters| Usage::of(&clusters)), prices }
}

fn view(one: &Hardware, offered: &BTreeMap<String, Vec<String>>, account: &Account) -> InstanceTypeView {
    let name = &one.instance_type;
    let used = limits::why(&account.usage).map(|usage| usage.on_demand.get(name.as_str()).copied().unwrap_or(0));
    InstanceTypeView {
        instance_type: name.to_string(),
        accelerators: one.accelerator.as_ref().map(|chip| format!("{} × {}", chip.count, chip.name)),
        accelerator_count: one.accelerator.as_ref().map_or(0, |chip| chip.count),
        vcpus: one.vcpus,
        memory_gib: u32::try_from(one.memory_mib / 1024).unwrap_or(u32::MAX),
        efa_interfaces: one.efa_interfaces,
        addresses_per_node: one.node_ips,
        zone_ids: offered.get(name.as_str()).cloned().unwrap_or_default(),
        quota: limits::view(&cluster_quota_name(name), &account.quotas, used),
        training_plans: one.training_plan,
        hourly_usd: account.prices.as_ref().ok().and_then(|prices| prices.get(name.as_str()).copied()),
    }
}
