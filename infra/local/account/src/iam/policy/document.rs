//! Reading a policy document, with the complaints that IAM has about a bad one.

use super::{
    condition::Condition,
    question::{Question, Verdict},
    statement::{Listed, Named, Statement},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, sync::Arc};

/// What a document is attached to, which decides what it must and must not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// To a user or role, or as a managed policy: resources, no principals.
    Identity,
    /// A role's trust policy: principals, no resources.
    Trust,
    /// A bucket policy: both.
    Resource,
}

/// Why a document is refused, in IAM's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Malformed(String);

/// A policy document: its text as it was sent, and what it says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Document {
    text: String,
    says: Arc<Says>,
}

#[derive(Debug)]
struct Says {
    /// Variables exist since version 2012-10-17.
    variables: bool,
    statements: Vec<Statement>,
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl From<Document> for String {
    fn from(document: Document) -> Self {
        document.text
    }
}

/// A kept document was checked when it came in, so its kind does not matter any more.
impl TryFrom<String> for Document {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        read(&text, None).map(|says| Self { text, says: Arc::new(says) })
    }
}

impl Document {
    /// Reads `text` as a policy of this kind.
    pub(crate) fn parse(text: &str, kind: Kind) -> Result<Self, Malformed> {
        Ok(Self { text: text.to_owned(), says: Arc::new(read(text, Some(kind))?) })
    }

    /// The document as it was sent.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What the document says to `question`.
    pub(crate) fn verdict(&self, question: &Question) -> Verdict {
        let variables = self.says.variables.then_some(question.context);
        let verdicts = self.says.statements.iter().map(|statement| statement.verdict(question, variables));
        verdicts.max().unwrap_or(Verdict::Silent)
    }

    /// ARNs of users and roles that the document's principals name.
    pub(crate) fn named_identities(&self) -> impl Iterator<Item = &str> {
        let principals = self.says.statements.iter().filter_map(|statement| statement.principals.as_ref());
        principals.flat_map(|listed| &listed.values).filter_map(|named| match named {
            Named::Arn(arn) => Some(arn.as_str()),
            _ => None,
        })
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(why.into()))
}

const SYNTAX: &str = "Syntax errors in policy.";

fn read(text: &str, kind: Option<Kind>) -> Result<Says, Malformed> {
    let Ok(Value::Object(root)) = serde_json::from_str(text) else {
        return refuse("This policy contains invalid Json");
    };
    if root.keys().any(|key| !matches!(key.as_str(), "Version" | "Id" | "Statement")) {
        return refuse(SYNTAX);
    }
    let variables = match root.get("Version").map(Value::as_str) {
        None | Some(Some("2008-10-17")) => false,
        Some(Some("2012-10-17")) => true,
        Some(_) => return refuse("The policy must contain a valid version string"),
    };
    let statements = match root.get("Statement") {
        Some(Value::Array(list)) if !list.is_empty() => list.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => return refuse(SYNTAX),
    };
    let mut ids = BTreeSet::new();
    let statements = statements.into_iter().map(|value| statement(value, kind, &mut ids)).collect::<Result<_, _>>()?;
    Ok(Says { variables, statements })
}

fn statement<'a>(value: &'a Value, kind: Option<Kind>, ids: &mut BTreeSet<&'a str>) -> Result<Statement, Malformed> {
    let Some(fields) = value.as_object() else { return refuse(SYNTAX) };
    for name in fields.keys() {
        match (name.as_str(), kind) {
            ("Principal" | "NotPrincipal", Some(Kind::Identity)) => {
                return refuse("Policy document should not specify a principal.");
            }
            ("Resource" | "NotResource", Some(Kind::Trust)) => return refuse(format!("Has prohibited field {name}")),
            ("Sid" | "Effect" | "Principal" | "NotPrincipal" | "Action" | "NotAction", _)
            | ("Resource" | "NotResource" | "Condition", _) => {}
            _ => return refuse(SYNTAX),
        }
    }
    sid(fields, kind, ids)?;
    let allows = match fields.get("Effect").and_then(Value::as_str) {
        Some("Allow") => true,
        Some("Deny") => false,
        _ => return refuse(SYNTAX),
    };
    Ok(Statement {
        allows,
        principals: principals(fields, kind)?,
        actions: actions(fields, kind)?,
        resources: resources(fields, kind)?,
        conditions: conditions(fields)?,
    })
}

fn sid<'a>(fields: &'a Map<String, Value>, kind: Option<Kind>, ids: &mut BTreeSet<&'a str>) -> Result<(), Malformed> {
    let Some(sid) = fields.get("Sid") else { return Ok(()) };
    let Some(sid) = sid.as_str() else { return refuse(SYNTAX) };
    if kind == Some(Kind::Identity) && !sid.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return refuse(
            "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression \
             [0-9A-Za-z]*",
        );
    }
    if !sid.is_empty() && !ids.insert(sid) {
        return refuse("Statement IDs (SID) in a single policy must be unique.");
    }
    Ok(())
}

/// The values of `name` or `NotName`, which exclude each other.
fn listed(fields: &Map<String, Value>, name: &str) -> Result<Option<Listed<String>>, Malformed> {
    let (not, value) = match (fields.get(name), fields.get(&format!("Not{name}"))) {
        (None, None) => return Ok(None),
        (Some(value), None) => (false, value),
        (None, Some(value)) => (true, value),
        (Some(_), Some(_)) => return refuse(SYNTAX),
    };
    let values = strings(value)?;
    if values.is_empty() { Ok(None) } else { Ok(Some(Listed { not, values })) }
}

