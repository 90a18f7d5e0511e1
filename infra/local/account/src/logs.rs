//! CloudWatch Logs: groups, streams, and events read by page or by pattern.
//!
//! Lines are kept in memory and bounded; retention, metrics and queries are not here.

use crate::{
    call::{ACCOUNT_ID, Answer, AwsError, Call},
    world::World,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Lines that are kept of one stream; older ones are dropped.
const KEPT: usize = 5_000;
/// Events of one answer at most.
const PAGE: usize = 10_000;

/// All log groups, by region and name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    regions: BTreeMap<String, BTreeMap<String, Group>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    created: Timestamp,
    streams: BTreeMap<String, Stream>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stream {
    created: Timestamp,
    /// Lines that were dropped before the first one that is kept.
    dropped: usize,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    at: Timestamp,
    ingested: Timestamp,
    text: String,
}

impl Stream {
    fn push(&mut self, line: Line) {
        self.lines.push(line);
        if self.lines.len() > KEPT {
            self.lines.remove(0);
            self.dropped += 1;
        }
    }
}

/// Writes one line for a service, making group and stream if they are missing.
pub fn put(world: &mut World, region: &str, group: &str, stream: &str, now: Timestamp, line: &str) {
    let groups = world.logs.regions.entry(region.to_owned()).or_default();
    let group = groups.entry(group.to_owned()).or_insert_with(|| Group { created: now, streams: BTreeMap::new() });
    let fresh = || Stream { created: now, dropped: 0, lines: Vec::new() };
    group.streams.entry(stream.to_owned()).or_insert_with(fresh).push(Line {
        at: now,
        ingested: now,
        text: line.to_owned(),
    });
}

/// The lines of a stream; empty if there is no such stream.
pub fn lines<'a>(world: &'a World, region: &str, group: &str, stream: &str) -> Vec<&'a str> {
    let stream =
        world.logs.regions.get(region).and_then(|groups| groups.get(group)).and_then(|group| group.streams.get(stream));
    stream.into_iter().flat_map(|stream| &stream.lines).map(|line| line.text.as_str()).collect()
}

/// Answers one call.
///
/// # Errors
/// `ResourceNotFoundException`, `ResourceAlreadyExistsException`, `InvalidParameterException`.
pub fn handle(world: &mut World, call: &Call) -> Answer {
    match call.action.as_str() {
        "DescribeLogGroups" => describe_groups(world, call),
        "DescribeLogStreams" => describe_streams(world, call),
        "GetLogEvents" => get_events(world, call),
        "FilterLogEvents" => filter_events(world, call),
        "CreateLogGroup" => create_group(world, call),
        "CreateLogStream" => create_stream(world, call),
        "PutLogEvents" => put_events(world, call),
        "DeleteLogGroup" => delete_group(world, call),
        "DeleteLogStream" => delete_stream(world, call),
        other => Err(AwsError::new("UnknownOperationException", format!("The operation {other} is not known"))),
    }
}

fn describe_groups(world: &World, call: &Call) -> Answer {
    let prefix = call.text("logGroupNamePrefix").unwrap_or_default();
    let pattern = call.text("logGroupNamePattern").unwrap_or_default();
    let all = world.logs.regions.get(&call.region).into_iter().flatten();
    let found = all.filter(|(name, _)| name.starts_with(prefix) && name.contains(pattern));
    let shown = |(name, group): (&String, &Group)| {
        json!({
            "logGroupName": name,
            "arn": format!("{}:*", arn(&call.region, name)),
            "logGroupArn": arn(&call.region, name),
            "creationTime": group.created.as_millisecond(),
            "metricFilterCount": 0,
            "storedBytes": group.streams.values().flat_map(|stream| &stream.lines).map(|line| line.text.len()).sum::<usize>(),
        })
    };
    page(call, "logGroups", found.map(shown).collect())
}

fn describe_streams(world: &World, call: &Call) -> Answer {
    let (name, group) = group(world, call)?;
    let prefix = call.text("logStreamNamePrefix").unwrap_or_default();
    let by_time = call.text("orderBy") == Some("LastEventTime");
    if by_time && !prefix.is_empty() {
        return Err(wrong("Cannot order by LastEventTime with a logStreamNamePrefix."));
    }
    let mut found: Vec<_> = group.streams.iter().filter(|(name, _)| name.starts_with(prefix)).collect();
    if by_time {
        found.sort_by_key(|(_, stream)| stream.lines.last().map(|line| line.at));
    }
    if call.flag("descending") == Some(true) {
        found.reverse();
    }
    let shown = |(stream_name, stream): (&String, &Stream)| {
        let mut shown = json!({
            "logStreamName": stream_name,
            "arn": format!("{}:log-stream:{stream_name}", arn(&call.region, name)),
            "creationTime": stream.created.as_millisecond(),
            "storedBytes": 0,
        });
        if let (Some(first), Some(last)) = (stream.lines.first(), stream.lines.last()) {
            shown["firstEventTimestamp"] = json!(first.at.as_millisecond());
            shown["lastEventTimestamp"] = json!(last.at.as_millisecond());
            shown["lastIngestionTime"] = json!(last.ingested.as_millisecond());
        }
        shown
    };
    page(call, "logStreams", found.into_iter().map(shown).collect())
}

