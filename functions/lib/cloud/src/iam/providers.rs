//! OIDC providers: found by host and path alone (field report BR-014).

use super::{Iam, changing, creating, maybe, sdk_tags};
use crate::{Tags, errors};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
};
use serde::Serialize;

/// A provider that IAM knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OidcProvider {
    /// Its ARN, which holds its URL without scheme.
    pub arn: String,
    /// Audiences that a token may have.
    pub audiences: Vec<String>,
    /// Its tags.
    pub tags: Tags,
}

impl OidcProvider {
    /// Host and path of an issuer's URL or of a provider's ARN: what two spellings of one issuer have in common.
    pub fn place(text: &str) -> String {
        let place = text.rsplit_once(":oidc-provider/").map_or(text, |(_, place)| place);
        let place = place.split_once("://").map_or(place, |(_, place)| place);
        place.trim_end_matches('/').to_ascii_lowercase()
    }
}

impl Iam {
    /// The provider for an issuer, whatever scheme, letter case or slash at the end its URL was registered with.
    pub async fn oidc_provider(&self, issuer: &str) -> Result<Option<OidcProvider>, Trouble> {
        let answer = self.read.list_open_id_connect_providers().send().await;
        let answer = answer.map_err(|error| errors::read("iam", "ListOpenIDConnectProviders", &error))?;
        let place = OidcProvider::place(issuer);
        let arns = answer.open_id_connect_provider_list().iter().filter_map(|entry| entry.arn());
        let Some(arn) = arns.into_iter().find(|arn| OidcProvider::place(arn) == place) else { return Ok(None) };
        let answer = self.read.get_open_id_connect_provider().open_id_connect_provider_arn(arn).send().await;
        Ok(maybe("GetOpenIDConnectProvider", answer)?.map(|answer| OidcProvider {
            arn: arn.to_owned(),
            audiences: answer.client_id_list().to_vec(),
            tags: answer.tags().iter().map(|tag| (tag.key.clone(), tag.value.clone())).collect(),
        }))
    }

    /// Makes a provider and answers its ARN; IAM trusts EKS's certificates without a thumbprint. The URL guards against
    /// a second one: that one is there already is uncertain, and the next look finds it (field report BR-014).
    pub async fn create_oidc_provider(&self, issuer: &str, audience: &str, tags: &Tags) -> Result<String, Trouble> {
        let call = self.change.create_open_id_connect_provider().url(issuer).client_id_list(audience);
        let made = call.set_tags(Some(sdk_tags(tags)?)).send().await;
        let made = made.map_err(|error| creating("CreateOpenIDConnectProvider", &error))?;
        made.open_id_connect_provider_arn.ok_or_else(|| {
            let text = "iam CreateOpenIDConnectProvider answered without OpenIDConnectProviderArn";
            Trouble::Uncertain(Failure::new(ErrorCode::UpstreamUnavailable, text))
        })
    }

    /// Adds an audience to a provider; one that it has already counts.
    pub async fn add_audience(&self, provider_arn: &str, audience: &str) -> Result<(), Trouble> {
        let call = self.change.add_client_id_to_open_id_connect_provider();
        let sent = call.open_id_connect_provider_arn(provider_arn).client_id(audience).send().await;
        sent.map(drop).map_err(|error| changing("AddClientIDToOpenIDConnectProvider", &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_issuer_are_one_place() {
        let place = "oidc.eks.eu-central-1.amazonaws.com/id/aaaa";
        for spelling in [
            "https://oidc.eks.eu-central-1.amazonaws.com/id/AAAA",
            "OIDC.eks.eu-central-1.amazonaws.com/id/AAAA/",
            "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/AAAA",
        ] {
            assert_eq!(OidcProvider::place(spelling), place, "{spelling}");
        }
        assert_ne!(OidcProvider::place("https://oidc.eks.eu-central-1.amazonaws.com/id/BBBB"), place);
    }
}
