//! What one message of JSON-RPC 2.0 is, held before the protocol's library reads it: that answers a batch or an id of the
//! wrong type with a bare text, and takes some of them for notifications.

use rmcp::model::{CallToolRequestParams, InitializeRequestParams, PaginatedRequestParams};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is wrong with a message, and the id under which to say so (null where it has none that can be told).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) id: Value,
    pub(super) why: &'static str,
}

/// Holds `message` to JSON-RPC 2.0 and to what MCP makes of it: one message a request, ids are strings or integers.
pub(super) fn check(message: &Value) -> Result<(), Malformed> {
    let refuse = |id: &Value, why| Err(Malformed { id: id.clone(), why });
    let Some(members) = message.as_object() else {
        let batch = "a batch is not taken: expected one message, which is an object";
        return refuse(&Value::Null, if message.is_array() { batch } else { "expected an object" });
    };
    let id = match members.get("id") {
        None => &Value::Null,
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => id,
        Some(_) => return refuse(&Value::Null, "id: expected a string or an integer"),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse(id, "jsonrpc: expected \"2.0\"");
    }
    let answers = members.contains_key("result") || members.contains_key("error");
    match members.get("method") {
        Some(method) if !method.is_string() => return refuse(id, "method: expected a string"),
        None if !answers => return refuse(id, "method: missing"),
        _ => {}
    }
    if members.get("params").is_some_and(|params| !params.is_object() && !params.is_array()) {
        return refuse(id, "params: expected an object");
    }
    Ok(())
}

/// What is wrong with the parameters of a request whose method is known here: the library takes such a request for one of
/// an unknown method, or passes over the parameter. The stateless era has no `initialize`, whatever its parameters.
pub(super) fn unfit(message: &Value, stateless: bool) -> Option<String> {
    let method = message.get("method")?.as_str()?;
    let fits = match method {
        "initialize" if !stateless => fits::<InitializeRequestParams>,
        "tools/call" => fits::<CallToolRequestParams>,
        "tools/list" => fits::<Option<PaginatedRequestParams>>,
        _ => return None,
    };
    let why = fits(message.get("params").unwrap_or(&Value::Null)).err()?;
    Some(format!("the parameters of {method} are not right: {why}"))
}

fn fits<T: DeserializeOwned>(params: &Value) -> Result<(), serde_json::Error> {
    T::deserialize(params).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_is_held_to_the_protocol_and_refused_under_its_id() {
        let why =
            |message: Value| check(&message).map_err(|one| (one.id, one.why.split(':').next().unwrap_or_default()));
        for fine in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": "a", "method": "ping", "params": {} }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
        ] {
            assert_eq!(why(fine), Ok(()));
        }
        assert_eq!(why(json!([])), Err((json!(null), "a batch is not taken")));
        assert_eq!(why(json!("x")), Err((json!(null), "expected an object")));
        for id in [json!(null), json!(1.5), json!({}), json!([1]), json!(true)] {
            assert_eq!(why(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })), Err((json!(null), "id")), "{id}");
        }
        assert_eq!(why(json!({ "id": 1, "method": "ping" })), Err((json!(1), "jsonrpc")));
        assert_eq!(why(json!({ "jsonrpc": "2.0", "id": 1 })), Err((json!(1), "method")));
        assert_eq!(why(json!({ "jsonrpc": "2.0", "id": 1, "method": 7 })), Err((json!(1), "method")));
        assert_eq!(why(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": 7 })), Err((json!(1), "params")));
    }
}
