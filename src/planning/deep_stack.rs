//! Work on a stack that is deep enough for the deepest statement that is admitted, whatever thread calls.
//!
//! Trees of syntax and of plans are walked, copied and dropped by recursion. Threads of the program have such a
//! stack; those of a library's user may have 2 MiB, and get another one for the time of the work.

use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::future::BoxFuture;
use futures::{Stream, StreamExt};

/// Bytes of a deep stack: virtual memory, of which only what is used becomes real.
pub const DEEP_STACK: usize = 64 << 20;

/// Does some work on a deep stack.
pub fn on_deep_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(DEEP_STACK / 2, DEEP_STACK, work)
}

/// Polls a future on a deep stack, and drops it there.
pub fn polled_on_deep_stack<'a, T: Send + 'a>(future: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
    Box::pin(DeepFuture { future: Some(future) })
}

struct DeepFuture<'a, T> {
    /// `None` once it is dropped.
    future: Option<BoxFuture<'a, T>>,
}

impl<T> Future for DeepFuture<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let DeepFuture { future } = &mut *self;
        let Some(future) = future else { return Poll::Pending };
        on_deep_stack(|| future.as_mut().poll(context))
    }
}

impl<T> Drop for DeepFuture<'_, T> {
    fn drop(&mut self) {
        let future = self.future.take();
        on_deep_stack(|| drop(future));
    }
}

/// Polls a stream of rows on a deep stack, and drops it there: operators poll their inputs by recursion.
pub fn streamed_on_deep_stack(rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    Box::pin(DeepStream { schema: rows.schema(), rows: Some(rows) })
}

struct DeepStream {
    schema: SchemaRef,
    /// `None` once it is dropped.
    rows: Option<SendableRecordBatchStream>,
}

impl Stream for DeepStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let DeepStream { rows, .. } = &mut *self;
        let Some(rows) = rows else { return Poll::Ready(None) };
        on_deep_stack(|| rows.poll_next_unpin(context))
    }
}

impl RecordBatchStream for DeepStream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

impl Drop for DeepStream {
    fn drop(&mut self) {
        let rows = self.rows.take();
        on_deep_stack(|| drop(rows));
    }
}

/// A tree that is dropped on a deep stack.
#[derive(Debug)]
pub struct DeepTree<T> {
    /// `None` once it is dropped.
    tree: Option<T>,
}

impl<T> DeepTree<T> {
    /// Takes a tree.
    pub fn new(tree: T) -> DeepTree<T> {
        DeepTree { tree: Some(tree) }
    }
}

impl<T> Deref for DeepTree<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.tree.as_ref().expect("the tree is there until it is dropped")
    }
}

impl<T> Drop for DeepTree<T> {
    fn drop(&mut self) {
        let tree = self.tree.take();
        on_deep_stack(|| drop(tree));
    }
}
