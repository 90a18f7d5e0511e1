//! What CreateStateMachine refuses: `InvalidDefinition`, each problem with its code and location.

use super::{choice, intrinsics::Expression, path::Path};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const SCHEMA: &str = "SCHEMA_VALIDATION_FAILED";
const TARGET: &str = "MISSING_TRANSITION_TARGET";

/// The fields that each type may have, besides `Type`, `Comment` and `QueryLanguage`.
const FIELDS: &[(&str, &str)] = &[
    (
        "Task",
        "Next End InputPath OutputPath ResultPath Parameters ResultSelector Retry Catch Resource TimeoutSeconds \
         TimeoutSecondsPath HeartbeatSeconds HeartbeatSecondsPath Credentials",
    ),
    ("Pass", "Next End InputPath OutputPath ResultPath Parameters Result"),
    ("Choice", "InputPath OutputPath Choices Default"),
    ("Wait", "Next End InputPath OutputPath Seconds SecondsPath Timestamp TimestampPath"),
    (
        "Map",
        "Next End InputPath OutputPath ResultPath Parameters ResultSelector Retry Catch ItemProcessor Iterator ItemsPath \
         ItemSelector MaxConcurrency MaxConcurrencyPath",
    ),
    ("Parallel", "Next End InputPath OutputPath ResultPath Parameters ResultSelector Retry Catch Branches"),
    ("Succeed", "InputPath OutputPath"),
    ("Fail", "Error ErrorPath Cause CausePath"),
];

/// Everything wrong with `definition`, as `CODE: text at /location`; empty if it can run.
pub(super) fn problems(definition: &str) -> Vec<String> {
    let mut check = Check::default();
    match serde_json::from_str::<Value>(definition) {
        Err(error) => check.found.push(format!("INVALID_JSON_DESCRIPTION: {error} at /")),
        Ok(machine) => check.machine(&machine, "", true),
    }
    if check.found.is_empty()
        && let Err(error) = serde_json::from_str::<super::definition::Definition>(definition)
    {
        check.add(SCHEMA, error.to_string(), "/");
    }
    check.found
}

#[derive(Default)]
struct Check {
    found: Vec<String>,
    names: BTreeSet<String>,
}

impl Check {
    fn add(&mut self, code: &str, text: impl Into<String>, at: &str) {
        self.found.push(format!("{code}: {} at {at}", text.into()));
    }

    fn machine(&mut self, machine: &Value, at: &str, whole: bool) {
        let Some(fields) = machine.as_object() else { return self.add(SCHEMA, "Expected an object", &slash(at)) };
        let known: &[&str] = match whole {
            true => &["Comment", "StartAt", "States", "TimeoutSeconds", "Version", "QueryLanguage"],
            false => &["Comment", "StartAt", "States", "ProcessorConfig", "QueryLanguage"],
        };
        self.unknown(fields, known, at);
        self.seconds(fields, "TimeoutSeconds", 1, at);
        self.inline(fields, at);
        let Some(states) = fields.get("States").and_then(Value::as_object).filter(|states| !states.is_empty()) else {
            return self.add(SCHEMA, "These fields are required: [States]", &slash(at));
        };
        match fields.get("StartAt").and_then(Value::as_str) {
            None => self.add(SCHEMA, "These fields are required: [StartAt]", &slash(at)),
            Some(start) => {
                self.target(states, start, &format!("{at}/StartAt"));
                self.reachable(states, start, at);
            }
        }
        for (name, state) in states {
            let at = format!("{at}/States/{name}");
            if name.is_empty() || name.chars().count() > 80 {
                self.add(SCHEMA, "A state name has 1 to 80 characters", &at);
            }
            if !self.names.insert(name.clone()) {
                self.add("DUPLICATE_STATE_NAME", format!("State name '{name}' is used more than once"), &at);
            }
            match state.as_object() {
                Some(state) => self.state(state, states, &at),
                None => self.add(SCHEMA, "Expected an object", &at),
            }
        }
    }

    /// Distributed maps and JSONata are real, but not of this interpreter.
    fn inline(&mut self, fields: &Map<String, Value>, at: &str) {
        let mode = fields.get("ProcessorConfig").and_then(|config| config.get("Mode")).and_then(Value::as_str);
        if mode.is_some_and(|mode| mode != "INLINE") {
            self.add(SCHEMA, "Only INLINE maps are supported here", &format!("{at}/ProcessorConfig/Mode"));
        }
        if fields.get("QueryLanguage").is_some_and(|language| language != "JSONPath") {
            self.add(SCHEMA, "Only JSONPath is supported here", &format!("{at}/QueryLanguage"));
        }
    }

