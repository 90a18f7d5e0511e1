//! Points in time as the protocols write them; inside the account they are seconds since 1970.

use crate::model::TimestampFormat;
use jiff::{Timestamp, fmt::rfc2822};
use serde_json::{Number, Value};

/// Reads any of the three forms; none if it is neither.
pub(super) fn read(text: &str) -> Option<Value> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Number::from_f64(seconds).map(Value::Number);
    }
    let time: Timestamp = match text.parse() {
        Ok(time) => time,
        Err(_) => rfc2822::parse(text).ok()?.timestamp(),
    };
    Some(value(time))
}

/// A point in time as services hand it over: whole seconds as an integer, else with its fraction.
pub(super) fn value(time: Timestamp) -> Value {
    if time.subsec_nanosecond() == 0 { time.as_second().into() } else { time.as_duration().as_secs_f64().into() }
}

/// Writes seconds since 1970 in the given form; none if they are no time.
pub(super) fn written(seconds: &Value, format: TimestampFormat) -> Option<String> {
    let milliseconds = seconds.as_f64()? * 1000.0;
    #[expect(clippy::cast_possible_truncation, reason = "years that AWS can name fit")]
    let time = Timestamp::from_millisecond(milliseconds.round() as i64).ok()?;
    match format {
        TimestampFormat::UnixTimestamp => Some(seconds.to_string()),
        TimestampFormat::Iso8601 if time.subsec_nanosecond() == 0 => {
            Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
        }
        TimestampFormat::Iso8601 => Some(time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()),
        TimestampFormat::Rfc822 => Some(time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_three_forms_are_read_and_written() {
        let time = json!(1_767_323_045);
        for (format, text) in [
            (TimestampFormat::UnixTimestamp, "1767323045"),
            (TimestampFormat::Iso8601, "2026-01-02T03:04:05Z"),
            (TimestampFormat::Rfc822, "Fri, 02 Jan 2026 03:04:05 GMT"),
        ] {
            assert_eq!(written(&time, format).unwrap(), text);
            assert_eq!(read(text).unwrap().as_f64(), time.as_f64());
        }
        assert_eq!(written(&json!(1.5), TimestampFormat::Iso8601).unwrap(), "1970-01-01T00:00:01.500Z");
        assert_eq!(read("yesterday"), None);
    }
}
