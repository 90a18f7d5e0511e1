//! Journeys: whole operations over the simulated account, with a paused clock.

mod aborted_execution;
mod addons_without_nodes;
mod asking;
mod control_plane;
mod create_cluster;
mod create_hyperpod;
mod dependencies;
mod engine;
mod failed_stages;
mod import_cluster;
mod inside;
mod network;
mod replaced_node;
mod selection;
mod short_capacity;
mod stop_spending;
mod storage;
mod training_plan;
mod verification;
