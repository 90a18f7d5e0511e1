//! The account as its callers hold it: one world behind one door, with its clock and its life.

mod door;
mod keep;
mod kubernetes;
mod snapshot;
mod storage;

pub use door::AnswerLost;
pub use keep::{Keep, KeepError};
pub use kubernetes::{KubernetesService, Unanswered, kubernetes_service, serve_kubernetes};
pub use snapshot::Snapshot;

use crate::{
    call::{Answer, Call},
    clock::Clock,
    dynamodb::Tables,
    iam, invocation,
    lambda::Functions,
    services,
    states::runner::{self, Door},
    world::World,
};
use jiff::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::{sync::watch, task::JoinHandle};

/// How calls are answered: [`services::handle`], or a handler of a test's own.
pub type Handler = fn(&mut World, &Call) -> Answer;

/// A handle to a simulated account; clones are the same account.
#[derive(Clone)]
pub struct Account {
    inner: Arc<Inner>,
}

struct Inner {
    world: Mutex<World>,
    tables: Tables,
    clock: Clock,
    handler: Handler,
    functions: OnceLock<Functions>,
    changes: watch::Sender<u64>,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Account").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl Account {
    /// An account with the given world, without DynamoDB tables.
    ///
    /// # Errors
    /// If the database of the tables cannot be made.
    pub fn new(world: World, clock: Clock) -> Result<Self, KeepError> {
        Self::with_handler(world, clock, services::handle)
    }

    /// The same with a handler in the place of all services but DynamoDB.
    ///
    /// # Errors
    /// If the database of the tables cannot be made.
    pub fn with_handler(world: World, clock: Clock, handler: Handler) -> Result<Self, KeepError> {
        let tables = Tables::new(clock)?;
        Ok(Self::of(world, tables, clock, handler))
    }

    fn of(world: World, tables: Tables, clock: Clock, handler: Handler) -> Self {
        let (functions, changes) = (OnceLock::new(), watch::Sender::new(0));
        let inner = Inner { world: Mutex::new(world), tables, clock, handler, functions, changes };
        Self { inner: Arc::new(inner) }
    }

    /// Gives the account the code of its Lambda functions, which is often made with clients of the account itself. Only
    /// the first time counts; false says that there were functions already. A fork begins without.
    pub fn set_functions(&self, functions: Functions) -> bool {
        self.inner.functions.set(functions).is_ok()
    }

    fn functions(&self) -> Functions {
        self.inner.functions.get().cloned().unwrap_or_else(|| Functions::new("us-east-1"))
    }

    /// The account's time.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// The account's clock.
    pub fn clock(&self) -> Clock {
        self.inner.clock
    }

    /// Works on the world as of now, and wakes those who wait for [`changes`](Self::changes).
    pub fn with_world<R>(&self, work: impl FnOnce(&mut World) -> R) -> R {
        let result = work(&mut self.inner.world());
        self.inner.changed();
        result
    }

    /// Looks at the world as of now. Wakes nobody, so that one may look at each change.
    pub fn read<R>(&self, look: impl FnOnce(&World) -> R) -> R {
        look(&self.inner.world())
    }

    /// Counts the world's changes: wait for `changed()` and look again.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Starts the account's life: lets what is on the agenda happen in time, and makes the invocations that Step
    /// Functions and Lambda's queue ask for. It ends when the task is aborted, or, in an account without functions, when
    /// the account is dropped.
    ///
    /// Without it the world catches up whenever someone asks it something, and asynchronous invocations wait.
    pub fn run(&self) -> JoinHandle<()> {
        let life = self.life();
        let Some(functions) = self.inner.functions.get().cloned() else { return tokio::spawn(life) };
        let invocations = runner::run(self.clone(), functions, lambda_session);
        tokio::spawn(async move {
            tokio::select! {
                () = life => {}
                () = invocations => {}
            }
        })
    }

    fn life(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut changes = self.changes();
        let (account, clock) = (Arc::downgrade(&self.inner), self.inner.clock);
        async move {
            loop {
                // The account's drop closes the channel, and with it this loop.
                let Some(inner) = account.upgrade() else { return };
                changes.mark_unchanged();
                let next = inner.world().agenda.next_time();
                drop(inner);
                let due = async {
                    match next {
                        Some(next) => clock.sleep_until(next).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = due => {}
                    changed = changes.changed() => if changed.is_err() { return },
                }
            }
        }
    }
}

impl Inner {
    /// The world, brought up to now. A panic while it was held leaves it as it was then.
    fn world(&self) -> MutexGuard<'_, World> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        if world.agenda.next_time().is_some_and(|next| next <= now) {
            world.advance(now);
            self.changed();
        }
        world
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Door for Account {
    fn with_world<R>(&self, change: impl FnOnce(&mut World) -> R) -> R {
        self.with_world(change)
    }

    fn read<R>(&self, look: impl FnOnce(&World) -> R) -> R {
        self.read(look)
    }

    fn now(&self) -> Timestamp {
        self.now()
    }

    async fn changed(&self) {
        // The account holds the sender, so the wait cannot fail.
        let _ = self.changes().changed().await;
    }

    async fn sleep_until(&self, at: Timestamp) {
        self.clock().sleep_until(at).await;
    }
}

/// Credentials with which Lambda runs a function; none if it cannot assume the function's role (yet).
fn lambda_session(world: &mut World, role: &str, session: &str, now: Timestamp) -> Option<invocation::Credentials> {
    if iam::role_assumable_by(world, role, "lambda.amazonaws.com", now) != iam::RoleState::Trusted {
        return None;
    }
    let opened = iam::session_for_role(world, role, session, now)?;
    Some(invocation::Credentials {
        access_key_id: opened.access_key_id,
        secret_access_key: opened.secret_access_key,
        session_token: opened.session_token?,
    })
}

#[cfg(test)]
mod tests;
