//! The rules of a Choice state.

use super::template::Scope;
use jiff::Timestamp;
use serde_json::Value;
use std::cmp::Ordering;

/// Every data test of the language besides the `…Path` forms of the comparisons.
pub(super) const TESTS: &[&str] = &[
    "BooleanEquals",
    "IsBoolean",
    "IsNull",
    "IsNumeric",
    "IsPresent",
    "IsString",
    "IsTimestamp",
    "NumericEquals",
    "NumericGreaterThan",
    "NumericGreaterThanEquals",
    "NumericLessThan",
    "NumericLessThanEquals",
    "StringEquals",
    "StringGreaterThan",
    "StringGreaterThanEquals",
    "StringLessThan",
    "StringLessThanEquals",
    "StringMatches",
    "TimestampEquals",
    "TimestampGreaterThan",
    "TimestampGreaterThanEquals",
    "TimestampLessThan",
    "TimestampLessThanEquals",
];

/// Whether `name` is a data test, its `…Path` form included.
pub(super) fn is_test(name: &str) -> bool {
    let plain = name.strip_suffix("Path").filter(|plain| !plain.starts_with("Is") && *plain != "StringMatches");
    TESTS.contains(&plain.unwrap_or(name))
}

/// Whether `rule` holds in `scope`; the error is a path that leads nowhere.
pub(super) fn holds(rule: &Value, scope: &Scope<'_>) -> Result<bool, String> {
    if let Some(inner) = rule.get("Not") {
        return holds(inner, scope).map(|held| !held);
    }
    for (name, sought) in [("And", false), ("Or", true)] {
        if let Some(rules) = rule.get(name).and_then(Value::as_array) {
            for inner in rules {
                if holds(inner, scope)? == sought {
                    return Ok(sought);
                }
            }
            return Ok(!sought);
        }
    }
    let Some((test, expected)) = rule.as_object().and_then(|fields| fields.iter().find(|(name, _)| is_test(name)))
    else {
        return Err("The choice rule has no data test.".to_owned());
    };
    let variable = rule.get("Variable").and_then(Value::as_str).unwrap_or_default();
    let found = scope.value(variable).ok();
    if test == "IsPresent" {
        return Ok(Value::Bool(found.is_some()) == *expected);
    }
    let invalid =
        |path: &str| format!("Invalid path '{path}': The choice state's condition path references an invalid value.");
    let found = found.ok_or_else(|| invalid(variable))?;
    let path = expected.as_str().unwrap_or_default();
    match test.strip_suffix("Path") {
        Some(test) => Ok(passes(test, &found, &scope.value(path).map_err(|_| invalid(path))?)),
        None => Ok(passes(test, &found, expected)),
    }
}

