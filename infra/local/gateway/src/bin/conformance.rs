//! The local product with the fixture of the MCP conformance suite beside its tools; for that suite only.

fn main() -> std::process::ExitCode {
    gateway::start::start()
}
