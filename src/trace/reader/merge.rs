//! Joins streams that are each in time order into one.
//!
//! ```text
//! rank 0  1 ── 4 ── 9 ┐
//! rank 1  2 ── 4 ──── ┼─► 1 2 4 4 5 9
//! rank 2  5 ───────── ┘
//! ```
//! Items of one time come in the order of their streams. Memory: one item per stream.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::error::Result;

/// Merges streams by time.
pub struct StreamMerge<S: Iterator<Item = Result<T>>, T, K: Fn(&T) -> i64> {
    streams: Vec<S>,
    heads: Vec<Option<T>>,
    /// Time and stream of every head.
    queue: BinaryHeap<Reverse<(i64, usize)>>,
    time: K,
}

impl<S: Iterator<Item = Result<T>>, T, K: Fn(&T) -> i64> StreamMerge<S, T, K> {
    /// Takes the first item of every stream; `time` gives the time of an item.
    pub fn new(mut streams: Vec<S>, time: K) -> Result<Self> {
        let mut heads = Vec::with_capacity(streams.len());
        let mut queue = BinaryHeap::with_capacity(streams.len());
        for (index, stream) in streams.iter_mut().enumerate() {
            let head = stream.next().transpose()?;
            queue.extend(head.as_ref().map(|item| Reverse((time(item), index))));
            heads.push(head);
        }
        Ok(StreamMerge { streams, heads, queue, time })
    }

    /// The earliest item, with the number of its stream; of equal times the first stream's.
    #[expect(
        clippy::should_implement_trait,
        reason = "an error ends the merge: `?` reads better here than in an iterator"
    )]
    pub fn next(&mut self) -> Result<Option<(usize, T)>> {
        let Some(mut earliest) = self.queue.peek_mut() else {
            return Ok(None);
        };
        let Reverse((_, index)) = *earliest;
        let next = self.streams[index].next().transpose()?;
        match &next {
            Some(item) => earliest.0.0 = (self.time)(item),
            None => drop(PeekMut::pop(earliest)),
        }
        Ok(std::mem::replace(&mut self.heads[index], next).map(|item| (index, item)))
    }

    /// The streams: what they know beside their items.
    pub fn streams(&self) -> &[S] {
        &self.streams
    }

    /// A stream by its number, which may take back what its items were made of.
    pub fn stream_mut(&mut self, number: usize) -> &mut S {
        &mut self.streams[number]
    }

    /// The streams, when all items were taken.
    pub fn into_streams(self) -> Vec<S> {
        self.streams
    }
}
