//! The Kubernetes versions that EKS offers, with their support dates.

use super::{paging::page, wire::seconds};
use crate::call::{Answer, Call};
use jiff::{SignedDuration, Timestamp, civil::Date, tz::TimeZone};
use serde_json::{Value, json};

/// A minor version: dates as in the EKS release calendar, days in UTC.
struct Minor {
    version: &'static str,
    patch: &'static str,
    platform: &'static str,
    released: Date,
    standard_until: Date,
    extended_until: Date,
}

const fn day(year: i16, month: i8, day: i8) -> Date {
    jiff::civil::date(year, month, day)
}

/// Newest first.
const MINORS: [Minor; 7] = [
    Minor {
        version: "1.35",
        patch: "1.35.0",
        platform: "eks.3",
        released: day(2026, 1, 27),
        standard_until: day(2027, 3, 27),
        extended_until: day(2028, 3, 27),
    },
    Minor {
        version: "1.34",
        patch: "1.34.1",
        platform: "eks.9",
        released: day(2025, 10, 2),
        standard_until: day(2026, 12, 2),
        extended_until: day(2027, 12, 2),
    },
    Minor {
        version: "1.33",
        patch: "1.33.5",
        platform: "eks.23",
        released: day(2025, 5, 29),
        standard_until: day(2026, 7, 29),
        extended_until: day(2027, 7, 29),
    },
    Minor {
        version: "1.32",
        patch: "1.32.9",
        platform: "eks.30",
        released: day(2025, 1, 23),
        standard_until: day(2026, 3, 23),
        extended_until: day(2027, 3, 23),
    },
    Minor {
        version: "1.31",
        patch: "1.31.13",
        platform: "eks.46",
        released: day(2024, 9, 26),
        standard_until: day(2025, 11, 26),
        extended_until: day(2026, 11, 26),
    },
    Minor {
        version: "1.30",
        patch: "1.30.14",
        platform: "eks.53",
        released: day(2024, 5, 23),
        standard_until: day(2025, 7, 23),
        extended_until: day(2026, 7, 23),
    },
    Minor {
        version: "1.29",
        patch: "1.29.15",
        platform: "eks.55",
        released: day(2024, 1, 23),
        standard_until: day(2025, 3, 23),
        extended_until: day(2026, 3, 23),
    },
];

/// How long after its release a version becomes the default.
const SETTLING: SignedDuration = SignedDuration::from_hours(30 * 24);

fn start_of(date: Date) -> Timestamp {
    date.to_zoned(TimeZone::UTC).map_or(Timestamp::UNIX_EPOCH, |zoned| zoned.timestamp())
}

impl Minor {
    fn is_released(&self, now: Timestamp) -> bool {
        start_of(self.released) <= now
    }

    fn status(&self, now: Timestamp) -> &'static str {
        if now < start_of(self.standard_until) {
            "STANDARD_SUPPORT"
        } else if now < start_of(self.extended_until) {
            "EXTENDED_SUPPORT"
        } else {
            "UNSUPPORTED"
        }
    }

    fn described(&self, now: Timestamp) -> Value {
        let status = self.status(now);
        json!({
            "clusterVersion": self.version,
            "clusterType": "eks",
            "defaultPlatformVersion": self.platform,
            "defaultVersion": default(now) == self.version,
            "releaseDate": seconds(start_of(self.released)),
            "endOfStandardSupportDate": seconds(start_of(self.standard_until)),
            "endOfExtendedSupportDate": seconds(start_of(self.extended_until)),
            "status": status.to_ascii_lowercase().replace('_', "-"),
            "versionStatus": status,
            "kubernetesPatchVersion": self.patch,
        })
    }
}

/// The version of a cluster that asks for none.
pub(super) fn default(now: Timestamp) -> &'static str {
    let settled =
        MINORS.iter().find(|minor| start_of(minor.released).saturating_add(SETTLING).is_ok_and(|at| at <= now));
    settled.or(MINORS.last()).map_or("", |minor| minor.version)
}

/// Whether a cluster can be made with, or brought to, `version` now.
pub(super) fn is_offered(version: &str, now: Timestamp) -> bool {
    let minor = MINORS.iter().find(|minor| minor.version == version);
    minor.is_some_and(|minor| minor.is_released(now) && minor.status(now) != "UNSUPPORTED")
}

/// The platform version of a cluster of this minor.
pub(super) fn platform(version: &str) -> &'static str {
    MINORS.iter().find(|minor| minor.version == version).map_or("eks.1", |minor| minor.platform)
}

/// `1.33` → 33; none if it is not a Kubernetes minor.
pub(super) fn minor_number(version: &str) -> Option<u32> {
    version.strip_prefix("1.").and_then(|minor| minor.parse().ok())
}

/// `DescribeClusterVersions`. Versions past extended support are shown only to those who ask for all or by name.
pub(super) fn describe(call: &Call) -> Answer {
    let named = call.texts("clusterVersions");
    let status = call.text("versionStatus").map(str::to_owned);
    let status = status.or_else(|| call.text("status").map(|old| old.to_ascii_uppercase().replace('-', "_")));
    let all = call.flag("includeAll").unwrap_or(false);
    let default_only = call.flag("defaultOnly").unwrap_or(false);
    let shown = MINORS.iter().filter(|minor| {
        let state = minor.status(call.now);
        minor.is_released(call.now)
            && (named.is_empty() || named.contains(&minor.version))
            && status.as_deref().map_or(all || !named.is_empty() || state != "UNSUPPORTED", |wanted| wanted == state)
            && (!default_only || default(call.now) == minor.version)
            && call.text("clusterType").is_none_or(|kind| kind == "eks")
    });
    // Newest first, as the service lists them: the key counts down.
    page(call, "clusterVersions", shown.map(|minor| (order(minor.version), minor.described(call.now))))
}

fn order(version: &str) -> String {
    format!("{:04}", 9999 - minor_number(version).unwrap_or_default())
}
