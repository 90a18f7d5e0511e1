//! The words of the product: ids, names, statuses, error codes, limits, address arithmetic, the instance catalogue.
//!
//! Pure: nothing here does input or output, knows a clock, or depends on an SDK.
