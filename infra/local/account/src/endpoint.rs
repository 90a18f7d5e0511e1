//! Which service and region a request is for: by its signature's scope, else by its host, else by its own words.

use crate::{
    model::{self, Protocol, Service},
    signature::Signed,
};
use bytes::Bytes;
use http::{Request, header::HOST};

/// The region of a request that names none.
const DEFAULT_REGION: &str = "us-east-1";

/// A service in a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Service by its credential scope name; also one that has no model here, as `s3`.
    pub service: String,
    /// Region.
    pub region: String,
}

/// Where `request`, signed as in `signed`, belongs.
pub fn find(request: &Request<Bytes>, signed: Option<&Signed>) -> Option<Endpoint> {
    if let Some(signed) = signed {
        return Some(Endpoint { service: signed.service.clone(), region: signed.region.clone() });
    }
    let service = by_host(request).or_else(|| by_target(request)).or_else(|| by_version(request));
    service.map(|(service, region)| Endpoint { service: service.scope.clone(), region })
}

/// `sts.us-west-2.amazonaws.com`, `api.sagemaker.us-west-2.amazonaws.com`, `iam.amazonaws.com`.
fn by_host(request: &Request<Bytes>) -> Option<(&'static Service, String)> {
    let host = host(request)?;
    let name = host.split(':').next()?.strip_suffix(".amazonaws.com")?;
    model::services().find_map(|service| {
        let rest = name.strip_prefix(service.endpoint_prefix.as_str())?;
        match rest.strip_prefix('.') {
            Some(region) if !region.contains('.') => Some((service, region.to_owned())),
            None if rest.is_empty() => Some((service, DEFAULT_REGION.to_owned())),
            _ => None,
        }
    })
}

fn by_target(request: &Request<Bytes>) -> Option<(&'static Service, String)> {
    let (prefix, _) = request.headers().get("x-amz-target")?.to_str().ok()?.rsplit_once('.')?;
    let service = model::services().find(|service| service.target_prefix.as_deref() == Some(prefix))?;
    Some((service, DEFAULT_REGION.to_owned()))
}

fn by_version(request: &Request<Bytes>) -> Option<(&'static Service, String)> {
    let parameters: Vec<(String, String)> = serde_urlencoded::from_bytes(request.body()).ok()?;
    let (_, version) = parameters.iter().find(|(name, _)| name == "Version")?;
    let service = model::services().find(|service| {
        matches!(service.protocol, Protocol::Query | Protocol::Ec2) && service.api_version == *version
    })?;
    Some((service, DEFAULT_REGION.to_owned()))
}

/// The host that a request was sent to, with its port if it names one.
pub(crate) fn host(request: &Request<Bytes>) -> Option<String> {
    let header = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    header.or_else(|| request.uri().authority().map(|authority| authority.as_str())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(uri: &str, target: &str, body: &str) -> Option<(String, String)> {
        let request = Request::post(uri).header("x-amz-target", target).body(Bytes::copy_from_slice(body.as_bytes()));
        find(&request.unwrap(), None).map(|endpoint| (endpoint.service, endpoint.region))
    }

    fn place(service: &str, region: &str) -> Option<(String, String)> {
        Some((service.to_owned(), region.to_owned()))
    }

    #[test]
    fn an_unsigned_request_is_found_by_host_target_or_version() {
        assert_eq!(found("https://sts.us-west-2.amazonaws.com/", "", ""), place("sts", "us-west-2"));
        assert_eq!(found("https://api.sagemaker.eu-west-1.amazonaws.com/", "", ""), place("sagemaker", "eu-west-1"));
        assert_eq!(found("https://iam.amazonaws.com/", "", ""), place("iam", "us-east-1"));
        assert_eq!(found("http://127.0.0.1:3100/", "SageMaker.ListClusters", ""), place("sagemaker", "us-east-1"));
        assert_eq!(
            found("http://127.0.0.1:3100/", "", "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"),
            place("sts", "us-east-1")
        );
        assert_eq!(found("http://127.0.0.1:3100/", "", ""), None);
    }
}
