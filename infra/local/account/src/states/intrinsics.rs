//! Intrinsic functions (`States.Format(…)`): parsing and evaluation.
//!
//! MD5 and SHA-1 of `States.Hash` are absent; the newer digests are there.

use super::{path::Path, template::Scope};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Number, Value, json};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A parsed intrinsic expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Literal(Value),
    Path(Path, String),
    Call(String, Vec<Expression>),
}

impl Expression {
    /// Parses a whole expression such as `States.Format('{}', $.a)`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match expression(text.trim_start()) {
            Some((parsed, rest)) if rest.trim().is_empty() => Ok(parsed),
            _ => Err(format!("invalid intrinsic function '{text}'")),
        }
    }

    /// The expression's value in `scope`.
    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, String> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Path(path, text) => {
                scope.read(path).ok_or_else(|| format!("The JSONPath '{text}' could not be found in the input"))
            }
            Self::Call(name, arguments) => {
                let values = arguments.iter().map(|a| a.evaluate(scope)).collect::<Result<Vec<_>, _>>()?;
                call(name, &values, scope).ok_or_else(|| format!("Invalid arguments in {name}"))
            }
        }
    }
}

fn expression(text: &str) -> Option<(Expression, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('\'') {
        return quoted(rest);
    }
    if text.starts_with('$') {
        let end = path_end(text);
        let path = Path::parse(&text[..end]).ok()?;
        return Some((Expression::Path(path, text[..end].to_owned()), &text[end..]));
    }
    if text.starts_with("States.") {
        let (name, rest) = text.split_once('(')?;
        let (arguments, rest) = arguments(rest)?;
        return Some((Expression::Call(name.to_owned(), arguments), rest));
    }
    let end = text.find([',', ')']).unwrap_or(text.len());
    let literal = serde_json::from_str(text[..end].trim()).ok()?;
    Some((Expression::Literal(literal), &text[end..]))
}

fn arguments(mut rest: &str) -> Option<(Vec<Expression>, &str)> {
    let mut arguments = Vec::new();
    if let Some(rest) = rest.trim_start().strip_prefix(')') {
        return Some((arguments, rest));
    }
    loop {
        let (argument, after) = expression(rest)?;
        arguments.push(argument);
        let after = after.trim_start();
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some((arguments, after.strip_prefix(')')?)),
        }
    }
}

/// A single-quoted string in which a backslash escapes the next character.
fn quoted(text: &str) -> Option<(Expression, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' => return Some((Expression::Literal(Value::String(value)), &text[at + 1..])),
            '\\' => match characters.next()?.1 {
                // Format needs to tell `\{` from a placeholder.
                brace @ ('{' | '}') => value.extend(['\\', brace]),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

fn path_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' | ')' | ' ' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn call(name: &str, arguments: &[Value], scope: &Scope<'_>) -> Option<Value> {
    match (name.strip_prefix("States.")?, arguments) {
        ("Format", [Value::String(template), values @ ..]) => format(template, values),
        ("StringToJson", [Value::String(text)]) => serde_json::from_str(text).ok(),
        ("JsonToString", [value]) => Some(Value::String(value.to_string())),
        ("Array", values) => Some(Value::Array(values.to_vec())),
        ("ArrayPartition", [Value::Array(items), size]) => {
            let size = usize::try_from(size.as_u64()?).ok().filter(|size| *size > 0)?;
            Some(items.chunks(size).map(|chunk| Value::Array(chunk.to_vec())).collect())
        }
        ("ArrayContains", [Value::Array(items), value]) => Some(Value::Bool(items.contains(value))),
        ("ArrayRange", [from, to, step]) => range(from.as_i64()?, to.as_i64()?, step.as_i64()?),
        ("ArrayGetItem", [Value::Array(items), index]) => items.get(usize::try_from(index.as_u64()?).ok()?).cloned(),
        ("ArrayLength", [Value::Array(items)]) => Some(json!(items.len())),
        ("ArrayUnique", [Value::Array(items)]) => Some(unique(items)),
        ("Base64Encode", [Value::String(text)]) => Some(Value::String(STANDARD.encode(text))),
        ("Base64Decode", [Value::String(text)]) => {
            String::from_utf8(STANDARD.decode(text).ok()?).ok().map(Value::String)
        }
        ("Hash", [data, Value::String(algorithm)]) => hash(data, algorithm).map(Value::String),
        ("JsonMerge", [Value::Object(first), Value::Object(second), Value::Bool(false)]) => {
            Some(Value::Object(first.clone().into_iter().chain(second.clone()).collect()))
        }
        ("MathRandom", [from, to, ..]) => {
            let (from, to) = (from.as_i64()?, to.as_i64()?);
            let span = u64::try_from(to.checked_sub(from)?).ok().filter(|span| *span > 0)?;
            Some(json!(from + i64::try_from(scope.draw() % span).ok()?))
        }
        ("MathAdd", [first, second]) => {
            Some(Value::Number(Number::from(first.as_i64()?.checked_add(second.as_i64()?)?)))
        }
        ("StringSplit", [Value::String(text), Value::String(separators)]) => {
            let parts = text.split(|c| separators.contains(c)).filter(|part| !part.is_empty());
            Some(parts.map(|part| Value::String(part.to_owned())).collect())
        }
        ("UUID", []) => Some(Value::String(uuid(scope.draw(), scope.draw()))),
        _ => None,
    }
}

