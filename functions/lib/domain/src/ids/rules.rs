//! The character rules of identifiers, each the published regular expression by hand: a regex engine is not worth its
//! size in every function.

fn alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

pub(super) fn cluster_tag(text: &str) -> bool {
    text.starts_with(alphanumeric) && text.chars().all(|c| alphanumeric(c) || c == '-' || c == '_')
}

pub(super) fn sagemaker_name(text: &str) -> bool {
    text.starts_with(alphanumeric) && text.ends_with(alphanumeric) && text.chars().all(|c| alphanumeric(c) || c == '-')
}

pub(super) fn digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn lower_case(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase())
}

fn short_number(text: &str) -> bool {
    text.len() <= 2 && digits(text)
}

/// `us-west-2`, `us-gov-east-1`: an area, one or more words, a number.
pub(super) fn region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    match parts.as_slice() {
        [area, words @ .., number] => {
            (2..=4).contains(&area.len())
                && lower_case(area)
                && !words.is_empty()
                && words.iter().all(|word| lower_case(word))
                && short_number(number)
        }
        _ => false,
    }
}

/// A Region and a letter, with a Local Zone's place between them: `us-east-1-dfw-2a`.
pub(super) fn zone_name(text: &str) -> bool {
    let Some(stem) = text.strip_suffix(|c: char| c.is_ascii_lowercase()) else { return false };
    if region(stem) {
        return true;
    }
    let parts: Vec<&str> = stem.rsplitn(3, '-').collect();
    matches!(parts.as_slice(), [number, place, of] if short_number(number) && lower_case(place) && region(of))
}

pub(super) fn zone_id(text: &str) -> bool {
    let Some((place, number)) = text.rsplit_once("-az") else { return false };
    let (region, local) = match place.split_once('-') {
        Some((region, local)) => (region, Some(local)),
        None => (place, None),
    };
    let local_is_fine = local.is_none_or(|local| lower_case(local.trim_end_matches(|c: char| c.is_ascii_digit())));
    digits(number)
        && !region.is_empty()
        && region.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && local_is_fine
}

pub(super) fn instance_type(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let parts: Vec<&str> = text.split('.').collect();
    matches!(parts.as_slice(), ["ml", family, size] if part(family) && part(size))
}

fn hex_after(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|hex| {
        (8..=17).contains(&hex.len()) && hex.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
    })
}

pub(super) fn vpc(text: &str) -> bool {
    hex_after(text, "vpc-")
}

pub(super) fn subnet(text: &str) -> bool {
    hex_after(text, "subnet-")
}

pub(super) fn security_group(text: &str) -> bool {
    hex_after(text, "sg-")
}

pub(super) fn route_table(text: &str) -> bool {
    hex_after(text, "rtb-")
}

fn partition(text: &str) -> bool {
    text.strip_prefix("aws").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
}

fn account(text: &str) -> bool {
    text.len() == 12 && digits(text)
}

pub(super) fn training_plan_arn(text: &str) -> bool {
    let region = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    matches!(parts.as_slice(), ["arn", p, "sagemaker", r, a, resource]
        if partition(p) && region(r) && account(a) && resource.starts_with("training-plan/"))
        && !text.contains(char::is_control)
}

pub(super) fn principal_arn(text: &str) -> bool {
    let name = |name: &str| {
        !name.is_empty() && !name.ends_with('/') && name.chars().all(|c| alphanumeric(c) || "+=,.@_/-".contains(c))
    };
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let ["arn", p, service, "", a, resource] = parts.as_slice() else { return false };
    let Some((kind, rest)) = resource.split_once('/') else { return false };
    partition(p)
        && account(a)
        && match (*service, kind) {
            ("iam", "role" | "user") => name(rest),
            // The role's name without its path, and the session's.
            ("sts", "assumed-role") => name(rest) && !rest.starts_with('/') && rest.matches('/').count() == 1,
            _ => false,
        }
}
