//! The one list of error codes and the class of each.
//!
//! Codes are public and append-only. The HTTP status of a code is decided where HTTP is spoken, not here.

use serde::{Deserialize, Serialize};

/// Declares an enum whose members have one public spelling, with text conversions and `ALL`.
macro_rules! worded_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$doc:meta])* $member:ident = $word:literal ),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema, utoipa::ToSchema,
        )]
        #[schemars(inline)]
        pub enum $name { $( $(#[$doc])* #[serde(rename = $word)] $member ),+ }

        impl $name {
            /// Every member, in the order of declaration.
            pub const ALL: &'static [$name] = &[$( $name::$member ),+];

            /// The public spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $( $name::$member => $word ),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::codes::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|member| member.as_str() == text).ok_or_else(|| crate::codes::UnknownWord {
                    given: text.chars().take(80).collect(),
                    expected: [$( $word ),+].join(", "),
                })
            }
        }
    };
}
pub(crate) use worded_enum;

/// A word that is not in the list it should come from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not one of {expected}")]
pub struct UnknownWord {
    /// What was given, cut to 80 characters.
    pub given: String,
    /// The words of the list.
    pub expected: String,
}

worded_enum! {
    /// What went wrong, in the product's words: the same on REST, MCP, in records and in the console.
    pub enum ErrorCode {
        /// The request is wrong in itself.
        InvalidInput = "invalid_input",
        /// A service quota is too small for what was asked.
        QuotaExceeded = "quota_exceeded",
        /// AWS or Kubernetes refused our identity.
        PermissionDenied = "permission_denied",
        /// AWS has no capacity of this type here and now.
        CapacityUnavailable = "capacity_unavailable",
        /// A subnet or VPC has too few free addresses.
        SubnetCapacity = "subnet_capacity",
        /// An endpoint cannot be reached from where we run.
        NetworkUnreachable = "network_unreachable",
        /// Something that this rests on does not exist.
        DependencyMissing = "dependency_missing",
        /// Something that this rests on exists and is not ready yet.
        DependencyNotReady = "dependency_not_ready",
        /// What was asked contradicts what exists.
        Conflict = "conflict",
        /// Another operation holds the lane.
        OperationInProgress = "operation_in_progress",
        /// The thing named does not exist.
        NotFound = "not_found",
        /// The idempotency key was used with another request.
        IdempotencyMismatch = "idempotency_mismatch",
        /// The request needs If-Match or `expectedGeneration`.
        PreconditionRequired = "precondition_required",
        /// The thing has changed since it was read.
        PreconditionFailed = "precondition_failed",
        /// No credential, or one that is not valid.
        Unauthenticated = "unauthenticated",
        /// The credential lacks a scope.
        MissingScope = "missing_scope",
        /// A person must approve this first.
        ApprovalRequired = "approval_required",
        /// The request is larger than the limit.
        PayloadTooLarge = "payload_too_large",
        /// The body is not JSON.
        UnsupportedMediaType = "unsupported_media_type",
        /// AWS or Kubernetes does not answer, or answers with a failure of its own.
        UpstreamUnavailable = "upstream_unavailable",
        /// A rate limit, ours or AWS's.
        Throttled = "throttled",
        /// The wait was longer than it may be.
        DeadlineExceeded = "deadline_exceeded",
        /// A fault of ours.
        Internal = "internal",
    }
}

worded_enum! {
    /// The kind of failure: the Lambda `errorType`, which the state machines match.
    pub enum Class {
        /// Goes away by itself: ask again.
        Retryable = "Retryable",
        /// Contradicts what exists or runs.
        Conflict = "Conflict",
        /// Wrong in itself: ask differently.
        Invalid = "Invalid",
        /// Not allowed.
        Denied = "Denied",
        /// No capacity or no addresses.
        Capacity = "Capacity",
        /// A service quota.
        Quota = "Quota",
        /// Not there.
        NotFound = "NotFound",
        /// A fault of ours.
        Internal = "Internal",
    }
}

impl ErrorCode {
    /// The class of the code.
    pub const fn class(self) -> Class {
        match self {
            Self::InvalidInput
            | Self::PreconditionRequired
            | Self::IdempotencyMismatch
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType => Class::Invalid,
            Self::QuotaExceeded => Class::Quota,
            Self::PermissionDenied | Self::Unauthenticated | Self::MissingScope | Self::ApprovalRequired => {
                Class::Denied
            }
            Self::CapacityUnavailable | Self::SubnetCapacity => Class::Capacity,
            Self::Conflict | Self::OperationInProgress | Self::PreconditionFailed | Self::DependencyMissing => {
                Class::Conflict
            }
            Self::NotFound => Class::NotFound,
            Self::DependencyNotReady
            | Self::NetworkUnreachable
            | Self::UpstreamUnavailable
            | Self::Throttled
            | Self::DeadlineExceeded => Class::Retryable,
            Self::Internal => Class::Internal,
        }
    }

    /// Whether the same request, sent again later and unchanged, can succeed without anybody doing anything.
    ///
    /// An operation in progress ends, and capacity comes back; quotas, addresses and permissions change only if
    /// somebody changes them. A deadline that passed and an endpoint that has no route need a look first.
    pub const fn retryable(self) -> bool {
        match self {
            Self::DependencyNotReady
            | Self::UpstreamUnavailable
            | Self::Throttled
            | Self::OperationInProgress
            | Self::CapacityUnavailable => true,
            Self::InvalidInput
            | Self::QuotaExceeded
            | Self::PermissionDenied
            | Self::SubnetCapacity
            | Self::NetworkUnreachable
            | Self::DependencyMissing
            | Self::Conflict
            | Self::NotFound
            | Self::IdempotencyMismatch
            | Self::PreconditionRequired
            | Self::PreconditionFailed
            | Self::Unauthenticated
            | Self::MissingScope
            | Self::ApprovalRequired
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType
            | Self::DeadlineExceeded
            | Self::Internal => false,
        }
    }
}

/// One thing that is wrong with a request: where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, utoipa::ToSchema)]
pub struct FieldError {
    /// A JSON pointer (RFC 6901) into the request; empty for the request as a whole.
    pub pointer: String,
    /// What is wrong and what would be right, in a sentence.
    pub detail: String,
}

impl FieldError {
    /// An error at a pointer.
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_the_spelling_of_the_published_list() {
        let published = "invalid_input quota_exceeded permission_denied capacity_unavailable subnet_capacity \
             network_unreachable dependency_missing dependency_not_ready conflict operation_in_progress not_found \
             idempotency_mismatch precondition_required precondition_failed unauthenticated missing_scope \
             approval_required payload_too_large unsupported_media_type upstream_unavailable throttled \
             deadline_exceeded internal";
        let ours: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(ours, published.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn serde_and_text_agree_for_every_code_and_class() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
            assert_eq!(code.as_str().parse::<ErrorCode>().unwrap(), *code);
        }
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
        assert!("quota".parse::<ErrorCode>().unwrap_err().to_string().contains("quota_exceeded"));
    }

    #[test]
    fn every_class_is_the_class_of_some_code() {
        for class in Class::ALL {
            assert!(ErrorCode::ALL.iter().any(|code| code.class() == *class), "{class}");
        }
    }

    #[test]
    fn what_is_wrong_in_itself_is_never_retried() {
        for code in ErrorCode::ALL {
            if matches!(code.class(), Class::Invalid | Class::Denied | Class::NotFound | Class::Quota | Class::Internal)
            {
                assert!(!code.retryable(), "{code}");
            }
        }
    }
}
