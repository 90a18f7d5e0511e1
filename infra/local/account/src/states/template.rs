//! Payload templates: the values of `Parameters`, `ItemSelector` and `ResultSelector`.

use super::{intrinsics::Expression, path::Path};
use crate::world::World;
use serde_json::{Map, Value};
use std::cell::Cell;

/// What paths and intrinsics in a state read from.
pub(super) struct Scope<'a> {
    input: &'a Value,
    context: &'a Value,
    seed: u64,
    label: &'a str,
    drawn: Cell<u32>,
}

impl<'a> Scope<'a> {
    /// A scope over `input` and the context object; `label` makes its random numbers its own.
    pub(super) fn new(input: &'a Value, context: &'a Value, seed: u64, label: &'a str) -> Self {
        Self { input, context, seed, label, drawn: Cell::new(0) }
    }

    /// What `path` names here.
    pub(super) fn read(&self, path: &Path) -> Option<Value> {
        path.read(if path.context { self.context } else { self.input })
    }

    /// What the path or intrinsic `text` gives here.
    pub(super) fn value(&self, text: &str) -> Result<Value, String> {
        if text.starts_with("States.") {
            return Expression::parse(text)?.evaluate(self);
        }
        self.read(&Path::parse(text)?).ok_or_else(|| format!("The JSONPath '{text}' could not be found in the input"))
    }

    /// The next random number.
    pub(super) fn draw(&self) -> u64 {
        self.drawn.set(self.drawn.get() + 1);
        World::new(self.seed, 1).hash(&format!("states/{}/{}", self.label, self.drawn.get()))
    }

    /// `template` with every `name.$` replaced by what its path or intrinsic gives.
    ///
    /// The error is the name of the error in Amazon States Language and its text.
    pub(super) fn fill(&self, template: &Value) -> Result<Value, (&'static str, String)> {
        match template {
            Value::Object(fields) => {
                let mut filled = Map::new();
                for (name, value) in fields {
                    let (name, value) = match (name.strip_suffix(".$"), value.as_str()) {
                        (Some(name), Some(text)) => (name, self.field(name, text)?),
                        _ => (name.as_str(), self.fill(value)?),
                    };
                    filled.insert(name.to_owned(), value);
                }
                Ok(Value::Object(filled))
            }
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            other => Ok(other.clone()),
        }
    }

    fn field(&self, name: &str, text: &str) -> Result<Value, (&'static str, String)> {
        let intrinsic = text.starts_with("States.");
        self.value(text).map_err(|cause| match intrinsic {
            true => ("States.IntrinsicFailure", format!("The function '{text}' had the following error: {cause}")),
            false => {
                let cause = format!(
                    "The JSONPath '{text}' specified for the field '{name}.$' could not be found in the input '{}'",
                    self.input
                );
                ("States.ParameterPathFailure", cause)
            }
        })
    }
}
