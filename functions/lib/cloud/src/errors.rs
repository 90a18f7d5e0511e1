//! AWS's errors in our words, once for all services; what a code means for one call is said where the call is made.

use aws_smithy_runtime_api::client::{orchestrator::HttpResponse, result::SdkError};
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble, Upstream},
    states::WaitingOn,
};
use engine::answers::Nature;

/// Codes that refuse our identity.
const DENIED: &[&str] = &[
    "AccessDenied",
    "AccessDeniedException",
    "UnauthorizedOperation",
    "UnauthorizedException",
    "AuthFailure",
    "Forbidden",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "ExpiredToken",
    "ExpiredTokenException",
    "SignatureDoesNotMatch",
    "OptInRequired",
];

/// Codes that name a quota.
const QUOTA: &[&str] = &[
    "ResourceLimitExceeded",
    "ResourceLimitExceededException",
    "LimitExceeded",
    "LimitExceededException",
    "ServiceQuotaExceededException",
    "VpcLimitExceeded",
    "SubnetLimitExceeded",
    "AddressLimitExceeded",
    "NatGatewayLimitExceeded",
    "InternetGatewayLimitExceeded",
    "RouteTableLimitExceeded",
    "SecurityGroupLimitExceeded",
    "RulesPerSecurityGroupLimitExceeded",
    "VpcEndpointLimitExceeded",
    "RouteLimitExceeded",
    "TooManyBuckets",
];

/// Codes that say that something of this name or state is in the way.
const CONFLICT: &[&str] = &[
    "ConflictException",
    "ResourceInUse",
    "ResourceInUseException",
    "EntityAlreadyExists",
    "BucketAlreadyExists",
    "BucketAlreadyOwnedByYou",
    "OperationAborted",
    "DependencyViolation",
    "DeleteConflict",
    "ConcurrentModification",
    "IdempotentParameterMismatch",
];

/// The SDK's error of one call.
pub(crate) type CallError<E> = SdkError<E, HttpResponse>;

/// What a read's error means: whatever may be better next time is a wait.
pub(crate) fn read<E: ProvideErrorMetadata>(service: &str, operation: &str, error: &CallError<E>) -> Trouble {
    let failure = failure(service, operation, error);
    match Nature::of(error) {
        Nature::Throttled | Nature::Lost => Trouble::Later { on: WaitingOn::Throttled, failure },
        Nature::Refused => Trouble::Fatal(failure),
    }
}

/// What a change's error means: an answer that was lost, or a 5xx, leaves it uncertain.
pub(crate) fn change<E: ProvideErrorMetadata>(service: &str, operation: &str, error: &CallError<E>) -> Trouble {
    let failure = failure(service, operation, error);
    match Nature::of(error) {
        Nature::Throttled => Trouble::Later { on: WaitingOn::Throttled, failure },
        Nature::Lost => Trouble::Uncertain(failure),
        Nature::Refused => Trouble::Fatal(failure),
    }
}

/// What the error of a creation under a name of its own means: by one of the codes `exists` the service says that there is
/// something of this name. That may be ours, whose answer was lost, or somebody's: the next look tells by its tags, so it is
/// uncertain and no success.
pub(crate) fn create<E: ProvideErrorMetadata>(
    service: &str,
    operation: &str,
    error: &CallError<E>,
    exists: &[&str],
) -> Trouble {
    match change(service, operation, error) {
        Trouble::Fatal(failure) if error.code().is_some_and(|code| exists.contains(&code)) => {
            Trouble::Uncertain(failure)
        }
        other => other,
    }
}

fn failure<E: ProvideErrorMetadata>(service: &str, operation: &str, error: &CallError<E>) -> Failure {
    let code = error.code().unwrap_or_default();
    let ours = our_code(error, code);
    let text = match error.message() {
        Some(text) => text.to_owned(),
        None => "no answer came in time".to_owned(),
    };
    let failure = Failure::new(ours, format!("{service} {operation}: {text}")).from_upstream(Upstream {
        service: service.to_owned(),
        operation: operation.to_owned(),
        code: if code.is_empty() { "NoAnswer".to_owned() } else { code.to_owned() },
        request_id: request_id(error),
    });
    match ours {
        // IAM's own words; no permission outweighs it.
        ErrorCode::PermissionDenied if failure.message.contains("explicit deny") => {
            let action = format!(
                "Find the policy named in the message that denies {service}:{operation}, and make an exception in it for the \
                 role named there; then run it again."
            );
            failure.with_action(action)
        }
        ErrorCode::PermissionDenied => failure
            .with_action(format!("Allow {service}:{operation} to the role named in the message, then run it again.")),
        ErrorCode::QuotaExceeded => failure
            .with_action("Ask for a higher quota in Service Quotas, or free what is not needed, then run it again."),
        _ => failure,
    }
}

fn our_code<E: ProvideErrorMetadata>(error: &CallError<E>, code: &str) -> ErrorCode {
    match Nature::of(error) {
        Nature::Throttled => ErrorCode::Throttled,
        Nature::Lost => ErrorCode::UpstreamUnavailable,
        Nature::Refused if DENIED.contains(&code) => ErrorCode::PermissionDenied,
        Nature::Refused if QUOTA.contains(&code) => ErrorCode::QuotaExceeded,
        Nature::Refused if CONFLICT.contains(&code) => ErrorCode::Conflict,
        Nature::Refused if is_absence(code) => ErrorCode::NotFound,
        Nature::Refused => ErrorCode::InvalidInput,
    }
}

/// Whether a code says that the thing does not exist: `InvalidVpcID.NotFound`, `ResourceNotFoundException`, `NoSuchEntity`.
pub(crate) fn is_absence(code: &str) -> bool {
    code.ends_with(".NotFound")
        || code.starts_with("NoSuch")
        || matches!(code, "ResourceNotFoundException" | "ResourceNotFound" | "NotFound" | "NotFoundException")
}

/// A read of something that may not exist: its absence is an answer, everything else is trouble.
pub(crate) fn maybe<T, E: ProvideErrorMetadata>(
    service: &str,
    operation: &str,
    result: Result<T, CallError<E>>,
) -> Result<Option<T>, Trouble> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error, SdkError::ServiceError(_)) && error.code().is_some_and(is_absence) => Ok(None),
        Err(error) => Err(read(service, operation, &error)),
    }
}

fn request_id<E: ProvideErrorMetadata>(error: &CallError<E>) -> Option<String> {
    if let Some(id) = error.meta().extra("aws_request_id") {
        return Some(id.to_owned());
    }
    let headers = error.raw_response()?.headers();
    headers.get("x-amzn-requestid").or_else(|| headers.get("x-amz-request-id")).map(str::to_owned)
}
