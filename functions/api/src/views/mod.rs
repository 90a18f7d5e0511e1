//! Records as surfaces show them, with a sentence that says how it is and one that says what to do next. Pure.

pub(crate) mod clusters;
pub(crate) mod operations;
pub(crate) mod silence;
pub(crate) mod stages;
