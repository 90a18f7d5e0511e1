//! Calls that ask the client before they are done (`input_required`), in one round or several.

use rmcp::{
    ErrorData,
    model::{ClientCapabilities, ErrorCode, InputRequests, InputRequiredResult, InputResponses},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What a call asks for.
#[derive(Debug, Deserialize)]
pub(super) struct Asks {
    /// What it asks for, round by round.
    rounds: Vec<Map<String, Value>>,
    /// Whether the round travels in a state that must come back whole.
    #[serde(default)]
    sealed: bool,
    /// What it says in the end.
    #[serde(default)]
    says: String,
}

/// How far a call has come.
#[derive(Debug)]
pub(super) enum Turn {
    /// It asks (again).
    Ask(InputRequiredResult),
    /// It has all answers: what it says.
    Done(String),
}

impl Asks {
    /// The next turn of a call with what the client has sent.
    ///
    /// # Errors
    /// A state that did not come back whole; a client that can do nothing of what is asked for.
    pub(super) fn turn(
        &self,
        responses: Option<&InputResponses>,
        state: Option<&str>,
        client: &ClientCapabilities,
    ) -> Result<Turn, ErrorData> {
        let round = match state {
            Some(state) if self.sealed => opened(state)?,
            _ => 0,
        };
        let Some(asked) = self.rounds.get(round) else { return Err(invalid("the state names no round")) };
        let responses = responses.filter(|_| !self.sealed || state.is_some());
        let answered = responses.filter(|given| asked.keys().all(|key| given.get(key).is_some_and(Value::is_object)));
        match answered {
            None => self.ask(round, client),
            Some(_) if round + 1 < self.rounds.len() => self.ask(round + 1, client),
            Some(answers) => Ok(Turn::Done(format!("{} {}", self.says, json!(answers)))),
        }
    }

    fn ask(&self, round: usize, client: &ClientCapabilities) -> Result<Turn, ErrorData> {
        let asked = self.rounds.get(round).cloned().unwrap_or_default();
        let possible: Map<String, Value> =
            asked.clone().into_iter().filter(|(_, request)| can(client, request)).collect();
        if possible.is_empty() {
            let needed: Map<String, Value> =
                asked.values().map(|request| (capability(request).to_owned(), json!({}))).collect();
            let data = json!({ "requiredCapabilities": needed });
            let text = "the client cannot do what this call asks for";
            return Err(ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, text, Some(data)));
        }
        let requests: InputRequests = serde_json::from_value(Value::Object(possible))
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Turn::Ask(InputRequiredResult::new(Some(requests), self.sealed.then(|| sealed(round)))))
    }
}

/// The capability that a client needs to fulfil a request.
fn capability(request: &Value) -> &'static str {
    match request["method"].as_str() {
        Some("sampling/createMessage") => "sampling",
        Some("roots/list") => "roots",
        _ => "elicitation",
    }
}

fn can(client: &ClientCapabilities, request: &Value) -> bool {
    match capability(request) {
        "sampling" => client.sampling.is_some(),
        "roots" => client.roots.is_some(),
        _ => client.elicitation.is_some(),
    }
}

/// The round and its seal. The fixture guards nothing, so its key is no secret.
fn sealed(round: usize) -> String {
    format!("{round}.{}", hex::encode(Sha256::digest(format!("fixture {round} fixture"))))
}

fn opened(state: &str) -> Result<usize, ErrorData> {
    let round = state.split_once('.').and_then(|(round, _)| round.parse().ok());
    round.filter(|round| sealed(*round) == state).ok_or_else(|| invalid("the state did not come back as it was sent"))
}

fn invalid(text: &'static str) -> ErrorData {
    ErrorData::invalid_params(text, None)
}
