//! MCP in both eras, by raw JSON-RPC.

use super::*;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A request of the modern era: stateless, with its metadata and headers.
async fn modern(surface: &Surface, method: &str, mut params: Value) -> Answer {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
    });
    let mut request = agent().header("mcp-protocol-version", MODERN).header("mcp-method", method);
    if let Some(name) = params["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    surface.send(request, body.to_string()).await
}

/// A request of the legacy era, without a session.
async fn legacy(surface: &Surface, method: &str, params: Value) -> Answer {
    let request = agent().header("mcp-protocol-version", LEGACY).header("mcp-session-id", "made-up");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    surface.send(request, body.to_string()).await
}

fn agent() -> http::request::Builder {
    anonymous("POST", "/mcp")
        .header("authorization", format!("Bearer {AGENTS}"))
        .header("content-type", "application/json")
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

#[tokio::test]
async fn both_eras_see_the_same_tools_on_one_endpoint() {
    let surface = surface();
    let discovered = modern(&surface, "server/discover", json!({})).await.json();
    assert!(discovered["result"]["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{discovered}");
    let hello = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let initialized = legacy(&surface, "initialize", hello).await;
    assert_eq!(initialized.header("mcp-session-id"), "", "no session is issued");
    let initialized = initialized.json();
    assert_eq!(initialized["result"]["protocolVersion"], LEGACY);
    assert_eq!(initialized["result"]["serverInfo"]["name"], "hyperpod-instantstart");
    for result in [&initialized["result"], &discovered["result"]] {
        assert_eq!(result["instructions"], crate::tools::INSTRUCTIONS);
    }
    let new = modern(&surface, "tools/list", json!({})).await.json();
    let old = legacy(&surface, "tools/list", json!({})).await.json();
    assert_eq!(new["result"]["tools"], old["result"]["tools"]);
    assert_eq!(new["result"]["tools"].as_array().unwrap().len(), contract::ALL.len());
    assert_eq!((&new["result"]["cacheScope"], &new["result"]["resultType"]), (&json!("private"), &json!("complete")));
}

#[tokio::test]
async fn br_161_any_instance_serves_any_request_and_an_unknown_session_is_ignored() {
    let answer = legacy(&surface(), "tools/call", call("list_clusters", json!({}))).await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
    assert_eq!(answer.json()["result"]["isError"], false);
}

#[tokio::test]
async fn a_result_is_structured_and_the_text_is_the_same_json() {
    let surface = surface();
    let arguments = json!({ "tag": "a", "region": "us-west-2", "idempotencyKey": "key-7" });
    let answer = modern(&surface, "tools/call", call("create_cluster", arguments)).await.json();
    let result = &answer["result"];
    assert_eq!(result["structuredContent"]["operationId"], OPERATION);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    let (name, input, request) = surface.last();
    assert_eq!((name, input), ("create_cluster", json!({ "tag": "a", "region": "us-west-2" })));
    assert_eq!(request.idempotency_key.as_deref(), Some("key-7"));
    assert!(request.principal.agent);
}

#[tokio::test]
async fn a_plan_is_a_tool_of_its_own_that_asks_for_nothing() {
    let surface = surface();
    let answer =
        modern(&surface, "tools/call", call("plan_cluster", json!({ "tag": "a", "region": "us-west-2" }))).await;
    assert_eq!(answer.json()["result"]["structuredContent"]["hash"], "h");
    let (name, _, request) = surface.last();
    assert_eq!((name, request.validate_only), ("plan_cluster", true));
}

#[tokio::test]
async fn a_failure_of_a_tool_is_a_problem_that_the_model_can_read() {
    let surface = surface();
    let answer = modern(&surface, "tools/call", call("create_cluster", json!({ "tag": "-", "limit": "5" }))).await;
    assert_eq!(answer.status, StatusCode::OK);
    let result = answer.json()["result"].clone();
    assert_eq!(result["isError"], true);
    let problem: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(pointers(&problem), ["/region", "/tag", "/limit"]);
    assert!(problem["action"].as_str().unwrap().contains("Correct the fields"));
    assert_eq!((surface.asked(), problem["requestId"].as_str()), (0, Some("made-here")));
    let answer = modern(&surface, "tools/call", call("get_cluster", json!({ "tag": "refused" }))).await.json();
    let problem: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((problem["code"].as_str(), problem["requestId"].as_str()), (Some("conflict"), Some("made-here")));
}

#[tokio::test]
async fn an_unknown_tool_or_cursor_is_an_error_of_the_protocol() {
    let surface = surface();
    for answer in [
        modern(&surface, "tools/call", call("delete_everything", json!({}))).await,
        legacy(&surface, "tools/call", call("delete_everything", json!({}))).await,
        legacy(&surface, "tools/list", json!({ "cursor": "x" })).await,
    ] {
        assert_eq!(answer.json()["error"]["code"], -32_602, "{}", answer.text);
    }
    for (method, params) in [
        ("tools/call", json!({ "name": 7 })),
        ("tools/call", json!({ "name": "list_clusters", "arguments": [1] })),
        ("tools/call", json!({})),
        ("tools/list", json!({ "cursor": 7 })),
        ("initialize", json!({ "protocolVersion": LEGACY })),
    ] {
        let answer = legacy(&surface, method, params.clone()).await;
        assert_eq!(answer.json()["error"]["code"], -32_602, "{method} {params}: {}", answer.text);
        assert!(answer.text.contains(method), "{}", answer.text);
    }
    for unknown in ["resources/everything", "initialize"] {
        let answer = modern(&surface, unknown, json!({})).await;
        let told = (answer.status, &answer.json()["error"]["code"]);
        assert_eq!(told, (StatusCode::NOT_FOUND, &json!(-32_601)), "{unknown}");
    }
}

#[tokio::test]
async fn a_modern_request_whose_headers_contradict_it_is_refused() {
    let surface = surface();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } });
    let request = agent().header("mcp-protocol-version", MODERN).header("mcp-method", "tools/call");
    let answer = surface.send(request, body.to_string()).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32_020)));
}

