//! Identifiers as types: each is a string that has been checked once, where it entered.
//!
//! A value of one of these types is legal by AWS's own rule for it; whether the thing exists is not asked here.
//! Names that we compute from them live in `naming`.

mod rules;

use std::fmt;
use std::str::FromStr;

/// Why a string is not a legal identifier: the kind of identifier, what was given, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a valid {kind}: expected {expected}{}", meant.as_ref().map(|meant| format!("; did you mean {meant}?")).unwrap_or_default())]
pub struct InvalidId {
    /// What the string should have been, in words ("cluster tag").
    pub kind: &'static str,
    /// What was given, cut to 80 characters.
    pub given: String,
    /// What would be right, in words.
    pub expected: &'static str,
    /// A legal value that is near to what was given, if one is known.
    pub meant: Option<String>,
}

impl InvalidId {
    fn new(kind: &'static str, given: &str, expected: &'static str) -> Self {
        let given = match given.char_indices().nth(80) {
            Some((cut, _)) => format!("{}…", &given[..cut]),
            None => given.to_owned(),
        };
        Self { kind, given, expected, meant: None }
    }
}

/// Serde, schema and text conversions of a type that has `as_text(&self) -> Cow<str>` or `AsRef<str>` and `FromStr`.
macro_rules! string_form {
    ($name:ident, $kind:literal, $min:literal..=$max:literal, $pattern:literal, $expected:literal, $example:literal) => {
        impl $name {
            /// The regular expression that every value matches, as the API schemas publish it.
            pub const PATTERN: &'static str = $pattern;
            /// The greatest length in characters.
            pub const MAX_LENGTH: usize = $max;
            /// A legal value, as the API schemas show it.
            pub const EXAMPLE: &'static str = $example;
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": $expected,
                    "pattern": $pattern,
                    "minLength": $min,
                    "maxLength": $max,
                    "examples": [$example],
                })
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some($expected))
                    .pattern(Some($pattern))
                    .min_length(Some($min))
                    .max_length(Some($max))
                    .examples([serde_json::Value::from($example)])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

