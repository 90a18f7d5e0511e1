//! Whether a Region is one that this account can use.

use domain::{FieldError, ids::Region};

/// What is wrong with `region`, given every Region and whether it is switched on; none if nothing is.
pub fn refusal(region: &Region, all: &[(String, bool)]) -> Option<FieldError> {
    let detail = match all.iter().find(|(name, _)| name == region.as_str()) {
        Some((_, true)) => return None,
        Some((_, false)) => format!("{region} is switched off in this account: switch it on, or choose another Region"),
        None => {
            let on: Vec<&str> = all.iter().filter(|(_, on)| *on).map(|(name, _)| name.as_str()).collect();
            format!("there is no Region {region}: expected one of {}", on.join(", "))
        }
    };
    Some(FieldError::new("/region", detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_that_is_not_there_or_off_is_refused_with_those_that_are_on() {
        let all = [("af-south-1".to_owned(), false), ("us-west-2".to_owned(), true)];
        let refused = |name: &str| refusal(&name.parse().unwrap(), &all).map(|found| found.detail);
        assert_eq!(refused("us-west-2"), None);
        assert!(refused("us-west-9").unwrap().ends_with("expected one of us-west-2"));
        assert!(refused("af-south-1").unwrap().contains("switched off"));
    }
}
