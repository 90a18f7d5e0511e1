//! Listing a bucket's keys: prefix, delimiter, pages; both versions of the call.

use super::{access::Visit, objects::shown, state::Bucket};
use crate::{iam::policy::Context, world::World};
use base64::{Engine, engine::general_purpose::STANDARD};
use s3s::{S3Error, S3ErrorCode, S3Result, dto::*};

/// One page: keys and common prefixes, in order.
struct Page {
    objects: Vec<Object>,
    prefixes: Vec<CommonPrefix>,
    /// The key or prefix to go on after, if there is more.
    next: Option<String>,
}

/// ListObjectsV2.
pub(super) fn second_version(
    world: &mut World,
    visit: &Visit,
    input: ListObjectsV2Input,
) -> S3Result<ListObjectsV2Output> {
    let bucket = allowed(world, visit, &input.bucket, input.prefix.as_deref(), input.delimiter.as_deref())?;
    let after = match &input.continuation_token {
        Some(token) => {
            let read = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let invalid = || {
                let message = "The continuation token provided is incorrect";
                S3Error::with_message(S3ErrorCode::InvalidArgument, message)
            };
            Some(read.ok_or_else(invalid)?)
        }
        None => input.start_after.clone(),
    };
    let max = page_size(input.max_keys)?;
    let page = page(bucket, input.prefix.as_deref(), input.delimiter.as_deref(), after.as_deref(), max);
    Ok(ListObjectsV2Output {
        key_count: i32::try_from(page.objects.len() + page.prefixes.len()).ok(),
        is_truncated: Some(page.next.is_some()),
        next_continuation_token: page.next.map(|next| STANDARD.encode(next)),
        contents: Some(page.objects),
        common_prefixes: Some(page.prefixes),
        max_keys: i32::try_from(max).ok(),
        name: Some(input.bucket),
        prefix: input.prefix,
        delimiter: input.delimiter,
        continuation_token: input.continuation_token,
        start_after: input.start_after,
        ..ListObjectsV2Output::default()
    })
}

/// ListObjects, the older call.
pub(super) fn first_version(world: &mut World, visit: &Visit, input: ListObjectsInput) -> S3Result<ListObjectsOutput> {
    let bucket = allowed(world, visit, &input.bucket, input.prefix.as_deref(), input.delimiter.as_deref())?;
    let max = page_size(input.max_keys)?;
    let page = page(bucket, input.prefix.as_deref(), input.delimiter.as_deref(), input.marker.as_deref(), max);
    Ok(ListObjectsOutput {
        is_truncated: Some(page.next.is_some()),
        // Without a delimiter the last key is the marker, and S3 leaves this out.
        next_marker: page.next.filter(|_| input.delimiter.is_some()),
        contents: Some(page.objects),
        common_prefixes: Some(page.prefixes),
        max_keys: i32::try_from(max).ok(),
        name: Some(input.bucket),
        prefix: input.prefix,
        delimiter: input.delimiter,
        marker: Some(input.marker.unwrap_or_default()),
        ..ListObjectsOutput::default()
    })
}

fn allowed<'a>(
    world: &'a mut World,
    visit: &Visit,
    bucket: &str,
    prefix: Option<&str>,
    delimiter: Option<&str>,
) -> S3Result<&'a Bucket> {
    let mut context = Context::default();
    context.set("s3:prefix", prefix.unwrap_or_default());
    if let Some(delimiter) = delimiter {
        context.set("s3:delimiter", delimiter);
    }
    visit.bucket_with(world, "s3:ListBucket", bucket, None, context).map(|bucket| &*bucket)
}

fn page_size(asked: Option<i32>) -> S3Result<usize> {
    let asked = usize::try_from(asked.unwrap_or(1000));
    asked.map(|size| size.min(1000)).map_err(|_| {
        let message = "Argument max-keys must be an integer between 0 and 2147483647";
        S3Error::with_message(S3ErrorCode::InvalidArgument, message)
    })
}

fn page(bucket: &Bucket, prefix: Option<&str>, delimiter: Option<&str>, after: Option<&str>, max: usize) -> Page {
    let prefix = prefix.unwrap_or_default();
    let delimiter = delimiter.filter(|delimiter| !delimiter.is_empty());
    let mut page = Page { objects: Vec::new(), prefixes: Vec::new(), next: None };
    let mut last = after.map(str::to_owned);
    let keys = bucket.objects.range(prefix.to_owned()..).map(|(key, _)| key);
    for key in keys.take_while(|key| key.starts_with(prefix)) {
        let folder = delimiter.and_then(|delimiter| {
            let at = key[prefix.len()..].find(delimiter)?;
            Some(&key[..prefix.len() + at + delimiter.len()])
        });
        let entry = folder.unwrap_or(key);
        // A folder that was told already, on this page or an earlier one, covers all of its keys.
        if last.as_deref().is_some_and(|last| entry <= last) {
            continue;
        }
        if page.objects.len() + page.prefixes.len() == max {
            page.next = last.filter(|_| max > 0);
            return page;
        }
        match folder {
            Some(folder) => page.prefixes.push(CommonPrefix { prefix: Some(folder.to_owned()) }),
            None => page.objects.extend(shown(bucket, key)),
        }
        last = Some(entry.to_owned());
    }
    page
}
