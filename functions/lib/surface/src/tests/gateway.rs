//! Behind API Gateway: the router is handed the gateway's events and answers them, through the adapter that Lambda's own
//! runtime uses. Bytes stay bytes, and refusals can be read by whoever may ask.

use super::{console::Built, *};
use base64::{Engine, engine::general_purpose::STANDARD};
use lambda_http::{Adapter, Context, LambdaEvent, Service, request::LambdaRequest};

/// An event of a REST API's proxy integration, as the gateway sends it; members of `more` take the place of its own.
fn event(method: &str, path: &str, more: &Value) -> Value {
    let mut event = json!({
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": {
            "host": "127.0.0.1:3099",
            "authorization": format!("Bearer {PEOPLE}"),
            "content-type": "application/json",
            "idempotency-key": "key-1",
        },
        "multiValueHeaders": {},
        "queryStringParameters": {},
        "multiValueQueryStringParameters": {},
        "pathParameters": {},
        "stageVariables": {},
        "requestContext": { "resourcePath": "/{proxy+}", "httpMethod": method, "stage": "$default", "identity": {} },
        "body": null,
        "isBase64Encoded": false,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    event
}

impl Surface {
    /// What the function would answer the gateway.
    async fn invoked(&self, event: Value) -> Value {
        let payload: LambdaRequest = serde_json::from_value(event).unwrap();
        let mut adapter = Adapter::from(self.router.clone());
        let answer = adapter.call(LambdaEvent::new(payload, Context::default())).await.unwrap();
        serde_json::to_value(answer).unwrap()
    }
}

#[tokio::test]
async fn br_146_bytes_reach_the_browser_as_they_are_on_disk() {
    let built = Built::new("bytes");
    let binary: Vec<u8> = (0..=255).collect();
    for file in ["assets/logo.png", "assets/app.woff2", "favicon.ico", "assets/archive.bin"] {
        std::fs::write(built.0.join(file), &binary).unwrap();
    }
    let surface = surface_with(Some(built.0.clone()));
    for file in ["assets/logo.png", "assets/app.woff2", "favicon.ico", "assets/archive.bin"] {
        let answer = surface.invoked(event("GET", &format!("/{file}"), &json!({}))).await;
        assert_eq!((&answer["statusCode"], &answer["isBase64Encoded"]), (&json!(200), &json!(true)), "{file}");
        assert_eq!(STANDARD.decode(answer["body"].as_str().unwrap()).unwrap(), binary, "{file}");
    }
    let script = surface.invoked(event("GET", "/assets/index-0a1b2c.js", &json!({}))).await;
    assert_eq!((&script["isBase64Encoded"], &script["body"]), (&json!(false), &json!("export {}")));
    let refused = surface.invoked(event("GET", "/v1/clusters/refused", &json!({}))).await;
    assert_eq!((&refused["statusCode"], &refused["isBase64Encoded"]), (&json!(409), &json!(false)), "{refused}");
    assert_eq!(serde_json::from_str::<Value>(refused["body"].as_str().unwrap()).unwrap()["code"], "conflict");
}

#[tokio::test]
async fn br_148_a_body_that_the_gateway_has_encoded_is_the_same_body() {
    let surface = surface();
    let sent = r#"{"tag":"demo","region":"us-west-2","Zoë-Müller":1}"#;
    let plain = surface.invoked(event("POST", "/v1/clusters", &json!({ "body": sent }))).await;
    let encoded = json!({ "body": STANDARD.encode(sent), "isBase64Encoded": true });
    let encoded = surface.invoked(event("POST", "/v1/clusters", &encoded)).await;
    assert_eq!((&plain["statusCode"], &plain["body"]), (&json!(400), &encoded["body"]), "{plain} {encoded}");
    assert!(plain["body"].as_str().unwrap().contains("Zoë-Müller"), "what is wrong is shown as it was sent: {plain}");

    let right = r#"{"tag":"demo","region":"us-west-2"}"#;
    let encoded = json!({ "body": STANDARD.encode(right), "isBase64Encoded": true });
    let taken = surface.invoked(event("POST", "/v1/clusters", &encoded)).await;
    assert_eq!(taken["statusCode"], 202, "{taken}");
    assert_eq!(surface.last().1, json!({ "tag": "demo", "region": "us-west-2" }));
    // Encoded by somebody else than the gateway, it is no JSON, and the sender is told so.
    let twice = json!({ "body": STANDARD.encode(STANDARD.encode(right)), "isBase64Encoded": true });
    assert_eq!(surface.invoked(event("POST", "/v1/clusters", &twice)).await["statusCode"], 400);
}

#[tokio::test]
async fn br_145_a_name_that_is_also_a_word_of_the_path_is_a_name() {
    let surface = surface();
    for tag in ["Prod", "v1", "clusters", "stages", "mcp"] {
        let answer = surface.invoked(event("GET", &format!("/v1/clusters/{tag}"), &json!({}))).await;
        assert_eq!(answer["statusCode"], 200, "{tag}: {answer}");
        let (name, input, _) = surface.last();
        assert_eq!((name, &input["tag"]), ("get_cluster", &json!(tag)));
    }
}

#[tokio::test(start_paused = true)]
async fn br_149_every_refusal_is_json_with_its_status_and_no_origin_is_let_in_by_a_star() {
    let surface = surface();
    let wait = format!("/v1/operations/{OPERATION}/wait");
    let key = |request: http::request::Builder| {
        request.header("idempotency-key", "k").header("content-type", "application/json")
    };
    let large = "x".repeat(crate::BODY_LIMIT + 1);
    let (_, _, throttled) = tokio::join!(surface.get(&wait), surface.get(&wait), surface.get(&wait));
    let refused = [
        (surface.send(anonymous("GET", "/v1/clusters"), "").await, 401, "unauthenticated"),
        (
            surface.send(asked("GET", "/v1/clusters").header("origin", "https://evil.example"), "").await,
            403,
            "permission_denied",
        ),
        (surface.get("/v1/nothing").await, 404, "not_found"),
        (surface.send(key(asked("POST", "/v1/clusters")), large).await, 413, "payload_too_large"),
        (throttled, 429, "throttled"),
        (surface.get("/v1/health").await, 503, "deadline_exceeded"),
    ];
    for (answer, status, code) in &refused {
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (*status, &json!(code)), "{}", answer.text);
        assert_eq!(answer.json()["status"], *status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.header("access-control-allow-origin"), "", "the console comes from here: nobody else reads");
    }
    for (answer, ..) in &refused[4..] {
        assert!(!answer.header("retry-after").is_empty(), "{}", answer.text);
    }
    assert!(refused[5].0.json()["action"].as_str().unwrap().contains("same idempotency key"), "{}", refused[5].0.text);
}
