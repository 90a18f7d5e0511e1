//! Where time, ids and chance come from.

use aws_smithy_async::time::SharedTimeSource;
use domain::ids::{ClusterId, OperationId};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::{fmt, sync::Arc};

/// Sixteen random bytes at a time.
///
/// The system's generator when deployed; a seeded one under test, so that a journey can be run again exactly.
#[derive(Clone)]
pub struct Entropy(Arc<dyn Fn() -> [u8; 16] + Send + Sync>);

impl Entropy {
    /// Wraps a source.
    pub fn new(source: impl Fn() -> [u8; 16] + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// The next sixteen bytes.
    pub fn draw(&self) -> [u8; 16] {
        (self.0)()
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy")
    }
}

/// The clock and the chance of one function.
#[derive(Debug, Clone)]
pub struct Context {
    /// The same clock that signs requests.
    pub time: SharedTimeSource,
    /// Where ids and nonces come from.
    pub entropy: Entropy,
}

impl Context {
    /// The time now.
    pub fn now(&self) -> Timestamp {
        Timestamp::try_from(self.time.now()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// A new operation id.
    pub fn operation_id(&self) -> OperationId {
        OperationId::from_parts(self.millis(), u128::from_be_bytes(self.entropy.draw()))
    }

    /// A new cluster id.
    pub fn cluster_id(&self) -> ClusterId {
        ClusterId::from_parts(self.millis(), u128::from_be_bytes(self.entropy.draw()))
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.now().as_millisecond()).unwrap_or_default()
    }

    /// A value that nobody else writes: what a conditional write is recognized by when its answer was lost.
    pub fn nonce(&self) -> String {
        hex::encode(self.entropy.draw())
    }
}

/// A number between 0 and 1 that depends on `label` alone: backoff that a test can foresee and that still differs
/// between operations.
pub fn jitter(label: &str) -> f64 {
    let digest = Sha256::digest(label);
    let number = digest.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    f64::from(number) / f64::from(u32::MAX)
}
