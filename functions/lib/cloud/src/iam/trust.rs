//! Trust policies, read as far as a question about them needs.

use serde_json::Value;

/// Whether a trust policy lets this service assume the role.
pub(super) fn lets_in(trust: &Value, service: &str) -> bool {
    assuming(trust).any(|statement| {
        let services = statement.get("Principal").and_then(|principal| principal.get("Service"));
        services.is_some_and(|services| texts(services).any(|name| name == service))
    })
}

/// Whom a trust policy lets in, for people.
pub(super) fn principals(trust: &Value) -> String {
    let named: Vec<String> = assuming(trust)
        .filter_map(|statement| statement.get("Principal"))
        .flat_map(|principal| match principal {
            Value::Object(kinds) => kinds.values().flat_map(texts).map(str::to_owned).collect::<Vec<_>>(),
            other => texts(other).map(str::to_owned).collect(),
        })
        .collect();
    if named.is_empty() { "nobody".to_owned() } else { named.join(", ") }
}

/// Statements that allow `sts:AssumeRole`.
fn assuming(trust: &Value) -> impl Iterator<Item = &Value> {
    let statements = trust.get("Statement").map(each).unwrap_or_default();
    statements.iter().filter(|statement| {
        let allows = statement.get("Effect").and_then(Value::as_str) == Some("Allow");
        let actions = statement.get("Action");
        allows && actions.is_some_and(|actions| texts(actions).any(|it| matches!(it, "sts:AssumeRole" | "sts:*" | "*")))
    })
}

fn each(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    each(value).iter().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn trust(principal: Value) -> Value {
        json!({ "Version": "2012-10-17", "Statement": [
            { "Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole" },
        ]})
    }

    #[test]
    fn a_service_is_let_in_by_name_alone_or_among_others() {
        assert!(lets_in(&trust(json!({ "Service": "eks.amazonaws.com" })), "eks.amazonaws.com"));
        let several = json!({ "Service": ["ec2.amazonaws.com", "eks.amazonaws.com"] });
        assert!(lets_in(&trust(several), "eks.amazonaws.com"));
        let single = json!({ "Statement": {
            "Effect": "Allow", "Principal": { "Service": "eks.amazonaws.com" }, "Action": ["sts:AssumeRole", "sts:TagSession"],
        }});
        assert!(lets_in(&single, "eks.amazonaws.com"), "one statement without a list");
    }

    #[test]
    fn another_service_or_a_denial_lets_nobody_in() {
        assert!(!lets_in(&trust(json!({ "Service": "ec2.amazonaws.com" })), "eks.amazonaws.com"));
        let denied = json!({ "Statement": [
            { "Effect": "Deny", "Principal": { "Service": "eks.amazonaws.com" }, "Action": "sts:AssumeRole" },
        ]});
        assert!(!lets_in(&denied, "eks.amazonaws.com"));
        assert!(!lets_in(&Value::Null, "eks.amazonaws.com"));
    }

    #[test]
    fn who_is_let_in_is_told() {
        assert_eq!(principals(&trust(json!({ "Service": "ec2.amazonaws.com" }))), "ec2.amazonaws.com");
        assert_eq!(principals(&trust(json!("*"))), "*");
        assert_eq!(principals(&json!({ "Statement": [] })), "nobody");
    }
}
