//! The API of EventBridge.

use super::{Entry, Rule, Target, arm, pattern, put, rate};
use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The most targets of a rule (EventBridge quota).
const TARGETS: usize = 5;

/// Answers one EventBridge call.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    the_default_bus(call.text("EventBusName"))?;
    match call.action.as_str() {
        "PutRule" => put_rule(world, call),
        "DescribeRule" => describe(world, call),
        "ListRules" => list(world, call),
        "DeleteRule" => delete(world, call),
        "EnableRule" => enable(world, call, true),
        "DisableRule" => enable(world, call, false),
        "PutTargets" => put_targets(world, call),
        "RemoveTargets" => remove_targets(world, call),
        "ListTargetsByRule" => list_targets(world, call),
        "PutEvents" => put_events(world, call),
        "ListRuleNamesByTarget" => list_by_target(world, call),
        "TestEventPattern" => test_pattern(call),
        "DescribeEventBus" => describe_bus(call),
        "ListEventBuses" => list_buses(call),
        action => Err(AwsError::new("UnknownOperationException", format!("The action {action} is not implemented."))),
    }
}

/// Refuses any other bus than the default one, which may be left out; a name or an ARN.
fn the_default_bus(named: Option<&str>) -> Result<(), AwsError> {
    match named.filter(|bus| *bus != "default" && !bus.ends_with(":event-bus/default")) {
        Some(bus) => Err(AwsError::new("ResourceNotFoundException", format!("Event bus {bus} does not exist."))),
        None => Ok(()),
    }
}

fn bus(call: &Call) -> Value {
    json!({"Name": "default", "Arn": format!("arn:aws:events:{}:{ACCOUNT_ID}:event-bus/default", call.region)})
}

fn describe_bus(call: &Call) -> Answer {
    the_default_bus(call.text("Name"))?;
    Ok(bus(call))
}

fn list_buses(call: &Call) -> Answer {
    let wanted = "default".starts_with(call.text("NamePrefix").unwrap_or_default());
    page(call, "EventBuses", wanted.then(|| ("default".to_owned(), bus(call))).into_iter().collect())
}

/// Names of the rules that have a target; one that no rule has is an empty list.
fn list_by_target(world: &World, call: &Call) -> Answer {
    let (target, ours) = (call.required("TargetArn"), arn(call, ""));
    let rules = world.events.rules.values().filter(|rule| rule.arn.starts_with(&ours));
    let named = rules.filter(|rule| rule.targets.values().any(|one| one.arn == target));
    page(call, "RuleNames", named.map(|rule| (rule.name.clone(), json!(rule.name))).collect())
}

/// Members that `TestEventPattern` wants of an event (EventBridge API reference).
const EVENT_MEMBERS: [&str; 7] = ["id", "account", "source", "time", "region", "resources", "detail-type"];

fn test_pattern(call: &Call) -> Answer {
    let pattern = call.required("EventPattern");
    if let Some(problem) = pattern::problem(pattern) {
        return Err(AwsError::new("InvalidEventPatternException", problem));
    }
    let event: Value = serde_json::from_str(call.required("Event"))
        .map_err(|error| invalid(format!("Parameter Event is not valid. Reason: {error}")))?;
    if let Some(missing) = EVENT_MEMBERS.iter().find(|name| event.get(**name).is_none()) {
        return Err(invalid(format!("Parameter Event is not valid. Reason: {missing} is missing.")));
    }
    let pattern = serde_json::from_str(pattern).unwrap_or_default();
    Ok(json!({"Result": pattern::matches(&pattern, &event)}))
}

fn invalid(text: impl Into<String>) -> AwsError {
    AwsError::new("ValidationException", text)
}

fn arn(call: &Call, name: &str) -> String {
    format!("arn:aws:events:{}:{ACCOUNT_ID}:rule/{name}", call.region)
}

fn rule<'a>(world: &'a mut World, call: &Call, member: &str) -> Result<&'a mut Rule, AwsError> {
    let name = call.required(member);
    let missing =
        || AwsError::new("ResourceNotFoundException", format!("Rule {name} does not exist on EventBus default."));
    world.events.rules.get_mut(&arn(call, name)).ok_or_else(missing)
}

