//! Cursors: where the next page of a list starts, opaque to callers and checked when they come back.
//!
//! A cursor holds nothing that its caller cannot read in the list itself, so it is not secret; a digest keeps one that
//! was cut, edited or made for another list from being taken for a place in this one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::problem::Problem;
use domain::FieldError;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Bytes of the digest that a cursor carries.
const DIGEST: usize = 8;

/// Bytes of JSON that a page's items take at the most: a model is shown no more than about this of a result.
const PAGE_BYTES: usize = 60_000;

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

/// As many of `items` as fit into a page's bytes, at least one, and where the next page starts: after the last that fits,
/// or where it would have started anyway. `key` is an item's sort key (field reports BR-137, BR-167).
pub(crate) fn fitting<T: Serialize>(
    items: Vec<T>,
    next: Option<String>,
    key: impl Fn(&T) -> String,
) -> (Vec<T>, Option<String>) {
    let mut bytes = 0;
    let fit = items.iter().take_while(|item| {
        bytes += serde_json::to_vec(item).map_or(0, |text| text.len());
        bytes <= PAGE_BYTES
    });
    let count = fit.count().max(1);
    if count >= items.len() {
        return (items, next);
    }
    let items: Vec<T> = items.into_iter().take(count).collect();
    let next = items.last().map(key);
    (items, next)
}

/// The page of a whole list that starts after `after`, in the order of `key`, and where the next one starts. `key` tells
/// items apart by what they keep for life, never by their place: what comes or goes between two pages moves nothing else.
pub(crate) fn cut<T: Serialize>(
    mut items: Vec<T>,
    after: Option<&str>,
    limit: Option<u32>,
    key: impl Fn(&T) -> String,
) -> (Vec<T>, Option<String>) {
    items.retain(|item| after.is_none_or(|after| key(item).as_str() > after));
    items.sort_by_key(&key);
    let more = items.len() > page(limit);
    items.truncate(page(limit));
    let next = items.last().map(&key).filter(|_| more);
    fitting(items, next, key)
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
    fn br_137_a_page_of_large_items_shrinks_and_goes_on_after_the_last_that_fits() {
        let items: Vec<String> = (0..100).map(|number| format!("{number:02}{}", "x".repeat(2_998))).collect();
        let key = |item: &String| item[..2].to_owned();
        let (page, next) = fitting(items.clone(), Some("99".to_owned()), key);
        assert_eq!((page.len(), next.as_deref()), (19, Some("18")));
        let (page, next) = fitting(items[..5].to_vec(), Some("05".to_owned()), key);
        assert_eq!((page.len(), next.as_deref()), (5, Some("05")), "what fits stays as it is");
        let (page, _) = fitting(vec!["00".to_owned() + &"x".repeat(PAGE_BYTES)], None, key);
        assert_eq!(page.len(), 1, "one item is always answered");
    }

    #[test]
    fn what_goes_or_comes_between_two_pages_moves_nothing_else() {
        let whole: Vec<String> = ["d", "b", "a", "c", "e"].map(str::to_owned).to_vec();
        let (first, next) = cut(whole.clone(), None, Some(2), String::clone);
        assert_eq!((first, next.as_deref()), (vec!["a".to_owned(), "b".to_owned()], Some("b")));
        let without_b: Vec<String> =
            whole.iter().filter(|item| *item != "b").cloned().chain(["aa".to_owned()]).collect();
        let (second, next) = cut(without_b, next.as_deref(), Some(3), String::clone);
        assert_eq!((second, next), (vec!["c".to_owned(), "d".to_owned(), "e".to_owned()], None));
    }

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
