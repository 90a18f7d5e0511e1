//! State machines as things: create, update, describe, list, delete, tags.

use super::{advance, execution::Status, listed, page, seconds, uuid, validate};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, mem};

/// The most bytes of a definition (Step Functions quota: 1 MB).
const DEFINITION_LIMIT: usize = 1_048_576;

/// One state machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Machine ARN.
    pub arn: String,
    /// Name, unique in account and region.
    pub name: String,
    /// The definition text as it was given.
    pub definition: String,
    /// Role that executions run under.
    pub role: String,
    /// When it was made.
    pub created: Timestamp,
    /// Changes with every update; empty until the first.
    pub revision: String,
    /// Logging configuration as it was given.
    pub logging: Value,
    /// Tracing configuration as it was given.
    pub tracing: Value,
    /// Tags by key.
    pub tags: BTreeMap<String, String>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let name = call.required("name");
    check_name(name)?;
    if call.text("type") == Some("EXPRESS") {
        return Err(AwsError::new(
            "StateMachineTypeNotSupported",
            "State machines of type EXPRESS are not supported here.",
        ));
    }
    if call.flag("publish") == Some(true) {
        return Err(AwsError::new("ValidationException", "Versions of state machines are not supported here."));
    }
    check_definition(call.required("definition"))?;
    check_role(call.required("roleArn"))?;
    let arn = format!("arn:aws:states:{}:{ACCOUNT_ID}:stateMachine:{name}", call.region);
    let wanted = Machine {
        arn: arn.clone(),
        name: name.to_owned(),
        definition: call.required("definition").to_owned(),
        role: call.required("roleArn").to_owned(),
        created: call.now,
        revision: String::new(),
        logging: given(call, "loggingConfiguration", json!({"level": "OFF", "includeExecutionData": false})),
        tracing: given(call, "tracingConfiguration", json!({"enabled": false})),
        tags: tags_of(call.list("tags")),
    };
    if let Some(existing) = world.states.machines.get(&arn) {
        // Asking again is answered with the machine; role and tags are not compared (AWS documentation).
        let same = (&existing.definition, &existing.logging, &existing.tracing)
            == (&wanted.definition, &wanted.logging, &wanted.tracing);
        return match same {
            true => Ok(json!({"stateMachineArn": arn, "creationDate": seconds(existing.created)})),
            false => Err(AwsError::new("StateMachineAlreadyExists", format!("State Machine Already Exists: '{arn}'"))),
        };
    }
    world.states.machines.insert(arn.clone(), wanted);
    Ok(json!({"stateMachineArn": arn, "creationDate": seconds(call.now)}))
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    if ["definition", "roleArn", "loggingConfiguration", "tracingConfiguration"]
        .iter()
        .all(|m| call.input.get(*m).is_none())
    {
        let text = "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified";
        return Err(AwsError::new("MissingRequiredParameter", text));
    }
    if let Some(definition) = call.text("definition") {
        check_definition(definition)?;
    }
    if let Some(role) = call.text("roleArn") {
        check_role(role)?;
    }
    find(world, call.required("stateMachineArn"))?;
    let revision = uuid(world.next_number("states/revision"), world.next_number("states/revision"));
    let Some(machine) = world.states.machines.get_mut(call.required("stateMachineArn")) else {
        return Err(missing(call.required("stateMachineArn")));
    };
    for (field, name) in [(&mut machine.definition, "definition"), (&mut machine.role, "roleArn")] {
        if let Some(text) = call.text(name) {
            text.clone_into(field);
        }
    }
    machine.logging = given(call, "loggingConfiguration", mem::take(&mut machine.logging));
    machine.tracing = given(call, "tracingConfiguration", mem::take(&mut machine.tracing));
    machine.revision.clone_from(&revision);
    Ok(json!({"updateDate": seconds(call.now), "revisionId": revision}))
}

/// Deletes at once; running executions end as aborted, as they would at their next transition. Deleting what is not
/// there succeeds.
pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let arn = call.required("stateMachineArn");
    check_arn(arn, "stateMachine")?;
    if world.states.machines.remove(arn).is_some() {
        let running = world.states.executions.values().filter(|e| e.machine == arn && e.status == Status::Running);
        for execution in running.map(|e| e.arn.clone()).collect::<Vec<_>>() {
            advance::abort(world, &execution, "", "", call.now);
        }
    }
    Ok(json!({}))
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let machine = find(world, call.required("stateMachineArn"))?;
    let mut answer = json!({
        "stateMachineArn": machine.arn, "name": machine.name, "status": "ACTIVE", "definition": machine.definition,
        "roleArn": machine.role, "type": "STANDARD", "creationDate": seconds(machine.created),
        "loggingConfiguration": machine.logging, "tracingConfiguration": machine.tracing,
    });
    if !machine.revision.is_empty() {
        answer["revisionId"] = json!(machine.revision);
    }
    Ok(answer)
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let here = format!("arn:aws:states:{}:", call.region);
    let machines = world.states.machines.values().filter(|machine| machine.arn.starts_with(&here)).collect();
    let (page, token) = page(call, machines, |machine| machine.arn.clone())?;
    let items = page.into_iter().map(|machine| {
        json!({
            "stateMachineArn": machine.arn, "name": machine.name, "type": "STANDARD",
            "creationDate": seconds(machine.created),
        })
    });
    Ok(listed("stateMachines", items.collect(), token))
}

