//! Condition operators (IAM User Guide, "IAM JSON policy elements: Condition operators").

use super::{pattern, question::Context};
use jiff::Timestamp;
use std::net::IpAddr;

/// One operator applied to one key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    set: Set,
    test: Test,
    negated: bool,
    if_exists: bool,
    key: String,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Set {
    One,
    All,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Test {
    Text,
    TextWithoutCase,
    Like,
    Arn,
    Bool,
    Null,
    Number(Order),
    Date(Order),
    Ip,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Condition {
    /// Reads `operator` as written in a policy; none if there is no such operator.
    pub(super) fn new(operator: &str, key: &str, values: Vec<String>) -> Option<Self> {
        let (set, name) = match operator.split_once(':') {
            Some(("ForAllValues", name)) => (Set::All, name),
            Some(("ForAnyValue", name)) => (Set::Any, name),
            Some(_) => return None,
            None => (Set::One, operator),
        };
        let (name, if_exists) = name.strip_suffix("IfExists").map_or((name, false), |name| (name, true));
        let (test, negated) = test(name)?;
        if test == Test::Null && if_exists {
            return None;
        }
        Some(Self { set, test, negated, if_exists, key: key.to_owned(), values })
    }

    /// Does it hold? `variables` is `context` again, or none where the document's version has no variables.
    pub(super) fn holds(&self, context: &Context, variables: Option<&Context>) -> bool {
        let present = context.values(&self.key).filter(|values| !values.is_empty());
        if self.test == Test::Null {
            return self.values.iter().any(|value| value.eq_ignore_ascii_case("true") == present.is_none());
        }
        let Some(present) = present else {
            return self.if_exists || self.set == Set::All || (self.negated && self.set == Set::One);
        };
        let matched = |value: &String| self.values.iter().any(|wanted| self.compare(wanted, value, variables));
        match self.set {
            Set::One => present.iter().any(matched) != self.negated,
            Set::All => present.iter().all(|value| matched(value) != self.negated),
            Set::Any => present.iter().any(|value| matched(value) != self.negated),
        }
    }

    fn compare(&self, wanted: &str, value: &str, variables: Option<&Context>) -> bool {
        let literal = || pattern::substitute(wanted, variables);
        match self.test {
            Test::Text => literal().is_some_and(|wanted| wanted == value),
            Test::TextWithoutCase => literal().is_some_and(|wanted| wanted.to_lowercase() == value.to_lowercase()),
            Test::Like => pattern::matches(wanted, value, variables),
            Test::Arn => pattern::matches_arn(wanted, value, variables),
            Test::Bool => wanted.eq_ignore_ascii_case(value),
            Test::Null => false,
            Test::Number(order) => match (wanted.parse::<f64>(), value.parse::<f64>()) {
                (Ok(wanted), Ok(value)) => value.partial_cmp(&wanted).is_some_and(|found| order.accepts(found)),
                _ => false,
            },
            Test::Date(order) => match (date(wanted), date(value)) {
                (Some(wanted), Some(value)) => order.accepts(value.cmp(&wanted)),
                _ => false,
            },
            Test::Ip => within(wanted, value),
        }
    }
}

impl Order {
    fn accepts(self, found: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => found.is_eq(),
            Self::Less => found.is_lt(),
            Self::LessOrEqual => found.is_le(),
            Self::Greater => found.is_gt(),
            Self::GreaterOrEqual => found.is_ge(),
        }
    }
}

fn test(name: &str) -> Option<(Test, bool)> {
    let order = |name: &str| match name {
        "Equals" => Some((Order::Equal, false)),
        "NotEquals" => Some((Order::Equal, true)),
        "LessThan" => Some((Order::Less, false)),
        "LessThanEquals" => Some((Order::LessOrEqual, false)),
        "GreaterThan" => Some((Order::Greater, false)),
        "GreaterThanEquals" => Some((Order::GreaterOrEqual, false)),
        _ => None,
    };
    if let Some(rest) = name.strip_prefix("Numeric") {
        return order(rest).map(|(order, negated)| (Test::Number(order), negated));
    }
    if let Some(rest) = name.strip_prefix("Date") {
        return order(rest).map(|(order, negated)| (Test::Date(order), negated));
    }
    Some(match name {
        "StringEquals" => (Test::Text, false),
        "StringNotEquals" => (Test::Text, true),
        "StringEqualsIgnoreCase" => (Test::TextWithoutCase, false),
        "StringNotEqualsIgnoreCase" => (Test::TextWithoutCase, true),
        "StringLike" => (Test::Like, false),
        "StringNotLike" => (Test::Like, true),
        "ArnEquals" | "ArnLike" => (Test::Arn, false),
        "ArnNotEquals" | "ArnNotLike" => (Test::Arn, true),
        "Bool" => (Test::Bool, false),
        "Null" => (Test::Null, false),
        "IpAddress" => (Test::Ip, false),
        "NotIpAddress" => (Test::Ip, true),
        _ => return None,
    })
}

/// A date in one of ISO 8601's forms that IAM takes, or seconds since 1970.
fn date(text: &str) -> Option<Timestamp> {
    if let Ok(seconds) = text.parse() {
        return Timestamp::from_second(seconds).ok();
    }
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok()
}

fn within(network: &str, address: &str) -> bool {
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    match network.parse::<ipnet::IpNet>() {
        Ok(network) => network.contains(&address),
        Err(_) => network.parse::<IpAddr>().is_ok_and(|single| single == address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(operator: &str, wanted: &[&str], present: &[&str]) -> bool {
        let mut context = Context::default();
        for value in present {
            context.add("k", *value);
        }
        let values = wanted.iter().map(|value| (*value).to_owned()).collect();
        Condition::new(operator, "K", values).unwrap().holds(&context, Some(&context))
    }

    #[test]
    fn operators_compare_as_the_user_guide_says() {
        for (operator, wanted, present, expected) in [
            ("StringEquals", &["a", "b"][..], &["b"][..], true),
            ("StringEquals", &["a*"], &["ab"], false),
            ("StringNotEquals", &["a", "b"], &["b"], false),
            ("StringNotEquals", &["a"], &[], true),
            ("StringEquals", &["a"], &[], false),
            ("StringEqualsIfExists", &["a"], &[], true),
            ("StringEqualsIgnoreCase", &["AbC"], &["aBc"], true),
            ("StringLike", &["a*c"], &["abbc"], true),
            ("StringNotLike", &["a*"], &["b"], true),
            ("ArnLike", &["arn:aws:iam::*:role/x-*"], &["arn:aws:iam::1:role/x-1"], true),
            ("ArnNotEquals", &["arn:aws:iam::1:role/x"], &["arn:aws:iam::1:role/x"], false),
            ("Bool", &["True"], &["true"], true),
            ("Null", &["true"], &[], true),
            ("Null", &["false"], &[], false),
            ("Null", &["false"], &["x"], true),
            ("NumericLessThanEquals", &["10"], &["10.0"], true),
            ("NumericGreaterThan", &["10"], &["9"], false),
            ("DateLessThan", &["2026-01-02T00:00:00Z"], &["2026-01-01T00:00:00Z"], true),
            ("DateGreaterThan", &["2026-01-01"], &["1798761600"], true),
            ("IpAddress", &["10.0.0.0/8"], &["10.1.2.3"], true),
            ("NotIpAddress", &["10.0.0.0/8"], &["10.1.2.3"], false),
            ("ForAllValues:StringEquals", &["a", "b"], &["a", "b"], true),
            ("ForAllValues:StringEquals", &["a"], &["a", "b"], false),
            ("ForAllValues:StringEquals", &["a"], &[], true),
            ("ForAnyValue:StringEquals", &["a"], &["b", "a"], true),
            ("ForAnyValue:StringEquals", &["a"], &[], false),
            ("ForAllValues:StringNotLike", &["aws:*"], &["aws:x"], false),
        ] {
            assert_eq!(holds(operator, wanted, present), expected, "{operator} {wanted:?} on {present:?}");
        }
    }

    #[test]
    fn an_operator_that_does_not_exist_is_not_read() {
        for name in ["StringMatches", "ForSomeValues:StringEquals", "NullIfExists", "NumericLike"] {
            assert_eq!(Condition::new(name, "k", vec![]), None, "{name}");
        }
    }
}
