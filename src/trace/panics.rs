//! Panics of libraries on damaged input, as values.
//!
//! Decoders of Arrow, Parquet and plans take it for granted that what they read fits itself, and panic where it does
//! not. To us that is an input that cannot be read, of which the caller tells in words of its own: nothing goes to
//! standard error as if the program had failed.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What some work gives; nothing where it panics. All that the work may have left half done must not be used again.
pub fn unless_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                loud(panic);
            }
        }));
    });
    let before = IS_QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_QUIET.set(before);
    outcome.ok()
}
