//! How list operations of the service answer in pages.

use crate::call::{AwsError, Call};
use serde_json::{Value, json};

/// `MaxResults` when a caller gives none.
const DEFAULT_PAGE: usize = 10;

/// Answers `items` under `member`, `MaxResults` at a time, with a token for the rest.
///
/// The token is the number of items that were shown, bound to the operation, so that one from elsewhere is refused.
///
/// # Errors
/// `ValidationException` for a token that this operation did not give.
pub(super) fn page(call: &Call, member: &str, items: Vec<Value>) -> Result<Value, AwsError> {
    let size = call.number("MaxResults").and_then(|size| usize::try_from(size).ok()).unwrap_or(DEFAULT_PAGE).max(1);
    let start = match call.text("NextToken").filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => token
            .strip_prefix(&format!("{}-", call.action))
            .and_then(|shown| shown.parse::<usize>().ok())
            .ok_or_else(|| {
            AwsError::new("ValidationException", "Invalid pagination token: NextToken was not given by this operation")
        })?,
    };
    let total = items.len();
    let shown: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    let end = start.saturating_add(shown.len());
    let mut answer = json!({ member: shown });
    if end < total {
        answer["NextToken"] = json!(format!("{}-{end}", call.action));
    }
    Ok(answer)
}

/// Whether `SortOrder` asks for descending order; `default` says what its absence means.
pub(super) fn is_descending(call: &Call, default: bool) -> bool {
    call.text("SortOrder").map_or(default, |order| order == "Descending")
}

/// Whether a time (seconds) lies within the bounds that the call gives under `after` and `before`; bounds count in.
pub(super) fn is_between(call: &Call, after: &str, before: &str, at: jiff::Timestamp) -> bool {
    let seconds = at.as_millisecond() as f64 / 1000.0;
    let bound = |name: &str| call.input.get(name).and_then(Value::as_f64);
    bound(after).is_none_or(|bound| seconds >= bound) && bound(before).is_none_or(|bound| seconds <= bound)
}
