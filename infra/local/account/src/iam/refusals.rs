//! IAM's refusals in its own words, as they come from more than one action.

use crate::call::AwsError;

/// Something is not there.
pub(super) fn no_such(message: impl Into<String>) -> AwsError {
    AwsError::new("NoSuchEntity", message).with_status(404)
}

/// The role is not there.
pub(super) fn no_role(name: &str) -> AwsError {
    no_such(format!("The role with name {name} cannot be found."))
}

/// The user is not there.
pub(super) fn no_user(name: &str) -> AwsError {
    no_such(format!("The user with name {name} cannot be found."))
}

/// The managed policy is not there.
pub(super) fn no_policy(arn: &str) -> AwsError {
    no_such(format!("Policy {arn} was not found."))
}

/// Something of the name is there already.
pub(super) fn exists(message: impl Into<String>) -> AwsError {
    AwsError::new("EntityAlreadyExists", message).with_status(409)
}

/// It cannot go while others hang on it.
pub(super) fn in_use(message: impl Into<String>) -> AwsError {
    AwsError::new("DeleteConflict", message).with_status(409)
}

/// A quota of IAM is used up.
pub(super) fn limit(message: impl Into<String>) -> AwsError {
    AwsError::new("LimitExceeded", message).with_status(409)
}

/// The input is well-formed but means nothing.
pub(super) fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::new("InvalidInput", message)
}

/// A member breaks a rule that the model does not state.
pub(super) fn validation(message: impl Into<String>) -> AwsError {
    AwsError::new("ValidationError", message)
}

/// The document does not read.
pub(super) fn malformed(message: impl Into<String>) -> AwsError {
    AwsError::new("MalformedPolicyDocument", message)
}
