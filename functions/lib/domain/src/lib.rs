//! The words of the product: ids, names, statuses, error codes, limits, address arithmetic, the instance catalogue.
//!
//! Pure: nothing here does input or output, knows a clock, or depends on an SDK.

pub mod capacity;
pub mod catalogue;
pub mod cidr;
pub mod codes;
pub mod decisions;
pub mod failure;
pub mod ids;
pub mod limits;
pub mod naming;
pub mod spreading;
pub mod states;
pub mod status;
pub mod versions;
pub mod zones;

pub use codes::{Class, ErrorCode, FieldError};
