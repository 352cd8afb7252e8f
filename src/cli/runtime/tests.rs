//! The threads of a command end before it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Counts when it is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Work that is left when a command is over is dropped by the threads that it waits on, and these have ended then.
#[test]
fn threads_end_before_the_command() {
    let dropped = Arc::new(AtomicUsize::new(0));
    for round in 1..=50 {
        let guard = Dropped(Arc::clone(&dropped));
        let outcome = block_on(|workers| async move {
            let (begun, begins) = tokio::sync::oneshot::channel();
            workers.spawn(async move {
                let _guard = guard;
                let _ = begun.send(());
                std::future::pending::<()>().await;
            });
            begins.await.expect("it begins");
            Ok(Outcome::Done)
        });
        assert!(matches!(outcome, Ok(Outcome::Done)));
        assert_eq!(dropped.load(Ordering::SeqCst), round);
    }
}
