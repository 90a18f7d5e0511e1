//! Whether an input keeps the bounds of its model. What is found is a list of facts; `wording` says them as the service
//! would.

use crate::model::{Kind, Service, Shape};
use serde_json::Value;

/// One way in which an input breaks its model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Violation {
    /// Where: member names and one-based list positions from the outside in.
    pub path: Vec<String>,
    /// The value as it was sent.
    pub value: Value,
    /// What is broken.
    pub rule: Rule,
}

/// A bound that an input breaks.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    /// The model knows no such member.
    Unknown,
    /// A required member is missing.
    Missing,
    /// A value of another type, with the name of the type wanted.
    Type(Kind),
    /// None of the allowed texts.
    Enum(Vec<String>),
    /// A text that does not match.
    Pattern(String),
    /// Shorter than this.
    MinLength(f64),
    /// Longer than this.
    MaxLength(f64),
    /// Less than this.
    MinValue(f64),
    /// More than this.
    MaxValue(f64),
}

/// Adds what `value` breaks of `shape`.
pub(super) fn against(service: &Service, shape: &Shape, value: &Value, found: &mut Vec<Violation>) {
    Walk { service, path: Vec::new(), found }.value(shape, value);
}

struct Walk<'a> {
    service: &'a Service,
    path: Vec<String>,
    found: &'a mut Vec<Violation>,
}

impl Walk<'_> {
    fn value(&mut self, shape: &Shape, value: &Value) {
        match value {
            Value::Object(members) if shape.kind == Kind::Structure => {
                for name in shape.required.iter().filter(|name| !members.contains_key(*name)) {
                    self.at(name.clone(), |walk| walk.report(&Value::Null, Rule::Missing));
                }
                for (name, value) in members {
                    if let Some(member) = shape.members.get(name) {
                        let shape = self.service.shape(&member.shape);
                        self.at(name.clone(), |walk| walk.value(shape, value));
                    }
                }
            }
            Value::Object(entries) => self.map(shape, value, entries),
            Value::Array(elements) => {
                self.length(shape, elements.len(), value);
                let Some(member) = &shape.member else { return };
                let element = self.service.shape(&member.shape);
                for (position, value) in elements.iter().enumerate() {
                    self.at((position + 1).to_string(), |walk| walk.value(element, value));
                }
            }
            Value::String(text) => self.text(shape, text, value),
            Value::Number(number) if shape.kind != Kind::Timestamp => {
                let number = number.as_f64().unwrap_or_default();
                if let Some(min) = shape.min.filter(|min| number < *min) {
                    self.report(value, Rule::MinValue(min));
                }
                if let Some(max) = shape.max.filter(|max| number > *max) {
                    self.report(value, Rule::MaxValue(max));
                }
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
        }
    }

    fn map(&mut self, shape: &Shape, whole: &Value, entries: &serde_json::Map<String, Value>) {
        self.length(shape, entries.len(), whole);
        let (Some(key), Some(element)) = (&shape.key, &shape.value) else { return };
        let (key, element) = (self.service.shape(&key.shape), self.service.shape(&element.shape));
        for (name, value) in entries {
            self.at(name.clone(), |walk| {
                walk.text(key, name, &Value::from(name.as_str()));
                walk.value(element, value);
            });
        }
    }

    fn text(&mut self, shape: &Shape, text: &str, value: &Value) {
        if shape.kind == Kind::Blob {
            return;
        }
        self.length(shape, text.chars().count(), value);
        if !shape.values.is_empty() && !shape.values.iter().any(|allowed| allowed == text) {
            self.report(value, Rule::Enum(shape.values.clone()));
        }
        if let Some(pattern) = shape.pattern.as_ref().filter(|pattern| !pattern.matches(text)) {
            self.report(value, Rule::Pattern(pattern.as_str().to_owned()));
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a length is small")]
    fn length(&mut self, shape: &Shape, length: usize, value: &Value) {
        if let Some(min) = shape.min.filter(|min| (length as f64) < *min) {
            self.report(value, Rule::MinLength(min));
        }
        if let Some(max) = shape.max.filter(|max| length as f64 > *max) {
            self.report(value, Rule::MaxLength(max));
        }
    }

    fn at(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }

    fn report(&mut self, value: &Value, rule: Rule) {
        self.found.push(Violation { path: self.path.clone(), value: value.clone(), rule });
    }
}