fn put_rule(world: &mut World, call: &Call) -> Answer {
    let (pattern, schedule) = (call.text("EventPattern"), call.text("ScheduleExpression"));
    if pattern.is_none() && schedule.is_none() {
        return Err(invalid("Parameter(s) EventPattern or ScheduleExpression must be specified."));
    }
    if let Some(problem) = pattern.and_then(pattern::problem) {
        return Err(AwsError::new("InvalidEventPatternException", problem));
    }
    if schedule.is_some_and(|expression| rate(expression).is_none()) {
        return Err(invalid("Parameter ScheduleExpression is not valid."));
    }
    let arn = arn(call, call.required("Name"));
    world.events.next_schedule += 1;
    let armed = world.events.next_schedule;
    let targets = world.events.rules.remove(&arn).map(|old| old.targets).unwrap_or_default();
    let enabled = call.text("State") != Some("DISABLED");
    let rule = Rule {
        name: call.required("Name").to_owned(),
        arn: arn.clone(),
        pattern: pattern.map(str::to_owned),
        schedule: schedule.map(str::to_owned),
        description: call.text("Description").map(str::to_owned),
        enabled,
        targets,
        armed,
    };
    world.events.rules.insert(arn.clone(), rule);
    if enabled {
        arm(world, &arn, armed, call.now);
    }
    Ok(json!({"RuleArn": arn}))
}

fn enable(world: &mut World, call: &Call, enabled: bool) -> Answer {
    world.events.next_schedule += 1;
    let armed = world.events.next_schedule;
    let found = rule(world, call, "Name")?;
    let was = found.enabled;
    found.enabled = enabled;
    if enabled && !was {
        found.armed = armed;
        let arn = found.arn.clone();
        arm(world, &arn, armed, call.now);
    }
    Ok(json!({}))
}

fn shown(rule: &Rule) -> Value {
    let mut shown = json!({
        "Name": rule.name, "Arn": rule.arn, "State": if rule.enabled { "ENABLED" } else { "DISABLED" },
        "EventBusName": "default",
    });
    let texts =
        [("EventPattern", &rule.pattern), ("ScheduleExpression", &rule.schedule), ("Description", &rule.description)];
    for (name, text) in texts {
        if let Some(text) = text {
            shown[name] = json!(text);
        }
    }
    shown
}

fn describe(world: &mut World, call: &Call) -> Answer {
    let mut answer = shown(rule(world, call, "Name")?);
    answer["CreatedBy"] = json!(ACCOUNT_ID);
    Ok(answer)
}

fn list(world: &mut World, call: &Call) -> Answer {
    let prefix = arn(call, call.text("NamePrefix").unwrap_or_default());
    let rules = world.events.rules.values().filter(|rule| rule.arn.starts_with(&prefix));
    page(call, "Rules", rules.map(|rule| (rule.name.clone(), shown(rule))).collect())
}

fn delete(world: &mut World, call: &Call) -> Answer {
    let arn = arn(call, call.required("Name"));
    if world.events.rules.get(&arn).is_some_and(|rule| !rule.targets.is_empty()) {
        return Err(invalid("Rule can't be deleted since it has targets."));
    }
    world.events.rules.remove(&arn);
    Ok(json!({}))
}

fn put_targets(world: &mut World, call: &Call) -> Answer {
    let found = rule(world, call, "Rule")?;
    let mut targets = found.targets.clone();
    let mut failed = Vec::new();
    for given in call.list("Targets") {
        let text = |name| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("Id").unwrap_or_default();
        let target = Target {
            arn: text("Arn").unwrap_or_default(),
            role: text("RoleArn"),
            input: text("Input"),
            input_path: text("InputPath"),
        };
        match refusal(&target, given) {
            Some(message) => {
                failed.push(json!({"TargetId": id, "ErrorCode": "ValidationException", "ErrorMessage": message}))
            }
            None => drop(targets.insert(id, target)),
        }
    }
    if targets.len() > TARGETS {
        return Err(AwsError::new(
            "LimitExceededException",
            "The requested resource exceeds the maximum number allowed.",
        ));
    }
    found.targets = targets;
    Ok(json!({"FailedEntryCount": failed.len(), "FailedEntries": failed}))
}

fn refusal(target: &Target, given: &Value) -> Option<String> {
    let machine = target.arn.starts_with("arn:aws:states:") && target.arn.contains(":stateMachine:");
    let function = target.arn.starts_with("arn:aws:lambda:") && target.arn.contains(":function:");
    if !machine && !function {
        return Some(format!("Provided Arn is not in correct format: {}", target.arn));
    }
    if machine && target.role.is_none() {
        return Some(format!("RoleArn is required for target {}.", target.arn));
    }
    if given.get("InputTransformer").is_some() {
        return Some("Input transformers are not supported here.".to_owned());
    }
    if target.input.is_some() && target.input_path.is_some() {
        return Some("Only one of Input, InputPath, or InputTransformer must be provided.".to_owned());
    }
    let json = target.input.as_ref().is_none_or(|text| serde_json::from_str::<Value>(text).is_ok());
    (!json).then(|| "JSON syntax error in input for target.".to_owned())
}

