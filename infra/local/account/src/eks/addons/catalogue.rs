//! The add-ons that EKS offers, from a data file: their versions, what Kubernetes they go with, and their configuration.

use crate::{
    call::{Answer, AwsError, Call},
    eks::{
        paging::page,
        refusals::{invalid, not_found},
        versions::minor_number,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One add-on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Product {
    pub(super) name: String,
    #[serde(rename = "type")]
    kind: String,
    pub(super) publisher: String,
    pub(super) namespace: String,
    /// Service accounts that want AWS permissions, with AWS's managed policies for them.
    #[serde(default)]
    pub(super) identities: Vec<Identity>,
    #[serde(default)]
    requires_configuration: bool,
    /// JSON schema of `configurationValues`.
    pub(super) schema: Value,
    /// Newest first.
    pub(super) versions: Vec<Version>,
}

/// A service account of an add-on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Identity {
    pub(super) service_account: String,
    managed_policies: Vec<String>,
}

/// One version and the Kubernetes minors that it goes with, both ends included.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Version {
    pub(super) version: String,
    from: String,
    to: String,
    /// Offered, but not what a cluster gets that asks for none.
    #[serde(default)]
    on_request: bool,
}

static PRODUCTS: LazyLock<Vec<Product>> =
    LazyLock::new(|| serde_json::from_str(include_str!("catalogue.json")).unwrap_or_default());

impl Version {
    pub(super) fn goes_with(&self, kubernetes: &str) -> bool {
        let range = (minor_number(&self.from), minor_number(&self.to));
        minor_number(kubernetes).is_some_and(|minor| Some(minor) >= range.0 && Some(minor) <= range.1)
    }

    fn minors(&self) -> impl Iterator<Item = String> {
        let range = minor_number(&self.from).unwrap_or(1)..=minor_number(&self.to).unwrap_or(0);
        range.rev().map(|minor| format!("1.{minor}"))
    }
}

impl Product {
    /// What a cluster of this Kubernetes minor gets that asks for no version.
    pub(super) fn default_version(&self, kubernetes: &str) -> Option<&str> {
        let fitting = self.versions.iter().find(|version| version.goes_with(kubernetes) && !version.on_request);
        fitting.map(|version| version.version.as_str())
    }

    /// The oldest version for this minor: what a new cluster starts with where EKS does not manage the add-on.
    pub(super) fn oldest_version(&self, kubernetes: &str) -> Option<&str> {
        let fitting = self.versions.iter().rfind(|version| version.goes_with(kubernetes));
        fitting.map(|version| version.version.as_str())
    }

    /// Whether this version is offered for this Kubernetes minor.
    pub(super) fn offers(&self, version: &str, kubernetes: &str) -> bool {
        self.versions.iter().any(|one| one.version == version && one.goes_with(kubernetes))
    }

    fn described(&self, kubernetes: Option<&str>) -> Option<Value> {
        let fits = |version: &&Version| kubernetes.is_none_or(|minor| version.goes_with(minor));
        let versions: Vec<_> =
            self.versions.iter().filter(fits).map(|one| self.described_version(one, kubernetes)).collect();
        (!versions.is_empty()).then(|| {
            json!({
                "addonName": self.name,
                "type": self.kind,
                "addonVersions": versions,
                "publisher": self.publisher,
                "owner": "aws",
                "defaultNamespace": self.namespace,
            })
        })
    }

    fn described_version(&self, version: &Version, kubernetes: Option<&str>) -> Value {
        let minors = version.minors().filter(|minor| kubernetes.is_none_or(|wanted| wanted == minor));
        let compatibilities = minors.map(|minor| {
            let default = self.default_version(&minor) == Some(version.version.as_str());
            json!({ "clusterVersion": minor, "platformVersions": ["*"], "defaultVersion": default })
        });
        json!({
            "addonVersion": version.version,
            "architecture": ["amd64", "arm64"],
            "computeTypes": ["ec2", "auto", "hybrid"],
            "compatibilities": compatibilities.collect::<Vec<_>>(),
            "requiresConfiguration": self.requires_configuration,
            "requiresIamPermissions": !self.identities.is_empty(),
        })
    }
}

/// The add-on `name`.
pub(super) fn product(name: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.name == name)
}

/// `DescribeAddonVersions`. An add-on with no version for the Kubernetes version asked for is left out.
pub(super) fn versions(call: &Call) -> Answer {
    let (name, kubernetes) = (call.text("addonName"), call.text("kubernetesVersion"));
    if let Some(minor) = kubernetes.filter(|minor| minor_number(minor).is_none()) {
        return Err(invalid(format!("The Kubernetes version {minor} is invalid")));
    }
    let among = |member: &str, value: &str| {
        let wanted = call.texts(member);
        wanted.is_empty() || wanted.contains(&value)
    };
    let shown = PRODUCTS.iter().filter(|product| {
        name.is_none_or(|name| product.name == name)
            && among("types", &product.kind)
            && among("publishers", &product.publisher)
            && among("owners", "aws")
    });
    page(call, "addons", shown.filter_map(|product| Some((product.name.clone(), product.described(kubernetes)?))))
}

/// `DescribeAddonConfiguration`.
pub(super) fn configuration(call: &Call) -> Answer {
    let (name, version) = (call.required("addonName"), call.required("addonVersion"));
    let product = product(name).filter(|product| product.versions.iter().any(|one| one.version == version));
    let product = product.ok_or_else(|| not_found(format!("No addon {name} with version {version} found")))?;
    let identities = product.identities.iter().map(|identity| {
        json!({
            "serviceAccount": identity.service_account,
            "recommendedManagedPolicies": identity.managed_policies,
        })
    });
    Ok(json!({
        "addonName": name,
        "addonVersion": version,
        "configurationSchema": product.schema.to_string(),
        "podIdentityConfiguration": identities.collect::<Vec<_>>(),
    }))
}

/// The product and the version that a request for a cluster of this Kubernetes minor means.
///
/// # Errors
/// `InvalidParameterException` for an add-on or a version that is not offered for the minor.
pub(super) fn chosen(
    name: &str,
    version: Option<&str>,
    kubernetes: &str,
) -> Result<(&'static Product, String), AwsError> {
    let product = product(name).filter(|product| product.default_version(kubernetes).is_some());
    let product = product.ok_or_else(|| {
        invalid(format!("Addon {name} specified is not supported in {kubernetes} kubernetes version"))
            .with("addonName", name)
    })?;
    let version = version.or_else(|| product.default_version(kubernetes)).unwrap_or_default();
    if product.offers(version, kubernetes) {
        return Ok((product, version.to_owned()));
    }
    Err(invalid("Addon version specified is not supported").with("addonName", name))
}

#[cfg(test)]
pub(in crate::eks) fn names() -> Vec<&'static str> {
    PRODUCTS.iter().map(|product| product.name.as_str()).collect()
}
