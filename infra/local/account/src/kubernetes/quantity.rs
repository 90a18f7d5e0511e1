//! Quantities such as `500m`, `16Gi` or `1e3`, exact to a thousandth.

use serde_json::Value;

/// The quantity in thousandths; none if the text is not one (`k8s.io/apimachinery/pkg/api/resource`).
pub(super) fn milli(text: &str) -> Option<i128> {
    let digits_end = text
        .char_indices()
        .find(|(at, letter)| !(letter.is_ascii_digit() || *letter == '.' || (*at == 0 && matches!(letter, '+' | '-'))));
    let (number, suffix) = text.split_at(digits_end.map_or(text.len(), |(at, _)| at));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let negative = whole.starts_with('-');
    let whole = whole.trim_start_matches(['+', '-']);
    if whole.is_empty() && fraction.is_empty() || number.matches('.').count() > 1 || number.len() > 30 {
        return None;
    }
    let mantissa: i128 = format!("0{whole}{fraction}").parse().ok()?;
    let (multiplier, divisor) = suffix_factor(suffix)?;
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let value = mantissa.checked_mul(multiplier)?.checked_mul(1000)?;
    let divisor = divisor.checked_mul(scale)?;
    let rounded = (value + divisor - 1) / divisor;
    Some(if negative { -rounded } else { rounded })
}

fn suffix_factor(suffix: &str) -> Option<(i128, i128)> {
    let binary = |power: u32| Some((1024_i128.pow(power), 1));
    let decimal = |power: u32| Some((1000_i128.pow(power), 1));
    match suffix {
        "" => Some((1, 1)),
        "n" => Some((1, 1_000_000_000)),
        "u" => Some((1, 1_000_000)),
        "m" => Some((1, 1_000)),
        "k" => decimal(1),
        "M" => decimal(2),
        "G" => decimal(3),
        "T" => decimal(4),
        "P" => decimal(5),
        "E" => decimal(6),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
            Some(if exponent < 0 { (1, power) } else { (power, 1) })
        }
    }
}

/// The quantity of a JSON string or number in thousandths; nothing counts as none.
pub(super) fn of(value: &Value) -> i128 {
    match value {
        Value::String(text) => milli(text).unwrap_or_default(),
        Value::Number(number) => milli(&number.to_string()).unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::milli;

    #[test]
    fn every_suffix_counts_as_kubernetes_counts_it() {
        let cases = [
            ("1", 1000),
            ("500m", 500),
            ("1.5", 1500),
            ("1Ki", 1_024_000),
            ("1e3", 1_000_000),
            ("0.5Gi", 536_870_912_000),
        ];
        for (text, thousandths) in cases {
            assert_eq!(milli(text), Some(thousandths), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in ["", "Gi", "1GiB", "one", "1.2.3", "--1", "1 Gi"] {
            assert_eq!(milli(text), None, "{text}");
        }
    }
}
