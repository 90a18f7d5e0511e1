//! The Price List service: what an hour of something costs, in the shape of published price lists.
//!
//! The figures are on-demand prices of US regions as published in 2025, the same for every region here; what they teach
//! is the shape of an answer. Some types have no price, so that a caller meets "unknown".

use crate::{
    call::{Answer, AwsError, Call},
    catalogue, geography,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Dollars for an hour of a HyperPod instance.
const CLUSTER_HOURS: [(&str, &str); 47] = [
    ("ml.c5.large", "0.102"),
    ("ml.c5.xlarge", "0.204"),
    ("ml.c5.2xlarge", "0.408"),
    ("ml.c5.4xlarge", "0.816"),
    ("ml.c5.9xlarge", "1.836"),
    ("ml.c5.18xlarge", "3.672"),
    ("ml.m5.large", "0.115"),
    ("ml.m5.xlarge", "0.23"),
    ("ml.m5.2xlarge", "0.461"),
    ("ml.m5.4xlarge", "0.922"),
    ("ml.m5.8xlarge", "1.843"),
    ("ml.m5.12xlarge", "2.765"),
    ("ml.m5.24xlarge", "5.53"),
    ("ml.t3.medium", "0.05"),
    ("ml.t3.large", "0.1"),
    ("ml.t3.xlarge", "0.2"),
    ("ml.t3.2xlarge", "0.399"),
    ("ml.g4dn.xlarge", "0.736"),
    ("ml.g4dn.2xlarge", "0.94"),
    ("ml.g4dn.12xlarge", "4.89"),
    ("ml.g5.xlarge", "1.408"),
    ("ml.g5.2xlarge", "1.515"),
    ("ml.g5.4xlarge", "2.03"),
    ("ml.g5.8xlarge", "3.06"),
    ("ml.g5.12xlarge", "7.09"),
    ("ml.g5.16xlarge", "5.12"),
    ("ml.g5.24xlarge", "10.18"),
    ("ml.g5.48xlarge", "20.36"),
    ("ml.g6.xlarge", "1.006"),
    ("ml.g6.2xlarge", "1.222"),
    ("ml.g6.4xlarge", "1.654"),
    ("ml.g6.8xlarge", "2.518"),
    ("ml.g6.12xlarge", "5.752"),
    ("ml.g6.16xlarge", "4.246"),
    ("ml.g6.24xlarge", "8.344"),
    ("ml.g6.48xlarge", "16.688"),
    ("ml.g6e.xlarge", "2.327"),
    ("ml.g6e.2xlarge", "2.803"),
    ("ml.g6e.4xlarge", "3.755"),
    ("ml.g6e.8xlarge", "5.661"),
    ("ml.g6e.12xlarge", "13.116"),
    ("ml.g6e.48xlarge", "37.665"),
    ("ml.p4d.24xlarge", "25.251"),
    ("ml.p4de.24xlarge", "31.564"),
    ("ml.p5.48xlarge", "63.296"),
    ("ml.p5en.48xlarge", "72.795"),
    ("ml.trn1.32xlarge", "24.725"),
];

const SERVICES: [&str; 3] = ["AmazonEC2", "AmazonEKS", "AmazonSageMaker"];

/// A product before it is written down.
struct Product {
    family: &'static str,
    attributes: Map<String, Value>,
    dollars: &'static str,
    description: String,
}

/// Answers a Price List call.
pub fn handle(call: &Call) -> Answer {
    match call.action.as_str() {
        "GetProducts" => products_page(call),
        "DescribeServices" => describe_services(call),
        "GetAttributeValues" => attribute_values(call),
        action => Err(AwsError::new("UnknownOperationException", format!("The operation {action} is not known."))),
    }
}

fn attributes(region: &str, pairs: &[(&str, &str)]) -> Map<String, Value> {
    let location = geography::priced_as(region).map_or("", |(location, _)| location);
    let place = [("regionCode", region), ("location", location), ("locationType", "AWS Region")];
    place.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
}

/// EC2 and EKS leave the prefix out in us-east-1.
fn usage(region: &str, rest: &str) -> String {
    match geography::priced_as(region) {
        Some((_, prefix)) if region != "us-east-1" => format!("{prefix}-{rest}"),
        _ => rest.to_owned(),
    }
}

fn products(service: &str) -> Vec<Product> {
    geography::regions()
        .flat_map(|region| match service {
            "AmazonSageMaker" => cluster_products(region),
            "AmazonEKS" => control_plane_products(region),
            _ => nat_products(region),
        })
        .collect()
}

fn cluster_products(region: &'static str) -> Vec<Product> {
    let prefix = geography::priced_as(region).map_or("", |(_, prefix)| prefix);
    let sold = CLUSTER_HOURS
        .iter()
        .filter(|(name, _)| geography::zones(region).iter().any(|zone| geography::offers(&zone.id, name)));
    sold.map(|(name, dollars)| {
        let known = catalogue::instance_type(name);
        let vcpus = known.map(|known| known.vcpus.to_string()).unwrap_or_default();
        let memory = known.map(|known| format!("{} GiB", known.memory_mib / 1024)).unwrap_or_default();
        Product {
            family: "ML Instance",
            attributes: attributes(
                region,
                &[
                    ("servicecode", "AmazonSageMaker"),
                    ("servicename", "Amazon SageMaker"),
                    ("instanceName", name),
                    ("instanceType", &format!("{name}-Cluster")),
                    ("component", "Cluster"),
                    ("usagetype", &format!("{prefix}-Cluster:{name}")),
                    ("operation", "RunInstance"),
                    ("vCpu", &vcpus),
                    ("memory", &memory),
                ],
            ),
            dollars,
            description: format!("${dollars} per Cluster {name} hour in {region}"),
        }
    })
    .collect()
}

fn control_plane_products(region: &'static str) -> Vec<Product> {
    let kinds = [
        ("AmazonEKS-Hours:perCluster", "0.1", "CreateOperation", "Amazon EKS cluster usage"),
        ("AmazonEKS-Hours:extendedSupport", "0.5", "ExtendedSupport", "Amazon EKS cluster usage in extended support"),
    ];
    kinds
        .map(|(rest, dollars, operation, text)| Product {
            family: "Compute",
            attributes: attributes(
                region,
                &[
                    ("servicecode", "AmazonEKS"),
                    ("servicename", "Amazon Elastic Container Service for Kubernetes"),
                    ("usagetype", &usage(region, rest)),
                    ("operation", operation),
                    ("tiertype", "HAStandard"),
                ],
            ),
            dollars,
            description: format!("{text} in {region}"),
        })
        .into()
}

fn nat_products(region: &'static str) -> Vec<Product> {
    let kinds = [
        ("NatGateway-Hours", "0.045", "Hourly charge for NAT Gateways"),
        ("NatGateway-Bytes", "0.045", "Charge for per GB data processed by NatGateways"),
    ];
    kinds
        .map(|(rest, dollars, text)| Product {
            family: "NAT Gateway",
            attributes: attributes(
                region,
                &[
                    ("servicecode", "AmazonEC2"),
                    ("servicename", "Amazon Elastic Compute Cloud"),
                    ("usagetype", &usage(region, rest)),
                    ("operation", "NatGateway"),
                    ("group", "NGW:NatGateway"),
                    ("groupDescription", text),
                ],
            ),
            dollars,
            description: format!("${dollars}: {text} in {region}"),
        })
        .into()
}

impl Product {
    fn text(&self, field: &str) -> Option<&str> {
        if field == "productFamily" { Some(self.family) } else { self.attributes.get(field).and_then(Value::as_str) }
    }

    /// Whether the product passes a filter; values are compared exactly, lists are separated by commas.
    fn passes(&self, filter: &Value) -> bool {
        let wanted = filter["Value"].as_str().unwrap_or_default();
        let text = self.text(filter["Field"].as_str().unwrap_or_default());
        let listed = || wanted.split(',').any(|one| text == Some(one.trim()));
        match filter["Type"].as_str().unwrap_or_default() {
            "CONTAINS" => text.is_some_and(|text| text.contains(wanted)),
            "ANY_OF" => listed(),
            "NONE_OF" => !listed(),
            _ => text == Some(wanted),
        }
    }

    /// The product as price lists write it: JSON in a string.
    fn written(&self, service: &str) -> String {
        let digest = Sha256::digest(format!("{service}{:?}", self.attributes));
        let sku: String = hex::encode_upper(digest).chars().take(16).collect();
        let term = format!("{sku}.JRTCKXETXF");
        let rate = format!("{term}.6YS6EN2CT7");
        let unit = if self.text("usagetype").is_some_and(|text| text.ends_with("Bytes")) { "GB" } else { "Hrs" };
        json!({
            "product": { "productFamily": self.family, "attributes": self.attributes, "sku": sku },
            "serviceCode": service,
            "terms": { "OnDemand": { &term: {
                "priceDimensions": { &rate: {
                    "unit": unit, "endRange": "Inf", "beginRange": "0", "description": self.description,
                    "appliesTo": [], "rateCode": rate, "pricePerUnit": { "USD": padded(self.dollars) },
                } },
                "sku": sku, "effectiveDate": "2025-06-01T00:00:00Z", "offerTermCode": "JRTCKXETXF", "termAttributes": {},
            } } },
            "version": "20250601000000",
            "publicationDate": "2025-06-01T00:00:00Z",
        })
        .to_string()
    }
}

/// Price lists write ten decimals.
fn padded(dollars: &str) -> String {
    let (whole, fraction) = dollars.split_once('.').unwrap_or((dollars, ""));
    format!("{whole}.{fraction:0<10}")
}

fn service_of(call: &Call) -> Result<&str, AwsError> {
    let code = call.required("ServiceCode");
    let known = SERVICES.contains(&code);
    known
        .then_some(code)
        .ok_or_else(|| AwsError::new("NotFoundException", format!("Service code {code} was not found.")))
}

fn products_page(call: &Call) -> Answer {
    let service = service_of(call)?;
    let all = products(service);
    let found: Vec<&Product> =
        all.iter().filter(|product| call.list("Filters").iter().all(|filter| product.passes(filter))).collect();
    let (range, next) = page(call, found.len())?;
    let list: Vec<String> =
        found.get(range).unwrap_or_default().iter().map(|product| product.written(service)).collect();
    Ok(with_token(json!({ "FormatVersion": "aws_v1", "PriceList": list }), next))
}

fn names_of(service: &str) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        products(service).iter().flat_map(|product| product.attributes.keys().cloned()).collect();
    names.extend(["productFamily".to_owned(), "termType".to_owned()]);
    names
}

