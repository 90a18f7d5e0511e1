//! The service models: which actions exist, and what their inputs, answers and errors look like on the wire.
//!
//! The data is distilled from botocore by `cargo xtask generate models`; nothing here is written by hand. Names are
//! botocore's.

mod pattern;

pub use pattern::Pattern;

use indexmap::IndexMap;
use serde::Deserialize;
use std::{collections::HashMap, sync::LazyLock};

/// Every service whose requests the account can read, by the name in a signature's credential scope.
pub fn service(scope: &str) -> Option<&'static Service> {
    MODEL.services.get(scope)
}

/// All services in the order of their names.
pub fn services() -> impl Iterator<Item = &'static Service> {
    MODEL.services.values()
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is part of the program and read by every test")]
    let mut model: Model = serde_json::from_str(include_str!("../../model.json")).expect("model.json is generated");
    for (scope, service) in &mut model.services {
        service.scope.clone_from(scope);
    }
    model
});

#[derive(Deserialize)]
struct Model {
    services: IndexMap<String, Service>,
}

/// How a service writes requests and answers down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// JSON bodies, action in `X-Amz-Target`.
    Json,
    /// JSON bodies, action in method and path.
    RestJson,
    /// Form bodies, XML answers.
    Query,
    /// EC2's variant of query: flat lists, own names, no wrapper.
    Ec2,
}

/// One service.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Name in a signature's credential scope, for example `servicequotas`.
    #[serde(default)]
    pub scope: String,
    /// How it writes requests and answers down.
    pub protocol: Protocol,
    /// API version, as in the query protocols' `Version`.
    pub api_version: String,
    /// First part of its host names.
    pub endpoint_prefix: String,
    /// `1.0` or `1.1`, part of the content type of JSON services.
    pub json_version: Option<String>,
    /// What precedes the action in `X-Amz-Target`.
    pub target_prefix: Option<String>,
    /// Namespace of XML answers.
    pub xml_namespace: Option<String>,
    /// Its listed actions.
    pub actions: IndexMap<String, Action>,
    shapes: HashMap<String, Shape>,
}

impl Service {
    /// The shape called `name`; an empty structure if the data lacks it (it does not, a test walks it).
    pub fn shape(&self, name: &str) -> &Shape {
        static NONE: LazyLock<Shape> = LazyLock::new(Shape::default);
        self.shapes.get(name).unwrap_or_else(|| {
            tracing::error!(service = self.scope, shape = name, "the service model lacks a shape");
            &NONE
        })
    }

    /// The error shape whose code on the wire, or name, is `code`.
    pub fn error(&self, code: &str) -> Option<&Shape> {
        let by_name = self.shapes.get(code).filter(|shape| shape.exception);
        by_name.or_else(|| self.shapes.values().find(|shape| shape.error_code() == Some(code)))
    }

    /// Names of all shapes.
    pub fn shape_names(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().map(String::as_str)
    }
}

/// One action of a service.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// HTTP method.
    pub method: String,
    /// URI template: `/clusters/{name}/addons`.
    pub uri: String,
    /// HTTP status of a success where it is not 200.
    pub status: Option<u16>,
    /// Input shape.
    pub input: Option<String>,
    /// Output shape.
    pub output: Option<String>,
    /// Element around the output in query answers.
    pub result_wrapper: Option<String>,
    /// Shapes of its modelled errors.
    #[serde(default)]
    pub errors: Vec<String>,
    /// Whether it is called without a signature.
    #[serde(default)]
    pub unsigned: bool,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Named members.
    #[default]
    Structure,
    /// Elements of one shape.
    List,
    /// Keys and values of one shape each.
    Map,
    /// Text.
    String,
    /// 32-bit number.
    Integer,
    /// 64-bit number.
    Long,
    /// Single precision number.
    Float,
    /// Double precision number.
    Double,
    /// Truth value.
    Boolean,
    /// Point in time.
    Timestamp,
    /// Bytes.
    Blob,
}

/// How a point in time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TimestampFormat {
    /// Seconds since 1970.
    UnixTimestamp,
    /// `2026-01-02T03:04:05Z`.
    Iso8601,
    /// `Fri, 02 Jan 2026 03:04:05 GMT`.
    Rfc822,
}

/// A shape: a type with its bounds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Members that must be there.
    #[serde(default)]
    pub required: Vec<String>,
    /// The only texts allowed, if there are any.
    #[serde(default, rename = "enum")]
    pub values: Vec<String>,
    /// Least length or value.
    pub min: Option<f64>,
    /// Greatest length or value.
    pub max: Option<f64>,
    /// What a text must look like.
    pub pattern: Option<Pattern>,
    /// Members of a structure.
    #[serde(default)]
    pub members: IndexMap<String, Member>,
    /// Element of a list.
    pub member: Option<Member>,
    /// Key of a map.
    pub key: Option<Member>,
    /// Value of a map.
    pub value: Option<Member>,
    /// The member that is the whole body.
    pub payload: Option<String>,
    /// Whether a list has no element of its own around its elements.
    #[serde(default)]
    pub flattened: bool,
    /// How a point in time is written, if not as the protocol does.
    pub timestamp_format: Option<TimestampFormat>,
    /// Whether it is an error.
    #[serde(default)]
    pub exception: bool,
    /// Whether it is an error of the service's own making.
    #[serde(default)]
    pub fault: bool,
    error: Option<ErrorTraits>,
}

impl Shape {
    /// Code on the wire where it differs from the shape's name.
    pub fn error_code(&self) -> Option<&str> {
        self.error.as_ref()?.code.as_deref()
    }

    /// HTTP status of an error.
    pub fn error_status(&self) -> Option<u16> {
        let modelled = self.error.as_ref().and_then(|error| error.http_status_code);
        modelled.or(self.fault.then_some(500))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErrorTraits {
    code: Option<String>,
    http_status_code: Option<u16>,
}

/// Where a member travels if it is not in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Location {
    /// A part of the path.
    Uri,
    /// A query parameter.
    #[serde(rename = "querystring")]
    QueryString,
    /// A header.
    Header,
    /// All headers with a prefix.
    Headers,
    /// The HTTP status.
    StatusCode,
}

/// A use of a shape.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The shape.
    pub shape: String,
    /// Where it travels if not in the body.
    pub location: Option<Location>,
    /// Name on the wire.
    pub location_name: Option<String>,
    /// Name in EC2 requests.
    pub query_name: Option<String>,
    /// Whether its list has no element of its own around its elements.
    #[serde(default)]
    pub flattened: bool,
    /// How a point in time is written, if not as the protocol does.
    pub timestamp_format: Option<TimestampFormat>,
}

impl Member {
    /// Name on the wire of the member called `name` in the model.
    pub fn wire_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.location_name.as_deref().unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_that_is_named_is_there() {
        for service in services() {
            let mut named: Vec<&String> = Vec::new();
            for action in service.actions.values() {
                named.extend(action.input.iter().chain(&action.output).chain(&action.errors));
            }
            for shape in service.shapes.values() {
                let parts = [&shape.member, &shape.key, &shape.value].into_iter().flatten();
                named.extend(shape.members.values().chain(parts).map(|member| &member.shape));
            }
            for name in named {
                assert!(service.shapes.contains_key(name), "{} lacks {name}", service.scope);
            }
        }
    }

    #[test]
    fn every_pattern_can_be_checked() {
        for service in services() {
            for (name, shape) in &service.shapes {
                if let Some(pattern) = &shape.pattern {
                    assert!(pattern.is_readable(), "{} {name}: {}", service.scope, pattern.as_str());
                }
            }
        }
    }
}