    fn unknown(&mut self, fields: &Map<String, Value>, known: &[&str], at: &str) {
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            self.add(SCHEMA, "Field is not supported", &format!("{at}/{name}"));
        }
    }

    fn target(&mut self, states: &Map<String, Value>, name: &str, at: &str) {
        if !states.contains_key(name) {
            self.add(TARGET, format!("Missing 'Next' target: {name}"), at);
        }
    }

    fn reachable(&mut self, states: &Map<String, Value>, start: &str, at: &str) {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(name) = open.pop() {
            if let Some(state) = states.get(name).filter(|_| seen.insert(name)) {
                open.extend(targets(state));
            }
        }
        for name in states.keys().filter(|name| !seen.contains(name.as_str())) {
            self.add(TARGET, format!("State \"{name}\" is not reachable."), &format!("{at}/States/{name}"));
        }
    }

    fn state(&mut self, state: &Map<String, Value>, states: &Map<String, Value>, at: &str) {
        let kind = state.get("Type").and_then(Value::as_str).unwrap_or_default();
        let Some((_, fields)) = FIELDS.iter().find(|(name, _)| *name == kind) else {
            let text = "The value of Type must be one of [Task, Pass, Choice, Wait, Map, Parallel, Succeed, Fail]";
            return self.add(SCHEMA, text, &format!("{at}/Type"));
        };
        let known: Vec<_> = fields.split(' ').chain(["Type", "Comment", "QueryLanguage"]).collect();
        self.unknown(state, &known, at);
        self.inline(state, at);
        self.paths(state, at);
        self.transition(state, states, known.contains(&"End"), at);
        self.errors(state, states, at);
        match kind {
            "Task" => self.task(state, at),
            "Wait" => self.wait(state, at),
            "Choice" => self.choices(state, states, at),
            "Map" => self.map(state, at),
            "Parallel" => match state.get("Branches").and_then(Value::as_array).filter(|all| !all.is_empty()) {
                None => self.add(SCHEMA, "These fields are required: [Branches]", at),
                Some(all) => {
                    all.iter().enumerate().for_each(|(i, b)| self.machine(b, &format!("{at}/Branches[{i}]"), false))
                }
            },
            _ => {}
        }
    }

    fn transition(&mut self, state: &Map<String, Value>, states: &Map<String, Value>, has_end: bool, at: &str) {
        let next = state.get("Next").and_then(Value::as_str);
        let end = state.get("End") == Some(&Value::Bool(true));
        if has_end && next.is_some() == end {
            self.add(SCHEMA, "Exactly one of these fields is required: [Next, End]", at);
        }
        if let Some(next) = next.filter(|_| has_end) {
            self.target(states, next, &format!("{at}/Next"));
        }
    }

    fn paths(&mut self, state: &Map<String, Value>, at: &str) {
        for (name, value) in state {
            let at = format!("{at}/{name}");
            match (name.as_str(), value) {
                ("ErrorPath" | "CausePath", Value::String(text)) => self.expression(text, &at),
                (name, Value::String(text)) if name.ends_with("Path") => self.path(text, name == "ResultPath", &at),
                ("InputPath" | "OutputPath" | "ResultPath", Value::Null) => {}
                (name, _) if name.ends_with("Path") => self.add(SCHEMA, "Value is not a path", &at),
                ("Parameters" | "ResultSelector" | "ItemSelector", template) => self.template(template, &at),
                _ => {}
            }
        }
    }

    fn path(&mut self, text: &str, reference: bool, at: &str) {
        match Path::parse(text) {
            Ok(path) if reference && (path.context || !path.is_reference()) => {
                self.add(SCHEMA, "Value is not a Reference Path: The value must be a definite path", at);
            }
            Ok(_) => {}
            Err(error) => self.add(SCHEMA, format!("Value is not a valid JSONPath: {error}"), at),
        }
    }

    fn expression(&mut self, text: &str, at: &str) {
        if text.starts_with('$') {
            self.path(text, false, at);
        } else if !text.starts_with("States.") || Expression::parse(text).is_err() {
            self.add(SCHEMA, "The value must be a valid JSONPath or intrinsic function", at);
        }
    }

    fn template(&mut self, template: &Value, at: &str) {
        match template {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let at = format!("{at}/{name}");
                    match value {
                        Value::String(text) if name.ends_with(".$") => self.expression(text, &at),
                        _ if name.ends_with(".$") => {
                            self.add(SCHEMA, "The value for a field ending in '.$' must be a string", &at);
                        }
                        inner => self.template(inner, &at),
                    }
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, inner)| self.template(inner, &format!("{at}[{i}]")))
            }
            _ => {}
        }
    }

    fn seconds(&mut self, fields: &Map<String, Value>, name: &str, least: i64, at: &str) {
        if let Some(value) = fields.get(name)
            && !value.as_i64().is_some_and(|seconds| (least..=99_999_999).contains(&seconds))
        {
            self.add(SCHEMA, format!("The value must be an integer from {least} to 99999999"), &format!("{at}/{name}"));
        }
    }

    fn task(&mut self, state: &Map<String, Value>, at: &str) {
        self.seconds(state, "TimeoutSeconds", 1, at);
        self.seconds(state, "HeartbeatSeconds", 1, at);
        let Some(resource) = state.get("Resource").and_then(Value::as_str) else {
            return self.add(SCHEMA, "These fields are required: [Resource]", at);
        };
        if resource == super::LAMBDA_INVOKE {
            let parameters = state.get("Parameters").and_then(Value::as_object);
            if !parameters
                .is_some_and(|given| given.contains_key("FunctionName") || given.contains_key("FunctionName.$"))
            {
                self.add(SCHEMA, "The field 'FunctionName' is required but was missing", &format!("{at}/Parameters"));
            }
        } else if !resource.starts_with("arn:aws:lambda:") || !resource.contains(":function:") {
            let text = format!(
                "The resource provided {resource} is not recognized. The value is not a valid resource ARN, or the \
                 resource is not available in this region."
            );
            self.add(SCHEMA, text, &format!("{at}/Resource"));
        }
    }

    fn wait(&mut self, state: &Map<String, Value>, at: &str) {
        self.seconds(state, "Seconds", 0, at);
        let ways = ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"];
        if ways.iter().filter(|name| state.contains_key(**name)).count() != 1 {
            let text = "Exactly one of these fields is required: [Seconds, SecondsPath, Timestamp, TimestampPath]";
            self.add(SCHEMA, text, at);
        }
        let timestamp = state.get("Timestamp").and_then(Value::as_str);
        if timestamp.is_some_and(|text| text.parse::<jiff::Timestamp>().is_err()) {
            self.add(SCHEMA, "The value must be an RFC 3339 timestamp", &format!("{at}/Timestamp"));
        }
    }

    fn choices(&mut self, state: &Map<String, Value>, states: &Map<String, Value>, at: &str) {
        if let Some(default) = state.get("Default").and_then(Value::as_str) {
            self.target(states, default, &format!("{at}/Default"));
        }
        let rules = state.get("Choices").and_then(Value::as_array).filter(|rules| !rules.is_empty());
        let Some(rules) = rules else { return self.add(SCHEMA, "These fields are required: [Choices]", at) };
        for (index, rule) in rules.iter().enumerate() {
            let at = format!("{at}/Choices[{index}]");
            match rule.get("Next").and_then(Value::as_str) {
                Some(next) => self.target(states, next, &format!("{at}/Next")),
                None => self.add(SCHEMA, "These fields are required: [Next]", &at),
            }
            self.rule(rule, &at);
        }
    }

    fn rule(&mut self, rule: &Value, at: &str) {
        let Some(fields) = rule.as_object() else { return self.add(SCHEMA, "Expected an object", at) };
        for combined in ["And", "Or"] {
            if let Some(inner) = fields.get(combined) {
                match inner.as_array().filter(|rules| !rules.is_empty()) {
                    Some(rules) => {
                        rules
                            .iter()
                            .enumerate()
                            .for_each(|(i, rule)| self.rule(rule, &format!("{at}/{combined}[{i}]")));
                    }
                    None => self.add(SCHEMA, "Expected a non-empty array", &format!("{at}/{combined}")),
                }
                return;
            }
        }
        if let Some(inner) = fields.get("Not") {
            return self.rule(inner, &format!("{at}/Not"));
        }
        match fields.get("Variable").and_then(Value::as_str) {
            Some(path) => self.path(path, false, &format!("{at}/Variable")),
            None => self.add(SCHEMA, "These fields are required: [Variable]", at),
        }
        let others = fields.keys().filter(|name| !["Variable", "Next", "Comment"].contains(&name.as_str()));
        let (tests, unknown): (Vec<_>, Vec<_>) = others.partition(|name| choice::is_test(name));
        for name in unknown {
            self.add(SCHEMA, "Field is not supported", &format!("{at}/{name}"));
        }
        if tests.len() != 1 {
            self.add(SCHEMA, "A choice rule has exactly one comparison operator", at);
        }
    }

    fn map(&mut self, state: &Map<String, Value>, at: &str) {
        let processors = ["ItemProcessor", "Iterator"].map(|name| (name, state.get(name)));
        match processors {
            [(name, Some(inner)), (_, None)] | [(_, None), (name, Some(inner))] => {
                self.machine(inner, &format!("{at}/{name}"), false);
            }
            _ => self.add(SCHEMA, "Exactly one of these fields is required: [ItemProcessor, Iterator]", at),
        }
        self.seconds(state, "MaxConcurrency", 0, at);
    }

    fn errors(&mut self, state: &Map<String, Value>, states: &Map<String, Value>, at: &str) {
        for list in ["Retry", "Catch"] {
            let entries = state.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (index, entry) in entries.iter().enumerate() {
                let at = format!("{at}/{list}[{index}]");
                self.error_names(entry, index + 1 == entries.len(), &at);
                let Some(fields) = entry.as_object() else { continue };
                if list == "Catch" {
                    self.unknown(fields, &["ErrorEquals", "Next", "ResultPath", "Comment"], &at);
                    self.paths(fields, &at);
                    match entry.get("Next").and_then(Value::as_str) {
                        Some(next) => self.target(states, next, &format!("{at}/Next")),
                        None => self.add(SCHEMA, "These fields are required: [Next]", &at),
                    }
                } else {
                    self.retrier(fields, &at);
                }
            }
        }
    }

    fn retrier(&mut self, fields: &Map<String, Value>, at: &str) {
        let known = [
            "ErrorEquals",
            "IntervalSeconds",
            "MaxAttempts",
            "BackoffRate",
            "MaxDelaySeconds",
            "JitterStrategy",
            "Comment",
        ];
        self.unknown(fields, &known, at);
        self.seconds(fields, "IntervalSeconds", 1, at);
        self.seconds(fields, "MaxAttempts", 0, at);
        self.seconds(fields, "MaxDelaySeconds", 1, at);
        if fields.get("BackoffRate").is_some_and(|rate| !rate.as_f64().is_some_and(|rate| rate >= 1.0)) {
            self.add(SCHEMA, "The value must be at least 1.0", &format!("{at}/BackoffRate"));
        }
        let jitter = fields.get("JitterStrategy");
        if jitter.is_some_and(|jitter| jitter != "FULL" && jitter != "NONE") {
            self.add(SCHEMA, "The value must be one of [FULL, NONE]", &format!("{at}/JitterStrategy"));
        }
    }

    fn error_names(&mut self, entry: &Value, last: bool, at: &str) {
        let names = entry.get("ErrorEquals").and_then(Value::as_array).filter(|names| !names.is_empty());
        let Some(names) = names else { return self.add(SCHEMA, "These fields are required: [ErrorEquals]", at) };
        if names.iter().any(|name| name == "States.ALL") && (names.len() > 1 || !last) {
            self.add(SCHEMA, "States.ALL must appear alone and in the last entry", &format!("{at}/ErrorEquals"));
        }
    }
}

fn slash(at: &str) -> String {
    if at.is_empty() { "/".to_owned() } else { at.to_owned() }
}

fn targets(state: &Value) -> Vec<&str> {
    let text = |value: &'_ Value| value.as_str().is_some();
    let mut targets: Vec<&Value> = ["Next", "Default"].iter().filter_map(|name| state.get(*name)).collect();
    for list in ["Choices", "Catch"] {
        let entries = state.get(list).and_then(Value::as_array).into_iter().flatten();
        targets.extend(entries.filter_map(|entry| entry.get("Next")));
    }
    targets.into_iter().filter(|value| text(value)).filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests;
