//! Makes the invocations that the world asks for, and gives their outcomes back to it.

use super::Failure;
use crate::{
    invocation::Credentials,
    lambda::{self, Functions, Outcome},
    world::World,
};
use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{collections::BTreeSet, future::Future, pin::pin};

/// How the runner and Lambda reach the world.
pub trait Door: Clone + Send + Sync + 'static {
    /// Lets `change` change the world, and wakes everyone who waits for [`changed`](Self::changed).
    fn with_world<R>(&self, change: impl FnOnce(&mut World) -> R) -> R;

    /// Lets `look` read the world; wakes nobody.
    fn read<R>(&self, look: impl FnOnce(&World) -> R) -> R;

    /// The account's time.
    fn now(&self) -> Timestamp;

    /// Returns once the world was changed after the first poll; may return for nothing.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns once the account's time is `at`.
    fn sleep_until(&self, at: Timestamp) -> impl Future<Output = ()> + Send;
}

/// Gives credentials of a session (third) of a role (second); none if Lambda may not assume it.
pub type Sessions = fn(&mut World, &str, &str, Timestamp) -> Option<Credentials>;

/// An invocation to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Job {
    Task(u64),
    Queued(u64),
}

/// Makes invocations for as long as it is polled, as many at a time as there are.
///
/// What is under way is known to this future alone: a world that was read back has the same invocations to be made, and
/// those that were under way are made again, as Lambda's at-least-once delivery allows.
pub async fn run<D: Door>(door: D, functions: Functions, sessions: Sessions) {
    let mut claimed = BTreeSet::new();
    let mut running: FuturesUnordered<BoxFuture<'static, (Job, Outcome)>> = FuturesUnordered::new();
    loop {
        let mut changed = pin!(door.changed());
        if changed.as_mut().now_or_never().is_some() {
            changed.set(door.changed());
        }
        let now = door.now();
        for (job, function, payload) in door.read(|world| open(world, now)) {
            if claimed.insert(job) {
                let (door, functions) = (door.clone(), functions.clone());
                running.push(
                    async move { (job, lambda::invoke(&door, &functions, sessions, &function, payload).await) }.boxed(),
                );
            }
        }
        let next = door.read(|world| lambda::next_ready(world, now)).unwrap_or(Timestamp::MAX);
        let wake = async {
            match next == Timestamp::MAX {
                true => std::future::pending().await,
                false => door.sleep_until(next).await,
            }
        };
        tokio::select! {
            () = changed => {}
            () = wake => {}
            Some((job, outcome)) = running.next(), if !running.is_empty() => {
                claimed.remove(&job);
                let now = door.now();
                door.with_world(|world| finish(world, job, outcome, now));
            }
        }
    }
}

fn open(world: &World, now: Timestamp) -> Vec<(Job, String, Value)> {
    let tasks =
        world.states.tasks.iter().map(|(id, task)| (Job::Task(*id), task.function.clone(), task.payload.clone()));
    let queued = world.lambda.queue.iter().filter(|(_, queued)| queued.ready <= now);
    tasks
        .chain(queued.map(|(id, queued)| (Job::Queued(*id), queued.function.clone(), queued.payload.clone())))
        .collect()
}

fn finish(world: &mut World, job: Job, outcome: Outcome, now: Timestamp) {
    match job {
        Job::Queued(id) => lambda::delivered(world, id, &outcome, now),
        Job::Task(id) => {
            let direct = world.states.tasks.get(&id).is_some_and(|task| task.direct);
            super::complete(world, id, result(outcome, direct), now);
        }
    }
}

/// An outcome in the words of Step Functions.
fn result(outcome: Outcome, direct: bool) -> Result<Value, Failure> {
    match outcome {
        Outcome::Answered(payload) if direct => Ok(payload),
        Outcome::Answered(payload) => Ok(json!({"ExecutedVersion": "$LATEST", "Payload": payload, "StatusCode": 200})),
        Outcome::Threw(error) => Err(Failure::new(&error.error_type, error.payload().to_string())),
        Outcome::Refused { error, request_id } => {
            let (message, status) = (&error.message, error.status);
            let cause = format!("{message} (Service: Lambda, Status Code: {status}, Request ID: {request_id})");
            Err(Failure::new(&format!("Lambda.{}", error.code), cause))
        }
    }
}
