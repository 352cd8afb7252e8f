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

use std::hint::select_unpredictable;

use crate::error::Result;

/// Merges streams by time.
pub struct StreamMerge<S: Iterator<Item = Result<T>>, T, K: Fn(&T) -> i64> {
    streams: Vec<S>,
    heads: Vec<Option<T>>,
    order: Tournament,
    time: K,
}

impl<S: Iterator<Item = Result<T>>, T, K: Fn(&T) -> i64> StreamMerge<S, T, K> {
    /// Takes the first item of every stream; `time` gives the time of an item.
    pub fn new(mut streams: Vec<S>, time: K) -> Result<Self> {
        let mut heads = Vec::with_capacity(streams.len());
        let mut times = Vec::with_capacity(streams.len());
        for stream in &mut streams {
            let head = stream.next().transpose()?;
            times.push(head.as_ref().map(&time));
            heads.push(head);
        }
        Ok(StreamMerge { streams, heads, order: Tournament::new(&times), time })
    }

    /// The earliest item, with the number of its stream; of equal times the first stream's.
    #[expect(
        clippy::should_implement_trait,
        reason = "an error ends the merge: `?` reads better here than in an iterator"
    )]
    pub fn next(&mut self) -> Result<Option<(usize, T)>> {
        let Some(index) = self.order.first() else {
            return Ok(None);
        };
        let next = self.streams[index].next().transpose()?;
        self.order.replace_first(next.as_ref().map(&self.time));
        Ok(std::mem::replace(&mut self.heads[index], next).map(|item| (index, item)))
    }

    /// The streams: what they know beside their items.
    pub fn streams(&self) -> &[S] {
        &self.streams
    }

    /// The streams, when all items were taken.
    pub fn into_streams(self) -> Vec<S> {
        self.streams
    }
}

/// A stream that holds the item at hand.
pub trait ItemStream {
    /// Goes to the next item; its time, or `None` at the end.
    fn advance(&mut self) -> Result<Option<i64>>;
}

/// As [`StreamMerge`], of streams whose items stay where they are.
pub struct ItemMerge<S: ItemStream> {
    streams: Vec<S>,
    order: Tournament,
}

impl<S: ItemStream> ItemMerge<S> {
    /// Goes to the first item of every stream.
    pub fn new(mut streams: Vec<S>) -> Result<ItemMerge<S>> {
        let times = streams.iter_mut().map(S::advance).collect::<Result<Vec<_>>>()?;
        Ok(ItemMerge { streams, order: Tournament::new(&times) })
    }

    /// The stream whose item is the earliest, and its number; of equal times the first.
    #[inline]
    pub fn first(&mut self) -> Option<(usize, &mut S)> {
        let number = self.order.first()?;
        Some((number, &mut self.streams[number]))
    }

    /// Goes past the earliest item.
    #[inline]
    pub fn advance(&mut self) -> Result<()> {
        if let Some((_, stream)) = self.first() {
            let next = stream.advance()?;
            self.order.replace_first(next);
        }
        Ok(())
    }

    /// The streams: what they know beside their items.
    pub fn streams(&self) -> &[S] {
        &self.streams
    }
}

/// The order of streams by the times of their items: each node of a tree holds who lost there, so a new time meets only those
/// between its leaf and the top.
struct Tournament {
    /// From the top down; the first place is not used.
    losers: Vec<i128>,
    winner: i128,
}

/// Comes after all times.
const ENDED: i128 = i128::MAX;

/// Time and number of a stream in one word, which is ordered as both are.
#[inline(always)]
fn contestant(time: Option<i64>, number: usize) -> i128 {
    time.map_or(ENDED, |time| i128::from(time) << u32::BITS | number as i128)
}

impl Tournament {
    /// Of the times of all streams; there are less than 2^32.
    fn new(times: &[Option<i64>]) -> Tournament {
        let leaves = times.len().next_power_of_two();
        let mut winners = vec![ENDED; 2 * leaves];
        for (number, time) in times.iter().enumerate() {
            winners[leaves + number] = contestant(*time, number);
        }
        let mut losers = vec![ENDED; leaves];
        for node in (1..leaves).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            (winners[node], losers[node]) = (left.min(right), left.max(right));
        }
        Tournament { losers, winner: winners[1] }
    }

    /// The number of the stream that comes first.
    #[inline(always)]
    fn first(&self) -> Option<usize> {
        (self.winner != ENDED).then_some(self.winner as u32 as usize)
    }

    /// Gives that stream another time; none when it has ended.
    #[inline(always)]
    fn replace_first(&mut self, time: Option<i64>) {
        let Some(number) = self.first() else { return };
        let mut winner = contestant(time, number);
        let mut node = (self.losers.len() + number) / 2;
        while node > 0 {
            let other = self.losers[node];
            // Times of different streams are as good as random to a processor that guesses.
            let is_beaten = other < winner;
            self.losers[node] = select_unpredictable(is_beaten, winner, other);
            winner = select_unpredictable(is_beaten, other, winner);
            node /= 2;
        }
        self.winner = winner;
    }
}
