//! The port as someone meets it who writes bytes and not requests.

use super::*;
use axum::routing::post;

/// What a connection is told that says `parts`, one after the other, until it is closed.
async fn told(parts: &[&str]) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let headers = [("x-request-id", "ours")];
    let router = Router::new().route("/", post(async move |body: String| (headers, format!("got {body}"))));
    let server = tokio::spawn(serve(listener, router, RequestIds::new(|| "made".to_owned())));
    let mut stream = TcpStream::connect(address).await.unwrap();
    for part in parts {
        stream.write_all(part.as_bytes()).await.unwrap();
    }
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    server.abort();
    said
}

fn assert_problem(said: &str, status: u16, detail: &str) {
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    assert!(head.contains("content-type: application/problem+json"), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((&body["status"], &body["requestId"]), (&status.into(), &"made".into()));
    assert!(body["detail"].as_str().unwrap().contains(detail), "{body}");
}

#[tokio::test]
async fn requests_are_answered_one_after_the_other() {
    let one = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi";
    let last =
        "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyou\r\n0\r\n\r\n";
    let said = told(&[one, last]).await;
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 2, "{said}");
    assert!(said.contains("got hi") && said.ends_with("got you"), "{said}");
}

#[tokio::test]
async fn what_is_no_request_is_told_so_in_a_problem() {
    assert_problem(&told(&["what is this\r\n\r\n"]).await, 400, "not an HTTP/1.1 request");
    assert_problem(&told(&["POST / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n"]).await, 400, "not an HTTP/1.1");
    let long = format!("POST / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(HEAD_SIZE));
    assert_problem(&told(&[&long]).await, 431, "larger than 64 KiB");
    let many = format!("POST / HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(200));
    assert_problem(&told(&[&many]).await, 431, "more than 100 fields");
}

#[tokio::test]
async fn a_length_that_is_told_in_two_ways_is_refused() {
    for fields in ["content-length: 3\r\nTransfer-Encoding: chunked", "transfer-encoding: chunked\r\nContent-Length: 3"]
    {
        let said = told(&[&format!("POST / HTTP/1.1\r\nhost: a\r\n{fields}\r\n\r\n0\r\n\r\n")]).await;
        assert_problem(&said, 400, "both Content-Length and Transfer-Encoding");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_is_not_waited_for() {
    assert_problem(&told(&["POST / HTTP/1.1\r\nhost"]).await, 408, "ten seconds");
    assert_eq!(told(&[]).await, "", "nobody began a request");
}
