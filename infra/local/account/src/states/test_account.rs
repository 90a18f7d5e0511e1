//! An account for tests: a world, a paused clock, an agenda that is kept and the runner.

use super::{execution::Execution, runner};
use crate::{
    call::{Answer, Call, Caller},
    clock::Clock,
    invocation::Credentials,
    lambda::{FunctionError, Functions, InvocationContext},
    world::World,
};
use futures::{FutureExt, future::BoxFuture};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    future::Future,
    pin::pin,
    sync::{Arc, Mutex},
};
use tokio::{sync::Notify, task::JoinSet};

pub(crate) const ROLE: &str = "arn:aws:iam::111122223333:role/machine";

/// The world behind a lock, as a server would hold it.
#[derive(Clone)]
pub(crate) struct TestDoor {
    world: Arc<Mutex<World>>,
    clock: Clock,
    woken: Arc<Notify>,
}

impl runner::Door for TestDoor {
    fn with_world<R>(&self, change: impl FnOnce(&mut World) -> R) -> R {
        let result = change(&mut self.world.lock().unwrap());
        self.woken.notify_waiters();
        result
    }

    fn read<R>(&self, look: impl FnOnce(&World) -> R) -> R {
        look(&self.world.lock().unwrap())
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn changed(&self) -> impl Future<Output = ()> + Send {
        let woken = self.woken.clone();
        async move { woken.notified().await }
    }

    async fn sleep_until(&self, at: Timestamp) {
        self.clock.sleep_until(at).await;
    }
}

/// A running account; dropping it stops everything, as the death of its process would.
pub(crate) struct TestAccount {
    pub(crate) door: TestDoor,
    _running: JoinSet<()>,
}

pub(crate) fn sessions(_: &mut World, role: &str, session: &str, _: Timestamp) -> Option<Credentials> {
    (role != "forbidden").then(|| Credentials {
        access_key_id: format!("ASIA{role}"),
        secret_access_key: "secret".to_owned(),
        session_token: session.to_owned(),
    })
}

impl TestAccount {
    /// A new account with these functions; the clock shows `start`.
    pub(crate) fn resumed(world: World, functions: Functions, start: Timestamp) -> Self {
        let door = TestDoor {
            world: Arc::new(Mutex::new(world)),
            clock: Clock::starting_at(start),
            woken: Arc::new(Notify::new()),
        };
        let mut running = JoinSet::new();
        running.spawn(runner::run(door.clone(), functions, sessions));
        running.spawn(keep_agenda(door.clone()));
        Self { door, _running: running }
    }

    pub(crate) fn new(functions: Functions) -> Self {
        Self::resumed(World::new(7, 1), functions, "2026-01-01T00:00:00Z".parse().unwrap())
    }

    /// One call to Step Functions or EventBridge.
    pub(crate) fn call(&self, action: &str, input: Value) -> Answer {
        let call = self.made(action, input);
        let events = ["Rule", "Target", "Events"].iter().any(|word| action.contains(word));
        runner::Door::with_world(&self.door, |world| match events {
            true => crate::events::handle(world, &call),
            false => super::handle(world, &call),
        })
    }

    pub(crate) fn made(&self, action: &str, input: Value) -> Call {
        Call {
            service: "states",
            action: action.to_owned(),
            region: "us-west-2".to_owned(),
            caller: Caller::root(),
            input,
            now: runner::Door::now(&self.door),
            request_id: "request".to_owned(),
        }
    }

    /// Makes machine `name` and starts an execution of it; gives the execution's ARN.
    pub(crate) fn start(&self, name: &str, definition: &Value, input: Value) -> String {
        let made = json!({"name": name, "definition": definition.to_string(), "roleArn": ROLE});
        let machine = self.call("CreateStateMachine", made).unwrap()["stateMachineArn"].clone();
        let started = json!({"stateMachineArn": machine, "name": "run", "input": input.to_string()});
        self.call("StartExecution", started).unwrap()["executionArn"].as_str().unwrap().to_owned()
    }

    /// The execution once it has ended.
    pub(crate) async fn ended(&self, arn: &str) -> Execution {
        loop {
            let mut changed = pin!(runner::Door::changed(&self.door));
            let _ = changed.as_mut().now_or_never();
            let execution = self.execution(arn);
            if execution.stopped.is_some() {
                return execution;
            }
            changed.await;
        }
    }

    pub(crate) fn execution(&self, arn: &str) -> Execution {
        runner::Door::read(&self.door, |world| Execution::clone(&world.states.executions[arn]))
    }

    /// The world as it would be read back from disk.
    pub(crate) fn read_back(&self) -> World {
        let text = runner::Door::read(&self.door, |world| serde_json::to_string(world).unwrap());
        let world: World = serde_json::from_str(&text).unwrap();
        runner::Door::read(&self.door, |original| assert_eq!(*original, world));
        world
    }
}

async fn keep_agenda(door: TestDoor) {
    use runner::Door;
    loop {
        let mut changed = pin!(door.changed());
        let _ = changed.as_mut().now_or_never();
        let now = door.now();
        match door.read(|world| world.agenda.next_time()) {
            Some(next) if next <= now => door.with_world(|world| world.advance(now)),
            Some(next) => tokio::select! { () = changed => {}, () = door.sleep_until(next) => {} },
            None => changed.await,
        }
    }
}

/// Runs `definition` to its end in a new account.
pub(crate) async fn run(definition: Value, input: Value, functions: Functions) -> Execution {
    let account = TestAccount::new(functions);
    let arn = account.start("machine", &definition, input);
    account.ended(&arn).await
}

/// A function that gives prepared answers in turn, the last one for ever, and remembers what it was asked and when.
#[derive(Clone)]
pub(crate) struct Scripted {
    answers: Arc<Mutex<VecDeque<Result<Value, FunctionError>>>>,
    pub(crate) asked: Arc<Mutex<Vec<(Timestamp, Value)>>>,
    clock: Clock,
}

pub(crate) fn scripted(answers: impl IntoIterator<Item = Result<Value, FunctionError>>) -> Scripted {
    Scripted {
        answers: Arc::new(Mutex::new(answers.into_iter().collect())),
        asked: Arc::default(),
        clock: Clock::starting_at(Timestamp::UNIX_EPOCH),
    }
}

impl Scripted {
    /// Whole seconds between its calls.
    pub(crate) fn gaps(&self) -> Vec<i64> {
        let asked = self.asked.lock().unwrap();
        asked.windows(2).map(|pair| pair[1].0.duration_since(pair[0].0).as_secs()).collect()
    }

    pub(crate) fn payloads(&self) -> Vec<Value> {
        self.asked.lock().unwrap().iter().map(|(_, payload)| payload.clone()).collect()
    }
}

impl crate::lambda::Function for Scripted {
    fn invoke(&self, payload: Value, _: InvocationContext) -> BoxFuture<'static, Result<Value, FunctionError>> {
        self.asked.lock().unwrap().push((self.clock.now(), payload));
        let mut answers = self.answers.lock().unwrap();
        let answer = match answers.len() {
            1 => answers.front().cloned(),
            _ => answers.pop_front(),
        };
        async move { answer.unwrap_or(Ok(Value::Null)) }.boxed()
    }
}

/// An error as a function throws it.
pub(crate) fn thrown(error: &str) -> Result<Value, FunctionError> {
    Err(FunctionError::new(error, "it did not work"))
}
