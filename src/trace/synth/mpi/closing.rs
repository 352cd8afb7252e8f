//! The end of a generated program: what is open is closed, in the order of time.
//!
//! In: the ranks as they stood when the budget was spent. Out: one line for every open state and
//! every message on its way, which is what the budget had put aside.

use std::cmp::Reverse;

use super::Program;
use crate::error::Result;

/// A line that is still owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PendingLine {
    EndLink { source: u32, target: u32, sequence: u32 },
    PopState { rank: u32 },
}

impl Program<'_> {
    /// Writes everything that is owed; gives the instant of the last line.
    pub(super) fn close(&mut self, now: u64) -> Result<u64> {
        let mut owed = self.owed(now);
        owed.sort_unstable();
        let mut end = now;
        for (instant, line) in owed {
            end = instant;
            match line {
                PendingLine::EndLink { source, target, sequence } => {
                    self.output.end_link(instant, source, target, sequence)?;
                }
                PendingLine::PopState { rank } => self.pop(rank, instant)?,
            }
        }
        Ok(end)
    }

    fn owed(&self, now: u64) -> Vec<(u64, PendingLine)> {
        // Who is blocked is in no queue, and stops at once.
        let mut stops = vec![now; self.ranks.len()];
        for &Reverse((instant, rank)) in &self.queue {
            stops[rank as usize] = instant;
        }
        let mut owed = Vec::new();
        for (rank, (state, stop)) in (0_u32..).zip(self.ranks.iter().zip(stops)) {
            for _ in 0..state.open_states {
                owed.push((stop, PendingLine::PopState { rank }));
            }
            for message in state.inbox.iter().flatten() {
                let (source, sequence) = (message.source, message.sequence);
                let line = PendingLine::EndLink { source, target: rank, sequence };
                owed.push((message.arrival.max(now), line));
            }
        }
        owed
    }
}
