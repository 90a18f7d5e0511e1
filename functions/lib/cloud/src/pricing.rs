//! The Price List: what an hour of something costs on demand. What it does not sell has no price here, never zero.

use crate::{Cloud, Who, errors};
use aws_sdk_pricing::{
    Client,
    types::{Filter, FilterType},
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    ids::Region,
};
use engine::record::Target;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where the Price List is served; its answers are about every Region.
const HOME: &str = "us-east-1";

/// The Price List as seen by one target.
#[derive(Debug, Clone)]
pub struct Prices {
    read: Client,
    region: Region,
}

impl Prices {
    /// Prices of `target`'s Region.
    ///
    /// # Errors
    /// None; the name of the service's own Region is checked all the same.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Result<Self, Trouble> {
        let home = HOME.parse().map_err(|error: domain::ids::InvalidId| {
            Trouble::Fatal(Failure::new(ErrorCode::Internal, error.to_string()))
        })?;
        let here = Target { region: home, ..target.clone() };
        Ok(Self { read: Client::new(&cloud.configs(&here, who).await.read), region: target.region.clone() })
    }

    /// Dollars by hour of instances in HyperPod clusters, by type with `ml.`.
    pub async fn cluster_instances(&self) -> Result<BTreeMap<String, f64>, Trouble> {
        let products = self.hours("AmazonSageMaker", "Cluster:ml.").await?;
        let of = |(usage, dollars): (String, f64)| Some((usage.split_once("Cluster:")?.1.to_owned(), dollars));
        Ok(products.into_iter().filter_map(of).collect())
    }

    /// Dollars by hour of an EKS control plane, and what extended support adds to it.
    pub async fn control_plane(&self) -> Result<(Option<f64>, Option<f64>), Trouble> {
        let products = self.hours("AmazonEKS", "AmazonEKS-Hours:").await?;
        let of = |kind: &str| products.iter().find(|(usage, _)| usage.ends_with(kind)).map(|(_, dollars)| *dollars);
        Ok((of(":perCluster"), of(":extendedSupport")))
    }

    /// Dollars by hour of a NAT gateway, traffic apart.
    pub async fn nat_gateway(&self) -> Result<Option<f64>, Trouble> {
        let products = self.hours("AmazonEC2", "NatGateway-Hours").await?;
        Ok(products.into_iter().find(|(usage, _)| usage.ends_with("NatGateway-Hours")).map(|(_, dollars)| dollars))
    }

    /// Usage types of a service that hold `usage`, with their price by hour; all pages.
    async fn hours(&self, service: &str, usage: &str) -> Result<Vec<(String, f64)>, Trouble> {
        let filter = |kind: FilterType, field: &str, value: &str| {
            let built = Filter::builder().r#type(kind).field(field).value(value).build();
            built.map_err(|error| Trouble::Fatal(Failure::new(ErrorCode::Internal, error.to_string())))
        };
        let region = filter(FilterType::TermMatch, "regionCode", self.region.as_str())?;
        let usage = filter(FilterType::Contains, "usagetype", usage)?;
        let mut found = Vec::new();
        let mut token = None;
        loop {
            let call = self.read.get_products().service_code(service).filters(region.clone()).filters(usage.clone());
            let page = call.format_version("aws_v1").set_next_token(token.take()).send().await;
            let page = page.map_err(|error| errors::read("pricing", "GetProducts", &error))?;
            found.extend(page.price_list().iter().filter_map(|text| price(text)));
            token = page.next_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok(found);
            }
        }
    }
}

/// Usage type and dollars by hour of one product; none if it is not sold by the hour on demand.
fn price(text: &str) -> Option<(String, f64)> {
    let product: Value = serde_json::from_str(text).ok()?;
    let usage = product["product"]["attributes"]["usagetype"].as_str()?.to_owned();
    let terms = product["terms"]["OnDemand"].as_object()?;
    let mut dimensions =
        terms.values().filter_map(|term| term["priceDimensions"].as_object()).flat_map(|all| all.values());
    let hourly =
        dimensions.find(|one| one["unit"].as_str().is_some_and(|unit| unit.to_lowercase().starts_with('h')))?;
    Some((usage, hourly["pricePerUnit"]["USD"].as_str()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::price;
    use serde_json::json;

    fn product(unit: &str) -> String {
        json!({
            "product": { "attributes": { "usagetype": "USW2-Cluster:ml.g5.xlarge" } },
            "terms": { "OnDemand": { "a": { "priceDimensions": { "b": {
                "unit": unit, "pricePerUnit": { "USD": "1.4080000000" } } } } } },
        })
        .to_string()
    }

    #[test]
    fn a_product_sold_by_the_hour_has_a_price_and_another_has_none() {
        assert_eq!(price(&product("Hrs")), Some(("USW2-Cluster:ml.g5.xlarge".to_owned(), 1.408)));
        assert_eq!(price(&product("GB")), None);
        assert_eq!(price("{}"), None);
    }
}
