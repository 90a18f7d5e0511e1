//! Journeys: whole operations over the simulated account, with a paused clock.

mod network;
