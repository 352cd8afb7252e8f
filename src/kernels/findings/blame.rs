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
use super::rows::WaitReason;
use super::statistics::median;

/// How often waits are passed on.
const ROUNDS: usize = 16;

/// Seconds of waiting by who causes them.
#[derive(Debug, Default)]
pub(super) struct Blame {
    /// By container: seconds of waiting of which it is the origin.
    pub(super) origins: BTreeMap<usize, f64>,
    /// By container and kind: seconds in which others wait for it directly.
    pub(super) direct: BTreeMap<usize, BTreeMap<WaitReason, f64>>,
    /// By container and kind: the most that one other waits for it.
    pub(super) worst: BTreeMap<usize, BTreeMap<WaitReason, f64>>,
    /// By container: who passes waits on to it, and which part.
    pub(super) passed: BTreeMap<usize, BTreeMap<usize, f64>>,
    /// By two containers, the first one first: seconds of which the network between them is the origin.
    pub(super) network: BTreeMap<(usize, usize), f64>,
    /// The same, of waits for messages in flight alone.
    pub(super) flights: BTreeMap<(usize, usize), f64>,
}

/// Seconds by who waits and for whom.
type Waits = BTreeMap<usize, BTreeMap<usize, f64>>;

impl Blame {
    pub(super) fn new(run: &RunMatrix) -> Blame {
        let mut blame = Blame::default();
        let mut kinds: BTreeMap<WaitReason, Waits> = BTreeMap::new();
        for wait in run.waits.iter().filter(|wait| wait.slice.is_none()) {
            let places = wait.container.and_then(|id| run.place(id)).zip(wait.partner.and_then(|id| run.place(id)));
            if let Some((who, whom)) = places {
                let waits = kinds.entry(wait.kind).or_default();
                *waits.entry(who).or_default().entry(whom).or_default() += wait.seconds;
            }
        }
        let receivers = kinds.entry(WaitReason::LateReceiver).or_default();
        for (who, whom, seconds) in unexplained(run) {
            *receivers.entry(who).or_default().entry(whom).or_default() += seconds;
        }
        let flights = exposed_flights(&mut kinds);
        let (mut late, mut most) = (Waits::new(), Waits::new());
        for (kind, waits) in &kinds {
            for (who, whom, seconds) in each(waits) {
                if *kind != WaitReason::Collective {
                    *late.entry(who).or_default().entry(whom).or_default() += seconds;
                }
                *most.entry(whom).or_default().entry(who).or_default() += seconds;
                *blame.direct.entry(whom).or_default().entry(*kind).or_default() += seconds;
                let worst = blame.worst.entry(whom).or_default().entry(*kind).or_default();
                *worst = worst.max(seconds);
            }
        }
        for (who, whom, seconds) in each(&flights) {
            *blame.flights.entry(pair(who, whom)).or_default() += seconds;
        }
        blame.network = blame.flights.clone();
        blame.pass_on(&late, &flights, &most);
        blame
    }

    fn pass_on(&mut self, late: &Waits, flights: &Waits, most: &Waits) {
        let nobody = BTreeMap::new();
        let mut arriving: BTreeMap<usize, f64> =
            self.direct.iter().map(|(whom, kinds)| (*whom, kinds.values().sum())).collect();
        for round in 0..ROUNDS {
            let mut next: BTreeMap<usize, f64> = BTreeMap::new();
            for (place, seconds) in arriving {
                let (late, flights) = (late.get(&place).unwrap_or(&nobody), flights.get(&place).unwrap_or(&nobody));
                let waited: f64 = late.values().chain(flights.values()).sum();
                let longest = most.get(&place).map_or(0.0, |most| most.values().copied().fold(0.0, f64::max));
                let is_last = round + 1 == ROUNDS;
                let part = if longest > 0.0 && !is_last { (waited / longest).min(1.0) } else { 0.0 };
                *self.origins.entry(place).or_default() += seconds * (1.0 - part);
                for (whom, own) in late.iter().filter(|_| part > 0.0) {
                    *next.entry(*whom).or_default() += seconds * part * own / waited;
                    self.passed.entry(*whom).or_default().insert(place, part * own / waited);
                }
                for (whom, own) in flights {
                    *self.network.entry(pair(place, *whom)).or_default() += seconds * part * own / waited;
                }
            }
            arriving = next;
        }
    }
}

fn each(waits: &Waits) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    waits.iter().flat_map(|(who, whoms)| whoms.iter().map(|(whom, seconds)| (*who, *whom, *seconds)))
}

/// Waits for messages in flight, without those that are exposed by their lateness: who waits at least as long for a message to be
/// sent as for it to arrive would not have waited for its flight. These become waits for a late sender.
fn exposed_flights(kinds: &mut BTreeMap<WaitReason, Waits>) -> Waits {
    let all = kinds.remove(&WaitReason::Transfer).unwrap_or_default();
    kinds.remove(&WaitReason::Unexplained);
    let late = kinds.entry(WaitReason::LateSender).or_default();
    let mut flights = Waits::new();
    for (who, whom, seconds) in each(&all) {
        let is_late = late.get(&who).and_then(|late| late.get(&whom)).is_some_and(|late| *late >= seconds);
        let waits = if is_late { &mut *late } else { &mut flights };
        *waits.entry(who).or_default().entry(whom).or_default() += seconds;
    }
    flights
}

/// Waits that nothing explains, of containers whose messages to another take longer than messages usually do until they are
/// received: that one received late, as far as its messages took longer.
fn unexplained(run: &RunMatrix) -> Vec<(usize, usize, f64)> {
    let count = run.members.len();
    let mut waits = vec![0.0; count];
    for wait in run.waits.iter().filter(|wait| wait.slice.is_none() && wait.kind == WaitReason::Unexplained) {
        let member = wait.container.and_then(|id| run.place(id)).and_then(|place| run.member_at(place));
        if let Some(member) = member {
            waits[member] += wait.seconds;
        }
    }
    let usual = median(waits.iter().copied());
    let usual_flight = median(run.pairs.iter().map(|pair| pair.seconds / pair.links.max(1.0)));
    let mut found = vec![];
    for (member, waited) in waits.iter().enumerate().filter(|(_, waited)| **waited > usual) {
        let place = run.members[member];
        let slow: Vec<(usize, f64)> = run
            .pairs
            .iter()
            .filter(|pair| run.place(pair.source) == Some(place))
            .filter_map(|pair| Some((run.place(pair.target)?, pair.seconds - usual_flight * pair.links)))
            .filter(|(_, longer)| *longer > 0.0)
            .collect();
        let whole: f64 = slow.iter().map(|(_, longer)| longer).sum();
        let explained = (waited - usual).min(whole);
        found.extend(slow.into_iter().map(|(whom, longer)| (place, whom, explained * longer / whole)));
    }
    found
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}
