//! REST's rules.

use super::*;

fn cluster() -> Value {
    json!({ "tag": "a", "region": "us-west-2" })
}

#[tokio::test]
async fn a_change_answers_202_with_location_and_retry_after() {
    let surface = surface();
    let answer = surface.post("/v1/clusters", cluster()).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.header("location"), format!("/v1/operations/{OPERATION}"));
    assert_eq!((answer.header("retry-after"), answer.header("cache-control")), ("3", "no-store"));
    let (name, input, request) = surface.last();
    assert_eq!((name, input), ("create_cluster", cluster()));
    assert_eq!((request.idempotency_key.as_deref(), request.validate_only), (Some("key-1"), false));
    assert_eq!((request.principal.id.as_str(), request.principal.agent), ("local-person", false));
}

#[tokio::test]
async fn validate_only_answers_the_plan_and_needs_no_key() {
    let surface = surface();
    let request = asked("POST", "/v1/clusters?validateOnly=true").header("content-type", "application/json");
    let answer = surface.send(request, cluster().to_string()).await;
    assert_eq!((answer.status, answer.json()["hash"].as_str()), (StatusCode::OK, Some("h")));
    assert_eq!(surface.last().0, "plan_cluster");
    let request = asked("POST", "/v1/clusters/a/stop-spending?validateOnly=true");
    assert_eq!(surface.send(request, "").await.status, StatusCode::OK);
    let (name, _, request) = surface.last();
    assert_eq!((name, request.validate_only), ("stop_spending", true));
    let answer = surface.post("/v1/clusters?validateOnly=yes", cluster()).await;
    assert_eq!((answer.status, pointers(&answer.json())), (StatusCode::BAD_REQUEST, vec!["/validateOnly"]));
}

