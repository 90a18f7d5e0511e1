//! An answer that refuses, with what only its headers tell: kube hands on the `Status` of its body alone. What a refusal
//! means is said in `errors`.

use crate::reach::AnswerBody;
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use kube::core::Status;
use tower::BoxError;

/// The header by which an answer is found again in the API server's audit log (`auditinternal.HeaderAuditID`).
const AUDIT_ID: &str = "audit-id";

/// The most that is read of a refusal: a `Status`, with a cause for each field in conflict.
const LARGEST: usize = 1024 * 1024;

/// A request that the API server, or something before it, has refused.
#[derive(Debug, thiserror::Error)]
#[error("{}", status.message)]
pub(crate) struct Refusal {
    /// The server's own words; made up from the HTTP status where a proxy answers with something else.
    pub(crate) status: Box<Status>,
    /// The id of the request in the audit log, if the server told it.
    pub(crate) audit_id: Option<String>,
}

/// Hands on an answer that serves; one that refuses becomes an error.
pub(crate) async fn refusing(answer: Response<AnswerBody>) -> Result<Response<AnswerBody>, BoxError> {
    let code = answer.status();
    if !(code.is_client_error() || code.is_server_error()) {
        return Ok(answer);
    }
    let audit_id = answer.headers().get(AUDIT_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let body = begun(answer.into_body()).await;
    let status = serde_json::from_slice::<Status>(&body).unwrap_or_else(|_| worded(code, &body));
    let status = Box::new(Status { code: code.as_u16(), ..status });
    Err(Box::new(Refusal { status, audit_id }))
}

/// As much of a body as arrives: one that breaks off takes nothing from the refusal, whose code is known.
async fn begun(mut body: AnswerBody) -> Vec<u8> {
    let mut arrived = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            arrived.extend_from_slice(&data);
        }
        if arrived.len() >= LARGEST {
            break;
        }
    }
    arrived
}

/// What is no `Status`: text of a proxy, or nothing.
fn worded(code: StatusCode, body: &[u8]) -> Status {
    let text = String::from_utf8_lossy(body);
    let text = if text.trim().is_empty() { code.canonical_reason().unwrap_or_default() } else { text.trim() };
    Status::failure(text, "")
}

/// The refusal behind an error of kube's, if it is one.
pub(crate) fn behind(error: &kube::Error) -> Option<&Refusal> {
    let kube::Error::Service(cause) = error else { return None };
    let mut link: Option<&(dyn std::error::Error + 'static)> = Some(cause.as_ref());
    while let Some(error) = link {
        if let Some(refusal) = error.downcast_ref() {
            return Some(refusal);
        }
        link = error.source();
    }
    None
}

/// Whether the error says that what was asked for is not there.
pub(crate) fn is_absence(error: &kube::Error) -> bool {
    behind(error).is_some_and(|refusal| refusal.status.code == 404)
}
