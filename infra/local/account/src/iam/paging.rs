//! IAM's paging: `Marker`, `MaxItems`, `IsTruncated`.

use super::refusals::validation;
use crate::call::{AwsError, Call};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// One page of `items` (in order, each with its key) as the output member `name`.
///
/// # Errors
/// `ValidationError` for a marker that was never handed out.
pub(super) fn page(call: &Call, name: &str, items: Vec<(String, Value)>) -> Result<Value, AwsError> {
    let after = call.text("Marker").map(read_marker).transpose()?;
    let size = call.number("MaxItems").and_then(|size| usize::try_from(size).ok()).unwrap_or(100).clamp(1, 1000);
    let mut rest = items.into_iter().filter(|(key, _)| after.as_ref().is_none_or(|after| key > after)).peekable();
    let taken: Vec<(String, Value)> = rest.by_ref().take(size).collect();
    let more = rest.peek().is_some();
    let last = taken.last().map(|(key, _)| STANDARD.encode(key));
    let mut answer = json!({ "IsTruncated": more });
    answer[name] = taken.into_iter().map(|(_, item)| item).collect();
    if let Some(last) = last.filter(|_| more) {
        answer["Marker"] = last.into();
    }
    Ok(answer)
}

fn read_marker(marker: &str) -> Result<String, AwsError> {
    let bytes = STANDARD.decode(marker).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| validation("Invalid Marker."))
}
