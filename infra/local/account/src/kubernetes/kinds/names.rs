//! Name rules: RFC 1123 labels and subdomains, label keys and values.

use crate::kubernetes::{object, refusal::Cause, resource::Resource};
use serde_json::Value;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// Lower-case letters, digits and inner hyphens, up to 63.
pub(in crate::kubernetes) fn is_label(text: &str) -> bool {
    let inner = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
    !text.is_empty() && text.len() <= 63 && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Labels joined by dots, up to 253 in all.
pub(in crate::kubernetes) fn is_subdomain(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(part)
}

fn is_label_value(text: &str) -> bool {
    let edge = |letter: Option<u8>| letter.is_none_or(|letter| letter.is_ascii_alphanumeric());
    text.len() <= 63
        && text.bytes().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.'))
        && edge(text.bytes().next())
        && edge(text.bytes().last())
}

fn is_label_key(text: &str) -> bool {
    let (prefix, name) = text.split_once('/').map_or((None, text), |(prefix, name)| (Some(prefix), name));
    prefix.is_none_or(is_subdomain) && !name.is_empty() && is_label_value(name)
}

/// Checks an object's own name by the rule of its kind.
pub(super) fn check_name(resource: &Resource, value: &Value, causes: &mut Vec<Cause>) {
    let name = object::name(value);
    let shown = Value::from(name);
    if name.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
        return;
    }
    match resource.plural.as_str() {
        // RBAC names are path segments.
        "roles" | "rolebindings" | "clusterroles" | "clusterrolebindings" => {
            if matches!(name, "." | "..") || name.contains(['/', '%']) {
                causes.push(Cause::invalid("metadata.name", &shown, "may not contain '/' or '%'"));
            }
        }
        "namespaces" | "services" => {
            if !is_label(name) {
                causes.push(Cause::invalid("metadata.name", &shown, LABEL));
            }
        }
        _ => {
            if name.len() > 253 {
                causes.push(Cause::invalid("metadata.name", &shown, "must be no more than 253 characters"));
            } else if !is_subdomain(name) {
                causes.push(Cause::invalid("metadata.name", &shown, SUBDOMAIN));
            }
        }
    }
}

/// Checks keys and values of labels, and keys of annotations.
pub(super) fn check_labels(labels: &Value, field: &str, causes: &mut Vec<Cause>) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        if !is_label_key(key) {
            causes.push(Cause::invalid(field, &Value::from(key.as_str()), QUALIFIED));
        }
        let text = value.as_str().unwrap_or_default();
        if text.len() > 63 {
            causes.push(Cause::invalid(field, value, "must be no more than 63 bytes"));
        } else if !is_label_value(text) {
            causes.push(Cause::invalid(field, value, LABEL_VALUE));
        }
    }
}

/// Checks the keys of annotations and their size together (256 KiB).
pub(super) fn check_annotations(annotations: &Value, field: &str, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, value) in annotations.as_object().into_iter().flatten() {
        if !is_label_key(&key.to_lowercase()) {
            causes.push(Cause::invalid(field, &Value::from(key.as_str()), QUALIFIED));
        }
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > 256 * 1024 {
        let message = "Too long: may not be more than 262144 bytes".to_owned();
        causes.push(Cause { reason: "FieldValueTooLong", field: field.to_owned(), message });
    }
}

/// Whether the name of a container, port or volume is a DNS label; notes it if not.
pub(super) fn check_label(text: &str, field: &str, causes: &mut Vec<Cause>) {
    if !is_label(text) {
        causes.push(Cause::invalid(field, &Value::from(text), LABEL));
    }
}
