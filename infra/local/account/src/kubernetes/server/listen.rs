//! The HTTPS endpoint of a cluster on this machine.

use super::{Authority, Body};
use hyper::body::Incoming;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use std::{io, net::Ipv4Addr, sync::Arc};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Opens a port of the loopback interface; 0 lets the system choose.
///
/// # Errors
/// If the port is taken.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// Serves HTTPS on `listener` for as long as it is polled, under a certificate of `authority`; `names` are further host
/// names in it. A request that `service` fails ends its connection.
///
/// # Errors
/// If the authority cannot sign.
pub async fn serve<S>(service: S, authority: &Authority, listener: TcpListener, names: &[String]) -> io::Result<()>
where
    S: tower::Service<http::Request<Incoming>, Response = http::Response<Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let acceptor = acceptor(authority, names)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(service.clone()));
        tokio::spawn(async move {
            // A client that speaks no TLS, or leaves, is its own concern.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
}

fn acceptor(authority: &Authority, names: &[String]) -> io::Result<TlsAcceptor> {
    let (chain, key) = authority.sign(names).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
