//! Journeys: whole operations over the simulated account, with a paused clock.

mod control_plane;
mod dependencies;
mod inside;
mod network;
mod selection;
mod storage;
mod verification;
