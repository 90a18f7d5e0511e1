//! JSON read strictly: a name given twice in one object is a finding, not the last one's victory.

use domain::FieldError;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::{cell::RefCell, fmt};

/// Whole numbers up to here are the same as text and as a double (RFC 8259, section 6).
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads one JSON value.
///
/// # Errors
/// Where it is malformed; or each name that is given twice.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, Vec<FieldError>> {
    let repeated = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = Strict { pointer: String::new(), repeated: &repeated }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    let value = read.map_err(|error| vec![FieldError::new("", format!("the body is not JSON: {error}"))])?;
    match repeated.into_inner() {
        found if found.is_empty() => Ok(value),
        found => Err(found),
    }
}

/// A name as a token of a JSON pointer (RFC 6901).
pub(crate) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

struct Strict<'a> {
    pointer: String,
    repeated: &'a RefCell<Vec<FieldError>>,
}

impl<'a> Strict<'a> {
    fn below(&self, name: &str) -> Strict<'a> {
        Strict { pointer: format!("{}/{}", self.pointer, token(name)), repeated: self.repeated }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    /// `1.0` is an integer in JSON schema, so it is one here.
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let whole = value.fract() == 0.0 && value.abs() < EXACT;
        Ok(if whole { (value as i64).into() } else { Number::from_f64(value).map_or(Value::Null, Value::Number) })
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self.below(&values.len().to_string()))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let below = self.below(&name);
            let pointer = below.pointer.clone();
            let value = members.next_value_seed(below)?;
            if object.insert(name, value).is_some() {
                self.repeated.borrow_mut().push(FieldError::new(pointer, "this name is given twice in one object"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_given_twice_is_found_wherever_it_is() {
        let found = read(br#"{"groups": {"a": 1, "b": 2, "a": 3}, "x": [{"y": 1, "y": 1}]}"#).unwrap_err();
        assert_eq!(found.iter().map(|one| one.pointer.as_str()).collect::<Vec<_>>(), ["/groups/a", "/x/0/y"]);
    }

    #[test]
    fn malformed_json_is_told_with_its_place() {
        let found = read(b"{\"tag\": \"a\",\n \"region\": }").unwrap_err();
        assert!(found[0].detail.contains("line 2 column 12"), "{found:?}");
        assert!(read(b"{} {}").is_err(), "one value only");
        assert!(read(b"{\"a\": \"\xff\"}").is_err(), "UTF-8 only");
        assert!(read("[".repeat(100_000).as_bytes()).is_err(), "nesting is bounded");
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        assert_eq!(read(b"[1.0, 1e3, 1.5]").unwrap(), serde_json::json!([1, 1000, 1.5]));
    }
}
