//! How anything gets done: records, journal, lanes, leases, submission, and the tick harness around a reconciler.
//!
//! A stage or operation is a [`Reconciler`](reconciler::Reconciler): it observes, plans (pure) and applies one change.
//! Everything else is here: [`submit`](submit), [`tick`](tick), [`settle`](settle), [`commands`](commands) (retry and
//! cancel), [`preview`](preview) (what would be done) and [`sweep`](sweep). State is in one DynamoDB table through [`store`](store); nothing here calls a service
//! that a cluster is made of.

pub mod answers;
pub mod commands;
pub mod context;
mod doubts;
mod fitting;
pub mod ledger;
pub mod plan;
pub mod planned;
pub mod preview;
pub mod reconciler;
pub mod record;
pub mod settle;
pub mod starter;
pub mod store;
pub mod submit;
pub mod sweep;
pub mod tick;
