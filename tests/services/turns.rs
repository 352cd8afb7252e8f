//! Who runs at the same time: most tests beside each other, those of crowds, limits and memory alone. A crowd of clients
//! would keep all others waiting beyond their patience.

#![allow(dead_code, reason = "each feature uses one of them")]

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TURN: RwLock<()> = RwLock::new(());

/// Waits until no other test runs, and holds them off until dropped.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    TURN.write().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no test runs that must be alone, and holds those off until dropped.
pub fn beside_others() -> RwLockReadGuard<'static, ()> {
    TURN.read().unwrap_or_else(PoisonError::into_inner)
}
