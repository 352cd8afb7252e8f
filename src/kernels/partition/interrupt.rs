//! Stops a search that nobody waits for any more.

use std::fmt;
use std::sync::Arc;

/// Whether a search shall stop: asked now and then, by all threads.
#[derive(Clone, Default)]
pub struct Interrupt {
    is_set: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

/// A search was stopped before it had an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl Interrupt {
    /// An interrupt that is set once the function returns true.
    pub fn new(is_set: impl Fn() -> bool + Send + Sync + 'static) -> Interrupt {
        Interrupt { is_set: Some(Arc::new(is_set)) }
    }

    /// Fails once the interrupt is set.
    pub fn check(&self) -> Result<(), Interrupted> {
        match &self.is_set {
            Some(is_set) if is_set() => Err(Interrupted),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}
