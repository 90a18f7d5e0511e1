//! The local product: `cargo xtask up` builds and starts this.

fn main() -> std::process::ExitCode {
    gateway::start::start()
}
