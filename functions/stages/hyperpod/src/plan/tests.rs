//! The plan over worlds that are values.
