//! The local product as a process: how soon it answers, what it weighs, how fast it serves on loopback.

use crate::{figure, quantile, rounded};
use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::net::TcpStream;

/// Connections that ask at the same time.
const CONNECTIONS: usize = 8;
/// How often each of them asks.
const REQUESTS: usize = 2_500;
/// How long the process is left alone before it is weighed.
const REST: Duration = Duration::from_secs(5);

/// The started product; ended when dropped.
struct Running {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) async fn figures(gateway: &Path) -> Result<Value> {
    let folder = std::env::temp_dir().join(format!("hyperpod-instantstart-figures-{}", std::process::id()));
    let measured = measured(gateway, &folder).await;
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

async fn measured(gateway: &Path, folder: &Path) -> Result<Value> {
    let began = Instant::now();
    let running = start(gateway, folder)?;
    let mut connection = connect(running.port, true).await?;
    let (status, _) = ask(&mut connection, &running, Method::GET, "/v1/health", None).await?;
    let first = began.elapsed();
    ensure!(status == StatusCode::OK, "the first answer was {status}");
    tokio::time::sleep(REST).await;
    let idle = resident(running.child.id())?;
    let cluster = json!({ "tag": "demo", "region": "us-west-2" });
    let (status, body) = ask(&mut connection, &running, Method::POST, "/v1/clusters", Some(cluster)).await?;
    ensure!(status == StatusCode::ACCEPTED, "the creation was answered {status}: {body}");
    succeeded(&mut connection, &running, &body).await?;
    let alone = loaded(&running, 1).await?;
    let together = loaded(&running, CONNECTIONS).await?;
    Ok(json!({
        "startToFirstAnswer": figure(rounded(first.as_secs_f64()), "s", "< 1"),
        "idleResident": figure(rounded(idle), "MB", "< 80"),
        "residentAfterLoad": figure(rounded(resident(running.child.id())?), "MB", ""),
        "getCluster": { "oneConnection": alone, "eightConnections": together },
    }))
}

fn start(gateway: &Path, folder: &Path) -> Result<Running> {
    let [port, account, kubernetes] = free_ports()?;
    let mut child = Command::new(gateway)
        .args(["--fresh", "--state"])
        .arg(folder)
        .args(["--port", &port.to_string(), "--account-port", &account.to_string()])
        .args(["--kubernetes-port", &kubernetes.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", gateway.display()))?;
    let output = child.stdout.take().context("the product's output")?;
    let mut lines = BufReader::new(output).lines();
    let token = loop {
        let line = lines.next().context("the product ended before it printed its links")??;
        if let Some((_, token)) = line.split_once("/#token=") {
            break token.trim().to_owned();
        }
    };
    // Goes on reading, so that the product never waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    Ok(Running { child, port, token })
}

fn free_ports() -> Result<[u16; 3]> {
    let listeners: Vec<_> =
        (0..3).map(|_| std::net::TcpListener::bind(("127.0.0.1", 0))).collect::<std::io::Result<_>>()?;
    let ports: Vec<u16> =
        listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect::<std::io::Result<_>>()?;
    ports.try_into().map_err(|_| anyhow::anyhow!("three ports"))
}

async fn connect(port: u16, patient: bool) -> Result<SendRequest<Full<Bytes>>> {
    let stream = loop {
        match TcpStream::connect(("127.0.0.1", port)).await {
            Ok(stream) => break stream,
            Err(_) if patient => tokio::time::sleep(Duration::from_millis(2)).await,
            Err(error) => return Err(error.into()),
        }
    };
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn ask(
    connection: &mut SendRequest<Full<Bytes>>,
    running: &Running,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> Result<(StatusCode, Value)> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, format!("127.0.0.1:{}", running.port))
        .header(header::AUTHORIZATION, format!("Bearer {}", running.token))
        .header(header::CONTENT_TYPE, "application/json")
        .header("idempotency-key", "figures")
        .body(Full::new(body.map(|body| body.to_string()).unwrap_or_default().into()))?;
    connection.ready().await?;
    let answer = connection.send_request(request).await?;
    let status = answer.status();
    let bytes = answer.into_body().collect().await?.to_bytes();
    Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
}

async fn succeeded(connection: &mut SendRequest<Full<Bytes>>, running: &Running, accepted: &Value) -> Result<()> {
    let id = accepted["operationId"].as_str().context("the operation's id")?;
    loop {
        let path = format!("/v1/operations/{id}");
        let (_, operation) = ask(connection, running, Method::GET, &path, None).await?;
        match operation["state"].as_str() {
            Some("succeeded") => return Ok(()),
            Some("accepted" | "running") => tokio::time::sleep(Duration::from_millis(200)).await,
            _ => bail!("the creation ended as {operation}"),
        }
    }
}

/// Reads the cluster again and again over `connections` connections: rate and latency.
async fn loaded(running: &Running, connections: usize) -> Result<Value> {
    let began = Instant::now();
    let load = (0..connections).map(|_| async {
        let mut connection = connect(running.port, false).await?;
        let mut taken = Vec::with_capacity(REQUESTS);
        for _ in 0..REQUESTS {
            let began = Instant::now();
            let (status, _) = ask(&mut connection, running, Method::GET, "/v1/clusters/demo", None).await?;
            ensure!(status == StatusCode::OK, "a read was answered {status}");
            taken.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        anyhow::Ok(taken)
    });
    let mut taken = futures::future::try_join_all(load).await?.concat();
    #[expect(clippy::cast_precision_loss, reason = "some ten thousand requests")]
    let rate = taken.len() as f64 / began.elapsed().as_secs_f64();
    Ok(json!({
        "requestsPerSecond": figure(rate.round(), "1/s", if connections > 1 { ">= 2000" } else { "" }),
        "p50": figure(rounded(quantile(&mut taken, 0.5)), "ms", ""),
        "p99": figure(rounded(quantile(&mut taken, 0.99)), "ms", "< 5"),
    }))
}

/// Resident memory in MB, as Linux tells it.
fn resident(process: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).context("/proc tells of processes")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
