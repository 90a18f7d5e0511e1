//! EKS's exceptions in EKS's words.

use crate::call::AwsError;

/// 404: a thing that the request names is not there.
pub(super) fn not_found(message: impl Into<String>) -> AwsError {
    AwsError::new("ResourceNotFoundException", message).with_status(404)
}

/// 404 for a cluster.
pub(super) fn no_cluster(name: &str) -> AwsError {
    not_found(format!("No cluster found for name: {name}.")).with("clusterName", name)
}

/// 400: a member has a value that cannot be.
pub(super) fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::new("InvalidParameterException", message)
}

/// 400: the request does not fit the state that the thing is in.
pub(super) fn refused(message: impl Into<String>) -> AwsError {
    AwsError::new("InvalidRequestException", message)
}

/// 409: the name is taken, or something else is going on with the thing.
pub(super) fn in_use(message: impl Into<String>) -> AwsError {
    AwsError::new("ResourceInUseException", message).with_status(409)
}

/// 400: a quota is used up.
pub(super) fn limit(message: impl Into<String>) -> AwsError {
    AwsError::new("ResourceLimitExceededException", message)
}
