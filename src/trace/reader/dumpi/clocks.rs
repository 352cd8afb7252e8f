//! How far the clock of each rank must be moved so that no message is received before it is sent.
//!
//! ```text
//! offset[to] − offset[from] ≥ lead[from, to] = max over messages (sent − received)
//! ```
//! The least offsets that are not negative: the longest paths from nowhere, found by relaxing. Where
//! clocks drift, no offsets satisfy all messages; relaxing ends after as many rounds as there are
//! ranks, and the rest stays as it is.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// By sender and receiver: how long before its sending a message was received, at most.
#[derive(Debug, Default)]
pub(super) struct ClockLeads {
    leads: BTreeMap<(u32, u32), i64>,
}

/// The offsets of the ranks, and whether they satisfy every message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub by_rank: Vec<i64>,
    pub is_exact: bool,
}

impl ClockLeads {
    pub(super) fn message(&mut self, from: u32, to: u32, sent: i64, received: i64) {
        let lead = sent.saturating_sub(received);
        let most = self.leads.entry((from, to)).or_insert(lead);
        *most = lead.max(*most);
    }

    /// The least offsets.
    pub(super) fn offsets(&self, ranks: usize) -> Offsets {
        let mut by_rank = vec![0_i64; ranks];
        let ends = |(from, to): &(u32, u32)| (*from as usize, *to as usize);
        let pairs: Vec<_> = self.leads.iter().filter(|(pair, _)| pair.0 != pair.1).collect();
        for _ in 0..=ranks {
            let mut has_changed = false;
            for (pair, lead) in &pairs {
                let (from, to) = ends(pair);
                let wanted = by_rank[from].saturating_add(**lead);
                if wanted > by_rank[to] {
                    by_rank[to] = wanted;
                    has_changed = true;
                }
            }
            if !has_changed {
                return Offsets { by_rank, is_exact: true };
            }
        }
        // Clocks drift: one round over the direct partners only.
        let mut by_rank = vec![0_i64; ranks];
        for (pair, lead) in &pairs {
            let to = ends(pair).1;
            by_rank[to] = by_rank[to].max(**lead);
        }
        Offsets { by_rank, is_exact: false }
    }
}