fn strings(value: &Value) -> Result<Vec<String>, Malformed> {
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        _ => refuse(SYNTAX),
    };
    match value {
        Value::Array(list) => list.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

fn actions(fields: &Map<String, Value>, kind: Option<Kind>) -> Result<Listed<String>, Malformed> {
    let Some(actions) = listed(fields, "Action")? else { return refuse("Policy statement must contain actions.") };
    for action in actions.values.iter().filter(|action| *action != "*") {
        match action.split_once(':') {
            Some((vendor, name)) if !vendor.is_empty() && !name.is_empty() => {
                if !vendor.chars().all(|letter| letter.is_ascii_alphanumeric() || "-*?".contains(letter)) {
                    return refuse(format!("Vendor {vendor} is not valid"));
                }
                if kind == Some(Kind::Trust) && !vendor.eq_ignore_ascii_case("sts") {
                    return refuse("AssumeRole policy may only specify STS AssumeRole actions.");
                }
            }
            _ => return refuse("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."),
        }
    }
    Ok(actions)
}

fn resources(fields: &Map<String, Value>, kind: Option<Kind>) -> Result<Option<Listed<String>>, Malformed> {
    let resources = listed(fields, "Resource")?;
    if resources.is_none() && matches!(kind, Some(Kind::Identity | Kind::Resource)) {
        return refuse("Policy statement must contain resources.");
    }
    for resource in resources.iter().flat_map(|resources| &resources.values).filter(|resource| *resource != "*") {
        let parts: Vec<_> = resource.splitn(6, ':').collect();
        match parts[..] {
            ["arn", "aws" | "*", ..] if parts.len() == 6 => {}
            ["arn", partition, ..] if parts.len() == 6 => {
                return refuse(format!("Partition \"{partition}\" is not valid for resource \"{resource}\"."));
            }
            ["arn" | "arn*", ..] if resource.ends_with('*') => {}
            _ => return refuse(format!("Resource {resource} must be in ARN format or \"*\".")),
        }
    }
    Ok(resources)
}

fn principals(fields: &Map<String, Value>, kind: Option<Kind>) -> Result<Option<Listed<Named>>, Malformed> {
    let (not, value) = match (fields.get("Principal"), fields.get("NotPrincipal")) {
        (None, None) if matches!(kind, Some(Kind::Trust | Kind::Resource)) => {
            return refuse("Missing required field Principal");
        }
        (None, None) => return Ok(None),
        (Some(value), None) => (false, value),
        (None, Some(value)) => (true, value),
        (Some(_), Some(_)) => return refuse(SYNTAX),
    };
    let mut values = Vec::new();
    match value {
        Value::String(all) if all == "*" => values.push(Named::Anyone),
        Value::Object(map) if !map.is_empty() => {
            for (family, names) in map {
                for name in strings(names)? {
                    let Some(named) = named(family, &name) else {
                        let family = family.to_uppercase();
                        return refuse(format!("Invalid principal in policy: \"{family}\":\"{name}\""));
                    };
                    values.push(named);
                }
            }
        }
        _ => return refuse("Invalid principal in policy."),
    }
    Ok(Some(Listed { not, values }))
}

fn named(family: &str, name: &str) -> Option<Named> {
    let is_account = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    match family {
        "AWS" if name == "*" => Some(Named::Anyone),
        "AWS" if is_account(name) => Some(Named::Account(name.to_owned())),
        "AWS" => {
            let mut parts = name.splitn(6, ':').skip(2);
            let (service, _, account, resource) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            let valid = name.starts_with("arn:aws:") && matches!(service, "iam" | "sts") && is_account(account);
            match resource {
                "root" if valid => Some(Named::Account(account.to_owned())),
                _ if valid && resource.contains('/') && !resource.contains('*') => Some(Named::Arn(name.to_owned())),
                _ => None,
            }
        }
        "Service" => {
            let valid = name.ends_with(".amazonaws.com") && !name.contains(['*', '/', ':']);
            valid.then(|| Named::Service(name.to_owned()))
        }
        "Federated" => (name.starts_with("arn:aws:iam::") && name.contains("-provider/"))
            .then(|| Named::Federated(name.to_owned())),
        _ => None,
    }
}

fn conditions(fields: &Map<String, Value>) -> Result<Vec<Condition>, Malformed> {
    let Some(value) = fields.get("Condition") else { return Ok(Vec::new()) };
    let Some(operators) = value.as_object() else { return refuse(SYNTAX) };
    let mut conditions = Vec::new();
    for (operator, keys) in operators {
        let Some(keys) = keys.as_object() else { return refuse(SYNTAX) };
        for (key, values) in keys {
            if !key.contains(':') {
                return refuse("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
            }
            let Some(condition) = Condition::new(operator, key, condition_values(values)?) else {
                return refuse(format!("Invalid Condition type : {operator}."));
            };
            conditions.push(condition);
        }
    }
    Ok(conditions)
}

/// Booleans and numbers may be written bare.
fn condition_values(value: &Value) -> Result<Vec<String>, Malformed> {
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        _ => refuse(SYNTAX),
    };
    match value {
        Value::Array(list) => list.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}
