//! Journeys: whole operations over the simulated account, with a paused clock.

mod control_plane;
mod network;
mod selection;
mod dependencies;
mod inside;
mod network;
mod storage;
mod verification;