fn format(template: &str, values: &[Value]) -> Option<Value> {
    let mut values = values.iter();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '\\', '}']) {
        text.push_str(&rest[..at]);
        let special = &rest[at..];
        if special.starts_with('\\') {
            let escaped = special.chars().nth(1)?;
            text.push(escaped);
            rest = &special[1 + escaped.len_utf8()..];
        } else {
            rest = special.strip_prefix("{}")?;
            match values.next()? {
                Value::String(value) => text.push_str(value),
                value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => text.push_str(&value.to_string()),
                Value::Array(_) | Value::Object(_) => return None,
            }
        }
    }
    text.push_str(rest);
    values.next().is_none().then_some(Value::String(text))
}

fn range(from: i64, to: i64, step: i64) -> Option<Value> {
    let length = to.checked_sub(from)?.checked_div(step)?.checked_add(1)?.max(0);
    let length = usize::try_from(length).ok().filter(|length| *length <= 1000)?;
    Some(std::iter::successors(Some(from), |n| n.checked_add(step)).take(length).map(|n| json!(n)).collect())
}

fn unique(items: &[Value]) -> Value {
    let mut seen: Vec<Value> = Vec::new();
    for item in items {
        if !seen.contains(item) {
            seen.push(item.clone());
        }
    }
    Value::Array(seen)
}

fn hash(data: &Value, algorithm: &str) -> Option<String> {
    let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match algorithm {
        "SHA-256" => Some(hex(&Sha256::digest(text))),
        "SHA-384" => Some(hex(&Sha384::digest(text))),
        "SHA-512" => Some(hex(&Sha512::digest(text))),
        _ => None,
    }
}

/// A version 4 UUID from two drawn numbers.
pub(crate) fn uuid(high: u64, low: u64) -> String {
    let high = (high & !0xf000) | 0x4000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    let (high, low) = (format!("{high:016x}"), format!("{low:016x}"));
    [&high[..8], &high[8..12], &high[12..], &low[..4], &low[4..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Result<Value, String> {
        let (input, context) = (json!({"name": "Ann", "list": [1, 2, 3, 3], "o": {"a": 1}}), json!({"Id": "x"}));
        let scope = Scope::new(&input, &context, 7, "test");
        Expression::parse(expression)?.evaluate(&scope)
    }

    #[test]
    fn each_function_gives_what_its_documentation_shows() {
        let cases = [
            ("States.Format('Hi {}, {} of \\{{}\\}', $.name, 3, $$.Id)", json!("Hi Ann, 3 of {x}")),
            ("States.StringToJson('{\"a\": [1]}')", json!({"a": [1]})),
            ("States.JsonToString($.o)", json!("{\"a\":1}")),
            ("States.Array('a', 1, true, null, $.list[0])", json!(["a", 1, true, null, 1])),
            ("States.ArrayPartition($.list, 3)", json!([[1, 2, 3], [3]])),
            ("States.ArrayContains($.list, 2)", json!(true)),
            ("States.ArrayRange(1, 9, 4)", json!([1, 5, 9])),
            ("States.ArrayGetItem($.list, 1)", json!(2)),
            ("States.ArrayLength(States.ArrayUnique($.list))", json!(3)),
            ("States.Base64Decode(States.Base64Encode('a'))", json!("a")),
            ("States.JsonMerge($.o, $.o, false)", json!({"a": 1})),
            ("States.MathAdd(1, -3)", json!(-2)),
            ("States.StringSplit('1,2;3', ',;')", json!(["1", "2", "3"])),
            ("States.Array()", json!([])),
        ];
        for (expression, expected) in cases {
            assert_eq!(value(expression), Ok(expected), "{expression}");
        }
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(value("States.Hash('abc', 'SHA-256')"), Ok(json!(digest)));
    }

    #[test]
    fn uuids_and_random_numbers_come_from_the_seed() {
        let drawn = value("States.UUID()").unwrap();
        assert_eq!(value("States.UUID()"), Ok(drawn.clone()));
        assert_eq!(drawn.as_str().unwrap().len(), 36);
        assert_eq!(drawn.as_str().unwrap().as_bytes()[14], b'4');
        assert!((3..5).contains(&value("States.MathRandom(3, 5)").unwrap().as_i64().unwrap()));
    }

    #[test]
    fn wrong_arguments_and_syntax_are_refused() {
        for wrong in
            ["States.Format('{}')", "States.Nope()", "States.Array(", "States.ArrayPartition($.list, 0)", "Format('')"]
        {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }
}
