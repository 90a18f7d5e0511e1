//! Structural knowledge of an object: a view on OpenAPI as Kubernetes publishes and CRDs carry it, and the pass that
//! reads a body by it: types, unknown fields, nulls, and for custom resources defaults and value rules.

use super::{object, refusal::Cause, resource};
use regex::Regex;
use serde_json::{Map, Value};

/// How the items of a list belong together (`x-kubernetes-list-type`).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ListKind<'a> {
    Atomic,
    Set,
    /// Items are told apart by these members.
    Map(Vec<&'a str>),
}

/// One node of a schema. `node` carries what is said at the place of use, `target` what a `$ref` leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema<'a> {
    node: &'a Value,
    target: &'a Value,
    reference: &'a str,
    custom: bool,
}

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

impl<'a> Schema<'a> {
    /// A published definition; knows nothing if there is none of that name.
    pub(super) fn definition(name: &'a str) -> Self {
        let target = resource::definition(name).unwrap_or(&Value::Null);
        Self { node: target, target, reference: name, custom: false }
    }

    /// The schema of a custom resource's version.
    pub(super) fn custom(node: &'a Value) -> Self {
        Self { node, target: node, reference: "", custom: true }
    }

    fn of(node: &'a Value, custom: bool) -> Self {
        match node["$ref"].as_str() {
            Some(reference) => {
                let reference = reference.trim_start_matches("#/definitions/");
                Self { node, target: resource::definition(reference).unwrap_or(&Value::Null), reference, custom }
            }
            None => Self { node, target: node, reference: "", custom },
        }
    }

    fn said(&self, name: &str) -> &'a Value {
        let here = &self.node[name];
        if here.is_null() { &self.target[name] } else { here }
    }

    /// The schema of a named field.
    pub(super) fn field(&self, name: &str) -> Option<Self> {
        self.target["properties"].get(name).map(|node| Self::of(node, self.custom))
    }

    /// The schema of a field of the whole object, where metadata is everyone's.
    pub(super) fn member(&self, name: &str, root: bool) -> Option<Self> {
        if root && self.custom {
            match name {
                "metadata" => return Some(Schema::definition(OBJECT_META)),
                "apiVersion" | "kind" => return Some(Schema::definition("io.k8s.apimachinery.pkg.apis.meta.v1.Plain")),
                _ => {}
            }
        }
        self.field(name).or_else(|| self.values())
    }

    /// The schema of a list's items.
    pub(super) fn items(&self) -> Self {
        Self::of(&self.target["items"], self.custom)
    }

    /// The schema of a map's values, if this is a map.
    pub(super) fn values(&self) -> Option<Self> {
        let values = &self.target["additionalProperties"];
        values.is_object().then(|| Self::of(values, self.custom))
    }

    pub(super) fn list_kind(&self) -> ListKind<'a> {
        match self.said("x-kubernetes-list-type").as_str() {
            Some("map") => {
                let keys = self.said("x-kubernetes-list-map-keys").as_array();
                ListKind::Map(keys.into_iter().flatten().filter_map(Value::as_str).collect())
            }
            Some("set") => ListKind::Set,
            _ => ListKind::Atomic,
        }
    }

    /// Whether the object or map is owned as a whole.
    pub(super) fn is_atomic(&self) -> bool {
        self.said("x-kubernetes-map-type") == "atomic" || (self.is_free() && !self.custom)
    }

    /// The member by which strategic merge tells a list's items apart; an empty text for lists of plain values.
    pub(super) fn merge_key(&self) -> Option<&'a str> {
        let merges = self.said("x-kubernetes-patch-strategy").as_str().is_some_and(|text| text.contains("merge"));
        merges.then(|| self.said("x-kubernetes-patch-merge-key").as_str().unwrap_or_default())
    }

    /// Whether anything may stand here.
    fn is_free(&self) -> bool {
        let target = self.target;
        target["x-kubernetes-preserve-unknown-fields"] == true
            || (!self.custom
                && target["properties"].is_null()
                && self.values().is_none()
                && self.kind() == Kind::Object)
            || self.kind() == Kind::Any
    }

    fn kind(&self) -> Kind {
        if self.target["x-kubernetes-int-or-string"] == true || self.target["format"] == "int-or-string" {
            return Kind::IntOrString;
        }
        match self.target["type"].as_str() {
            Some("string") if self.reference.ends_with(".Quantity") => Kind::Quantity,
            Some("string") => Kind::String,
            Some("integer") => Kind::Integer,
            Some("number") => Kind::Number,
            Some("boolean") => Kind::Boolean,
            Some("array") => Kind::List,
            Some("object") => Kind::Object,
            _ => Kind::Any,
        }
    }

    /// The Go type by which a decoding error calls this.
    fn go_type(&self) -> String {
        let short = self.reference.rsplit('.').next().unwrap_or_default();
        match self.kind() {
            Kind::Integer if self.target["format"] == "int64" => "int64".to_owned(),
            Kind::Integer => "int32".to_owned(),
            Kind::Boolean => "bool".to_owned(),
            Kind::List => format!("[]{}", self.items().go_type()),
            Kind::Object if short.is_empty() => "map[string]string".to_owned(),
            Kind::Object => format!("v1.{short}"),
            _ => "string".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    String,
    Integer,
    Number,
    Boolean,
    IntOrString,
    Quantity,
    List,
    Object,
}

/// What reading a body by its schema found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Paths of fields that the schema does not know; they are dropped.
    pub(super) unknown: Vec<String>,
    /// A value of a wrong type in a built-in object: the whole body is undecodable.
    pub(super) undecodable: Option<String>,
    /// Broken rules, and wrong types in custom objects.
    pub(super) causes: Vec<Cause>,
}

