//! Starting the local product: the kept account or a new one, the product on it, and the ports.

use crate::{
    functions, hold, install,
    keeping::{Keeper, Lasting},
    serving,
    wiring::{self, ACCOUNT_ID, Installed, Wired},
};
use account::{Account, account::Keep, clock::Clock, iam, server, world::World};
use anyhow::{Context as _, Result, anyhow};
use api::{Api, Setup};
use jiff::SignedDuration;
use options::Options;
use surface::{RequestIds, Settings, trust::LocalTrust};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

/// The Region in which the control plane itself runs locally.
const HOME: &str = "us-west-2";

/// How long before it is first used the product is deployed into a fresh account, at AWS's pace: roles take up to that
/// long to work everywhere, and whoever deploys for real has waited for the stack by then.
const DEPLOYED_BEFORE: SignedDuration = SignedDuration::from_mins(1);

/// The two tokens of one start.
struct Tokens {
    people: String,
    agents: String,
}

/// Runs until Ctrl-C or SIGTERM; what is then is kept.
///
/// # Errors
/// If a port is taken, or the state folder cannot be used.
pub async fn up(options: Options) -> Result<()> {
    let product = listen(options.port).await?;
    let aws = listen(options.account_port).await?;
    let installed = Installed::in_region(&HOME.parse().context("the home Region")?);
    let _held = hold::hold(&options.state)?;
    let account = open(&options, &installed).await?;
    account.set_functions(functions::all(&account, &installed));
    account.run();
    tokio::spawn(account::account::serve_kubernetes(account.clone()));
    let tokens = Tokens { people: token(), agents: token() };
    let keeper = Keeper::start(&account, &options.state);
    keeper.now().await.map_err(|why| anyhow!("the world cannot be kept: {why}"))?;
    let ids = RequestIds::new(token);
    let router = router(&options, &account, &installed, (&tokens, keeper.clone(), ids.clone())).await;
    print_links(&options, &account, &tokens);
    tokio::select! {
        () = serving::serve(product, router, ids) => {}
        () = server::serve(account.clone(), aws) => {}
        stopped = told_to_stop() => stopped.context("waiting for Ctrl-C")?,
    }
    keeper.now().await.map_err(|why| anyhow!("the world is not kept: {why}"))?;
    println!("The world is kept in {}.", options.state.display());
    Ok(())
}

async fn router(
    options: &Options,
    account: &Account,
    installed: &Installed,
    (tokens, keeper, request_ids): (&Tokens, Keeper, RequestIds),
) -> axum::Router {
    // As its own role, which reads AWS, writes records and starts executions, and can do nothing else.
    let wired = Wired::of(account, installed, "api").await;
    let api = Api::new(Setup {
        desk: wired.desk,
        cloud: wired.cloud,
        account: installed.account.clone(),
        role_arn: None,
        kubernetes: Some(wired.reach),
    });
    let settings = Settings {
        assets: options.console.clone().filter(|folder| folder.is_dir()),
        request_ids,
        trust: Some(LocalTrust::new(options.port, tokens.people.as_str(), tokens.agents.as_str())),
    };
    surface::router(Lasting::new(api, keeper), settings)
}

/// The account with the product in it: a kept one, where the deployment is brought up to date, or a new one.
async fn open(options: &Options, installed: &Installed) -> Result<Account> {
    if options.fresh {
        Keep::forget(&options.state).context("forgetting the kept world")?;
    }
    if !options.keeps_a_world() {
        return fresh(options, installed).await;
    }
    let account = Account::open(&options.state, Clock::starting_at(now()))?;
    account.with_world(|world| world.pace = options.speed);
    install::install(&account, installed, &account.read(iam::root_credentials)).await?;
    Ok(account)
}

/// A new account, furnished as people find theirs, into which the product was deployed a moment ago.
async fn fresh(options: &Options, installed: &Installed) -> Result<Account> {
    let mut world = World::new(rand::random(), options.speed);
    world.eks.first_port = Some(options.kubernetes_port);
    let deployed = now() - world.paced(DEPLOYED_BEFORE);
    let (account_id, home) = (ACCOUNT_ID.parse().context("the account")?, HOME.parse().context("the home Region")?);
    let bucket = domain::naming::project_bucket(wiring::BUCKET_PREFIX, &account_id, &home)?;
    account::seed::furnish(&mut world, deployed, HOME, &bucket);
    if !options.empty {
        account::seed::found_clusters(&mut world, deployed, HOME).context("furnishing the account")?;
    }
    let account = Account::new(world, Clock::starting_at(deployed))?;
    install::install(&account, installed, &account.read(iam::root_credentials)).await?;
    Ok(account.snapshot()?.with_clock(Clock::starting_at(now()))?)
}

async fn listen(port: u16) -> Result<TcpListener> {
    let taken = || format!("port {port} on 127.0.0.1 is taken; end what uses it or choose another port");
    TcpListener::bind(("127.0.0.1", port)).await.with_context(taken)
}

async fn told_to_stop() -> std::io::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        stopped = tokio::signal::ctrl_c() => stopped,
        _ = terminated.recv() => Ok(()),
    }
}

fn print_links(options: &Options, account: &Account, tokens: &Tokens) {
    let (port, aws) = (options.port, options.account_port);
    let root = account.read(iam::root_credentials);
    let configuration = serde_json::json!({ "mcpServers": { "hyperpod-instantstart": {
        "type": "http",
        "url": format!("http://127.0.0.1:{port}/mcp"),
        "headers": { "Authorization": format!("Bearer {}", tokens.agents) },
    } } });
    println!("HyperPod InstantStart is up, {}.\n", pace(options.speed));
    println!("Console     http://127.0.0.1:{port}/#token={}", tokens.people);
    println!("REST        curl -H 'Authorization: Bearer {}' http://127.0.0.1:{port}/v1/clusters", tokens.people);
    println!("MCP client  {configuration}");
    println!(
        "AWS         AWS_ACCESS_KEY_ID={} AWS_SECRET_ACCESS_KEY={} aws --region {HOME} --endpoint-url http://127.0.0.1:{aws} eks list-clusters",
        root.access_key_id, root.secret_access_key
    );
    println!(
        "\nThe two tokens in these lines are of this start: the next one prints others, to be put into MCP clients anew."
    );
    println!("Ctrl-C ends it; the world is kept in {}.", options.state.display());
}

/// How fast AWS is here, so that nobody takes AWS's own durations, which the product tells, for those of this machine.
fn pace(speed: u32) -> String {
    match speed {
        1 => "at AWS's own pace".to_owned(),
        _ => {
            let seconds = (6000.0 / f64::from(speed)).round() / 10.0;
            format!("at {speed} times AWS's pace: what takes ten minutes there takes {seconds} seconds here")
        }
    }
}

/// Thirty-two random bytes, for tokens; what is random for the product itself comes from the account's world.
fn token() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}

#[expect(clippy::disallowed_methods, reason = "the one place where the local product asks for the wall clock")]
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}
