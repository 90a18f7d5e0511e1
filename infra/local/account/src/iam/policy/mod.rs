//! The policy language: documents are parsed and checked once, then asked about one action on one resource.
//!
//! Which policies apply to a call, and in which order they are weighed, is decided in `iam::authorize`, not here.

mod condition;
mod document;
mod pattern;
mod question;
mod statement;

pub(crate) use document::{Document, Kind};
pub(crate) use question::{Context, Principal, Question, Verdict};
