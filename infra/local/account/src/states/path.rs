//! JSONPath as Amazon States Language uses it: reading, and writing through reference paths. Filters are absent.

use serde_json::{Map, Value};

/// A parsed path; `$$` paths read the context object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    /// Whether the path starts at the context object (`$$`).
    pub(super) context: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Index(i64),
    Slice(Option<i64>, Option<i64>),
    All,
    Descend(String),
}

impl Path {
    /// Parses `text`; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (context, mut rest) = match (text.strip_prefix("$$"), text.strip_prefix('$')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(format!("a path starts with $: '{text}'")),
        };
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest).ok_or_else(|| format!("invalid path '{text}' at '{rest}'"))?;
            steps.push(step);
            rest = after;
        }
        Ok(Self { context, steps })
    }

    /// Whether the path names one place: fields and plain indexes alone.
    pub(super) fn is_reference(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Field(_) | Step::Index(0..)))
    }

    /// What the path names in `root`; several matches of an indefinite path come as an array.
    pub(super) fn read(&self, root: &Value) -> Option<Value> {
        let mut found = vec![root];
        let mut definite = true;
        for step in &self.steps {
            definite &= matches!(step, Step::Field(_) | Step::Index(_));
            found = found.into_iter().flat_map(|value| select(step, value)).collect();
        }
        match definite {
            true => found.first().map(|value| (*value).clone()),
            false => Some(Value::Array(found.into_iter().cloned().collect())),
        }
    }

    /// Puts `value` where the path points, making objects on the way; none if something else is in the way.
    pub(super) fn write(&self, root: &mut Value, value: Value) -> Option<()> {
        let mut place = root;
        for step in &self.steps {
            place = match step {
                Step::Field(name) => {
                    if place.is_null() {
                        *place = Value::Object(Map::new());
                    }
                    place.as_object_mut()?.entry(name.as_str()).or_insert(Value::Null)
                }
                Step::Index(index) => place.as_array_mut()?.get_mut(usize::try_from(*index).ok()?)?,
                Step::Slice(..) | Step::All | Step::Descend(_) => return None,
            };
        }
        *place = value;
        Some(())
    }
}

fn step(rest: &str) -> Option<(Step, &str)> {
    if let Some(rest) = rest.strip_prefix("..") {
        let (name, rest) = name(rest)?;
        return Some((Step::Descend(name.to_owned()), rest));
    }
    if let Some(rest) = rest.strip_prefix(".*") {
        return Some((Step::All, rest));
    }
    if let Some(rest) = rest.strip_prefix('.') {
        let (name, rest) = name(rest)?;
        return Some((Step::Field(name.to_owned()), rest));
    }
    let inside = rest.strip_prefix('[')?;
    for quote in ['\'', '"'] {
        if let Some(quoted) = inside.strip_prefix(quote) {
            let (name, rest) = quoted.split_once(quote)?;
            return Some((Step::Field(name.to_owned()), rest.strip_prefix(']')?));
        }
    }
    let (index, rest) = inside.split_once(']')?;
    let step = match index.split_once(':') {
        _ if index == "*" => Step::All,
        Some((from, to)) => Step::Slice(bound(from)?, bound(to)?),
        None => Step::Index(index.trim().parse().ok()?),
    };
    Some((step, rest))
}

fn bound(text: &str) -> Option<Option<i64>> {
    match text.trim() {
        "" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

fn name(rest: &str) -> Option<(&str, &str)> {
    let end = rest.find(['.', '[', ' ', ',', ')', '(']).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

fn select<'a>(step: &Step, value: &'a Value) -> Vec<&'a Value> {
    match (step, value) {
        (Step::Field(name), Value::Object(fields)) => fields.get(name).into_iter().collect(),
        (Step::Index(index), Value::Array(items)) => {
            position(*index, items.len()).and_then(|i| items.get(i)).into_iter().collect()
        }
        (Step::Slice(from, to), Value::Array(items)) => {
            let from = from.map_or(0, |from| clamp(from, items.len()));
            let to = to.map_or(items.len(), |to| clamp(to, items.len()));
            items.get(from..to.max(from)).unwrap_or(&[]).iter().collect()
        }
        (Step::All, Value::Array(items)) => items.iter().collect(),
        (Step::All, Value::Object(fields)) => fields.values().collect(),
        (Step::Descend(name), value) => descend(name, value),
        _ => Vec::new(),
    }
}

fn descend<'a>(name: &str, value: &'a Value) -> Vec<&'a Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(name));
            found.extend(fields.values().flat_map(|inner| descend(name, inner)));
        }
        Value::Array(items) => found.extend(items.iter().flat_map(|inner| descend(name, inner))),
        _ => {}
    }
    found
}

fn position(index: i64, length: usize) -> Option<usize> {
    match index {
        0.. => usize::try_from(index).ok(),
        _ => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn clamp(index: i64, length: usize) -> usize {
    position(index, length).unwrap_or(0).min(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(path: &str, value: Value) -> Option<Value> {
        Path::parse(path).unwrap().read(&value)
    }

    #[test]
    fn definite_paths_read_one_value() {
        let value = json!({"a": {"b c": [1, 2, 3]}});
        assert_eq!(read("$.a['b c'][1]", value.clone()), Some(json!(2)));
        assert_eq!(read("$.a['b c'][-1]", value.clone()), Some(json!(3)));
        assert_eq!(read("$.a.x", value.clone()), None);
        assert_eq!(read("$", value.clone()), Some(value));
    }

    #[test]
    fn indefinite_paths_read_arrays() {
        let value = json!({"a": [{"n": 1}, {"n": 2}, {"m": 3}]});
        assert_eq!(read("$.a[*].n", value.clone()), Some(json!([1, 2])));
        assert_eq!(read("$..n", value.clone()), Some(json!([1, 2])));
        assert_eq!(read("$.a[0:2].n", value.clone()), Some(json!([1, 2])));
        assert_eq!(read("$.x[*]", value), Some(json!([])));
    }

    #[test]
    fn writing_makes_objects_but_never_replaces_a_scalar_on_the_way() {
        let mut value = json!({"a": 1});
        assert_eq!(Path::parse("$.b.c").unwrap().write(&mut value, json!(2)), Some(()));
        assert_eq!(value, json!({"a": 1, "b": {"c": 2}}));
        assert_eq!(Path::parse("$.a.c").unwrap().write(&mut value, json!(2)), None);
    }

    #[test]
    fn broken_paths_are_refused() {
        for broken in ["a", "$.", "$[", "$.a[x]", "$a", "$.a[?(@.b)]"] {
            assert!(Path::parse(broken).is_err(), "{broken}");
        }
    }
}
