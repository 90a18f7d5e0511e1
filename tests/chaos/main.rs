//! Chaos: whole creations with everything going wrong in turn, at the same time, and by chance, under a paused clock.
//!
//! What is tried lives here; what may go wrong at all is the account's (`account::faults`). Each run is held against an
//! undisturbed one by `verdict`: it ends well, nothing was made twice, and its records tell the truth.

mod aborted;
mod each_change;
mod ground;
mod inventory;
mod mixture;
mod submission;
mod throttled;
mod twice;
mod verdict;
