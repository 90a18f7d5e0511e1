//! OpenID Connect providers: who besides AWS may vouch for an identity (an EKS cluster for its service accounts).

use super::{
    identity::arn,
    refusals::{exists, invalid, limit, no_such, validation},
    tags,
};
use crate::{
    call::{Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// A provider; it is known by its URL without scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Provider {
    /// Audiences that a token may have.
    pub(crate) client_ids: Vec<String>,
    thumbprints: Vec<String>,
    created: Timestamp,
    pub(super) tags: BTreeMap<String, String>,
}

/// Answers an action on providers; none if it is not one.
pub(super) fn handle(world: &mut World, call: &Call) -> Option<Answer> {
    Some(match call.action.as_str() {
        "CreateOpenIDConnectProvider" => create(world, call),
        "GetOpenIDConnectProvider" => get(world, call),
        "ListOpenIDConnectProviders" => Ok(list(world)),
        "DeleteOpenIDConnectProvider" => delete(world, call),
        "AddClientIDToOpenIDConnectProvider" => add_client(world, call),
        "RemoveClientIDFromOpenIDConnectProvider" => remove_client(world, call),
        "UpdateOpenIDConnectProviderThumbprint" => update_thumbprints(world, call),
        "TagOpenIDConnectProvider" => changeable(world, call).and_then(|found| tags::set(&mut found.tags, call)),
        "UntagOpenIDConnectProvider" => changeable(world, call).map(|found| tags::unset(&mut found.tags, call)),
        "ListOpenIDConnectProviderTags" => {
            find(world, call).and_then(|(_, found)| super::paging::page(call, "Tags", tags::entries(&found.tags)))
        }
        _ => return None,
    })
}

/// The provider for an issuer as a token names it, with its ARN.
pub(crate) fn provider_for<'a>(world: &'a World, issuer: &str) -> Option<(String, &'a Provider)> {
    let url = without_scheme(issuer);
    world.iam.providers.get(&url).map(|provider| (arn("oidc-provider", "/", &url), provider))
}

/// How IAM keeps a provider's URL: no scheme, no slash at the end.
pub(super) fn without_scheme(url: &str) -> String {
    url.strip_prefix("https://").unwrap_or(url).trim_end_matches('/').to_owned()
}

fn create(world: &mut World, call: &Call) -> Answer {
    let url = call.required("Url");
    let parsed = url::Url::parse(url).ok().filter(|parsed| parsed.scheme() == "https" && parsed.query().is_none());
    if parsed.is_none() {
        return Err(validation(format!("Invalid Open ID Connect Provider URL: {url}")));
    }
    let key = without_scheme(url);
    let client_ids: Vec<String> = call.texts("ClientIDList").into_iter().map(str::to_owned).collect();
    if client_ids.len() > 100 {
        return Err(limit("Cannot exceed quota for ClientIdsPerOpenIdConnectProvider: 100"));
    }
    let thumbprints = thumbprints(call)?;
    let tags = tags::requested(call)?;
    if world.iam.providers.contains_key(&key) {
        return Err(exists(format!("Provider with url {url} already exists.")));
    }
    if world.iam.providers.len() >= 100 {
        return Err(limit("Cannot exceed quota for OpenIdConnectProvidersPerAccount: 100"));
    }
    let mut answer = json!({ "OpenIDConnectProviderArn": arn("oidc-provider", "/", &key) });
    if !tags.is_empty() {
        answer["Tags"] = tags::list(&tags);
    }
    world.iam.providers.insert(key, Provider { client_ids, thumbprints, created: call.now, tags });
    Ok(answer)
}

fn get(world: &World, call: &Call) -> Answer {
    let (url, provider) = find(world, call)?;
    Ok(json!({
        "Url": url,
        "ClientIDList": provider.client_ids,
        "ThumbprintList": provider.thumbprints,
        "CreateDate": provider.created.as_second(),
        "Tags": tags::list(&provider.tags),
    }))
}

/// The one list in IAM that does not page.
fn list(world: &World) -> serde_json::Value {
    let urls = world.iam.providers.keys();
    let entries: Vec<_> = urls.map(|url| json!({ "Arn": arn("oidc-provider", "/", url) })).collect();
    json!({ "OpenIDConnectProviderList": entries })
}

/// Deleting what is not there succeeds, as the API reference says.
fn delete(world: &mut World, call: &Call) -> Answer {
    let url = url_of(call)?;
    world.iam.providers.remove(url);
    Ok(json!({}))
}

fn add_client(world: &mut World, call: &Call) -> Answer {
    let provider = changeable(world, call)?;
    let id = call.required("ClientID");
    if provider.client_ids.iter().any(|known| known == id) {
        return Ok(json!({}));
    }
    if provider.client_ids.len() >= 100 {
        return Err(limit("Cannot exceed quota for ClientIdsPerOpenIdConnectProvider: 100"));
    }
    provider.client_ids.push(id.to_owned());
    Ok(json!({}))
}

fn remove_client(world: &mut World, call: &Call) -> Answer {
    let id = call.required("ClientID");
    changeable(world, call)?.client_ids.retain(|known| known != id);
    Ok(json!({}))
}

fn update_thumbprints(world: &mut World, call: &Call) -> Answer {
    let thumbprints = thumbprints(call)?;
    changeable(world, call)?.thumbprints = thumbprints;
    Ok(json!({}))
}

/// Thumbprints are optional: IAM fetches the top one itself, and trusts EKS's certificates by other means.
fn thumbprints(call: &Call) -> Result<Vec<String>, AwsError> {
    let thumbprints = call.texts("ThumbprintList");
    if thumbprints.len() > 5 {
        return Err(invalid("Thumbprint list must contain fewer than 5 entries."));
    }
    let well_formed = |one: &&str| one.len() == 40 && one.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !thumbprints.iter().all(well_formed) {
        return Err(validation("Thumbprint must be 40 hexadecimal characters."));
    }
    Ok(thumbprints.into_iter().map(str::to_owned).collect())
}

fn url_of(call: &Call) -> Result<&str, AwsError> {
    let arn = call.required("OpenIDConnectProviderArn");
    let prefix = format!("arn:aws:iam::{}:oidc-provider/", crate::call::ACCOUNT_ID);
    arn.strip_prefix(&prefix).ok_or_else(|| invalid(format!("Invalid ARN: {arn}")))
}

fn find<'a>(world: &'a World, call: &'a Call) -> Result<(&'a str, &'a Provider), AwsError> {
    let url = url_of(call)?;
    world.iam.providers.get(url).map(|found| (url, found)).ok_or_else(|| missing(call))
}

fn changeable<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut Provider, AwsError> {
    let url = url_of(call)?;
    world.iam.providers.get_mut(url).ok_or_else(|| missing(call))
}

fn missing(call: &Call) -> AwsError {
    no_such(format!("OpenIDConnect Provider not found for arn {}", call.required("OpenIDConnectProviderArn")))
}
