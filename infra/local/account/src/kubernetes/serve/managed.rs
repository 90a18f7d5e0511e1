//! `managedFields`: who last set which field.

use super::Options;
use crate::kubernetes::{fields::Fields, object, resource::Resource};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Records in `value` what this write changed against `current`.
pub(super) fn record(
    resource: &Resource,
    current: Option<&Value>,
    value: &mut Value,
    options: &mut Options,
    now: Timestamp,
) {
    if let Some(managed) = options.managed.take() {
        object::put(value, "/metadata/managedFields", managed);
        return;
    }
    let schema = resource.schema();
    let nothing = json!({});
    let changed = Fields::changed(schema, current.unwrap_or(&nothing), value);
    let gone = current.map(|current| Fields::changed(schema, value, current)).unwrap_or_default();
    let own = |entry: &Value| {
        entry["manager"] == options.manager.as_str()
            && entry["operation"] == "Update"
            && object::text(entry, "/subresource") == options.subresource
    };
    let mut entries: Vec<Value> = Vec::new();
    let mut mine = changed.clone();
    for entry in current.map_or(&[][..], |current| object::list(current, "/metadata/managedFields")) {
        let fields = Fields::parse(&entry["fieldsV1"]).without(&gone).without(&changed);
        if own(entry) {
            mine = mine.with(&fields);
        } else if !fields.is_empty() {
            let mut entry = entry.clone();
            entry["fieldsV1"] = fields.to_json();
            entries.push(entry);
        }
    }
    if !mine.is_empty() {
        let earlier =
            current.and_then(|current| object::list(current, "/metadata/managedFields").iter().find(|one| own(one)));
        let time =
            earlier.filter(|_| changed.is_empty()).map_or_else(|| object::time(now).into(), |one| one["time"].clone());
        entries.push(entry(resource, options, "Update", &mine, time));
    }
    object::put(value, "/metadata/managedFields", entries);
}

/// One entry of `managedFields`.
pub(super) fn entry(resource: &Resource, options: &Options, operation: &str, fields: &Fields, time: Value) -> Value {
    let mut entry = json!({
        "manager": options.manager, "operation": operation, "apiVersion": resource.api_version(), "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": fields.to_json(),
    });
    if !options.subresource.is_empty() {
        entry["subresource"] = options.subresource.clone().into();
    }
    entry
}

/// Whether a write would change nothing: times in `managedFields` do not count.
pub(super) fn is_same(current: &Value, value: &Value) -> bool {
    let plain = |value: &Value| {
        let mut value = value.clone();
        for entry in value["metadata"]["managedFields"].as_array_mut().into_iter().flatten() {
            entry["time"] = Value::Null;
        }
        value
    };
    plain(current) == plain(value)
}
