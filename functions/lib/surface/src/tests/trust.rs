//! Who is let in.

use super::*;

#[tokio::test]
async fn without_a_valid_token_nothing_is_answered_but_a_challenge() {
    let surface = surface();
    for credential in [None, Some("Bearer "), Some("Bearer wrong"), Some("Basic dG9rZW4="), Some(PEOPLE)] {
        for path in ["/v1/clusters", "/v1/nothing", "/mcp", "/mcp/"] {
            let mut request = anonymous("GET", path);
            if let Some(credential) = credential {
                request = request.header("authorization", credential);
            }
            let answer = surface.send(request, "").await;
            assert_eq!(
                (answer.status, answer.header("www-authenticate")),
                (StatusCode::UNAUTHORIZED, "Bearer"),
                "{path}"
            );
            assert_eq!(answer.json()["code"], "unauthenticated");
        }
    }
    assert_eq!(surface.asked(), 0);
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_path() {
    let surface = surface();
    for host in ["evil.example:3099", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:3099"] {
        for path in ["/", "/openapi.json", "/v1/clusters", "/mcp"] {
            let request = http::Request::builder().method("POST").uri(path).header("host", host);
            let answer = surface.send(request.header("authorization", format!("Bearer {PEOPLE}")), "").await;
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (StatusCode::FORBIDDEN, &json!("permission_denied")),
                "{host} {path}"
            );
        }
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1:3000", "https://127.0.0.1:3099"] {
        let answer = surface.send(asked("GET", "/v1/clusters").header("origin", origin), "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin}");
    }
    for (host, origin) in [("localhost:3099", "http://localhost:3099"), ("[::1]:3099", "http://[::1]:3099")] {
        let request = http::Request::builder().uri("/v1/clusters").header("host", host).header("origin", origin);
        let answer = surface.send(request.header("authorization", format!("bearer {PEOPLE}")), "").await;
        assert_eq!(answer.status, StatusCode::OK, "{host}");
    }
}

#[tokio::test]
async fn agents_may_do_all_but_approve() {
    let surface = surface();
    let request = anonymous("POST", "/v1/clusters/a/stop-spending").header("idempotency-key", "k");
    let answer = surface.send(request.header("authorization", format!("Bearer {AGENTS}")), "").await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    let (_, _, request) = surface.last();
    assert!(request.principal.agent && !request.scopes.contains(&contract::Scope::Approve));
    assert!(request.scopes.contains(&contract::Scope::Operate));
}

#[tokio::test]
async fn a_caller_without_the_scope_is_told_which_one() {
    let script = Script::default();
    let settings = Settings { assets: None, request_ids: RequestIds::new(|| "made-here".to_owned()), trust: None };
    let reader = crate::Caller {
        principal: crate::Principal { id: "reader".to_owned(), agent: true },
        scopes: vec![contract::Scope::Read],
    };
    let surface = Surface { calls: Arc::clone(&script.calls), router: router(script, settings) };
    let request = || anonymous("POST", "/v1/clusters/a/stop-spending").header("idempotency-key", "k");
    let answer = surface.send(request().extension(reader), "").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(answer.header("www-authenticate"), "Bearer error=\"insufficient_scope\", scope=\"operate\"");
    assert_eq!(answer.json()["requiredScope"], json!(["operate"]));
    let answer = surface.send(request(), "").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "without an authorizer's word nobody is anybody");
}

#[tokio::test]
async fn the_tokens_are_not_in_what_is_printed_for_debugging() {
    let printed = format!("{:?}", LocalTrust::new(3099, PEOPLE, AGENTS));
    assert!(!printed.contains(PEOPLE) && !printed.contains(AGENTS), "{printed}");
}
