//! Who causes waiting: waits are passed on from victims to origins.
//!
//! ```text
//!  d waits for c in a collective   3 s      c waited 3 s for b, which sent late: b is the origin of 6 s
//!  c waits for b's message         3 s      b waited for nobody
//! ```
//! A container that is waited for may be late because it waited itself, for a message that was sent late, for a receiver,
//! or for the network. Of the seconds that others wait for it, that part is passed on which its own waits can explain: all of
//! them over the most that one other container waits for it, at most 1. It goes to those whom it waited for, in
//! proportion, and for messages in flight to the network between the two. Waiting in collectives is not passed on: after
//! one, everybody is on time again.

use std::collections::BTreeMap;

use super::matrix::RunMatrix;
use super::rows::WaitKindRow;

/// How often waits are passed on.
const ROUNDS: usize = 16;

/// Seconds of waiting by who causes them.
#[derive(Debug, Default)]
pub(super) struct Blame {
    /// By container: seconds of waiting of which it is the origin.
    pub(super) origins: BTreeMap<usize, f64>,
    /// By container and kind: seconds in which others wait for it directly.
    pub(super) direct: BTreeMap<usize, BTreeMap<WaitKindRow, f64>>,
    /// By container and kind: the most that one other waits for it.
    pub(super) worst: BTreeMap<usize, BTreeMap<WaitKindRow, f64>>,
    /// By two containers, the first one first: seconds of which the network between them is the origin.
    pub(super) network: BTreeMap<(usize, usize), f64>,
    /// The same, of waits for messages in flight alone.
    pub(super) flights: BTreeMap<(usize, usize), f64>,
}

impl Blame {
    pub(super) fn new(run: &RunMatrix) -> Blame {
        let mut blame = Blame::default();
        let mut late: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        let mut flights: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        let mut most: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for wait in run.waits.iter().filter(|wait| wait.slice.is_none()) {
            let places = wait.container.and_then(|id| run.place(id)).zip(wait.partner.and_then(|id| run.place(id)));
            let Some((who, whom)) = places else { continue };
            match wait.kind {
                WaitKindRow::Transfer => *flights.entry(who).or_default().entry(whom).or_default() += wait.seconds,
                WaitKindRow::Unexplained => continue,
                kind => {
                    if kind != WaitKindRow::Collective {
                        *late.entry(who).or_default().entry(whom).or_default() += wait.seconds;
                    }
                    *most.entry(whom).or_default().entry(who).or_default() += wait.seconds;
                    *blame.direct.entry(whom).or_default().entry(kind).or_default() += wait.seconds;
                    let worst = blame.worst.entry(whom).or_default().entry(kind).or_default();
                    *worst = worst.max(wait.seconds);
                }
            }
        }
        for (who, partners) in &flights {
            for (whom, seconds) in partners {
                *blame.flights.entry(pair(*who, *whom)).or_default() += seconds;
            }
        }
        blame.network = blame.flights.clone();
        let mut arriving: BTreeMap<usize, f64> =
            blame.direct.iter().map(|(whom, kinds)| (*whom, kinds.values().sum())).collect();
        for round in 0..ROUNDS {
            let mut next: BTreeMap<usize, f64> = BTreeMap::new();
            for (place, seconds) in arriving {
                let nobody = BTreeMap::new();
                let (late, flights) = (late.get(&place).unwrap_or(&nobody), flights.get(&place).unwrap_or(&nobody));
                let waited: f64 = late.values().chain(flights.values()).sum();
                let longest = most.get(&place).map_or(0.0, |most| most.values().copied().fold(0.0, f64::max));
                let is_last = round + 1 == ROUNDS;
                let part = if longest > 0.0 && !is_last { (waited / longest).min(1.0) } else { 0.0 };
                *blame.origins.entry(place).or_default() += seconds * (1.0 - part);
                for (whom, own) in late {
                    *next.entry(*whom).or_default() += seconds * part * own / waited;
                }
                for (whom, own) in flights {
                    *blame.network.entry(pair(place, *whom)).or_default() += seconds * part * own / waited;
                }
            }
            arriving = next;
        }
        blame
    }
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}
