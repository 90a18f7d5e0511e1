//! The console's files.

use super::*;

/// A built console in a folder of its own, which is removed in the end.
pub(super) struct Built(pub(super) std::path::PathBuf);

impl Built {
    pub(super) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("console-{}-{name}", std::process::id()));
        std::fs::create_dir_all(root.join("assets")).unwrap();
        std::fs::write(root.join("index.html"), "<!doctype html>").unwrap();
        std::fs::write(root.join("assets/index-0a1b2c.js"), "export {}").unwrap();
        std::fs::write(root.join("favicon.svg"), "<svg/>").unwrap();
        Self(root)
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn files_are_kept_by_their_hash_and_the_page_never() {
    let built = Built::new("kept");
    let surface = surface_with(Some(built.0.clone()));
    let script = surface.send(anonymous("GET", "/assets/index-0a1b2c.js"), "").await;
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    let icon = surface.send(anonymous("GET", "/favicon.svg"), "").await;
    assert_eq!((icon.header("cache-control"), icon.header("content-type")), ("no-cache", "image/svg+xml"));
    for path in ["/", "/clusters/team-a", "/operations/01J9"] {
        let page = surface.send(anonymous("GET", path).header("accept", "text/html,*/*"), "").await;
        assert_eq!((page.status, page.text.as_str()), (StatusCode::OK, "<!doctype html>"), "{path}");
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(page.header("content-security-policy").contains("script-src 'self';"));
        assert_eq!((page.header("x-content-type-options"), page.header("x-frame-options")), ("nosniff", "DENY"));
    }
}

#[tokio::test]
async fn what_is_no_file_is_the_page_only_for_a_browser_outside_the_programs_paths() {
    let built = Built::new("fallback");
    let surface = surface_with(Some(built.0.clone()));
    let json = surface.send(anonymous("GET", "/clusters/team-a").header("accept", "application/json"), "").await;
    assert_eq!((json.status, &json.json()["code"]), (StatusCode::NOT_FOUND, &json!("not_found")));
    for path in ["/v1/nothing", "/.well-known/oauth-protected-resource"] {
        let answer = surface.send(asked("GET", path).header("accept", "text/html"), "").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    let answer = surface.send(asked("GET", "/mcp").header("accept", "text/html"), "").await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    let answer = surface.send(anonymous("POST", "/favicon.svg"), "").await;
    assert_eq!((answer.status, answer.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD"));
}

#[tokio::test]
async fn nothing_outside_the_folder_is_served() {
    let built = Built::new("outside");
    let surface = surface_with(Some(built.0.join("assets")));
    for path in ["/../index.html", "/..%2findex.html", "//etc/passwd", "/%2e%2e/index.html", "/./../favicon.svg"] {
        let answer = surface.send(anonymous("GET", path), "").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn without_a_built_console_the_programs_paths_work() {
    let surface = surface();
    let answer = surface.send(anonymous("GET", "/").header("accept", "text/html"), "").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(surface.get("/v1/clusters").await.status, StatusCode::OK);
}
