//! What a text must look like, in the regular expressions of the models (Java's).

use regex::Regex;
use serde::{Deserialize, Deserializer};
use std::sync::OnceLock;

/// A pattern that a whole text must match: services check with Java's `matches`, so anchors are implied.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Option<Check>>,
}

#[derive(Debug)]
struct Check {
    regex: Regex,
    further: Condition,
}

type Condition = fn(&str) -> bool;

/// The patterns that look around themselves, which `regex` cannot: each as an expression and a further condition.
const BY_HAND: &[(&str, &str, Condition)] = &[
    (r"^(?!\s*$).+", r".+", not_blank),
    (r"(?!\s*$).+", r".+", not_blank),
    (r"^[a-z0-9]([a-z0-9]|-(?!-)){1,61}[a-z0-9]$", r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", |text| !text.contains("--")),
    (r"[0-9A-Za-z\.\-_]*(?<!\.)", r"[0-9A-Za-z.\-_]*", |text| !text.ends_with('.')),
    (
        r"(?=.{1,255}$)([a-zA-Z0-9]([a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])?)*",
        r"([a-zA-Z0-9]([a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])?)*",
        |text| text.len() <= 255,
    ),
];

fn anything(_: &str) -> bool {
    true
}

fn not_blank(text: &str) -> bool {
    !text.trim().is_empty()
}

impl Pattern {
    /// The expression as the model has it.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether `text` matches as a whole. A pattern that cannot be read lets everything through; a test sees to it that
    /// there is none.
    pub fn matches(&self, text: &str) -> bool {
        self.check().is_none_or(|check| check.regex.is_match(text) && (check.further)(text))
    }

    /// Whether the pattern can be checked.
    pub fn is_readable(&self) -> bool {
        self.check().is_some()
    }

    fn check(&self) -> Option<&Check> {
        let compile = || {
            let (source, further) = match BY_HAND.iter().find(|(source, ..)| *source == self.source) {
                Some((_, regex, further)) => (*regex, *further),
                None => (self.source.as_str(), anything as Condition),
            };
            let regex = Regex::new(&format!("^(?:{source})$")).ok()?;
            Some(Check { regex, further })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { source: String::deserialize(deserializer)?, compiled: OnceLock::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(source: &str) -> Pattern {
        serde_json::from_value(source.into()).unwrap()
    }

    #[test]
    fn a_pattern_must_match_the_whole_text() {
        assert!(pattern("[a-z]+").matches("abc"));
        assert!(!pattern("[a-z]+").matches("abc!"));
        assert!(!pattern(r"^[0-9A-Za-z][A-Za-z0-9\-_]*").matches("a b"));
    }

    #[test]
    fn patterns_that_look_around_are_checked_by_hand() {
        assert!(pattern(r"(?!\s*$).+").matches(" a"));
        assert!(!pattern(r"(?!\s*$).+").matches("  "));
        assert!(!pattern(r"[0-9A-Za-z\.\-_]*(?<!\.)").matches("bucket."));
        assert!(!pattern(r"^[a-z0-9]([a-z0-9]|-(?!-)){1,61}[a-z0-9]$").matches("a--b"));
    }
}
