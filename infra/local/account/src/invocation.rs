//! The invocation that a piece of code runs in: who it is, and the switch that kills it in the middle of anything.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;

tokio::task_local! {
    /// The invocation that the current task runs in; set by the Lambda service around every function.
    pub static INVOCATION: Invocation;
}

/// One run of a Lambda function. Clones name the same run.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Request id of the invocation.
    pub id: String,
    /// Name of the function.
    pub function: String,
    dead: Arc<AtomicBool>,
    died: Arc<Notify>,
}

/// Resolves when its invocation is killed.
#[derive(Debug)]
pub struct Death {
    dead: Arc<AtomicBool>,
    died: Arc<Notify>,
}

impl Invocation {
    /// A run of `function`, and what tells its death to the one who drives it.
    pub fn new(id: &str, function: &str) -> (Self, Death) {
        let (dead, died) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let death = Death { dead: dead.clone(), died: died.clone() };
        (Self { id: id.to_owned(), function: function.to_owned(), dead, died }, death)
    }

    /// The invocation that the caller runs in, if it runs in one.
    pub fn current() -> Option<Self> {
        INVOCATION.try_with(Clone::clone).ok()
    }

    /// Ends the run at its next await, as if its process had died; a second kill changes nothing.
    pub fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.died.notify_one();
    }
}

impl Death {
    /// Waits for the kill.
    pub async fn wait(&self) {
        while !self.dead.load(Ordering::SeqCst) {
            self.died.notified().await;
        }
    }
}
