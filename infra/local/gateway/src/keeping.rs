//! Keeping the world: soon after each change, and before an accepted request is answered, so that whoever was told of an
//! operation finds it again whatever happens to this process.

use account::{Account, account::Keep};
use contract::{Descriptor, Kind, problem::Problem};
use domain::ErrorCode;
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use surface::{FrontDoor, Request, problem::problem};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

/// How long a change waits for others that are kept with it, where nobody waits for it.
const SOON: Duration = Duration::from_secs(1);

/// How many times as long as a keep took nothing is kept after it that nobody waits for: on a machine that has no time for
/// it, keeping must not be most of what is done.
const PAUSES: u32 = 4;

/// What was kept last.
#[derive(Debug, Clone, Default)]
struct Kept {
    /// The count of the account's changes when the keeping began: all of them were in it.
    changes: u64,
    /// Why it failed, if it did.
    failure: Option<Arc<str>>,
}

/// Keeps one account, one keep after the other: those who ask while one is under way share the next.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    account: Account,
    asked: Arc<Notify>,
    kept: watch::Receiver<Kept>,
}

impl Keeper {
    /// Begins to keep `account` in `folder`; goes on until the runtime ends.
    pub(crate) fn start(account: &Account, folder: &Path) -> Self {
        let (asked, (tell, kept)) = (Arc::new(Notify::new()), watch::channel(Kept::default()));
        tokio::spawn(run(account.clone(), folder.to_owned(), Arc::clone(&asked), tell));
        Self { account: account.clone(), asked, kept }
    }

    /// Returns when everything that has changed by now is on the disk.
    ///
    /// # Errors
    /// Why it could not be written. It is tried again soon.
    pub(crate) async fn kept(&self) -> Result<(), Arc<str>> {
        let wanted = *self.account.changes().borrow();
        let mut kept = self.kept.clone();
        if kept.borrow().changes < wanted {
            self.asked.notify_one();
        }
        match kept.wait_for(|kept| kept.changes >= wanted).await {
            Ok(kept) => kept.failure.clone().map_or(Ok(()), Err),
            Err(_) => Err("nothing is kept any more".into()),
        }
    }

    /// Keeps what is now, whatever was kept before.
    ///
    /// # Errors
    /// As [`kept`](Self::kept).
    pub(crate) async fn now(&self) -> Result<(), Arc<str>> {
        self.account.with_world(|_| ());
        self.kept().await
    }
}

async fn run(account: Account, folder: PathBuf, asked: Arc<Notify>, tell: watch::Sender<Kept>) {
    let mut keep = Keep::in_folder(&folder);
    let mut changes = account.changes();
    changes.mark_changed();
    let mut pause = SOON;
    loop {
        tokio::select! {
            () = asked.notified() => {}
            () = soon(&mut changes, pause) => {}
        }
        let count = *changes.borrow_and_update();
        let account = account.clone();
        let began = Instant::now();
        let written = tokio::task::spawn_blocking(move || {
            let result = keep.keep(&account);
            (keep, result)
        });
        let failure = match written.await {
            Ok((again, result)) => {
                keep = again;
                result.err().map(|error| chain(&error))
            }
            Err(error) => {
                keep = Keep::in_folder(&folder);
                Some(format!("keeping ended early: {error}"))
            }
        };
        pause = SOON.max(began.elapsed() * PAUSES);
        let failure = failure.map(|why| {
            tracing::error!(why, "the world was not kept");
            changes.mark_changed();
            Arc::from(why)
        });
        tell.send_replace(Kept { changes: count, failure });
    }
}

async fn soon(changes: &mut watch::Receiver<u64>, pause: Duration) {
    // The keeper holds the account, and with it the sender.
    let _ = changes.changed().await;
    changes.mark_changed();
    tokio::time::sleep(pause).await;
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// A front door that answers for what it has accepted only when that is kept.
#[derive(Debug, Clone)]
pub(crate) struct Lasting<F> {
    door: F,
    keeper: Keeper,
}

impl<F> Lasting<F> {
    /// In front of `door`.
    pub(crate) fn new(door: F, keeper: Keeper) -> Self {
        Self { door, keeper }
    }
}

impl<F: FrontDoor> FrontDoor for Lasting<F> {
    async fn call(&self, descriptor: &'static Descriptor, input: Value, request: Request) -> Result<Value, Problem> {
        let accepts = descriptor.kind != Kind::Query && !request.validate_only;
        let answer = self.door.call(descriptor, input, request).await?;
        if accepts && let Err(why) = self.keeper.kept().await {
            let action =
                "See that the state folder can be written; what was accepted goes on, and list_operations tells of it."
                    .to_owned();
            let made = problem(ErrorCode::UpstreamUnavailable, format!("it is accepted, but could not be kept: {why}"));
            return Err(Problem { action, ..made });
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use account::{clock::Clock, world::World};

    fn account() -> Account {
        Account::new(World::new(1, 60), Clock::starting_at("2026-11-30T09:00:00Z".parse().unwrap())).unwrap()
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gateway-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[tokio::test]
    async fn what_was_waited_for_is_on_the_disk() {
        let (account, folder) = (account(), folder("kept"));
        let keeper = Keeper::start(&account, &folder);
        for number in 1..4 {
            account.with_world(|world| world.pace = number);
            keeper.kept().await.unwrap();
            let opened = Account::open(&folder, account.clock()).unwrap();
            assert_eq!(opened.read(|world| world.pace), number);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[tokio::test]
    async fn a_world_that_cannot_be_kept_is_told_to_those_who_wait() {
        let (account, folder) = (account(), folder("refused"));
        std::fs::write(&folder, "a file is in the way").unwrap();
        let keeper = Keeper::start(&account, &folder);
        account.with_world(|world| world.pace = 2);
        let why = keeper.kept().await.unwrap_err();
        assert!(why.contains(&*folder.to_string_lossy()), "{why}");
        std::fs::remove_file(&folder).unwrap();
        keeper.now().await.unwrap();
        assert!(Account::is_kept_in(&folder));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