/// Values of the wrong type compare as false, never as an error.
fn passes(test: &str, found: &Value, expected: &Value) -> bool {
    let kind = match test {
        "IsNull" => Some(found.is_null()),
        "IsBoolean" => Some(found.is_boolean()),
        "IsNumeric" => Some(found.is_number()),
        "IsString" => Some(found.is_string()),
        "IsTimestamp" => Some(time(found).is_some()),
        _ => None,
    };
    if let Some(kind) = kind {
        return Value::Bool(kind) == *expected;
    }
    if test == "StringMatches" {
        return matches!((found.as_str(), expected.as_str()), (Some(text), Some(pattern)) if like(pattern, text));
    }
    let (order, operator) = if let Some(operator) = test.strip_prefix("Numeric") {
        (found.as_f64().zip(expected.as_f64()).and_then(|(a, b)| a.partial_cmp(&b)), operator)
    } else if let Some(operator) = test.strip_prefix("String") {
        (found.as_str().zip(expected.as_str()).map(|(a, b)| a.cmp(b)), operator)
    } else if let Some(operator) = test.strip_prefix("Timestamp") {
        (time(found).zip(time(expected)).map(|(a, b)| a.cmp(&b)), operator)
    } else {
        (found.as_bool().zip(expected.as_bool()).map(|(a, b)| a.cmp(&b)), "Equals")
    };
    order.is_some_and(|order| match operator {
        "Equals" => order == Ordering::Equal,
        "LessThan" => order == Ordering::Less,
        "LessThanEquals" => order != Ordering::Greater,
        "GreaterThan" => order == Ordering::Greater,
        "GreaterThanEquals" => order != Ordering::Less,
        _ => false,
    })
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

/// Whether `text` is like `pattern`, in which `*` stands for any characters and `\*` for an asterisk.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| like(rest, &text[at..]))
        }
        Some(first) => {
            let pattern = if first == '\\' && pattern.len() > 1 { &pattern[1..] } else { pattern };
            let Some(wanted) = pattern.chars().next() else { return false };
            text.strip_prefix(wanted).is_some_and(|text| like(&pattern[wanted.len_utf8()..], text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(rule: Value) -> Result<bool, String> {
        let input = json!({"s": "log-7*.txt", "n": 3, "m": 4, "b": true, "z": null, "t": "2026-01-02T03:04:05Z"});
        holds(&rule, &Scope::new(&input, &Value::Null, 1, "test"))
    }

    #[test]
    fn every_comparison_operator_decides() {
        let cases = [
            (json!({"Variable": "$.s", "StringEquals": "log-7*.txt"}), true),
            (json!({"Variable": "$.s", "StringMatches": "log-*.txt"}), true),
            (json!({"Variable": "$.s", "StringMatches": "log-7\\*.txt"}), true),
            (json!({"Variable": "$.s", "StringMatches": "log-\\*"}), false),
            (json!({"Variable": "$.s", "StringLessThan": "m"}), true),
            (json!({"Variable": "$.s", "StringGreaterThanEquals": "m"}), false),
            (json!({"Variable": "$.n", "NumericEquals": 3.0}), true),
            (json!({"Variable": "$.n", "NumericLessThanPath": "$.m"}), true),
            (json!({"Variable": "$.n", "NumericLessThanEquals": 2}), false),
            (json!({"Variable": "$.n", "NumericGreaterThan": 2}), true),
            (json!({"Variable": "$.n", "StringEquals": "3"}), false),
            (json!({"Variable": "$.b", "BooleanEquals": true}), true),
            (json!({"Variable": "$.b", "BooleanEqualsPath": "$.b"}), true),
            (json!({"Variable": "$.t", "TimestampLessThanEquals": "2026-01-02T03:04:05+00:00"}), true),
            (json!({"Variable": "$.t", "TimestampGreaterThan": "2026-01-02T03:04:05Z"}), false),
            (json!({"Variable": "$.z", "IsNull": true}), true),
            (json!({"Variable": "$.z", "IsPresent": true}), true),
            (json!({"Variable": "$.q", "IsPresent": false}), true),
            (json!({"Variable": "$.t", "IsTimestamp": true}), true),
            (json!({"Variable": "$.s", "IsTimestamp": false}), true),
            (json!({"Variable": "$.n", "IsNumeric": true}), true),
            (json!({"Variable": "$.n", "IsString": true}), false),
            (json!({"Variable": "$.b", "IsBoolean": true}), true),
            (json!({"Not": {"Variable": "$.n", "NumericEquals": 3}}), false),
            (json!({"And": [{"Variable": "$.q", "IsPresent": true}, {"Variable": "$.q", "NumericEquals": 1}]}), false),
            (json!({"Or": [{"Variable": "$.n", "NumericEquals": 1}, {"Variable": "$.m", "NumericEquals": 4}]}), true),
        ];
        for (rule, expected) in cases {
            assert_eq!(check(rule.clone()), Ok(expected), "{rule}");
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_is_an_error() {
        assert!(check(json!({"Variable": "$.q", "NumericEquals": 1})).unwrap_err().contains("'$.q'"));
    }
}
