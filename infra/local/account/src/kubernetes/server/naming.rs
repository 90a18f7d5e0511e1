//! What a request asks for, in the words of Kubernetes: for a call log and for faults, before it is served.

use crate::kubernetes::route;
use http::Method;

/// Verb and resource as in an audit log: `list nodes`, `patch deployments/scale`; `get /version` outside of resources.
pub fn action(method: &Method, path: &str, query: &str) -> String {
    let watches = query.split('&').any(|pair| matches!(pair, "watch=true" | "watch=1" | "watch"));
    let Some(route) = route::parse(path).filter(|route| !route.plural.is_empty()) else {
        return format!("{} {path}", method.as_str().to_ascii_lowercase());
    };
    let verb = match (method, route.name.is_empty()) {
        (_, _) if watches => "watch",
        (&Method::GET, true) => "list",
        (&Method::GET, false) => "get",
        (&Method::POST, _) => "create",
        (&Method::PUT, _) => "update",
        (&Method::PATCH, _) => "patch",
        (&Method::DELETE, true) => "deletecollection",
        (&Method::DELETE, false) => "delete",
        _ => "other",
    };
    let subresource = route.subresource.split('/').next().unwrap_or_default();
    let slash = if subresource.is_empty() { "" } else { "/" };
    format!("{verb} {}{slash}{subresource}", route.plural)
}

/// Whether a request changes the cluster if it succeeds; reviews and dry runs do not.
pub fn mutates(method: &Method, path: &str, query: &str) -> bool {
    let review = path.contains("accessreviews") || path.contains("tokenreviews") || path.contains("rulesreviews");
    *method != Method::GET && *method != Method::HEAD && !review && !query.contains("dryRun=All")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_named_by_verb_and_resource() {
        let named = |method, path| action(&method, path, "");
        assert_eq!(named(Method::GET, "/api/v1/nodes"), "list nodes");
        assert_eq!(named(Method::GET, "/api/v1/namespaces/a"), "get namespaces");
        assert_eq!(named(Method::PATCH, "/apis/apps/v1/namespaces/a/deployments/b/scale"), "patch deployments/scale");
        assert_eq!(named(Method::DELETE, "/api/v1/namespaces/a/pods"), "deletecollection pods");
        assert_eq!(named(Method::GET, "/version"), "get /version");
        assert_eq!(action(&Method::GET, "/api/v1/pods", "limit=1&watch=true"), "watch pods");
    }

    #[test]
    fn reviews_and_dry_runs_change_nothing() {
        assert!(mutates(&Method::POST, "/api/v1/namespaces/a/pods", ""));
        assert!(!mutates(&Method::POST, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ""));
        assert!(!mutates(&Method::PATCH, "/api/v1/nodes/a", "dryRun=All&fieldManager=x"));
        assert!(!mutates(&Method::GET, "/api/v1/nodes", ""));
    }
}
