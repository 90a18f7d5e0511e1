//! The local product: `cargo xtask up` builds and starts this.

/// A third of what a request costs here is taking and giving back memory.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    gateway::start::start()
}