/// Reads `value` by `schema`: drops unknown fields and nulls, fills a custom resource's defaults, notes what is wrong.
pub(super) fn read(schema: Schema<'_>, value: &mut Value) -> Findings {
    let mut findings = Findings::default();
    visit(schema, value, "", true, &mut findings);
    findings
}

fn visit(schema: Schema<'_>, value: &mut Value, path: &str, root: bool, findings: &mut Findings) {
    let kind = schema.kind();
    if !fits(kind, value) {
        wrong_type(schema, value, path, findings);
        return;
    }
    match value {
        Value::Object(members) if kind == Kind::Object => visit_object(schema, members, path, root, findings),
        Value::Array(items) if kind == Kind::List => {
            let item = schema.items();
            for (at, each) in items.iter_mut().enumerate() {
                visit(item, each, &format!("{path}[{at}]"), false, findings);
            }
            if let ListKind::Map(keys) = schema.list_kind() {
                duplicates(items, &keys, path, findings);
            }
        }
        Value::String(text) if kind == Kind::Quantity && super::quantity::milli(text).is_none() => {
            findings.undecodable.get_or_insert_with(|| {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".into()
            });
        }
        _ => {}
    }
    if schema.custom {
        rules(schema, value, path, findings);
    }
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Any => true,
        Kind::String => value.is_string(),
        Kind::Integer => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Kind::Number => value.is_number(),
        Kind::Boolean => value.is_boolean(),
        Kind::IntOrString => value.is_string() || value.is_i64(),
        Kind::Quantity => value.is_string() || value.is_number(),
        Kind::List => value.is_array(),
        Kind::Object => value.is_object(),
    }
}

fn word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn wrong_type(schema: Schema<'_>, value: &Value, path: &str, findings: &mut Findings) {
    if schema.custom {
        let wanted = schema.target["type"].as_str().unwrap_or("object");
        let shown = Value::from(word(value).replace("bool", "boolean"));
        let detail = format!("{path} in body must be of type {wanted}: {shown}");
        findings.causes.push(Cause {
            reason: "FieldValueTypeInvalid",
            field: path.to_owned(),
            message: format!("Invalid value: {shown}: {detail}"),
        });
        return;
    }
    findings.undecodable.get_or_insert_with(|| {
        let plain: String =
            path.split('.').map(|step| step.split('[').next().unwrap_or(step)).collect::<Vec<_>>().join(".");
        format!("json: cannot unmarshal {} into Go struct field {plain} of type {}", word(value), schema.go_type())
    });
}

fn visit_object(schema: Schema<'_>, members: &mut Map<String, Value>, path: &str, root: bool, findings: &mut Findings) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if schema.custom {
        defaults(schema, members);
    }
    let embedded = root || schema.target["x-kubernetes-embedded-resource"] == true;
    let names: Vec<String> = members.keys().cloned().collect();
    for name in names {
        let Some(member) = members.get_mut(&name) else { continue };
        match schema.member(&name, embedded) {
            Some(next) if member.is_null() => {
                if !(next.custom && next.target["nullable"] == true) {
                    members.shift_remove(&name);
                }
            }
            Some(next) => visit(next, member, &below(&name), false, findings),
            None if schema.is_free() => {}
            None => {
                findings.unknown.push(below(&name));
                members.shift_remove(&name);
            }
        }
    }
    for name in schema.target["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) && (schema.custom || required_is_checked(schema, name)) {
            findings.causes.push(Cause::required(below(name), ""));
        }
    }
}

