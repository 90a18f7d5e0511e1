//! EKS's way of paging: `maxResults` (1–100, default 100) and an opaque `nextToken`.

use super::refusals::invalid;
use crate::call::{AwsError, Call};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const PAGE: usize = 100;

/// One page of `items` (each with the key that orders it) as `{list: […], nextToken?}`.
///
/// The token holds the key of the last item given, so that what appears or goes between two pages neither repeats nor
/// hides another item.
///
/// # Errors
/// `InvalidParameterException` for a token that this account did not give.
pub(super) fn page(
    call: &Call,
    list: &str,
    items: impl IntoIterator<Item = (String, Value)>,
) -> Result<Value, AwsError> {
    let after = call.text("nextToken").map(last_key).transpose()?;
    let size = call.number("maxResults").and_then(|size| usize::try_from(size).ok()).unwrap_or(PAGE).clamp(1, PAGE);
    let mut sorted: Vec<_> = items.into_iter().collect();
    sorted.sort_by(|left, right| left.0.cmp(&right.0));
    let mut rest = sorted.into_iter().filter(|(key, _)| after.as_ref().is_none_or(|after| key > after)).peekable();
    let given: Vec<_> = rest.by_ref().take(size).collect();
    let token = given.last().filter(|_| rest.peek().is_some()).map(|(key, _)| URL_SAFE_NO_PAD.encode(key));
    let mut answer = json!({ list: given.into_iter().map(|(_, value)| value).collect::<Vec<_>>() });
    if let Some(token) = token {
        answer["nextToken"] = token.into();
    }
    Ok(answer)
}

fn last_key(token: &str) -> Result<String, AwsError> {
    let key = URL_SAFE_NO_PAD.decode(token).ok().and_then(|key| String::from_utf8(key).ok());
    key.ok_or_else(|| invalid(format!("Invalid nextToken: {token}")))
}