#[tokio::test]
async fn br_163_whatever_is_no_post_is_405_with_allow() {
    let surface = surface();
    for method in ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"] {
        let request = asked(method, "/mcp").header("accept", "text/event-stream");
        let answer = surface.send(request, "").await;
        assert_eq!((answer.status, answer.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "POST"), "{method}");
        let answer = surface.send(anonymous(method, "/mcp").header("accept", "text/event-stream"), "").await;
        assert_eq!(
            (answer.status, answer.header("www-authenticate")),
            (StatusCode::UNAUTHORIZED, "Bearer"),
            "{method}"
        );
    }
}

#[tokio::test]
async fn br_164_json_is_answered_to_whoever_takes_it() {
    let surface = surface();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    for (accept, status) in [
        (None, 200),
        (Some("*/*"), 200),
        (Some("application/json"), 200),
        (Some("Application/Json, Text/Event-Stream"), 200),
        (Some("text/event-stream"), 406),
        (Some("text/html"), 406),
    ] {
        let request = match accept {
            Some(accept) => agent().header("accept", accept),
            None => agent(),
        };
        let answer = surface.send(request, body.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{accept:?}");
        let kind = if status == 200 { "application/json" } else { "application/problem+json" };
        assert_eq!(answer.header("content-type"), kind, "{accept:?}");
    }
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let answer = surface.send(agent(), notification).await;
    assert_eq!((answer.status, answer.text.as_str()), (StatusCode::ACCEPTED, ""));
}

#[tokio::test]
async fn a_body_too_large_malformed_or_ambiguous_is_refused() {
    let surface = surface();
    let answer = surface.send(agent(), " ".repeat(crate::BODY_LIMIT + 1)).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let answer = surface.send(agent(), "{").await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32_700)));
    let twice = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_cluster", "arguments": {"tag": "a", "tag": "b"}}}"#;
    let answer = surface.send(agent(), twice).await;
    assert!(answer.text.contains("/params/arguments/tag"), "{}", answer.text);
    assert_eq!(surface.asked(), 0);
}

#[tokio::test]
async fn what_is_no_message_is_an_error_of_the_protocol_in_json() {
    let surface = surface();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let with = |name: &str, value: Value| {
        let mut changed = message.clone();
        changed[name] = value;
        changed
    };
    for (body, id) in [
        (json!([message]), json!(null)),
        (json!([]), json!(null)),
        (json!(7), json!(null)),
        (with("id", json!({})), json!(null)),
        (with("id", json!(1.5)), json!(null)),
        (with("jsonrpc", json!("1.0")), json!(1)),
        (with("method", json!(7)), json!(1)),
        (with("params", json!("x")), json!(1)),
    ] {
        let answer = surface.send(agent(), body.to_string()).await;
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::BAD_REQUEST, "application/json"));
        let said = answer.json();
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(-32_600), &id), "{body}");
    }
    let request = anonymous("POST", "/mcp").header("authorization", format!("Bearer {AGENTS}"));
    let answer = surface.send(request.header("content-type", "text/plain"), message.to_string()).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(answer.header("content-type"), "application/problem+json");
}

#[tokio::test]
async fn br_052_a_number_as_text_is_refused_as_rest_refuses_it() {
    let surface = surface();
    let group = json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": "0" });
    let body = json!({ "instanceGroups": { "g": group } });
    let rest = surface.post("/v1/clusters/a/hyperpod", body.clone()).await.json();
    let mut arguments = body;
    arguments["tag"] = "a".into();
    let answer = modern(&surface, "tools/call", call("create_hyperpod", arguments)).await.json();
    let mcp: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(pointers(&mcp), ["/instanceGroups/g/instanceCount"]);
    assert_eq!(mcp["errors"], rest["errors"]);
}
