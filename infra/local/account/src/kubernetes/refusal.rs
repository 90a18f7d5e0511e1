//! The ways in which the API server refuses, in its own words: the `Status` object of apimachinery's `errors` package.

use super::{Reply, resource::Resource};
use serde_json::{Value, json};

/// A request that was not served.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// HTTP status.
    pub code: u16,
    /// Machine-readable reason, for example `NotFound`.
    pub reason: &'static str,
    /// Text for people.
    pub message: String,
    /// `details` of the `Status`; null if there are none.
    pub details: Value,
}

/// One thing that is wrong with a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cause {
    pub(super) reason: &'static str,
    pub(super) field: String,
    pub(super) message: String,
}

impl Cause {
    pub(super) fn required(field: impl Into<String>, detail: &str) -> Self {
        let message = if detail.is_empty() { "Required value".to_owned() } else { format!("Required value: {detail}") };
        Self { reason: "FieldValueRequired", field: field.into(), message }
    }

    pub(super) fn invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        let message = format!("Invalid value: {value}: {}", detail.as_ref());
        Self { reason: "FieldValueInvalid", field: field.into(), message }
    }

    pub(super) fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self { reason: "FieldValueForbidden", field: field.into(), message: format!("Forbidden: {detail}") }
    }

    pub(super) fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self { reason: "FieldValueDuplicate", field: field.into(), message: format!("Duplicate value: {value}") }
    }

    pub(super) fn unsupported<'a>(
        field: impl Into<String>,
        value: &Value,
        supported: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let supported: Vec<String> = supported.into_iter().map(|one| format!("{one:?}")).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", supported.join(", "));
        Self { reason: "FieldValueNotSupported", field: field.into(), message }
    }

    pub(super) fn not_found(field: impl Into<String>, value: &Value) -> Self {
        Self { reason: "FieldValueNotFound", field: field.into(), message: format!("Not found: {value}") }
    }
}

impl Refusal {
    pub(super) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Value::Null }
    }

    fn about(mut self, resource: &Resource, name: &str) -> Self {
        self.details = json!({"kind": resource.plural});
        if !name.is_empty() {
            self.details["name"] = name.into();
        }
        if !resource.group.is_empty() {
            self.details["group"] = resource.group.clone().into();
        }
        self
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A path that leads nowhere.
    pub(super) fn no_such_path() -> Self {
        let mut refusal = Self::new(404, "NotFound", "the server could not find the requested resource");
        refusal.details = json!({});
        refusal
    }

    pub(super) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(404, "NotFound", message).about(resource, name)
    }

    pub(super) fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).about(resource, name)
    }

    pub(super) fn conflict(resource: &Resource, name: &str, detail: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {detail}", resource.qualified());
        Self::new(409, "Conflict", message).about(resource, name)
    }

    /// The `resourceVersion` sent is not the stored one.
    pub(super) fn modified(resource: &Resource, name: &str) -> Self {
        let detail = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, detail)
    }

    pub(super) fn forbidden(resource: &Resource, name: &str, detail: &str) -> Self {
        let what = if name.is_empty() { resource.qualified() } else { format!("{} {name:?}", resource.qualified()) };
        Self::new(403, "Forbidden", format!("{what} is forbidden: {detail}")).about(resource, name)
    }

    pub(super) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        let mut refusal = Self::new(405, "MethodNotAllowed", message);
        refusal.details = json!({});
        refusal
    }

    pub(super) fn unsupported_media_type(accepted: &str) -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// An object that breaks the rules of its kind; `causes` is not empty.
    pub(super) fn invalid(resource: &Resource, name: &str, causes: Vec<Cause>) -> Self {
        let texts: Vec<String> = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
        let text = if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) };
        let kind = if resource.group.is_empty() {
            resource.kind.clone()
        } else {
            format!("{}.{}", resource.kind, resource.group)
        };
        let mut refusal =
            Self::new(422, "Invalid", format!("{kind} {name:?} is invalid: {text}")).about(resource, name);
        refusal.details["kind"] = resource.kind.clone().into();
        refusal.details["causes"] = causes
            .iter()
            .map(|cause| json!({"reason": cause.reason, "message": cause.message, "field": cause.field}))
            .collect();
        refusal
    }

    /// The `Status` object that says this.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason,
        });
        if !self.details.is_null() {
            status["details"] = self.details.clone();
        }
        status["code"] = self.code.into();
        status
    }

    pub(super) fn reply(&self) -> Reply {
        Reply::Json { status: self.code, body: self.status(), warnings: Vec::new() }
    }
}