/// `GetLogEvents`: tokens name a place in the stream, forwards (`f/`) or backwards (`b/`); at the end the same token comes
/// back.
fn get_events(world: &World, call: &Call) -> Answer {
    let (_, group) = group(world, call)?;
    let stream = group.streams.get(call.required("logStreamName")).ok_or_else(no_stream)?;
    let limit = limit(call, PAGE);
    let lines: Vec<(usize, &Line)> = stream
        .lines
        .iter()
        .enumerate()
        .map(|(n, line)| (n + stream.dropped, line))
        .filter(|(_, line)| in_time(call, line))
        .collect();
    let (first, end) = (stream.dropped, stream.dropped + stream.lines.len());
    let token = call.text("nextToken").map(read_token).transpose()?;
    let chosen: Vec<(usize, &Line)> = match token {
        Some((true, place)) => lines.into_iter().filter(|(n, _)| *n >= place).take(limit).collect(),
        Some((false, place)) => last(lines.into_iter().filter(|(n, _)| *n < place).collect(), limit),
        None if call.flag("startFromHead") == Some(true) => lines.into_iter().take(limit).collect(),
        None => last(lines, limit),
    };
    let (forward, backward) = match (chosen.first(), chosen.last(), token) {
        (Some((start, _)), Some((stop, _)), _) => (stop + 1, *start),
        (_, _, Some((_, place))) => (place, place),
        _ => (end, first),
    };
    Ok(json!({
        "events": chosen.into_iter().map(|(_, line)| shown_line(line)).collect::<Vec<_>>(),
        "nextForwardToken": format!("f/{forward:056}"),
        "nextBackwardToken": format!("b/{backward:056}"),
    }))
}

fn last<T>(mut items: Vec<T>, limit: usize) -> Vec<T> {
    items.split_off(items.len().saturating_sub(limit))
}

fn read_token(token: &str) -> Result<(bool, usize), AwsError> {
    let (way, place) = token.split_once('/').unwrap_or_default();
    match (way, place.parse()) {
        ("f", Ok(place)) => Ok((true, place)),
        ("b", Ok(place)) => Ok((false, place)),
        _ => Err(wrong("The specified nextToken is invalid.")),
    }
}

fn filter_events(world: &World, call: &Call) -> Answer {
    let (_, group) = group(world, call)?;
    let names = call.texts("logStreamNames");
    let prefix = call.text("logStreamNamePrefix").unwrap_or_default();
    let terms = terms(call.text("filterPattern").unwrap_or_default());
    let streams = group
        .streams
        .iter()
        .filter(|(name, _)| name.starts_with(prefix) && (names.is_empty() || names.contains(&name.as_str())));
    let mut found: Vec<(Timestamp, &str, usize, &Line)> = streams
        .flat_map(|(name, stream)| {
            stream.lines.iter().enumerate().map(move |(n, line)| (line.at, name.as_str(), n + stream.dropped, line))
        })
        .filter(|(.., line)| in_time(call, line) && terms.iter().all(|term| line.text.contains(term)))
        .collect();
    found.sort_by_key(|(at, name, number, _)| (*at, *name, *number));
    let events = found.into_iter().map(|(_, name, number, line)| {
        let mut shown = shown_line(line);
        shown["logStreamName"] = json!(name);
        shown["eventId"] = json!(format!("{:020}{number:036}", line.at.as_millisecond()));
        shown
    });
    page(call, "events", events.collect())
}

