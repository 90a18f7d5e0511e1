//! The console's files: hashed ones for ever, the page itself never kept.

use crate::{headers::id_of, problem};
use axum::{Router, body::Body, extract::Request, extract::State, response::IntoResponse, response::Response};
use contract::problem::Problem;
use domain::ErrorCode;
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// Scripts, styles and fonts of our own only; styles in attributes are not needed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Folder whose file names carry a hash of their content.
const HASHED: &str = "assets/";

/// The page that every deep link opens.
const INDEX: &str = "index.html";

/// The console's files in a folder.
#[derive(Debug, Clone)]
pub struct Assets(Option<PathBuf>);

impl Assets {
    /// Of the folder `root`; none where the console is not built.
    pub fn new(root: Option<PathBuf>) -> Self {
        Self(root)
    }

    /// Serves the files, and answers `not_found` to all else.
    pub(crate) fn into_service(self) -> Router {
        Router::new().fallback(serve).with_state(Arc::new(self))
    }

    async fn find(&self, uri: &Uri, headers: &HeaderMap) -> Option<(String, Vec<u8>)> {
        let root = self.0.as_deref()?;
        let name = uri.path().trim_start_matches('/');
        if !name.is_empty()
            && let Some(bytes) = read(root, name).await
        {
            return Some((name.to_owned(), bytes));
        }
        let page = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let wants_page = page.is_some_and(|accept| accept.contains("text/html"));
        if !wants_page || is_program(uri.path()) {
            return None;
        }
        read(root, INDEX).await.map(|bytes| (INDEX.to_owned(), bytes))
    }
}

async fn serve(State(assets): State<Arc<Assets>>, request: Request) -> Response {
    let request_id = id_of(request.extensions());
    let found = assets.find(request.uri(), request.headers()).await;
    match found {
        Some((name, bytes)) if matches!(*request.method(), Method::GET | Method::HEAD) => file(&name, bytes),
        Some(_) => problem::method_not_allowed(request.method(), "GET, HEAD", &request_id),
        None => {
            let made = problem::problem(ErrorCode::NotFound, format!("there is nothing at {}", request.uri().path()));
            let action = "See /openapi.json for the routes.".to_owned();
            problem::respond(&Problem { request_id, action, ..made })
        }
    }
}

fn file(name: &str, bytes: Vec<u8>) -> Response {
    let keep = match name {
        INDEX => "no-store",
        hashed if hashed.starts_with(HASHED) => "public, max-age=31536000, immutable",
        _ => "no-cache",
    };
    let mut response = Body::from(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// A file below `root`; nothing outside it, whatever the name says.
async fn read(root: &Path, name: &str) -> Option<Vec<u8>> {
    let name = Path::new(name);
    if !name.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    tokio::fs::read(root.join(name)).await.ok()
}

fn is_program(path: &str) -> bool {
    let roots = ["/v1", "/mcp", "/oauth", "/.well-known", "/openapi.json"];
    roots.iter().any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
