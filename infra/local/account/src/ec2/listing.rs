//! How every `Describe*` chooses its rows: ids, filters, what is visible yet, pages.
//!
//! A row is the JSON that EC2 answers for one thing. Filters are tables from EC2's filter name to the path of the value
//! in the row, so that a filter cannot say something else than the answer.

use super::{Network, ids::Kind, tags};
use crate::call::{Answer, AwsError, Call};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One `Describe*` action.
pub(super) struct Listing {
    /// Output member that holds the rows.
    pub rows: &'static str,
    /// Input member that names wanted ids.
    pub ids: &'static str,
    /// Member of a row that holds its id.
    pub id: &'static str,
    /// What the rows are.
    pub kind: Kind,
    /// Filter names, and where the value stands in a row: members separated by dots, lists entered by themselves.
    pub filters: &'static [(&'static str, &'static str)],
}

/// Answers a `Describe*` call over all rows of a network.
pub(super) fn answer(network: &Network, call: &Call, listing: &Listing, rows: Vec<Value>) -> Answer {
    let wanted: BTreeSet<&str> = call.texts(listing.ids).into_iter().collect();
    let rows: Vec<Value> = rows
        .into_iter()
        .filter(|row| network.shows(id_of(listing, row), call.now))
        .map(|row| with_tags(network, listing, row))
        .collect();
    if let Some(absent) = wanted.iter().find(|id| !rows.iter().any(|row| id_of(listing, row) == **id)) {
        return Err(listing.kind.missing(absent));
    }
    let rows: Vec<Value> =
        rows.into_iter().filter(|row| wanted.is_empty() || wanted.contains(id_of(listing, row))).collect();
    let rows = filtered(call, listing.filters, rows)?;
    page(call, listing.rows, rows)
}

fn id_of<'a>(listing: &Listing, row: &'a Value) -> &'a str {
    row.get(listing.id).and_then(Value::as_str).unwrap_or_default()
}

fn with_tags(network: &Network, listing: &Listing, mut row: Value) -> Value {
    let tags = network.tags.get(id_of(listing, &row)).cloned().unwrap_or_default();
    row[tags::member_of(&listing.kind)] = tags::row(&tags);
    row
}

/// The rows that pass every filter of the call (any value of a filter, all filters).
pub(super) fn filtered(call: &Call, known: &[(&str, &str)], mut rows: Vec<Value>) -> Result<Vec<Value>, AwsError> {
    // NAT gateways alone call the member `Filter`.
    for filter in call.list("Filters").iter().chain(call.list("Filter")) {
        let name = filter["Name"].as_str().unwrap_or_default();
        let Some(values) = filter["Values"].as_array().filter(|values| !values.is_empty()) else {
            return Err(AwsError::new("InvalidParameterValue", "The filter 'null' is invalid"));
        };
        let patterns: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let path = known.iter().find(|(known, _)| *known == name).map(|(_, path)| *path);
        match (name.strip_prefix("tag:"), path) {
            (Some(key), _) => rows.retain(|row| {
                tag_values(row).any(|(k, value)| k == key && patterns.iter().any(|pattern| matches(pattern, value)))
            }),
            (None, _) if name == "tag-key" => {
                rows.retain(|row| tag_values(row).any(|(key, _)| patterns.iter().any(|pattern| matches(pattern, key))))
            }
            (None, Some(path)) => rows.retain(|row| {
                texts_at(row, path).iter().any(|text| patterns.iter().any(|pattern| matches(pattern, text)))
            }),
            (None, None) => {
                return Err(AwsError::new("InvalidParameterValue", format!("The filter '{name}' is invalid")));
            }
        }
    }
    Ok(rows)
}

fn tag_values(row: &Value) -> impl Iterator<Item = (&str, &str)> {
    let tags = row.get("Tags").or_else(|| row.get("TagSet")).and_then(Value::as_array);
    tags.into_iter().flatten().filter_map(|tag| Some((tag["Key"].as_str()?, tag["Value"].as_str()?)))
}

/// All values at `path`, as filters compare them.
fn texts_at(row: &Value, path: &str) -> Vec<String> {
    let mut found = vec![row];
    for member in path.split('.') {
        found = found
            .into_iter()
            .flat_map(|value| value.as_array().map_or_else(|| vec![value], |list| list.iter().collect()))
            .filter_map(|value| value.get(member))
            .collect();
    }
    let flat = found.into_iter().flat_map(|value| value.as_array().map_or_else(|| vec![value], |l| l.iter().collect()));
    flat.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

/// Whether `text` matches a filter value: `*` stands for any text, `?` for one character, `\` makes the next one plain.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // Which lengths of text the pattern read so far can have consumed.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut rest = pattern.iter();
    while let Some(letter) = rest.next() {
        let mut next = vec![false; text.len() + 1];
        match letter {
            '*' => {
                let first = reached.iter().position(|here| *here).unwrap_or(text.len() + 1);
                next.iter_mut().skip(first).for_each(|here| *here = true);
            }
            _ => {
                let plain = if *letter == '\\' { rest.next().unwrap_or(letter) } else { letter };
                let any = *letter == '?';
                for (at, character) in text.iter().enumerate() {
                    next[at + 1] = reached[at] && (any || plain == character);
                }
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

/// One page of rows, and the token of the next.
///
/// A token names how many rows were given, and is bound to the action that gave it.
pub(super) fn page(call: &Call, member: &str, rows: Vec<Value>) -> Answer {
    let start = call.text("NextToken").map_or(Ok(0), |token| offset(call, token))?;
    let size = call.number("MaxResults").and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
    let total = rows.len();
    let rows: Vec<Value> = rows.into_iter().skip(start).take(size).collect();
    let end = start.saturating_add(rows.len());
    let mut output = json!({ member: rows });
    if end < total {
        output["NextToken"] = URL_SAFE_NO_PAD.encode(format!("{}/{end}", call.action)).into();
    }
    Ok(output)
}

fn offset(call: &Call, token: &str) -> Result<usize, AwsError> {
    let read = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        let (action, offset) = text.split_once('/')?;
        (action == call.action).then(|| offset.parse().ok())?
    };
    read().ok_or_else(|| AwsError::new("InvalidNextToken", "The specified NextToken is not valid."))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn wildcards_match_as_ec2_says() {
        for (pattern, text, expected) in [
            ("hp-*", "hp-compute", true),
            ("*-usw2-*", "hp-usw2-az1", true),
            ("h?", "hp", true),
            ("h?", "h", false),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("", "", true),
            ("*", "", true),
            ("Hp", "hp", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} against {text}");
        }
    }
}
