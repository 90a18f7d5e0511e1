//! The plan over worlds that are values.

mod clusters;
mod nodes;
mod world;