#[tokio::test]
async fn a_change_without_a_legal_idempotency_key_is_refused() {
    let surface = surface();
    let long = "k".repeat(256);
    for key in [None, Some(""), Some("two words"), Some(long.as_str())] {
        let mut request = asked("POST", "/v1/clusters").header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let answer = surface.send(request, cluster().to_string()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{key:?}");
        assert_eq!(pointers(&answer.json()), ["#/headers/Idempotency-Key"]);
    }
    assert_eq!(surface.asked(), 0);
}

#[tokio::test]
async fn a_header_that_is_given_twice_is_refused_by_its_name() {
    let surface = surface();
    let request = asked("POST", "/v1/clusters").header("content-type", "application/json");
    let request = request.header("idempotency-key", "a").header("idempotency-key", "a");
    let answer = surface.send(request.header("if-match", "1").header("if-match", "1"), cluster().to_string()).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(pointers(&answer.json()), ["#/headers/Idempotency-Key", "#/headers/If-Match"]);
    assert_eq!(surface.asked(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let surface = surface();
    let never = Body::from_stream(futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>());
    let request = asked("POST", "/v1/clusters").header("content-type", "application/json");
    let answer = surface.send(request.header("idempotency-key", "k"), never).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (StatusCode::REQUEST_TIMEOUT, "application/problem+json")
    );
    assert_eq!(answer.json()["detail"], "the body did not arrive in 30 seconds");
    assert_eq!(surface.asked(), 0);
}

#[tokio::test]
async fn all_findings_of_a_request_come_in_one_problem() {
    let surface = surface();
    let request = asked("POST", "/v1/clusters?color=red").header("content-type", "application/json");
    let body = json!({ "region": 7, "colour": 1, "vpcCidr": null });
    let answer = surface.send(request, body.to_string()).await;
    let problem = answer.json();
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!((problem["code"].as_str(), problem["status"].as_u64()), (Some("invalid_input"), Some(400)));
    let mut found = pointers(&problem);
    found.sort_unstable();
    assert_eq!(found, ["#/headers/Idempotency-Key", "/color", "/colour", "/region", "/tag", "/vpcCidr"]);
    assert_eq!((problem["requestId"].as_str(), answer.header("x-request-id")), (Some("made-here"), "made-here"));
    assert_eq!(surface.asked(), 0, "nothing reached the front door");
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_by_type_size_or_place() {
    let surface = surface();
    let request =
        |kind: &str| asked("POST", "/v1/clusters").header("idempotency-key", "k").header("content-type", kind);
    let answer = surface.send(request("text/plain"), "{}").await;
    assert_eq!(
        (answer.status, &answer.json()["code"]),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, &json!("unsupported_media_type"))
    );
    let answer = surface.send(request("application/json").header("content-encoding", "gzip"), "{}").await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    for kind in ["application/json; charset=latin-1", "application/json;charset=\"utf-16\"", "application/jsonx"] {
        let answer = surface.send(request(kind), "{}").await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let twice = request("application/json").header("content-type", "text/plain");
    assert_eq!(surface.send(twice, "{}").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    for kind in ["Application/JSON", "application/json; charset=UTF-8", "application/json;charset=\"utf-8\""] {
        let answer = surface.send(request(kind), cluster().to_string()).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{kind}");
    }
    let asked = surface.asked();
    let answer = surface.send(request("application/json"), "{\"tag\": ").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.json()["detail"].as_str().unwrap().contains("line 1 column 8"), "{}", answer.text);
    let answer = surface.send(request("application/json"), "[]").await;
    assert!(answer.json()["detail"].as_str().unwrap().contains("expected a JSON object"), "{}", answer.text);
    let large = format!("{{\"tag\": \"{}\"}}", "a".repeat(crate::BODY_LIMIT));
    let answer = surface.send(request("application/json"), large).await;
    assert_eq!((answer.status, &answer.json()["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("payload_too_large")));
    let announced = request("application/json").header("content-length", "1048577");
    assert_eq!(surface.send(announced, "{}").await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(surface.asked(), asked);
}

#[tokio::test]
async fn two_groups_of_one_name_are_refused() {
    let surface = surface();
    let group = r#"{"zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 1}"#;
    let body = format!("{{\"instanceGroups\": {{\"g\": {group}, \"g\": {group}}}}}");
    let request = asked("POST", "/v1/clusters/a/hyperpod").header("idempotency-key", "k");
    let answer = surface.send(request.header("content-type", "application/json; charset=utf-8"), body).await;
    assert_eq!((answer.status, pointers(&answer.json())), (StatusCode::BAD_REQUEST, vec!["/instanceGroups/g"]));
}

#[tokio::test]
async fn an_unknown_route_is_404_and_a_wrong_method_405_with_allow() {
    let surface = surface();
    for path in ["/v1/nothing", "/v1", "/v1/clusters/a/nothing", "/v1/clusters/"] {
        let answer = surface.get(path).await;
        assert_eq!((answer.status, &answer.json()["code"]), (StatusCode::NOT_FOUND, &json!("not_found")), "{path}");
    }
    for (method, path, allowed) in [
        ("DELETE", "/v1/clusters", "GET, HEAD, POST"),
        ("PUT", "/v1/clusters/a", "GET, HEAD"),
        ("GET", "/v1/imports", "POST"),
        ("OPTIONS", "/v1/health", "GET, HEAD"),
    ] {
        let answer = surface.send(asked(method, path), "").await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (StatusCode::METHOD_NOT_ALLOWED, allowed),
            "{method} {path}"
        );
        assert_eq!(answer.json()["status"], 405);
    }
}

#[tokio::test]
async fn what_the_caller_has_already_is_not_sent_again() {
    let surface = surface();
    let first = surface.get("/v1/clusters").await;
    let tag = first.header("etag").to_owned();
    assert!(first.status == StatusCode::OK && tag.starts_with('"') && tag.ends_with('"'));
    for known in [tag.clone(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
        let answer = surface.send(asked("GET", "/v1/clusters").header("if-none-match", &known), "").await;
        assert_eq!((answer.status, answer.text.as_str()), (StatusCode::NOT_MODIFIED, ""), "{known}");
        assert_eq!(answer.header("etag"), tag);
    }
    let answer = surface.send(asked("GET", "/v1/clusters").header("if-none-match", "\"other\""), "").await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_generation_that_the_caller_has_seen_reaches_the_front_door() {
    let surface = surface();
    let request = |seen: &str| {
        asked("POST", "/v1/clusters/a/stop-spending").header("idempotency-key", "k").header("if-match", seen)
    };
    assert_eq!(surface.send(request("\"3\""), "").await.status, StatusCode::ACCEPTED);
    assert_eq!(surface.last().2.expected_generation, Some(3));
    assert_eq!(surface.send(request("4"), "").await.status, StatusCode::ACCEPTED);
    assert_eq!(surface.last().2.expected_generation, Some(4));
    let answer = surface.send(request("W/x"), "").await;
    assert_eq!((answer.status, pointers(&answer.json())), (StatusCode::BAD_REQUEST, vec!["#/headers/If-Match"]));
}

#[tokio::test]
async fn a_refusal_of_the_front_door_is_a_problem_with_the_requests_id() {
    let surface = surface();
    let answer = surface.send(asked("GET", "/v1/clusters/refused").header("x-request-id", "mine-1"), "").await;
    let problem = answer.json();
    assert_eq!((answer.status, &problem["code"]), (StatusCode::CONFLICT, &json!("conflict")));
    assert_eq!((problem["requestId"].as_str(), answer.header("x-request-id")), (Some("mine-1"), "mine-1"));
    let answer = surface.send(asked("GET", "/v1/clusters").header("x-request-id", "<script>"), "").await;
    assert_eq!(answer.header("x-request-id"), "made-here", "an id of other characters is not repeated");
    let answer = surface.get("/v1/choices/zones?region=us-west-2").await;
    assert_eq!((answer.status, answer.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "5"));
}

#[tokio::test(start_paused = true)]
async fn a_third_wait_of_one_principal_is_refused_while_two_go_on() {
    let surface = surface();
    let path = format!("/v1/operations/{OPERATION}/wait");
    let (first, second, third) = tokio::join!(surface.get(&path), surface.get(&path), surface.get(&path));
    let mut statuses = [first.status.as_u16(), second.status.as_u16(), third.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(surface.get(&path).await.status, StatusCode::OK, "once they have ended");
}

#[tokio::test(start_paused = true)]
async fn br_136_a_call_that_hangs_is_answered_before_the_gateway_gives_up() {
    let surface = surface();
    let began = tokio::time::Instant::now();
    let answer = surface.get("/v1/health").await;
    assert!(began.elapsed() < Duration::from_secs(29));
    assert_eq!((answer.status, &answer.json()["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("deadline_exceeded")));
    assert_eq!(answer.json()["requestId"], "made-here");
}

#[tokio::test]
async fn the_document_is_served_and_lists_every_status_that_was_seen_here() {
    let surface = surface();
    let answer = surface.send(anonymous("GET", "/openapi.json"), "").await;
    assert_eq!(answer.json()["openapi"], "3.1.0");
    let create = &answer.json()["paths"]["/v1/clusters"]["post"]["responses"];
    for status in ["200", "202", "400", "401", "403", "405", "409", "412", "413", "415", "422", "429", "500", "503"] {
        assert!(create[status].is_object(), "{status}");
    }
}

#[tokio::test]
async fn every_route_of_the_list_reaches_its_operation() {
    let surface = surface();
    for descriptor in contract::ALL.iter().filter(|descriptor| descriptor.validates.is_none()) {
        if descriptor.name == "get_health" || descriptor.name == "wait_for_operation" {
            continue;
        }
        let path =
            descriptor.path.replace("{tag}", "a").replace("{stage}", "storage").replace("{operationId}", OPERATION);
        let path = if descriptor.path.contains("/choices/") && !path.ends_with("regions") {
            format!("{path}?region=us-west-2")
        } else {
            path
        };
        match descriptor.method {
            contract::Method::Get => surface.get(&path).await,
            contract::Method::Post => surface.post(&path, sample(descriptor.name)).await,
        };
        assert_eq!(surface.last().0, descriptor.name);
    }
}

fn sample(name: &str) -> Value {
    let group = json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 0 });
    match name {
        "create_cluster" => cluster(),
        "create_hyperpod" => json!({ "instanceGroups": { "g": group } }),
        "import_cluster" => json!({ "eksClusterName": "old", "region": "us-west-2" }),
        _ => json!({}),
    }
}