/// The words and quoted phrases of a filter pattern; all must occur.
fn terms(pattern: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for (number, part) in pattern.split('"').enumerate() {
        if number % 2 == 1 {
            terms.push(part.to_owned());
        } else {
            terms.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    terms
}

fn create_group(world: &mut World, call: &Call) -> Answer {
    let groups = world.logs.regions.entry(call.region.clone()).or_default();
    let name = call.required("logGroupName").to_owned();
    if groups.contains_key(&name) {
        return Err(AwsError::new("ResourceAlreadyExistsException", "The specified log group already exists"));
    }
    groups.insert(name, Group { created: call.now, streams: BTreeMap::new() });
    Ok(json!({}))
}

fn create_stream(world: &mut World, call: &Call) -> Answer {
    let group = group_mut(world, call)?;
    let name = call.required("logStreamName").to_owned();
    if group.streams.contains_key(&name) {
        return Err(AwsError::new("ResourceAlreadyExistsException", "The specified log stream already exists"));
    }
    group.streams.insert(name, Stream { created: call.now, dropped: 0, lines: Vec::new() });
    Ok(json!({}))
}

fn delete_group(world: &mut World, call: &Call) -> Answer {
    let groups = world.logs.regions.get_mut(&call.region);
    groups.and_then(|groups| groups.remove(&group_name(call))).ok_or_else(no_group)?;
    Ok(json!({}))
}

fn delete_stream(world: &mut World, call: &Call) -> Answer {
    group_mut(world, call)?.streams.remove(call.required("logStreamName")).ok_or_else(no_stream)?;
    Ok(json!({}))
}

fn put_events(world: &mut World, call: &Call) -> Answer {
    let group = group_mut(world, call)?;
    let stream = group.streams.get_mut(call.required("logStreamName")).ok_or_else(no_stream)?;
    let mut before = i64::MIN;
    for event in call.list("logEvents") {
        let at = event["timestamp"].as_i64().unwrap_or_default();
        if at < before {
            return Err(wrong("Log events in a single PutLogEvents request must be in chronological order."));
        }
        before = at;
    }
    for event in call.list("logEvents") {
        let at = Timestamp::from_millisecond(event["timestamp"].as_i64().unwrap_or_default()).unwrap_or(call.now);
        let text = event["message"].as_str().unwrap_or_default().to_owned();
        stream.push(Line { at, ingested: call.now, text });
    }
    Ok(json!({ "nextSequenceToken": format!("{:056}", stream.dropped + stream.lines.len()) }))
}

/// The group that a call names, by name or by ARN.
fn group<'a>(world: &'a World, call: &Call) -> Result<(&'a str, &'a Group), AwsError> {
    let name = group_name(call);
    let found = world.logs.regions.get(&call.region).and_then(|groups| groups.get_key_value(&name));
    found.map(|(name, group)| (name.as_str(), group)).ok_or_else(no_group)
}

fn group_mut<'a>(world: &'a mut World, call: &Call) -> Result<&'a mut Group, AwsError> {
    world.logs.regions.get_mut(&call.region).and_then(|groups| groups.get_mut(&group_name(call))).ok_or_else(no_group)
}

fn group_name(call: &Call) -> String {
    let given = call.text("logGroupName").or(call.text("logGroupIdentifier")).unwrap_or_default();
    given.split_once(":log-group:").map_or(given, |(_, name)| name.trim_end_matches(":*")).to_owned()
}

fn no_group() -> AwsError {
    AwsError::new("ResourceNotFoundException", "The specified log group does not exist.")
}

fn no_stream() -> AwsError {
    AwsError::new("ResourceNotFoundException", "The specified log stream does not exist.")
}

fn wrong(message: &str) -> AwsError {
    AwsError::new("InvalidParameterException", message)
}

fn arn(region: &str, group: &str) -> String {
    format!("arn:aws:logs:{region}:{ACCOUNT_ID}:log-group:{group}")
}

/// Whether a line lies in the call's span: `startTime` counts in, `endTime` does not.
fn in_time(call: &Call, line: &Line) -> bool {
    let at = line.at.as_millisecond();
    call.number("startTime").is_none_or(|start| at >= start) && call.number("endTime").is_none_or(|end| at < end)
}

fn shown_line(line: &Line) -> Value {
    json!({ "timestamp": line.at.as_millisecond(), "ingestionTime": line.ingested.as_millisecond(), "message": line.text })
}

fn limit(call: &Call, most: usize) -> usize {
    call.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(most).clamp(1, most)
}

fn page(call: &Call, member: &str, items: Vec<Value>) -> Answer {
    let start = match call.text("nextToken") {
        None => 0,
        Some(token) => token.parse::<usize>().map_err(|_| wrong("The specified nextToken is invalid."))?,
    };
    let size = limit(call, if member == "events" { PAGE } else { 50 });
    let total = items.len();
    let shown: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    let end = start.saturating_add(shown.len());
    let mut answer = json!({ member: shown });
    if end < total {
        answer["nextToken"] = json!(end.to_string());
    }
    Ok(answer)
}
