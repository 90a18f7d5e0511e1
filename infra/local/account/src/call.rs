//! A request as a service sees it, and the ways in which it can be refused.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The account id of every simulated account: the one that AWS documentation uses for examples.
pub const ACCOUNT_ID: &str = "111122223333";

/// Who signed a request, as STS would name them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// Identity ARN: `arn:aws:iam::…:user/NAME`, `arn:aws:sts::…:assumed-role/ROLE/SESSION` or `…:root`.
    pub arn: String,
    /// Unique id as in `GetCallerIdentity.UserId` (`AROA…:session`, `AIDA…`, or the account id for root).
    pub user_id: String,
    /// Name of the assumed role, without path; none for users and root.
    pub role: Option<String>,
}

impl Caller {
    /// The account's root user, who may do everything.
    pub fn root() -> Self {
        Self { arn: format!("arn:aws:iam::{ACCOUNT_ID}:root"), user_id: ACCOUNT_ID.to_owned(), role: None }
    }
}

/// One API call whose input was parsed and checked against the service model.
///
/// `input` holds the members under their model names: strings, numbers, booleans, lists, maps; blobs as base64 strings;
/// timestamps as seconds since 1970 (a JSON number, fractional). A member that was not sent is absent, never null.
/// A service answers a value in the same form.
#[derive(Debug, Clone)]
pub struct Call {
    /// Service id in lower case as in the credential scope: `ec2`, `iam`, `eks`, `sagemaker`, `states` …
    pub service: &'static str,
    /// Operation name: `CreateVpc`.
    pub action: String,
    /// Region of the endpoint or credential scope; `us-east-1` for global services.
    pub region: String,
    /// Who asks; already authenticated and allowed by their IAM policies.
    pub caller: Caller,
    /// Checked input members.
    pub input: Value,
    /// The account's time when the call arrived.
    pub now: Timestamp,
    /// The id under which the answer will go out.
    pub request_id: String,
}

impl Call {
    /// String member `name`, if it was sent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name).and_then(Value::as_str)
    }

    /// Required string member; empty if the model's check let it through without one (it does not).
    pub fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// Integer member `name`, if it was sent.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.input.get(name).and_then(Value::as_i64)
    }

    /// Boolean member `name`, if it was sent.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.input.get(name).and_then(Value::as_bool)
    }

    /// List member `name`; empty if it was not sent.
    pub fn list(&self, name: &str) -> &[Value] {
        self.input.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The strings of list member `name`; empty if it was not sent.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.list(name).iter().filter_map(Value::as_str).collect()
    }
}

/// A refusal, in the service's own words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct AwsError {
    /// Error code on the wire, for example `ResourceInUseException` or `InvalidVpcID.NotFound`.
    pub code: String,
    /// HTTP status where the model does not give one.
    pub status: u16,
    /// Text for people, worded as the service words it.
    pub message: String,
    /// Further modelled members of the error shape; an empty object if there are none.
    pub members: Value,
}

impl AwsError {
    /// An error answered with HTTP 400.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), status: 400, message: message.into(), members: json!({}) }
    }

    /// The same with another HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same with a further member of the error shape.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members[name] = value.into();
        self
    }
}

/// What a service answers: output members under their model names, or a refusal.
pub type Answer = Result<Value, AwsError>;
