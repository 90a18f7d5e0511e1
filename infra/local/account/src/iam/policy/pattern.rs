//! Wildcards and policy variables.

use super::question::Context;

#[derive(Debug, PartialEq)]
enum Piece {
    Literal(char),
    One,
    Any,
}

/// Does `text` match `pattern`, with `*` and `?` as wildcards and `${key}` replaced from `context`?
///
/// The value of a variable is literal: a `*` in it is no wildcard. A variable without value and without default matches
/// nothing (IAM User Guide, "IAM policy elements: Variables and tags").
pub(super) fn matches(pattern: &str, text: &str, context: Option<&Context>) -> bool {
    !begins_otherwise(pattern, text, |wanted, there| wanted == there)
        && pieces(pattern, context).is_some_and(|pieces| glob(&pieces, &text.chars().collect::<Vec<_>>()))
}

/// The same without case, as actions are compared.
pub(super) fn matches_without_case(pattern: &str, text: &str, context: Option<&Context>) -> bool {
    if begins_otherwise(pattern, text, |wanted, there| wanted.eq_ignore_ascii_case(there) || !wanted.is_ascii()) {
        return false;
    }
    pieces(pattern, context).is_some_and(|pieces| {
        let lower = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
        let pieces: Vec<_> = pieces
            .into_iter()
            .map(|piece| if let Piece::Literal(letter) = piece { Piece::Literal(lower(letter)) } else { piece })
            .collect();
        glob(&pieces, &text.chars().map(lower).collect::<Vec<_>>())
    })
}

/// Does the part of `pattern` before its first wildcard or variable rule `text` out already? Nearly every question to a
/// policy ends here, without a list of pieces.
fn begins_otherwise(pattern: &str, text: &str, same: impl Fn(&u8, &u8) -> bool) -> bool {
    let literal = pattern.bytes().take_while(|letter| !matches!(letter, b'*' | b'?' | b'$'));
    let mut there = text.bytes();
    literal.into_iter().any(|wanted| !there.next().is_some_and(|there| same(&wanted, &there)))
}

/// Compares two ARNs part by part, so that a wildcard does not reach over a colon of the first five.
pub(super) fn matches_arn(pattern: &str, text: &str, context: Option<&Context>) -> bool {
    let (patterns, texts): (Vec<_>, Vec<_>) = (split_arn(pattern), split_arn(text));
    patterns.len() == texts.len() && patterns.iter().zip(&texts).all(|(pattern, text)| matches(pattern, text, context))
}

/// Splits at the first five colons that are not inside of a variable.
fn split_arn(arn: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in arn.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && parts.len() < 5 => {
                parts.push(&arn[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&arn[start..]);
    parts
}

/// Replaces the variables in `pattern` and leaves `*` and `?` as they are: for operators that know no wildcards.
pub(super) fn substitute(pattern: &str, context: Option<&Context>) -> Option<String> {
    let pieces = pieces(pattern, context)?;
    Some(
        pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Literal(letter) => letter,
                Piece::One => '?',
                Piece::Any => '*',
            })
            .collect(),
    )
}

/// `context` is none for documents of version 2008-10-17, which have no variables.
fn pieces(pattern: &str, context: Option<&Context>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        if let (Some(context), Some((name, after))) = (context, variable(rest)) {
            pieces.extend(value(name, context)?.chars().map(Piece::Literal));
            rest = after;
            continue;
        }
        pieces.push(match letter {
            '*' => Piece::Any,
            '?' => Piece::One,
            other => Piece::Literal(other),
        });
        rest = &rest[letter.len_utf8()..];
    }
    Some(pieces)
}

fn variable(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("${")?.split_once('}')
}

fn value(name: &str, context: &Context) -> Option<String> {
    if matches!(name, "*" | "?" | "$") {
        return Some(name.to_owned());
    }
    let (key, default) = name.split_once(',').map_or((name, None), |(key, default)| (key, Some(default)));
    match context.values(key.trim()) {
        Some([value]) => Some(value.clone()),
        _ => default.map(|default| default.trim().trim_matches('\'').to_owned()),
    }
}

/// Linear in practice: after a failed try it only moves the last `*` on by one.
fn glob(pieces: &[Piece], text: &[char]) -> bool {
    let (mut piece, mut letter) = (0, 0);
    let mut retry = None;
    while letter < text.len() {
        match pieces.get(piece) {
            Some(Piece::Any) => {
                retry = Some((piece, letter));
                piece += 1;
            }
            Some(Piece::One) => (piece, letter) = (piece + 1, letter + 1),
            Some(Piece::Literal(wanted)) if *wanted == text[letter] => (piece, letter) = (piece + 1, letter + 1),
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                (piece, letter) = (star + 1, from + 1);
            }
        }
    }
    pieces[piece..].iter().all(|piece| *piece == Piece::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_like_iam_does() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("arn:aws:s3:::bucket/*", "arn:aws:s3:::bucket/a/b", true),
            ("arn:aws:s3:::bucket/*", "arn:aws:s3:::bucket", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*ab*ab", "ababab", true),
            ("*ab*ab", "abba", false),
            ("abc", "ab", false),
            ("ab", "abc", false),
        ] {
            assert_eq!(matches(pattern, text, None), expected, "{pattern} against {text}");
        }
    }

    #[test]
    fn actions_match_whatever_their_case() {
        for (pattern, text, expected) in [
            ("EC2:create*", "ec2:CreateVpc", true),
            ("ec2:Describe*", "ec2:CreateVpc", false),
            ("ec2:CreateVpc", "ec2:CreateVpcEndpoint", false),
            ("ü:X", "Ü:x", true),
        ] {
            assert_eq!(matches_without_case(pattern, text, None), expected, "{pattern} against {text}");
        }
    }

    #[test]
    fn a_variable_stands_for_its_literal_value() {
        let mut context = Context::default();
        context.set("aws:PrincipalTag/team", "r*d");
        assert!(matches("${aws:principaltag/team}/x", "r*d/x", Some(&context)));
        assert!(!matches("${aws:PrincipalTag/team}/x", "rad/x", Some(&context)));
        assert!(!matches("${aws:PrincipalTag/other}", "", Some(&context)), "a missing variable matches nothing");
        assert!(matches("${aws:PrincipalTag/other, 'none'}", "none", Some(&context)));
        assert!(matches("a${*}", "a*", Some(&context)) && !matches("a${*}", "ab", Some(&context)));
        assert!(matches("${aws:x}", "${aws:x}", None), "documents of 2008 have no variables");
    }

    #[test]
    fn a_wildcard_in_an_arn_condition_stays_in_its_part() {
        assert!(matches_arn("arn:aws:iam::*:role/*", "arn:aws:iam::111122223333:role/a/b", None));
        assert!(!matches_arn("arn:aws:*:role/x", "arn:aws:iam::1:role/x", None));
    }
}
