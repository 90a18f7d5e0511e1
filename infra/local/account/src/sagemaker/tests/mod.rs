//! HyperPod seen from outside: what is answered, and what follows by itself on an explicit clock.

mod births;
pub(crate) mod ground;
mod life;
mod plans;
mod requests;
