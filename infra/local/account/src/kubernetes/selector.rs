//! Label and field selectors.

use super::{object, refusal::Refusal, resource::Resource};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
enum Rule {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Greater(i64),
    Less(i64),
}

impl Rule {
    /// `NotIn` holds for a missing key, as in Kubernetes.
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.iter().any(|one| one == value)),
            Self::NotIn(values) => value.is_none_or(|value| values.iter().all(|one| one != value)),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Greater(bound) => number().is_some_and(|number| number > *bound),
            Self::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// Requirements on labels, all of which must hold; none of them selects everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LabelSelector(Vec<(String, Rule)>);

impl LabelSelector {
    /// Parses the text form: `a=b,c!=d,e in (f,g),h,!i`.
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let refuse = |part: &str| {
            Refusal::bad_request(format!(
                "unable to parse requirement: found '{part}', expected: '=', '!=', '==', 'in', notin'"
            ))
        };
        let mut rules = Vec::new();
        for part in split_outside_parentheses(text) {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let list = |text: &str| {
                let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
                inner.map(|inner| inner.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>())
            };
            let one = |value: &str| vec![value.trim().to_owned()];
            let (key, rule) = if let Some(key) = part.strip_prefix('!') {
                (key, Rule::Absent)
            } else if let Some((key, values)) = part.split_once(" notin ") {
                (key, Rule::NotIn(list(values).ok_or_else(|| refuse(part))?))
            } else if let Some((key, values)) = part.split_once(" in ") {
                (key, Rule::In(list(values).ok_or_else(|| refuse(part))?))
            } else if let Some((key, value)) = part.split_once("!=") {
                (key, Rule::NotIn(one(value)))
            } else if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (key, Rule::In(one(value)))
            } else {
                (part, Rule::Exists)
            };
            let key = key.trim();
            if key.is_empty() || key.contains([' ', '(', ')']) {
                return Err(refuse(part));
            }
            rules.push((key.to_owned(), rule));
        }
        Ok(Self(rules))
    }

    /// The selector in an object's `matchLabels` / `matchExpressions`; a missing one selects nothing.
    pub(super) fn from_object(selector: &Value) -> Option<Self> {
        let selector = selector.as_object()?;
        let mut rules = Self::pairs(selector.get("matchLabels").unwrap_or(&Value::Null)).0;
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            rules.push(expression_rule(expression)?);
        }
        Some(Self(rules))
    }

    /// Plain pairs, as in a Service's selector.
    pub(super) fn pairs(labels: &Value) -> Self {
        let pairs = labels.as_object().into_iter().flatten();
        Self(pairs.filter_map(|(key, value)| Some((key.clone(), Rule::In(vec![value.as_str()?.to_owned()])))).collect())
    }

    /// Requirements of a node selector term's `matchExpressions` (or `matchFields`).
    pub(super) fn from_expressions(expressions: &[Value]) -> Option<Self> {
        expressions.iter().map(expression_rule).collect::<Option<Vec<_>>>().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `labels`, an object of strings or null, satisfies every requirement.
    pub(super) fn matches(&self, labels: &Value) -> bool {
        self.0.iter().all(|(key, rule)| rule.holds(labels.get(key).and_then(Value::as_str)))
    }
}

fn expression_rule(expression: &Value) -> Option<(String, Rule)> {
    let key = expression["key"].as_str()?.to_owned();
    let values: Vec<String> =
        expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let bound = values.first().and_then(|value| value.parse().ok());
    let rule = match expression["operator"].as_str()? {
        "In" => Rule::In(values),
        "NotIn" => Rule::NotIn(values),
        "Exists" => Rule::Exists,
        "DoesNotExist" => Rule::Absent,
        "Gt" => Rule::Greater(bound?),
        "Lt" => Rule::Less(bound?),
        _ => return None,
    };
    Some((key, rule))
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Requirements on a few fields of an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FieldSelector(Vec<(String, bool, String)>);

impl FieldSelector {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let mut rules = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (field, equal, value) = if let Some((field, value)) = part.split_once("!=") {
                (field, false, value)
            } else if let Some((field, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (field, true, value)
            } else {
                let message = format!("invalid selector: '{text}'; can't understand '{part}'");
                return Err(Refusal::bad_request(message));
            };
            rules.push((field.to_owned(), equal, value.to_owned()));
        }
        Ok(Self(rules))
    }

    /// One object by its name.
    pub(super) fn named(name: &str) -> Self {
        Self(vec![("metadata.name".to_owned(), true, name.to_owned())])
    }

    /// Refuses fields by which this resource cannot be selected.
    pub(super) fn check(&self, resource: &Resource) -> Result<(), Refusal> {
        for (field, ..) in &self.0 {
            let known = matches!(field.as_str(), "metadata.name" | "metadata.namespace")
                || selectable(resource).contains(&field.as_str());
            if !known {
                let message = format!("field label not supported: {field}");
                return Err(Refusal::bad_request(message));
            }
        }
        Ok(())
    }

    pub(super) fn matches(&self, value: &Value) -> bool {
        self.0.iter().all(|(field, equal, wanted)| {
            let found = value.pointer(&format!("/{}", field.replace('.', "/"))).unwrap_or(&Value::Null);
            let found = match found {
                Value::Null => default_of(field).to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            (found == *wanted) == *equal
        })
    }
}

fn default_of(field: &str) -> &'static str {
    match field {
        "spec.unschedulable" | "spec.hostNetwork" => "false",
        "status.successful" => "0",
        _ => "",
    }
}

/// Further fields by which a kind can be selected (`pkg/apis/*/v1/conversion.go` of Kubernetes).
fn selectable(resource: &Resource) -> &'static [&'static str] {
    match resource.plural.as_str() {
        "pods" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        "events" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        "nodes" => &["spec.unschedulable"],
        "namespaces" => &["status.phase"],
        "secrets" => &["type"],
        "replicasets" => &["status.replicas"],
        "jobs" => &["status.successful"],
        "services" => &["spec.clusterIP", "spec.type"],
        _ => &[],
    }
}

/// Whether `labels` are selected by the selector object of a workload.
pub(super) fn selects(owner: &Value, candidate: &Value) -> bool {
    let selector = owner.pointer("/spec/selector").unwrap_or(&Value::Null);
    LabelSelector::from_object(selector)
        .is_some_and(|selector| !selector.is_empty() && selector.matches(object::labels(candidate)))
}