fn describe_services(call: &Call) -> Answer {
    let services: Vec<&str> =
        if call.text("ServiceCode").is_some() { vec![service_of(call)?] } else { SERVICES.to_vec() };
    let (range, next) = page(call, services.len())?;
    let rows = services.get(range).unwrap_or_default().iter();
    let rows = rows.map(|code| json!({ "ServiceCode": code, "AttributeNames": names_of(code) })).collect::<Value>();
    Ok(with_token(json!({ "FormatVersion": "aws_v1", "Services": rows }), next))
}

fn attribute_values(call: &Call) -> Answer {
    let service = service_of(call)?;
    let name = call.required("AttributeName");
    if !names_of(service).contains(name) {
        return Err(AwsError::new("NotFoundException", format!("Attribute {name} of {service} was not found.")));
    }
    let values: BTreeSet<String> =
        products(service).iter().filter_map(|product| product.text(name).map(str::to_owned)).collect();
    let values: Vec<String> = values.into_iter().collect();
    let (range, next) = page(call, values.len())?;
    let rows = values.get(range).unwrap_or_default().iter().map(|value| json!({ "Value": value })).collect::<Value>();
    Ok(with_token(json!({ "AttributeValues": rows }), next))
}

fn with_token(mut output: Value, next: Option<String>) -> Value {
    if let Some(next) = next {
        output["NextToken"] = next.into();
    }
    output
}