fn remove_targets(world: &mut World, call: &Call) -> Answer {
    let found = rule(world, call, "Rule")?;
    let mut failed = Vec::new();
    for id in call.texts("Ids") {
        if found.targets.remove(id).is_none() {
            let message = format!("Rule {} does not have target {id}.", found.name);
            failed.push(json!({"TargetId": id, "ErrorCode": "ResourceNotFoundException", "ErrorMessage": message}));
        }
    }
    Ok(json!({"FailedEntryCount": failed.len(), "FailedEntries": failed}))
}

fn list_targets(world: &mut World, call: &Call) -> Answer {
    let found = rule(world, call, "Rule")?;
    let shown = found.targets.iter().map(|(id, target)| {
        let mut shown = json!({"Id": id, "Arn": target.arn});
        let texts = [("RoleArn", &target.role), ("Input", &target.input), ("InputPath", &target.input_path)];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| text.as_ref().map(|text| (name, text))) {
            shown[name] = json!(text);
        }
        (id.clone(), shown)
    });
    page(call, "Targets", shown.collect())
}

/// Accepts each entry by itself: some may be refused while others go out.
fn put_events(world: &mut World, call: &Call) -> Answer {
    let mut results = Vec::new();
    let mut failed = 0;
    for given in call.list("Entries") {
        match entry(call, given) {
            Ok(entry) => results.push(json!({"EventId": put(world, entry, call.now)})),
            Err((code, message)) => {
                failed += 1;
                results.push(json!({"ErrorCode": code, "ErrorMessage": message}));
            }
        }
    }
    Ok(json!({"FailedEntryCount": failed, "Entries": results}))
}

fn entry(call: &Call, given: &Value) -> Result<Entry, (&'static str, String)> {
    let text = |name: &str| {
        let required =
            || ("InvalidArgument", format!("Parameter {name} is not valid. Reason: {name} is a required argument."));
        given.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).ok_or_else(required)
    };
    let (source, detail_type, detail) = (text("Source")?, text("DetailType")?, text("Detail")?);
    if source.starts_with("aws.") {
        let reason = "Not authorized for the source.".to_owned();
        return Err(("NotAuthorizedForSourceException", reason));
    }
    let detail = serde_json::from_str(detail).ok().filter(Value::is_object);
    let detail = detail.ok_or_else(|| ("MalformedDetail", "Detail is malformed.".to_owned()))?;
    let resources = given.get("Resources").and_then(Value::as_array).into_iter().flatten();
    let time = given.get("Time").and_then(Value::as_f64);
    #[expect(clippy::cast_possible_truncation, reason = "a time that does not fit is taken as the end of time")]
    let time = time.and_then(|seconds| Timestamp::from_millisecond((seconds * 1000.0) as i64).ok());
    Ok(Entry {
        source: source.to_owned(),
        detail_type: detail_type.to_owned(),
        region: call.region.clone(),
        resources: resources.filter_map(Value::as_str).map(str::to_owned).collect(),
        detail,
        time: time.unwrap_or(call.now),
    })
}

/// The page that the call asks for; a token names the last item before its page.
fn page(call: &Call, name: &str, items: Vec<(String, Value)>) -> Answer {
    let size = call.number("Limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(100).clamp(1, 100);
    let last = match call.text("NextToken") {
        None => None,
        Some(token) => {
            let decoded = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            Some(decoded.ok_or_else(|| invalid("Value of NextToken is not valid."))?)
        }
    };
    let mut rest = items.into_iter().filter(|(key, _)| last.as_ref().is_none_or(|last| key > last)).peekable();
    let page: Vec<_> = rest.by_ref().take(size).collect();
    let token = page.last().filter(|_| rest.peek().is_some()).map(|(key, _)| STANDARD.encode(key));
    let mut answer = json!({name: page.into_iter().map(|(_, shown)| shown).collect::<Vec<_>>()});
    if let Some(token) = token {
        answer["NextToken"] = json!(token);
    }
    Ok(answer)
}
