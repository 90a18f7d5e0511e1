//! Cursors: where the next page of a list starts, opaque to callers and checked when they come back.
//!
//! A cursor holds nothing that its caller cannot read in the list itself, so it is not secret; a digest keeps one that
//! was cut, edited or made for another list from being taken for a place in this one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::problem::Problem;
use domain::FieldError;
use sha2::{Digest, Sha256};

/// Bytes of the digest that a cursor carries.
const DIGEST: usize = 8;

/// Items of a page if the caller does not say.
const PAGE: usize = 20;

/// The cursor of `list` (its name and what it is narrowed to) that starts after `after`.
pub(crate) fn seal(list: &str, after: &str) -> String {
    let mut bytes = digest(list, after);
    bytes.extend_from_slice(after.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What `cursor` of `list` starts after.
///
/// # Errors
/// `invalid_input` at `/cursor`.
pub(crate) fn open(list: &str, cursor: Option<&str>) -> Result<Option<String>, Problem> {
    let Some(cursor) = cursor else { return Ok(None) };
    let opened = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| {
        let (digest_given, after) = bytes.split_at_checked(DIGEST)?;
        let after = String::from_utf8(after.to_vec()).ok()?;
        (digest_given == digest(list, &after)).then_some(after)
    });
    let foreign = || {
        let detail = "this is no cursor of this list: expected nextCursor of its page before, with the same filters";
        surface::problem::of_fields(vec![FieldError::new("/cursor", detail)])
    };
    opened.map(Some).ok_or_else(foreign)
}

/// How many items a page has.
pub(crate) fn page(limit: Option<u32>) -> usize {
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(PAGE)
}

fn digest(list: &str, after: &str) -> Vec<u8> {
    Sha256::digest(format!("{list}\n{after}"))[..DIGEST].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_in_its_own_list_alone() {
        let cursor = seal("clusters", "team-a");
        assert_eq!(open("clusters", Some(&cursor)).unwrap().as_deref(), Some("team-a"));
        assert_eq!(open("clusters", None).unwrap(), None);
        for (list, cursor) in
            [("operations", cursor.as_str()), ("clusters", &cursor[1..]), ("clusters", "team-a"), ("clusters", "é")]
        {
            let problem = open(list, Some(cursor)).unwrap_err();
            assert_eq!((problem.status, problem.errors[0].pointer.as_str()), (400, "/cursor"));
        }
    }
}
