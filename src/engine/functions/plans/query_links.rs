//! What a function inside a plan shares with the query that runs the plan: its cancellation, its memory, and notes for
//! its user.
//!
//! A function that holds one of these is made for one call; the session finds it in the plan and connects it. Elsewhere,
//! as on an executor of a cluster, it is connected with nobody: the function runs to its end, and its notes are dropped.
//! They are no part of what a function computes: two functions that differ in them alone are equal.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation, UnboundedMemoryPool};
use ocellus_planning::CancelFlag;

/// Whether the query that a kernel works for is cancelled.
#[derive(Debug, Clone, Default)]
pub(crate) struct CancelSlot(Arc<Mutex<CancelFlag>>);

impl CancelSlot {
    /// The flag of the next query that runs the plan.
    pub(crate) fn connect(&self, cancel: &CancelFlag) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
    }

    /// The flag of the query that runs now.
    pub(crate) fn flag(&self) -> CancelFlag {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The memory of the query that a kernel works for.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemorySlot(Arc<Mutex<Option<Arc<dyn MemoryPool>>>>);

impl MemorySlot {
    /// The memory of the next query that runs the plan.
    pub(crate) fn connect(&self, memory: &Arc<dyn MemoryPool>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(memory));
    }

    /// A part of the memory of the query that runs now, empty at first; without limit where nothing limits it.
    pub(crate) fn reservation(&self, name: &str) -> MemoryReservation {
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let memory = memory.unwrap_or_else(|| Arc::new(UnboundedMemoryPool::default()));
        MemoryConsumer::new(name).register(&memory)
    }
}

/// Takes what a function has to say besides its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct NoteSink(Arc<Mutex<BTreeSet<String>>>);

impl NoteSink {
    /// Adds a note; one that is there already stays once.
    pub(crate) fn add(&self, note: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }

    /// The notes so far, which are forgotten.
    pub(crate) fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

macro_rules! always_equal {
    ($($name:ty),*) => {$(
        impl PartialEq for $name {
            fn eq(&self, _other: &$name) -> bool {
                true
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, _state: &mut H) {}
        }
    )*};
}

always_equal!(CancelSlot, MemorySlot, NoteSink);
