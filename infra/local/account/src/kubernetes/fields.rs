//! Sets of fields, as `managedFields` writes them (FieldsV1 of structured-merge-diff).

use super::schema::{ListKind, Schema};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A set of paths: each node may itself be a member (written `.`), and has children by path element
/// (`f:name`, `k:{"key":…}`, `v:value`).
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fields {
    member: bool,
    children: BTreeMap<String, Fields>,
}

/// Fields that no one owns: they name the object or are the server's own.
const UNOWNED: &[&str] = &[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

impl Fields {
    fn leaf() -> Self {
        Self { member: true, children: BTreeMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.member && self.children.values().all(Self::is_empty)
    }

    pub(super) fn parse(fields: &Value) -> Self {
        let members = fields.as_object();
        let children = members.into_iter().flatten().filter(|(name, _)| *name != ".");
        let children: BTreeMap<String, Self> = children
            .map(|(name, value)| {
                let mut child = Self::parse(value);
                child.member |= value.as_object().is_none_or(Map::is_empty);
                (name.clone(), child)
            })
            .collect();
        Self { member: members.is_some_and(|members| members.contains_key(".")), children }
    }

    pub(super) fn to_json(&self) -> Value {
        let mut written = json!({});
        if self.member && !self.children.is_empty() {
            written["."] = json!({});
        }
        for (name, child) in self.children.iter().filter(|(_, child)| !child.is_empty()) {
            written[name] = child.to_json();
        }
        written
    }

    /// What an applied configuration owns.
    pub(super) fn applied(schema: Schema<'_>, value: &Value) -> Self {
        Self::of(Some(schema), value, true).owned()
    }

    /// What differs in `new` from `old`: added and changed fields.
    pub(super) fn changed(schema: Schema<'_>, old: &Value, new: &Value) -> Self {
        Self::diff(Some(schema), old, new, true).owned()
    }

    fn owned(mut self) -> Self {
        self.children.remove("f:apiVersion");
        self.children.remove("f:kind");
        if let Some(metadata) = self.children.get_mut("f:metadata") {
            metadata.member = false;
            metadata.children.retain(|name, _| !UNOWNED.contains(&name.trim_start_matches("f:")));
        }
        self
    }

    fn of(schema: Option<Schema<'_>>, value: &Value, root: bool) -> Self {
        match value {
            Value::Object(members) if !members.is_empty() && !schema.is_some_and(|schema| schema.is_atomic()) => {
                let children = members.iter().map(|(name, member)| {
                    let next = schema.and_then(|schema| schema.member(name, root));
                    let mut child = Self::of(next, member, false);
                    // A named field is owned through what is in it, an entry of a map by itself.
                    child.member |= schema.is_none_or(|schema| schema.field(name).is_none());
                    (format!("f:{name}"), child)
                });
                Self { member: false, children: children.collect() }
            }
            Value::Array(items) if !items.is_empty() && is_keyed(schema) => {
                let Some(schema) = schema else { return Self::leaf() };
                let children = items.iter().map(|item| {
                    let mut child = Self::of(Some(schema.items()), item, false);
                    child.member = true;
                    (element(&schema, item), child)
                });
                Self { member: false, children: children.collect() }
            }
            _ => Self::leaf(),
        }
    }

    fn diff(schema: Option<Schema<'_>>, old: &Value, new: &Value, root: bool) -> Self {
        if old == new {
            return Self::default();
        }
        match (old, new) {
            (Value::Object(before), Value::Object(after)) if !schema.is_some_and(|schema| schema.is_atomic()) => {
                let children = after.iter().filter_map(|(name, member)| {
                    let next = schema.and_then(|schema| schema.member(name, root));
                    let child = match before.get(name) {
                        Some(earlier) => Self::diff(next, earlier, member, false),
                        None => Self::new_value(next, member),
                    };
                    (!child.is_empty()).then(|| (format!("f:{name}"), child))
                });
                Self { member: false, children: children.collect() }
            }
            (Value::Array(before), Value::Array(after)) if is_keyed(schema) => {
                let Some(schema) = schema else { return Self::leaf() };
                let children = after.iter().filter_map(|item| {
                    let name = element(&schema, item);
                    let child = match before.iter().find(|one| element(&schema, one) == name) {
                        Some(earlier) => Self::diff(Some(schema.items()), earlier, item, false),
                        None => Self::new_value(Some(schema.items()), item),
                    };
                    (!child.is_empty()).then_some((name, child))
                });
                Self { member: false, children: children.collect() }
            }
            _ => Self::new_value(schema, new),
        }
    }

    /// A field that was not there before is owned with all that is in it.
    fn new_value(schema: Option<Schema<'_>>, value: &Value) -> Self {
        let mut fields = Self::of(schema, value, false);
        fields.member = true;
        fields
    }

    pub(super) fn with(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.member |= other.member;
        for (name, child) in &other.children {
            let joined = sum.children.get(name).map_or_else(|| child.clone(), |mine| mine.with(child));
            sum.children.insert(name.clone(), joined);
        }
        sum
    }

    /// This set without the members of `other`.
    pub(super) fn without(&self, other: &Self) -> Self {
        let children = self.children.iter().map(|(name, mine)| {
            (name.clone(), other.children.get(name).map_or_else(|| mine.clone(), |theirs| mine.without(theirs)))
        });
        Self {
            member: self.member && !other.member,
            children: children.filter(|(_, child)| !child.is_empty()).collect(),
        }
    }

    /// The members that both sets have.
    pub(super) fn common(&self, other: &Self) -> Self {
        let children = self.children.iter().filter_map(|(name, mine)| {
            let child = mine.common(other.children.get(name)?);
            (!child.is_empty()).then(|| (name.clone(), child))
        });
        Self { member: self.member && other.member, children: children.collect() }
    }

    /// Paths as errors write them: `.spec.template.spec.containers[name="app"].image`.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect(String::new(), &mut found);
        found
    }

    fn collect(&self, path: String, found: &mut Vec<String>) {
        for (name, child) in &self.children {
            let (kind, rest) = name.split_at(2);
            let step = match kind {
                "f:" => format!(".{rest}"),
                "k:" => {
                    let keys: Value = serde_json::from_str(rest).unwrap_or_default();
                    let keys = keys.as_object().cloned().unwrap_or_default();
                    let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                    format!("[{}]", keys.join(","))
                }
                _ => format!("[={rest}]"),
            };
            child.collect(format!("{path}{step}"), found);
        }
        if self.member && self.children.values().all(Self::is_empty) {
            found.push(path);
        }
    }

    /// Removes from `value` what this set names: entries that are members, and nothing around them.
    pub(super) fn remove_from(&self, schema: Option<Schema<'_>>, value: &mut Value, root: bool) {
        match value {
            Value::Object(members) => {
                for (name, fields) in &self.children {
                    let Some(name) = name.strip_prefix("f:") else { continue };
                    let next = schema.and_then(|schema| schema.member(name, root));
                    let Some(member) = members.get_mut(name) else { continue };
                    fields.remove_from(next, member, false);
                    let hollow = match member {
                        Value::Object(inner) => inner.is_empty(),
                        Value::Array(inner) => inner.is_empty(),
                        _ => true,
                    };
                    let whole = fields.member && (fields.children.is_empty() || hollow);
                    if whole || hollow && !fields.children.is_empty() {
                        members.shift_remove(name);
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema else { return };
                items.retain_mut(|item| {
                    let Some(fields) = self.children.get(&element(&schema, item)) else { return true };
                    if fields.member {
                        return false;
                    }
                    fields.remove_from(Some(schema.items()), item, false);
                    true
                });
            }
            _ => {}
        }
    }
}

fn is_keyed(schema: Option<Schema<'_>>) -> bool {
    schema.is_some_and(|schema| schema.list_kind() != ListKind::Atomic)
}

/// The path element of a list's item.
pub(super) fn element(schema: &Schema<'_>, item: &Value) -> String {
    match schema.list_kind() {
        ListKind::Map(keys) => {
            let mut named: Vec<(&str, Value)> = keys
                .into_iter()
                .filter_map(|key| match item.get(key) {
                    Some(value) => Some((key, value.clone())),
                    None if key == "protocol" => Some((key, "TCP".into())),
                    None => None,
                })
                .collect();
            named.sort_by(|one, other| one.0.cmp(other.0));
            let members: Map<String, Value> = named.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            format!("k:{}", Value::Object(members))
        }
        _ => format!("v:{item}"),
    }
}
