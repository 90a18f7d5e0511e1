//! Every operation and query: its input, its output and its descriptor, once for REST, MCP, OpenAPI and the console.
//!
//! [`ALL`] is the list. Shapes only: nothing here does anything.

pub mod choices;
pub mod clusters;
pub mod descriptor;
pub mod health;
pub mod imports;
pub mod journal;
pub mod list;
pub mod nodes;
pub mod operations;
pub mod plan;
pub mod problem;
pub mod stages;
pub mod subnets;

pub use descriptor::{Descriptor, Hints, Kind, Method, Place, Scope};
pub use list::ALL;
