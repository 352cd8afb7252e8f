//! Reading and simulating at once, on two threads.
//!
//! ```text
//! reader ──► batches, a few at most ──► consumer
//!        ◄── the same, emptied      ◄──
//! ```
//! In: a reader and what takes its batches. Out: the batches are taken one by one, in order, and the first error in
//! their order is returned. Short traces are taken by the thread that reads them; so are all where no other can be started.

#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use crate::error::{Error, Result};
use crate::model::EventBatch;
use crate::processors;
use crate::reader::{ReadFlow, TraceOrigin, TraceReader};

/// Batches that are taken without a thread: most that are this short end before one would have started.
const WITHOUT_THREAD: usize = 2;
/// Batches that wait for the consumer.
const WAITING: usize = 2;

/// Reads a trace and gives every batch to `take`, which runs beside the reader where there are two processors.
pub(super) fn read(
    reader: &mut dyn TraceReader,
    origin: &TraceOrigin,
    mut take: impl FnMut(&EventBatch) -> Result<()> + Send,
) -> Result<()> {
    if reader.is_parallel() || !processors::are_many() {
        return reader.read(origin, &mut |batch| take(batch).map(|()| ReadFlow::GoOn));
    }
    thread::scope(|scope| {
        let (mut here, mut there, mut count) = (Some(take), None, 0);
        let read = reader.read(origin, &mut |batch| {
            count += 1;
            if count == WITHOUT_THREAD + 1 {
                there = ConsumerThread::start(scope, &mut here);
            }
            match (&mut here, &there) {
                (Some(take), _) => take(batch)?,
                (None, Some(thread)) => thread.give(batch)?,
                (None, None) => return Err(stopped()),
            }
            Ok(ReadFlow::GoOn)
        });
        match there {
            Some(thread) => thread.finish(read),
            None => read,
        }
    })
}

/// A thread that takes batches.
struct ConsumerThread<'scope> {
    batches: SyncSender<EventBatch>,
    emptied: Receiver<EventBatch>,
    thread: ScopedJoinHandle<'scope, Result<()>>,
}

impl<'scope> ConsumerThread<'scope> {
    /// Takes who takes batches to a thread; `None` leaves it where it is, since no thread can be started.
    fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        take: &mut Option<impl FnMut(&EventBatch) -> Result<()> + Send + 'scope>,
    ) -> Option<ConsumerThread<'scope>> {
        let (batches, waiting) = sync_channel(WAITING);
        let (back, emptied) = channel();
        let (hand, handed) = channel();
        let thread = Builder::new()
            .name("simulator".to_string())
            .spawn_scoped(scope, move || handed.recv().map_or(Ok(()), |take| take_all(&waiting, &back, take)))
            .ok()?;
        if let Some(take) = take.take() {
            // The thread waits for it.
            let _ = hand.send(take);
        }
        Some(ConsumerThread { batches, emptied, thread })
    }

    /// Hands a batch over and leaves an empty one in its place.
    fn give(&self, batch: &mut EventBatch) -> Result<()> {
        let empty = self.emptied.try_recv().unwrap_or_default();
        self.batches.send(std::mem::replace(batch, empty)).map_err(|_| stopped())
    }

    /// Waits for the last batch. What went wrong with a batch happened before what went wrong with the reader.
    fn finish(self, read: Result<()>) -> Result<()> {
        drop(self.batches);
        match self.thread.join() {
            Ok(taken) => taken.and(read),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn take_all(
    waiting: &Receiver<EventBatch>,
    back: &Sender<EventBatch>,
    mut take: impl FnMut(&EventBatch) -> Result<()>,
) -> Result<()> {
    for mut batch in waiting {
        take(&batch)?;
        batch.clear();
        // The reader may be at its end.
        let _ = back.send(batch);
    }
    Ok(())
}

/// The consumer has ended before the reader; its own error is the one that is shown.
fn stopped() -> Error {
    Error::Internal("batches were read that nobody takes".to_string())
}