type Page = (std::ops::Range<usize>, Option<String>);

/// Which rows to answer, and the token of the next page; a page has at most 100.
fn page(call: &Call, total: usize) -> Result<Page, AwsError> {
    let read = |token: &str| -> Option<usize> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        let (action, offset) = text.split_once('/')?;
        (action == call.action).then(|| offset.parse().ok())?
    };
    let start = match call.text("NextToken") {
        None => 0,
        Some(token) => read(token)
            .ok_or_else(|| AwsError::new("InvalidNextTokenException", "The specified NextToken is not valid."))?,
    };
    let size = call.number("MaxResults").and_then(|size| usize::try_from(size).ok()).unwrap_or(100).clamp(1, 100);
    let start = start.min(total);
    let end = start.saturating_add(size).min(total);
    let next = (end < total).then(|| URL_SAFE_NO_PAD.encode(format!("{}/{end}", call.action)));
    Ok((start..end, next))
}

#[cfg(test)]
mod tests {
    use super::handle;
    use crate::call::{Call, Caller};
    use jiff::Timestamp;
    use serde_json::{Value, json};

    fn ask(action: &str, input: Value) -> Result<Value, String> {
        let call = Call {
            service: "pricing",
            action: action.to_owned(),
            region: "us-east-1".to_owned(),
            caller: Caller::root(),
            input,
            now: Timestamp::UNIX_EPOCH,
            request_id: "r".to_owned(),
        };
        handle(&call).map_err(|error| error.code)
    }

