//! The path of a request, taken apart.

use percent_encoding::percent_decode_str;

/// `/apis/{group}/{version}/namespaces/{namespace}/{plural}/{name}/{subresource}` and its shorter forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) group: String,
    pub(super) version: String,
    /// Empty at cluster scope and for all namespaces.
    pub(super) namespace: String,
    pub(super) plural: String,
    /// Empty for a collection.
    pub(super) name: String,
    /// Empty for the object itself; may hold `/` (service proxies).
    pub(super) subresource: String,
}

/// The route of a resource path; none for discovery and other paths.
pub(super) fn parse(path: &str) -> Option<Route> {
    let steps: Vec<String> = path
        .split('/')
        .filter(|step| !step.is_empty())
        .map(|step| percent_decode_str(step).decode_utf8_lossy().into_owned())
        .collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let (group, version, rest) = match steps.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return None,
    };
    let (namespace, rest) = match rest {
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => ("", rest),
        ["namespaces", namespace, rest @ ..] => (*namespace, rest),
        _ => ("", rest),
    };
    let (plural, rest) = rest.split_first()?;
    let (name, rest) = rest.split_first().map_or(("", rest), |(name, rest)| (*name, rest));
    Some(Route {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        plural: (*plural).to_owned(),
        name: name.to_owned(),
        subresource: rest.join("/"),
    })
}
