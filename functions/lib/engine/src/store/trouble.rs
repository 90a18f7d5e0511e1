//! DynamoDB's and Step Functions' errors in our words. Both are the control plane's own state, so none of these ever
//! fails an operation: a read that fails is asked again, a write whose answer was lost is looked for.

use crate::answers::Nature;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble, Upstream},
    states::WaitingOn,
};
use std::fmt::Display;

/// A read that did not answer.
pub(crate) fn of_read<E: ProvideErrorMetadata>(operation: &'static str, error: SdkError<E>) -> Trouble {
    Trouble::Later { on: WaitingOn::Throttled, failure: failure("dynamodb", operation, &error) }
}

/// A write that did not answer with success. A refusal that says so was not carried out; all else may have been.
pub(crate) fn of_write<E: ProvideErrorMetadata>(operation: &'static str, error: SdkError<E>) -> Trouble {
    of_change("dynamodb", operation, error)
}

/// The same for any service of the control plane itself.
pub(crate) fn of_change<E: ProvideErrorMetadata>(
    service: &'static str,
    operation: &'static str,
    error: SdkError<E>,
) -> Trouble {
    let failure = failure(service, operation, &error);
    match Nature::of(&error) {
        Nature::Throttled | Nature::Refused => Trouble::Later { on: WaitingOn::Throttled, failure },
        Nature::Lost => Trouble::Uncertain(failure),
    }
}

/// A read of many records whose rest was put off again and again: DynamoDB throttles it.
pub(crate) fn left_open(operation: &'static str) -> Trouble {
    let text = format!("dynamodb put off a part of {operation} each time");
    Trouble::Later { on: WaitingOn::Throttled, failure: Failure::new(ErrorCode::Throttled, text) }
}

fn failure<E: ProvideErrorMetadata>(service: &str, operation: &str, error: &SdkError<E>) -> Failure {
    let code = error.code().unwrap_or("no answer");
    let text = error.message().unwrap_or("the service did not answer in time");
    Failure::new(ErrorCode::UpstreamUnavailable, format!("{service} did not carry out {operation}: {text}"))
        .from_upstream(Upstream {
            service: service.to_owned(),
            operation: operation.to_owned(),
            code: code.to_owned(),
            request_id: error.meta().extra("aws_request_id").map(str::to_owned),
        })
}

/// A record that this code cannot read or write: of a newer schema, or damaged.
pub(crate) fn unreadable(error: &dyn Display) -> Trouble {
    Trouble::Fatal(Failure::new(ErrorCode::Internal, format!("a record of the control plane cannot be read: {error}")))
}