    fn price(service: &str, filters: &[(&str, &str)]) -> Vec<String> {
        let filters: Vec<Value> = filters
            .iter()
            .map(|(field, value)| json!({ "Type": "TERM_MATCH", "Field": field, "Value": value }))
            .collect();
        let answer = ask("GetProducts", json!({ "ServiceCode": service, "Filters": filters })).expect("products");
        let list = answer["PriceList"].as_array().expect("a list").clone();
        list.iter()
            .map(|text| {
                let product: Value = serde_json::from_str(text.as_str().expect("a string")).expect("JSON");
                let term = product["terms"]["OnDemand"].as_object().expect("terms").values().next().expect("a term");
                let dimension = term["priceDimensions"].as_object().expect("dimensions").values().next().expect("one");
                dimension["pricePerUnit"]["USD"].as_str().expect("dollars").to_owned()
            })
            .collect()
    }

    #[test]
    fn an_hour_has_one_price_in_a_region() {
        let cluster = [("regionCode", "us-west-2"), ("usagetype", "USW2-Cluster:ml.g5.xlarge")];
        assert_eq!(price("AmazonSageMaker", &cluster), ["1.4080000000"]);
        let plane = [("regionCode", "us-west-2"), ("usagetype", "USW2-AmazonEKS-Hours:perCluster")];
        assert_eq!(price("AmazonEKS", &plane), ["0.1000000000"]);
        let nat = [("regionCode", "us-east-1"), ("usagetype", "NatGateway-Hours")];
        assert_eq!(price("AmazonEC2", &nat), ["0.0450000000"]);
    }

    #[test]
    fn some_types_have_no_price() {
        assert!(price("AmazonSageMaker", &[("instanceName", "ml.p6-b200.48xlarge")]).is_empty());
    }

    #[test]
    fn products_come_in_pages() {
        let first = ask("GetProducts", json!({ "ServiceCode": "AmazonSageMaker" })).expect("a page");
        assert_eq!(first["PriceList"].as_array().map(Vec::len), Some(100));
        let input = json!({ "ServiceCode": "AmazonSageMaker", "NextToken": first["NextToken"] });
        let second = ask("GetProducts", input).expect("a page");
        assert_ne!(first["PriceList"], second["PriceList"]);
        let wrong = json!({ "ServiceCode": "AmazonSageMaker", "NextToken": "x" });
        assert_eq!(ask("GetProducts", wrong), Err("InvalidNextTokenException".to_owned()));
    }

    #[test]
    fn what_can_be_asked_for_is_listed() {
        let values = ask("GetAttributeValues", json!({ "ServiceCode": "AmazonEKS", "AttributeName": "regionCode" }));
        assert!(values.expect("values")["AttributeValues"].to_string().contains("us-west-2"));
        let unknown = json!({ "ServiceCode": "AmazonNothing" });
        assert_eq!(ask("GetProducts", unknown.clone()), Err("NotFoundException".to_owned()));
        assert_eq!(ask("DescribeServices", unknown), Err("NotFoundException".to_owned()));
    }
}
