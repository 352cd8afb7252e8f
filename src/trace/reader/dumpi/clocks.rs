//! How far the clock of each rank must be moved so that no message is received before it is sent.
//!
//! ```text
//! offset[to] − offset[from] ≥ lead[from, to] = max over messages (sent − received)
//! ```
//! The least offsets that are not negative: the longest paths from nowhere, found by relaxing. Where
//! clocks drift, no offsets satisfy all messages; relaxing ends after as many rounds as there are
//! ranks, and the rest stays as it is.

use std::collections::BTreeMap;

/// By sender and receiver: how long before its sending a message was received, at most.
#[derive(Debug, Default)]
pub(super) struct Leads {
    leads: BTreeMap<(u32, u32), i64>,
}

/// The offsets of the ranks, and whether they satisfy every message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub by_rank: Vec<i64>,
    pub is_exact: bool,
}

impl Leads {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_late_clock_is_moved_as_little_as_needed() {
        let mut leads = Leads::default();
        leads.message(0, 1, 100, 90);
        leads.message(0, 1, 200, 250);
        leads.message(1, 2, 95, 100);
        assert_eq!(leads.offsets(4), Offsets { by_rank: vec![0, 10, 5, 0], is_exact: true });
    }

    #[test]
    fn clocks_that_drift_are_reported() {
        let mut leads = Leads::default();
        leads.message(0, 1, 10, 0);
        leads.message(1, 0, 10, 0);
        assert!(!leads.offsets(2).is_exact);
    }

    proptest! {
        /// Clocks that are shifted by whole amounts are put right: no message goes backwards, and no
        /// clock could be moved less.
        #[test]
        fn shifted_clocks_are_put_right(
            shifts in prop::collection::vec(-50_i64..50, 2..6),
            messages in prop::collection::vec((0..6_usize, 0..6_usize, 0..1000_i64, 0..30_i64), 0..40),
        ) {
            let ranks = shifts.len();
            let mut leads = Leads::default();
            let told: Vec<_> = messages.iter().map(|(from, to, sent, lasts)| {
                let (from, to) = (from % ranks, to % ranks);
                (from, to, sent + shifts[from], sent + lasts + shifts[to])
            }).filter(|(from, to, ..)| from != to).collect();
            for (from, to, sent, received) in &told {
                leads.message(*from as u32, *to as u32, *sent, *received);
            }
            let offsets = leads.offsets(ranks);
            prop_assert!(offsets.is_exact);
            let offset = &offsets.by_rank;
            for (from, to, sent, received) in &told {
                prop_assert!(sent + offset[*from] <= received + offset[*to]);
            }
            for rank in (0..ranks).filter(|rank| offset[*rank] > 0) {
                prop_assert!(told.iter().any(|(from, to, sent, received)| *to == rank && sent + offset[*from] == received + offset[rank]));
            }
        }
    }
}
