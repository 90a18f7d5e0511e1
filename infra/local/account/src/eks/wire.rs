//! Small conversions between what is kept and what goes over the wire.

use crate::call::Call;
use jiff::Timestamp;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Seconds since 1970 with milliseconds, as EKS writes times.
pub(super) fn seconds(at: Timestamp) -> Value {
    let milliseconds = at.as_millisecond();
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of any date fit a double")]
    Number::from_f64(milliseconds as f64 / 1000.0).map_or(Value::Null, Value::Number)
}

/// The tags that a request carries.
pub(super) fn tags(call: &Call) -> BTreeMap<String, String> {
    text_map(call.input.get("tags"))
}

/// A map of strings; what is not a string is left out.
pub(super) fn text_map(value: Option<&Value>) -> BTreeMap<String, String> {
    value
        .and_then(Value::as_object)
        .map(|map| map.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect())
        .unwrap_or_default()
}

/// A list of strings below `value`; empty if it is absent.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}
