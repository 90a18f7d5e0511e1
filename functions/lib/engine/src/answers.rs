//! What became of a call that was not answered with success: refused, refused for now, or perhaps carried out.
//!
//! One rule for every AWS service, ours (DynamoDB, Step Functions) and the clusters' (`cloud`). What a code means beyond
//! that is said where services are spoken to.

use aws_smithy_runtime_api::client::{orchestrator::HttpResponse, result::SdkError};
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

/// Codes by which services ask to slow down (field report BR-151). None of them ever ends an operation.
const THROTTLED: &[&str] = &[
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottled",
    "RequestThrottledException",
    "TooManyRequestsException",
    "RequestLimitExceeded",
    "ProvisionedThroughputExceededException",
    "BandwidthLimitExceeded",
    "LimitExceededException.Throttled",
    "PriorRequestNotComplete",
    "SlowDown",
    "EC2ThrottledException",
];

/// What became of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Not carried out: the service asks to slow down.
    Throttled,
    /// Not known: no answer came, or the service failed while it acted.
    Lost,
    /// Not carried out: the service said so, or it was never sent.
    Refused,
}

impl Nature {
    /// What `error` says. A 5xx may follow an act, whatever its code; a time-out and a broken connection always may.
    pub fn of<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> Self {
        match error {
            SdkError::ConstructionFailure(_) => Self::Refused,
            SdkError::ServiceError(service) => {
                let status = service.raw().status();
                if THROTTLED.contains(&error.code().unwrap_or_default()) || status.as_u16() == 429 {
                    Self::Throttled
                } else if status.is_server_error() {
                    Self::Lost
                } else {
                    Self::Refused
                }
            }
            _ => Self::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::operation::put_item::PutItemError;
    use aws_smithy_runtime_api::{client::result::ConnectorError, http::StatusCode};
    use aws_smithy_types::{body::SdkBody, error::ErrorMetadata};

    fn answered(status: u16, code: Option<&str>) -> SdkError<PutItemError, HttpResponse> {
        let mut metadata = ErrorMetadata::builder();
        metadata = match code {
            Some(code) => metadata.code(code),
            None => metadata,
        };
        let response = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::empty());
        SdkError::service_error(PutItemError::generic(metadata.build()), response)
    }

    #[test]
    fn the_status_decides_whether_a_call_was_perhaps_carried_out_and_the_code_whether_to_slow_down() {
        for (status, code, nature) in [
            (500, Some("InternalServerError"), Nature::Lost),
            (503, Some("AWordOfTomorrow"), Nature::Lost),
            (502, None, Nature::Lost),
            (400, None, Nature::Refused),
            (400, Some("ValidationException"), Nature::Refused),
            (400, Some("InternalFailure"), Nature::Refused),
            (400, Some("ProvisionedThroughputExceededException"), Nature::Throttled),
            (503, Some("SlowDown"), Nature::Throttled),
            (429, None, Nature::Throttled),
        ] {
            assert_eq!(Nature::of(&answered(status, code)), nature, "{status} {code:?}");
        }
    }

    #[test]
    fn what_was_never_sent_is_refused_and_what_was_not_answered_is_lost() {
        type Error = SdkError<PutItemError, HttpResponse>;
        assert_eq!(Nature::of(&Error::construction_failure("no table name")), Nature::Refused);
        assert_eq!(Nature::of(&Error::timeout_error("five seconds")), Nature::Lost);
        let broken = ConnectorError::io("connection reset".into());
        assert_eq!(Nature::of(&Error::dispatch_failure(broken)), Nature::Lost);
    }
}
