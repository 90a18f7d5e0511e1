//! The local product: `cargo xtask up` builds and starts this.

use gateway::options::{Options, USAGE};
use std::process::ExitCode;
use tokio::runtime::Builder;

/// A stack that holds a tick of the product and the account's answer to it, which run in one thread here: unoptimized,
/// their futures outgrow tokio's 2 MiB.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_env_filter("warn").with_writer(std::io::stderr).init();
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build();
    let ended = runtime.map_err(Into::into).and_then(|runtime| {
        // On a thread of the runtime, whose stack is known, rather than on the main one.
        runtime.block_on(async { tokio::spawn(gateway::up::up(options)).await? })
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
