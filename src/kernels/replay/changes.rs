//! What is changed, and what becomes of a duration.

use hashbrown::HashSet;

use super::facts::ReplayFacts;
use super::phases::BalancedPhases;
use crate::waiting::WaitMessage;

/// Factors on the time that the network takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkChange {
    /// On the part up to the shortest flight of a link.
    pub latency: f64,
    /// On what is beyond: the reciprocal of a factor on bandwidth.
    pub transfer: f64,
}

impl NetworkChange {
    /// As it was.
    pub const NONE: NetworkChange = NetworkChange { latency: 1.0, transfer: 1.0 };
    /// A network that takes no time.
    pub const IDEAL: NetworkChange = NetworkChange { latency: 0.0, transfer: 0.0 };
}

/// What is changed, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayChanges {
    /// The network.
    pub network: NetworkChange,
    /// What time in no state is multiplied by.
    pub gap_factor: f64,
    /// The interval of measured time in which changes apply.
    pub window: (i64, i64),
    /// The containers to which they apply; `None` for all.
    pub containers: Option<HashSet<u32>>,
    /// The links whose time on the network is changed.
    pub links: ChosenLinks,
    /// Factors that balance the work of containers.
    pub balance: Option<BalancedPhases>,
}

/// Links by their ends. If either is chosen, only links are changed, and not time in states of communication.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChosenLinks {
    /// Those sent by these containers; `None` for all.
    pub sources: Option<HashSet<u32>>,
    /// Those received by these containers; `None` for all.
    pub targets: Option<HashSet<u32>>,
}

impl ChosenLinks {
    /// All links.
    pub const ALL: ChosenLinks = ChosenLinks { sources: None, targets: None };

    fn contain(&self, message: &WaitMessage) -> bool {
        self.sources.as_ref().is_none_or(|chosen| chosen.contains(&message.source))
            && self.targets.as_ref().is_none_or(|chosen| chosen.contains(&message.target))
    }

    fn are_all(&self) -> bool {
        self.sources.is_none() && self.targets.is_none()
    }
}

impl ReplayChanges {
    /// No change.
    pub const NONE: ReplayChanges = ReplayChanges {
        network: NetworkChange::NONE,
        gap_factor: 1.0,
        window: (i64::MIN, i64::MAX),
        containers: None,
        links: ChosenLinks::ALL,
        balance: None,
    };

    fn applies_to(&self, container: u32) -> bool {
        self.containers.as_ref().is_none_or(|chosen| chosen.contains(&container))
    }

    /// What becomes of time that a container spends on its own, with a factor.
    pub(super) fn own_time(&self, container: u32, time: (i64, i64), factor: f64) -> i64 {
        self.changed(container, time, |inside| scaled(inside, factor))
    }

    /// What becomes of time that a container spends on the network, with a factor.
    pub(super) fn network_time(&self, container: u32, time: (i64, i64), factor: f64, facts: &ReplayFacts) -> i64 {
        let on_network = |inside| if self.links.are_all() { self.transferred(inside, facts) } else { inside };
        self.changed(container, time, |inside| scaled(on_network(inside), factor))
    }

    /// The part of some time of a container to which changes apply.
    pub(super) fn inside(&self, container: u32, (start, end): (i64, i64)) -> Option<(i64, i64)> {
        let inside = (start.max(self.window.0), end.min(self.window.1));
        Some(inside).filter(|(start, end)| start < end && self.applies_to(container))
    }

    /// What becomes of the time that a message takes. It is changed if either end is chosen.
    pub(super) fn flight(&self, message: &WaitMessage, ticks: i64, facts: &ReplayFacts) -> i64 {
        let is_inside = self.window.0 <= message.start && message.start < self.window.1 && self.links.contain(message);
        let is_chosen = self.applies_to(message.source) || self.applies_to(message.target);
        if is_inside && is_chosen { self.transferred(ticks, facts) } else { ticks }
    }

    /// Changes the part of some time that lies in the window.
    fn changed(&self, container: u32, (start, end): (i64, i64), change: impl Fn(i64) -> i64) -> i64 {
        let whole = (end - start).max(0);
        let Some((from, until)) = self.inside(container, (start, end)) else { return whole };
        (whole - (until - from)).saturating_add(change(until - from))
    }

    fn transferred(&self, ticks: i64, facts: &ReplayFacts) -> i64 {
        let latency = ticks.min(facts.latency);
        scaled(latency, self.network.latency).saturating_add(scaled(ticks - latency, self.network.transfer))
    }
}

/// Digits of a double behind its first.
const DIGITS: i32 = 52;

/// The exact product of ticks and a factor, neither of them negative, rounded to the nearest tick, a half up.
pub(super) fn scaled(ticks: i64, factor: f64) -> i64 {
    let bits = factor.to_bits();
    let exponent = ((bits >> DIGITS) & 0x7ff) as i32;
    let fraction = (bits & ((1 << DIGITS) - 1)) as i128;
    let (whole, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << DIGITS, exponent) };
    // The factor is `whole` times two to this power; the product has at most 116 digits.
    let power = exponent - 1023 - DIGITS;
    let product = i128::from(ticks) * whole;
    let exact = match power {
        0.. => product.saturating_mul(1 << power.min(64)),
        -126..=-1 => (product + (1 << (-power - 1))) >> -power,
        _ => 0,
    };
    exact.min(i128::from(i64::MAX)) as i64
}
