//! The engine's refusals and troubles as problems.

use contract::problem::Problem;
use domain::failure::Trouble;
use engine::submit::Refused;
use serde_path_to_error::{Path, Segment};
use surface::problem::{of_failure, with_operation};

/// What the desk refused.
pub(crate) fn of_refused(refused: Refused) -> Problem {
    with_operation(of_failure(refused.failure), refused.operation_id)
}

/// A read or write that did not answer. For a caller it makes no difference whether it may get better: it asks again.
pub(crate) fn of_trouble(trouble: Trouble) -> Problem {
    of_failure(trouble.failure().clone())
}

/// The JSON pointer (RFC 6901) of a place in an input.
pub(crate) fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path.iter() {
        let token = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.clone(),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => break,
        };
        pointer.push('/');
        pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
    }
    pointer
}
