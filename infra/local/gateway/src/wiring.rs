//! What a function is given: clock, chance, identity, table and state machines.

use crate::sessions::Sessions;
use account::{Account, account::Unanswered, iam::Credentials, in_process};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_async::{
    rt::sleep::{SharedAsyncSleep, TokioSleep},
    time::SharedTimeSource,
};
use cloud::Cloud;
use domain::{ids::Region, naming};
use engine::{
    context::{Context, Entropy},
    record::Target,
    starter::{Machines, Starter},
    store::Store,
    submit::Desk,
    tick::Engine,
};
use kubernetes::{Call, Reach, Unreachable};
use tower::{BoxError, ServiceExt};

/// How the project buckets' names begin.
pub const BUCKET_PREFIX: &str = "sagemaker-hyperpod";

/// The account id of the simulated account.
pub use account::call::ACCOUNT_ID;

/// Names under which the product is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The account.
    pub account: String,
    /// The Region in which the control plane itself runs.
    pub region: Region,
    /// The table.
    pub table: String,
    /// The state machines.
    pub machines: Machines,
    /// ARN of the policy that the roles which the product makes never exceed, if there is one.
    pub permissions_boundary: Option<String>,
}

impl Installed {
    /// The names in `region` of the simulated account.
    pub fn in_region(region: &Region) -> Self {
        let prefix = format!("arn:aws:states:{region}:{ACCOUNT_ID}:stateMachine:{}", naming::DEPLOYED_PREFIX);
        Self {
            account: ACCOUNT_ID.to_owned(),
            region: region.clone(),
            table: "hyperpod-instantstart".to_owned(),
            machines: Machines { cluster: format!("{prefix}cluster"), operation_prefix: prefix },
            permissions_boundary: None,
        }
    }

    /// The account and Region of the control plane itself.
    pub fn home(&self) -> Target {
        Target { account: self.account.clone(), region: self.region.clone(), role_arn: None }
    }
}

/// Everything that one function runs with.
#[derive(Debug, Clone)]
pub struct Wired {
    /// How AWS is reached, as the function's role.
    pub cloud: Cloud,
    /// How Kubernetes endpoints are reached.
    pub reach: Reach,
    /// Clock, chance and table.
    pub engine: Engine,
    /// For those who submit, settle or sweep.
    pub desk: Desk,
    /// As of [`Installed`].
    pub permissions_boundary: Option<String>,
}

impl Wired {
    /// Wires a function that runs with `credentials` in `account`.
    pub async fn new(account: &Account, installed: &Installed, credentials: &Credentials) -> Self {
        Self::through(account, installed, cloud(account, credentials)).await
    }

    /// Wires what runs for longer than a session lasts, as the role of `function`: the front door.
    pub async fn of(account: &Account, installed: &Installed, function: &str) -> Self {
        Self::through(account, installed, cloud_of(account, function)).await
    }

    async fn through(account: &Account, installed: &Installed, cloud: Cloud) -> Self {
        let context = context(account);
        let home = installed.home();
        let (read, change) = (cloud.engine_config(&home).await, cloud.engine_change_config(&home).await);
        let tables = [&read, &change].map(aws_sdk_dynamodb::Client::new);
        let store = Store::new(tables, &installed.table);
        let starter = Starter::new([&read, &change].map(aws_sdk_sfn::Client::new), installed.machines.clone());
        let engine = Engine { context: context.clone(), store: store.clone() };
        Self {
            cloud,
            reach: reach(account),
            engine,
            desk: Desk { context, store, starter },
            permissions_boundary: installed.permissions_boundary.clone(),
        }
    }
}

/// How AWS is reached with `credentials`.
pub fn cloud(account: &Account, credentials: &Credentials) -> Cloud {
    let signer = aws_credential_types::Credentials::new(
        &credentials.access_key_id,
        &credentials.secret_access_key,
        credentials.session_token.clone(),
        None,
        "local",
    );
    cloud_as(account, SharedCredentialsProvider::new(signer))
}

/// How AWS is reached as the role of `function`, in one session after the other.
fn cloud_of(account: &Account, function: &str) -> Cloud {
    let sessions = Sessions::of(account, &naming::function_role(function));
    cloud_as(account, SharedCredentialsProvider::new(sessions))
}

fn cloud_as(account: &Account, credentials: SharedCredentialsProvider) -> Cloud {
    Cloud {
        http: in_process::http_client(account),
        endpoint: None,
        credentials,
        time: SharedTimeSource::new(account.clock()),
        sleep: SharedAsyncSleep::new(TokioSleep::new()),
        kept: ::cloud::Kept::default(),
        sessions: ::cloud::Sessions::default(),
    }
}

/// How the account's Kubernetes endpoints are reached. A host that no cluster has is one that no name server knows.
pub fn reach(account: &Account) -> Reach {
    let service = account::account::kubernetes_service(account);
    Reach::new(move |_| {
        ServiceExt::<Call>::map_err(service.clone(), |unanswered| -> BoxError {
            match unanswered {
                Unanswered::NoSuchHost(host) => {
                    Box::new(Unreachable { url: host, why: "its name is not known".to_owned() })
                }
                Unanswered::Lost => Box::new(Unanswered::Lost),
            }
        })
    })
}

/// The account's clock, and chance by the world's seed, so that a journey can be run again exactly.
pub fn context(account: &Account) -> Context {
    let source = account.clone();
    let entropy = Entropy::new(move || {
        let (first, second) = source.with_world(|world| {
            (world.next_number("entropy of the functions"), world.next_number("entropy of the functions"))
        });
        (u128::from(first) << 64 | u128::from(second)).to_be_bytes()
    });
    Context { time: SharedTimeSource::new(account.clock()), entropy }
}
