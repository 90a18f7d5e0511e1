//! From the command line to the running product: options, logging, the runtime.

use options::Options;
use std::process::ExitCode;

/// A look at many services at once is a deep future, and a build without optimization does not spare stack.
const STACK_BYTES: usize = 64 << 20;

/// Runs the product with the options of the command line until it is told to stop; what is wrong goes to standard error.
pub fn start() -> ExitCode {
    tracing_subscriber::fmt().with_env_filter("warn").with_writer(std::io::stderr).init();
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build();
    let ended = runtime.map_err(Into::into).and_then(|runtime| {
        runtime.block_on(async { tokio::spawn(crate::up::up(options)).await.map_err(anyhow::Error::from)? })
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
