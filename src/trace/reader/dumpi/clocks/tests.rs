//! Tests of `clocks`.

use super::*;
use proptest::prelude::*;

#[test]
fn a_late_clock_is_moved_as_little_as_needed() {
    let mut leads = ClockLeads::default();
    leads.message(0, 1, 100, 90);
    leads.message(0, 1, 200, 250);
    leads.message(1, 2, 95, 100);
    assert_eq!(leads.offsets(4), Offsets { by_rank: vec![0, 10, 5, 0], is_exact: true });
}

#[test]
fn clocks_that_drift_are_reported() {
    let mut leads = ClockLeads::default();
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
        let mut leads = ClockLeads::default();
        let recorded: Vec<_> = messages.iter().map(|(from, to, sent, lasts)| {
            let (from, to) = (from % ranks, to % ranks);
            (from, to, sent + shifts[from], sent + lasts + shifts[to])
        }).filter(|(from, to, ..)| from != to).collect();
        for (from, to, sent, received) in &recorded {
            leads.message(*from as u32, *to as u32, *sent, *received);
        }
        let offsets = leads.offsets(ranks);
        prop_assert!(offsets.is_exact);
        let offset = &offsets.by_rank;
        for (from, to, sent, received) in &recorded {
            prop_assert!(sent + offset[*from] <= received + offset[*to]);
        }
        for rank in (0..ranks).filter(|rank| offset[*rank] > 0) {
            prop_assert!(recorded.iter().any(|(from, to, sent, received)| *to == rank && sent + offset[*from] == received + offset[rank]));
        }
    }
}