/// An identifier that is a checked string.
macro_rules! string_id {
    (
        $(#[$doc:meta])*
        $name:ident is $kind:literal, $min:literal..=$max:literal, $pattern:literal, $check:path,
        $expected:literal, like $example:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let length: std::ops::RangeInclusive<usize> = $min..=$max;
                if length.contains(&text.len()) && $check(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(InvalidId { meant: $name::near(text), ..InvalidId::new($kind, text, $expected) })
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        string_form!($name, $kind, $min..=$max, $pattern, $expected, $example);
    };
}

/// An identifier that is a ULID: 48 bits of Unix milliseconds and 80 random bits, both given by the caller.
macro_rules! ulid_id {
    ($(#[$doc:meta])* $name:ident is $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(ulid::Ulid);

        impl $name {
            /// An id from Unix milliseconds and random bits, of which the lowest 80 are used.
            pub fn from_parts(unix_millis: u64, random: u128) -> Self {
                Self(ulid::Ulid::from_parts(unix_millis, random))
            }

            /// When the id was made, in Unix milliseconds.
            pub fn unix_millis(self) -> u64 {
                self.0.timestamp_ms()
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            /// Upper-case Crockford base 32 only: an id has one spelling, since it is part of keys.
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let invalid = || InvalidId::new($kind, text, "a ULID of 26 upper-case characters");
                let id = ulid::Ulid::from_string(text).map_err(|_| invalid())?;
                if id.to_string() == text { Ok(Self(id)) } else { Err(invalid()) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0.to_string())
            }
        }

        string_form!(
            $name, $kind, 26..=26, "^[0-7][0-9A-HJKMNP-TV-Z]{25}$",
            "a ULID of 26 upper-case characters", "01J9ZB3V5K8M2N4P6Q7R8S9T0V"
        );
    };
}

ulid_id! {
    /// One life of a cluster: a tag that is used again after a deletion gets a new one.
    ClusterId is "cluster id"
}
ulid_id! {
    /// One requested change.
    OperationId is "operation id"
}
ulid_id! {
    /// One entry of a cluster's timeline.
    EventId is "event id"
}

string_id! {
    /// The name of a cluster in the product, which is also its EKS cluster name (EKS `CreateCluster`).
    ClusterTag is "cluster tag", 1..=100, "^[0-9A-Za-z][A-Za-z0-9_-]*$", rules::cluster_tag,
    "1 to 100 letters, digits, hyphens or underscores, beginning with a letter or digit", like "team-a"
}
string_id! {
    /// The name of an instance group inside a HyperPod cluster (SageMaker `ClusterInstanceGroupName`).
    InstanceGroupName is "instance group name", 1..=63, "^[a-zA-Z0-9](-*[a-zA-Z0-9])*$", rules::sagemaker_name,
    "1 to 63 letters, digits or hyphens, beginning and ending with a letter or digit", like "workers"
}
string_id! {
    /// A HyperPod cluster's name (SageMaker `ClusterName`).
    HyperPodClusterName is "HyperPod cluster name", 1..=63, "^[a-zA-Z0-9](-*[a-zA-Z0-9])*$", rules::sagemaker_name,
    "1 to 63 letters, digits or hyphens, beginning and ending with a letter or digit", like "team-a"
}
string_id! {
    /// An AWS Region.
    Region is "Region", 9..=25, "^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$", rules::region,
    "an AWS Region such as us-west-2", like "us-west-2"
}
string_id! {
    /// A zone's name, which means another place in each account. Compare zones by `ZoneId`.
    ZoneName is "zone name", 10..=40, "^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}(-[a-z]+-[0-9]{1,2})?[a-z]$", rules::zone_name,
    "a zone name such as us-west-2a", like "us-west-2a"
}
string_id! {
    /// A zone's id, which means the same place in every account.
    ZoneId is "zone id", 8..=40, "^[a-z0-9]+(-[a-z]+[0-9]*)?-az[0-9]+$", rules::zone_id,
    "a zone id such as usw2-az2 (ids, not names: names differ from account to account)", like "usw2-az2"
}
string_id! {
    /// An instance type in SageMaker's spelling, with the prefix `ml.`. Types that we do not know are legal.
    InstanceType is "instance type", 7..=64, "^ml\\.[a-z0-9-]+\\.[a-z0-9-]+$", rules::instance_type,
    "a SageMaker instance type with its prefix, such as ml.p5.48xlarge", like "ml.p5.48xlarge"
}
string_id! {
    /// An AWS account.
    AccountId is "account id", 12..=12, "^[0-9]{12}$", rules::digits,
    "the 12 digits of an AWS account", like "111122223333"
}
string_id! {
    /// An EC2 VPC.
    VpcId is "VPC id", 12..=21, "^vpc-[0-9a-f]{8,17}$", rules::vpc, "vpc- and 8 to 17 hexadecimal digits",
    like "vpc-0a1b2c3d4e5f60718"
}
string_id! {
    /// An EC2 subnet.
    SubnetId is "subnet id", 15..=24, "^subnet-[0-9a-f]{8,17}$", rules::subnet, "subnet- and 8 to 17 hexadecimal digits",
    like "subnet-0a1b2c3d4e5f60718"
}
string_id! {
    /// An EC2 security group.
    SecurityGroupId is "security group id", 11..=20, "^sg-[0-9a-f]{8,17}$", rules::security_group,
    "sg- and 8 to 17 hexadecimal digits", like "sg-0a1b2c3d4e5f60718"
}
string_id! {
    /// An EC2 route table.
    RouteTableId is "route table id", 12..=21, "^rtb-[0-9a-f]{8,17}$", rules::route_table,
    "rtb- and 8 to 17 hexadecimal digits", like "rtb-0a1b2c3d4e5f60718"
}
string_id! {
    /// A SageMaker training plan's ARN.
    TrainingPlanArn is "training plan ARN", 50..=2048,
    "^arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:[0-9]{12}:training-plan/.*$", rules::training_plan_arn,
    "an ARN such as arn:aws:sagemaker:us-west-2:111122223333:training-plan/my-plan",
    like "arn:aws:sagemaker:us-west-2:111122223333:training-plan/my-plan"
}
string_id! {
    /// An IAM role or user that can be given access to a cluster, or a session of a role, as `aws sts get-caller-identity`
    /// tells it. EKS access entries take no session ARNs: a session stands for its role, which is looked up.
    PrincipalArn is "IAM principal ARN", 20..=2048,
    "^arn:aws[a-z-]*:(iam::[0-9]{12}:(role|user)/[a-zA-Z0-9+=,.@_/-]*[a-zA-Z0-9+=,.@_-]|sts::[0-9]{12}:assumed-role/[a-zA-Z0-9+=,.@_-]+/[a-zA-Z0-9+=,.@_-]+)$",
    rules::principal_arn,
    "the ARN of an IAM role or user, such as arn:aws:iam::111122223333:role/Admin, or of a session of a role",
    like "arn:aws:iam::111122223333:role/Admin"
}

/// The kinds of identifier for which nothing near is known: all but instance types.
macro_rules! no_near_values {
    ($($name:ident)+) => { $( impl $name {
        fn near(_: &str) -> Option<String> {
            None
        }
    } )+ };
}

no_near_values! {
    ClusterTag InstanceGroupName HyperPodClusterName Region ZoneName ZoneId AccountId VpcId SubnetId SecurityGroupId
    RouteTableId TrainingPlanArn PrincipalArn
}

impl InstanceType {
    fn near(text: &str) -> Option<String> {
        crate::catalogue::did_you_mean(text).map(ToString::to_string)
    }

    /// EC2's spelling, without `ml.`: what DescribeInstanceTypes and DescribeInstanceTypeOfferings take.
    pub fn ec2_name(&self) -> &str {
        self.0.strip_prefix("ml.").unwrap_or(&self.0)
    }
}

impl PrincipalArn {
    /// Account of the principal.
    pub fn account(&self) -> &str {
        self.0.split(':').nth(4).unwrap_or_default()
    }

    /// Whether it is a user; else it is a role, or a session of one.
    pub fn is_user(&self) -> bool {
        self.0.contains(":user/")
    }

    /// Whether it is a session of a role.
    pub fn is_session(&self) -> bool {
        self.0.contains(":assumed-role/")
    }

    /// Name of the role or user, without its path; of a session the role's.
    pub fn name(&self) -> &str {
        let mut parts = self.0.rsplit('/');
        let last = parts.next().unwrap_or_default();
        if self.is_session() { parts.next().unwrap_or_default() } else { last }
    }

    /// Whether `arn`, as IAM has it, is the principal that is meant: the same, or for a session its role. A role's name is
    /// unique in its account whatever its path, and the session's ARN leaves the path out (field report BR-007).
    pub fn stands_for(&self, arn: &str) -> bool {
        if !self.is_session() {
            return self.0 == arn;
        }
        let role = arn.split_once(":role/").filter(|_| arn.split(':').nth(4) == Some(self.account()));
        role.is_some_and(|(_, path)| path.rsplit('/').next() == Some(self.name()))
    }
}

impl TrainingPlanArn {
    /// The Region that the ARN names.
    pub fn region(&self) -> &str {
        self.0.split(':').nth(3).unwrap_or_default()
    }
}

impl ZoneId {
    /// Whether this zone, by its spelling, lies in the Region: `usw2-az2` is in `us-west-2`. Local Zones carry their
    /// place after the Region's short form (`use1-dfw2-az1`). AWS's answer to DescribeAvailabilityZones is the last word.
    pub fn is_in(&self, region: &Region) -> bool {
        self.0.split('-').next() == Some(&region.zone_id_prefix())
    }
}

impl Region {
    /// The short form with which the Region's zone ids begin: `us-west-2` → `usw2`, `ap-southeast-1` → `apse1`,
    /// `us-gov-west-1` → `usgw1`.
    pub fn zone_id_prefix(&self) -> String {
        let mut parts = self.0.split('-');
        let area = parts.next().unwrap_or_default().to_owned();
        parts.fold(area, |short, part| short + abbreviation(part))
    }

    /// The ARN partition, by the Region's area.
    pub fn partition(&self) -> &'static str {
        match () {
            () if self.0.starts_with("cn-") => "aws-cn",
            () if self.0.starts_with("us-gov-") => "aws-us-gov",
            () if self.0.starts_with("eusc-") => "aws-eusc",
            () => "aws",
        }
    }
}

fn abbreviation(part: &str) -> &str {
    match part {
        "northeast" => "ne",
        "northwest" => "nw",
        "southeast" => "se",
        "southwest" => "sw",
        digits if digits.starts_with(|c: char| c.is_ascii_digit()) => digits,
        word => word.get(..1).unwrap_or_default(),
    }
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