/// The published document calls required what Go writes without `omitempty`; an empty list or text is what is refused.
/// Those that validation itself demands are these.
fn required_is_checked(schema: Schema<'_>, name: &str) -> bool {
    let definition = schema.reference.rsplit('.').next().unwrap_or_default();
    matches!(
        (definition, name),
        ("PodSpec", "containers")
            | ("Container" | "EnvVar" | "Volume" | "VolumeMount", "name")
            | ("ContainerPort", "containerPort")
            | ("VolumeMount", "mountPath")
            | ("DeploymentSpec" | "ReplicaSetSpec" | "DaemonSetSpec" | "StatefulSetSpec", "selector")
            | ("ServicePort", "port")
            | ("RoleRef" | "Subject", "kind" | "name")
            | ("StorageClass", "provisioner")
            | ("CSIPersistentVolumeSource", "driver" | "volumeHandle")
            | ("NodeSelectorRequirement" | "LabelSelectorRequirement", "key" | "operator")
            | ("CronJobSpec", "schedule")
            | ("PolicyRule", "verbs")
            | ("PriorityClass", "value")
    )
}

fn defaults(schema: Schema<'_>, members: &mut Map<String, Value>) {
    let Some(properties) = schema.target["properties"].as_object() else { return };
    for (name, node) in properties {
        let missing = members.get(name).is_none_or(|value| value.is_null() && node["nullable"] != true);
        if missing && !node["default"].is_null() {
            members.insert(name.clone(), node["default"].clone());
        }
    }
}

fn duplicates(items: &[Value], keys: &[&str], path: &str, findings: &mut Findings) {
    let mut seen = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let key: Vec<&Value> = keys.iter().map(|key| &item[*key]).collect();
        // Ports without a protocol are defaulted later, and two containers may share a port.
        if keys.contains(&"protocol") || keys.contains(&"ip") {
            continue;
        }
        if seen.contains(&key) {
            let shown = if let [one] = key.as_slice() { (*one).clone() } else { item.clone() };
            let field = if keys.len() == 1 && !path.starts_with("status") {
                format!("{path}[{at}].{}", keys[0])
            } else {
                format!("{path}[{at}]")
            };
            findings.causes.push(Cause::duplicate(field, &shown));
        }
        seen.push(key);
    }
}

/// The value rules that a CRD's schema can state (OpenAPI v3, without CEL).
fn rules(schema: Schema<'_>, value: &Value, path: &str, findings: &mut Findings) {
    let node = schema.target;
    if let Some(options) = node["enum"].as_array()
        && !options.contains(value)
    {
        findings.causes.push(Cause::unsupported(path, value, options.iter().filter_map(Value::as_str)));
    }
    let mut refuse =
        |detail: String| findings.causes.push(Cause::invalid(path, value, format!("{path} in body {detail}")));
    if let Some(number) = value.as_f64() {
        if let Some(bound) = node["minimum"].as_f64()
            && (number < bound || node["exclusiveMinimum"] == true && number <= bound)
        {
            refuse(format!("should be greater than or equal to {bound}"));
        }
        if let Some(bound) = node["maximum"].as_f64()
            && (number > bound || node["exclusiveMaximum"] == true && number >= bound)
        {
            refuse(format!("should be less than or equal to {bound}"));
        }
    }
    if let Some(text) = value.as_str() {
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if node["minLength"].as_u64().is_some_and(|bound| length < bound) {
            refuse(format!("should be at least {} chars long", node["minLength"]));
        }
        if node["maxLength"].as_u64().is_some_and(|bound| length > bound) {
            refuse(format!("should be at most {} chars long", node["maxLength"]));
        }
        if let Some(pattern) = node["pattern"].as_str()
            && Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text))
        {
            refuse(format!("should match '{pattern}'"));
        }
    }
    if let Some(items) = value.as_array() {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if node["minItems"].as_u64().is_some_and(|bound| count < bound) {
            refuse(format!("should have at least {} items", node["minItems"]));
        }
        if node["maxItems"].as_u64().is_some_and(|bound| count > bound) {
            refuse(format!("should have at most {} items", node["maxItems"]));
        }
    }
}

/// Parts of metadata that the server alone writes.
pub(super) fn strip_server_fields(value: &mut Value) {
    for name in
        ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "selfLink", "managedFields"]
    {
        object::remove(value, "/metadata", name);
    }
}
