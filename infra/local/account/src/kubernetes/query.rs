//! The query parameters of the API, parsed and checked.

use super::{
    refusal::Refusal,
    selector::{FieldSelector, LabelSelector},
};
use serde_json::Value;
use std::collections::BTreeMap;
use url::form_urlencoded;

/// What becomes of fields that the schema does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

/// Parameters by name; the last of several wins.
#[derive(Debug, Clone, Default)]
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    pub(super) fn parse(raw: &str) -> Self {
        Self(form_urlencoded::parse(raw.as_bytes()).into_owned().collect())
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name), "true" | "1")
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, Refusal> {
        match self.text(name) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                Refusal::bad_request(format!("{name}: strconv.ParseInt: parsing {text:?}: invalid syntax"))
            }),
        }
    }

    pub(super) fn labels(&self) -> Result<LabelSelector, Refusal> {
        LabelSelector::parse(self.text("labelSelector"))
    }

    pub(super) fn fields(&self) -> Result<FieldSelector, Refusal> {
        FieldSelector::parse(self.text("fieldSelector"))
    }

    /// Whether nothing is to be kept; the body of a deletion may ask for it as well.
    pub(super) fn dry_run(&self, body: &Value) -> Result<bool, Refusal> {
        let asked: Vec<&str> = match self.text("dryRun") {
            "" => body["dryRun"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            text => vec![text],
        };
        match asked.as_slice() {
            [] => Ok(false),
            ["All"] => Ok(true),
            other => Err(Refusal::new(
                422,
                "Invalid",
                format!(" \"\" is invalid: dryRun: Unsupported value: {other:?}: supported values: \"All\""),
            )),
        }
    }

    pub(super) fn field_validation(&self) -> Result<FieldValidation, Refusal> {
        match self.text("fieldValidation") {
            "" | "Warn" => Ok(FieldValidation::Warn),
            "Ignore" => Ok(FieldValidation::Ignore),
            "Strict" => Ok(FieldValidation::Strict),
            other => Err(Refusal::new(
                422,
                "Invalid",
                format!(
                    " \"\" is invalid: fieldValidation: Unsupported value: {other:?}: supported values: \"Ignore\", \"Strict\", \"Warn\""
                ),
            )),
        }
    }

    /// Under which name writes are recorded in `managedFields`.
    pub(super) fn manager(&self) -> String {
        match self.text("fieldManager") {
            "" => "unknown".to_owned(),
            name => name.to_owned(),
        }
    }
}
