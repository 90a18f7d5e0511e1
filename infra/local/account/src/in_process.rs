//! The account for AWS SDK clients in the same process: an HTTP client and a time source for their configuration.

use crate::{
    account::{Account, AnswerLost},
    clock::Clock,
};
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::{
    client::{
        http::{HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn},
        orchestrator::{HttpRequest, HttpResponse},
        result::ConnectorError,
    },
    http::StatusCode,
};
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http::Request;
use std::time::{SystemTime, UNIX_EPOCH};

/// An HTTP client for SDK configurations (`.http_client(..)`) whose every request goes to `account`, whatever its URL.
///
/// A lost answer is a connector's time-out. Give the configuration the account's clock as its `time_source` too.
pub fn http_client(account: &Account) -> SharedHttpClient {
    let connector = SharedHttpConnector::new(Connector(account.clone()));
    http_client_fn(move |_, _| connector.clone())
}

#[derive(Debug)]
struct Connector(Account);

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let account = self.0.clone();
        HttpConnectorFuture::new(async move {
            let request = readable(request)?;
            let response = account.call(request).await;
            if response.extensions().get::<AnswerLost>().is_some() {
                return Err(ConnectorError::timeout("the answer was lost".into()));
            }
            let (parts, body) = response.into_parts();
            let status = StatusCode::try_from(parts.status.as_u16())
                .map_err(|error| ConnectorError::other(error.into(), None))?;
            let mut answer = HttpResponse::new(status, SdkBody::from(body));
            for (name, value) in &parts.headers {
                answer
                    .headers_mut()
                    .append(name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned());
            }
            Ok(answer)
        })
    }
}

fn readable(request: HttpRequest) -> Result<Request<Bytes>, ConnectorError> {
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    let (parts, body) = request.into_parts();
    let body = body.bytes().ok_or_else(|| ConnectorError::user("the body is not in memory".into()))?;
    Ok(Request::from_parts(parts, Bytes::copy_from_slice(body)))
}

impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        let since = Clock::now(self).as_duration();
        std::time::Duration::try_from(since).map_or(UNIX_EPOCH, |since| UNIX_EPOCH + since)
    }
}