pub(super) fn tag(world: &mut World, call: &Call) -> Answer {
    let added = tags_of(call.list("tags"));
    let tags = tags_at(world, call)?;
    if tags.keys().chain(added.keys()).collect::<std::collections::BTreeSet<_>>().len() > 50 {
        return Err(AwsError::new("TooManyTags", "A resource has at most 50 tags.")
            .with("resourceName", call.required("resourceArn")));
    }
    tags.extend(added);
    Ok(json!({}))
}

pub(super) fn untag(world: &mut World, call: &Call) -> Answer {
    let tags = tags_at(world, call)?;
    for key in call.texts("tagKeys") {
        tags.remove(key);
    }
    Ok(json!({}))
}

pub(super) fn tags(world: &mut World, call: &Call) -> Answer {
    let tags = tags_at(world, call)?;
    let listed: Vec<_> = tags.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
    Ok(json!({"tags": listed}))
}

fn tags_at<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut BTreeMap<String, String>, AwsError> {
    let arn = call.required("resourceArn");
    let machine = world.states.machines.get_mut(arn);
    machine.map(|machine| &mut machine.tags).ok_or_else(|| {
        AwsError::new("ResourceNotFound", format!("Resource not found: '{arn}'")).with("resourceName", arn)
    })
}

fn tags_of(given: &[Value]) -> BTreeMap<String, String> {
    let text = |tag: &Value, name| tag.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    given.iter().map(|tag| (text(tag, "key"), text(tag, "value"))).collect()
}

fn given(call: &Call, name: &str, otherwise: Value) -> Value {
    call.input.get(name).cloned().unwrap_or(otherwise)
}

/// The machine that `arn` names.
pub(super) fn find<'a>(world: &'a World, arn: &str) -> Result<&'a Machine, AwsError> {
    check_arn(arn, "stateMachine")?;
    world.states.machines.get(arn).ok_or_else(|| missing(arn))
}

fn missing(arn: &str) -> AwsError {
    AwsError::new("StateMachineDoesNotExist", format!("State Machine Does Not Exist: '{arn}'"))
}

/// Refuses an ARN that is not one of a `kind` of Step Functions.
pub(super) fn check_arn(arn: &str, kind: &str) -> Result<(), AwsError> {
    let parts: Vec<_> = arn.split(':').collect();
    match parts.as_slice() {
        ["arn", "aws", "states", _, _, found, ..] if *found == kind && parts.len() >= 7 => Ok(()),
        ["arn", "aws", "states", _, _, found, ..] => {
            let text = format!("Invalid Arn: 'Resource type not valid in this context: {found}'");
            Err(AwsError::new("InvalidArn", text))
        }
        _ => Err(AwsError::new("InvalidArn", "Invalid Arn: 'Invalid ARN prefix'")),
    }
}

/// The rule for names of machines and executions (documentation of CreateStateMachine).
pub(super) fn check_name(name: &str) -> Result<(), AwsError> {
    let bad = |c: char| c.is_whitespace() || c.is_control() || "<>{}[]?*\"#%\\^|~`$&,;:/".contains(c);
    match (1..=80).contains(&name.chars().count()) && !name.contains(bad) {
        true => Ok(()),
        false => Err(AwsError::new("InvalidName", format!("Invalid Name: '{name}'"))),
    }
}

fn check_role(role: &str) -> Result<(), AwsError> {
    match role.starts_with("arn:aws:iam::") && role.contains(":role/") {
        true => Ok(()),
        false => Err(AwsError::new("InvalidArn", format!("Invalid Role Arn: '{role}'"))),
    }
}

/// `ValidateStateMachineDefinition`: what CreateStateMachine would say, one diagnostic each; all are errors.
pub(super) fn validate(call: &Call) -> Answer {
    if call.text("type") == Some("EXPRESS") {
        return Err(AwsError::new("ValidationException", "Express state machines are not offered by this account"));
    }
    let problems = validate::problems(call.required("definition"));
    // 0 is the default: 100.
    let most = call.number("maxResults").and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
    let most = most.unwrap_or(100);
    Ok(json!({
        "result": if problems.is_empty() { "OK" } else { "FAIL" },
        "truncated": problems.len() > most,
        "diagnostics": problems.iter().take(most).map(|problem| diagnostic(problem)).collect::<Vec<_>>(),
    }))
}

/// A problem, `CODE: text at /location`, in its parts.
fn diagnostic(problem: &str) -> Value {
    let (code, text) = problem.split_once(": ").unwrap_or_default();
    let (message, location) = text.rsplit_once(" at ").unwrap_or((text, "/"));
    json!({"severity": "ERROR", "code": code, "message": message, "location": location})
}

fn check_definition(definition: &str) -> Result<(), AwsError> {
    let problems = match definition.len() {
        size if size > DEFINITION_LIMIT => {
            vec!["SCHEMA_VALIDATION_FAILED: A definition has at most 1048576 bytes at /".to_owned()]
        }
        _ => validate::problems(definition),
    };
    match problems.is_empty() {
        true => Ok(()),
        false => {
            let text = format!("Invalid State Machine Definition: '{}'", problems.join(", "));
            Err(AwsError::new("InvalidDefinition", text))
        }
    }
}

/// `definition` with every `${Name}` replaced by its value, as CloudFormation's `DefinitionSubstitutions` do it.
pub fn substituted<'a>(definition: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let replace = |text: String, (name, value): (&str, &str)| text.replace(&format!("${{{name}}}"), value);
    values.into_iter().fold(definition.to_owned(), replace)
}
