//! Regions and zones.

use crate::{Api, problems};
use contract::{
    choices::{ListRegions, ListZones, RegionList, RegionView, ZoneList, ZoneView},
    problem::Problem,
};
use domain::{ErrorCode, ids::Region, zones::eks_accepts};
use preflight::{Eyes, bounded, regions};
use surface::problem::{of_fields, problem};

/// The Region that is asked which Regions there are: the only one that no account can switch off.
const FIRST: &str = "us-east-1";

pub(crate) async fn list_regions(api: &Api, _: ListRegions) -> Result<RegionList, Problem> {
    let all = all(api).await?.into_iter();
    // A name that our own type does not take could not be asked for either.
    let items = all.filter_map(|(name, enabled)| Some(RegionView { region: name.parse().ok()?, enabled }));
    Ok(RegionList { items: items.collect() })
}

pub(crate) async fn list_zones(api: &Api, input: ListZones) -> Result<ZoneList, Problem> {
    let eyes = known(api, &input.region).await?;
    let zones = bounded("zones", eyes.ec2.zones()).await.map_err(problems::of_trouble)?;
    let items = zones.into_iter().filter_map(|zone| {
        Some(ZoneView { eks_accepts: eks_accepts(&zone.id), zone_id: zone.id.parse().ok()?, zone_name: zone.name })
    });
    Ok(ZoneList { items: items.collect() })
}

/// Eyes for a Region that is there and switched on.
///
/// # Errors
/// `invalid_input` at `/region`. If the Regions cannot be read, the Region is taken as it is.
pub(crate) async fn known(api: &Api, region: &Region) -> Result<Eyes, Problem> {
    if let Ok(all) = all(api).await {
        if let Some(found) = regions::refusal(region, &all) {
            return Err(of_fields(vec![found]));
        }
    }
    api.eyes(region).await
}

/// Every Region, and whether the account has it switched on.
async fn all(api: &Api) -> Result<Vec<(String, bool)>, Problem> {
    let first = FIRST.parse().map_err(|_| problem(ErrorCode::Internal, format!("{FIRST} is no Region")))?;
    let eyes = api.eyes(&first).await?;
    bounded("Regions", eyes.ec2.all_regions()).await.map_err(problems::of_trouble)
}
