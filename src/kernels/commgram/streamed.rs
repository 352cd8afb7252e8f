//! The phases and communities of messages that come several times and are never kept.
//!
//! ```text
//!  pass 0   all messages in their order     boundaries of phases, sum of all volumes
//!  pass 1   again                           totals of each phase, pairs of the whole
//!  pass 2   again                           pairs of one phase after the other: its communities
//! ```
//! Same results as [`gram`](super::gram), [`places`](super::places), [`span`](super::span) and
//! [`volume`](super::volume), bit by bit: what is added up is added up in the same order.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::boundaries::{PhaseBoundaries, PhaseCursor};
use super::communities::{self, CommunityCut, CommunityGraph};
use super::{CommMessage, CommPhase, Exchange, Weight, WeightScale, order};

/// What the messages of a phase add up to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseTotals {
    /// How many there are.
    pub messages: u64,
    /// Earliest start.
    pub start: i64,
    /// Latest end.
    pub end: i64,
    /// Sum of the volumes; `None` when no message has one.
    pub volume: Option<f64>,
    /// Sum of the volumes that count as weight.
    positive: f64,
}

impl PhaseTotals {
    fn of(message: &CommMessage) -> PhaseTotals {
        PhaseTotals {
            messages: 1,
            start: message.start,
            end: message.end.max(message.start),
            volume: message.volume,
            positive: message.positive_volume(),
        }
    }

    fn add(&mut self, message: &CommMessage) {
        self.messages += 1;
        self.start = self.start.min(message.start);
        self.end = self.end.max(message.end).max(message.start);
        self.volume = match (self.volume, message.volume) {
            (Some(sum), Some(volume)) => Some(sum + volume),
            (sum, volume) => sum.or(volume),
        };
        self.positive += message.positive_volume();
    }
}

/// The totals of phases, from messages in their order.
#[derive(Debug, Clone, Default)]
pub struct TotalsByPhase {
    cursor: PhaseCursor,
    totals: Vec<PhaseTotals>,
}

impl TotalsByPhase {
    /// For phases with these boundaries.
    pub fn new(boundaries: Vec<u64>) -> TotalsByPhase {
        TotalsByPhase { cursor: PhaseCursor::new(boundaries), totals: vec![] }
    }

    /// Adds the next message.
    pub fn add(&mut self, message: &CommMessage) {
        let phase = self.cursor.advance();
        match self.totals.get_mut(phase) {
            Some(totals) => totals.add(message),
            None => self.totals.push(PhaseTotals::of(message)),
        }
    }

    /// The totals of each phase.
    pub fn totals(&self) -> &[PhaseTotals] {
        &self.totals
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.cursor.bytes() + self.totals.capacity() * size_of::<PhaseTotals>()
    }
}

/// What pairs of containers exchange.
#[derive(Debug, Clone, Default)]
struct PairWeights {
    /// By the smaller and the larger container.
    sums: HashMap<(u32, u32), u64>,
}

impl PairWeights {
    fn add(&mut self, message: &CommMessage, scale: WeightScale) {
        let pair = (message.source.min(message.target), message.source.max(message.target));
        *self.sums.entry(pair).or_default() += scale.weigh(message);
    }

    fn bytes(&self) -> usize {
        self.sums.allocation_size()
    }

    /// Takes what there is, and begins anew.
    fn take(&mut self) -> Exchange {
        let mut containers: Vec<u32> = self.sums.keys().flat_map(|(one, other)| [*one, *other]).collect();
        containers.sort_unstable();
        containers.dedup();
        let nodes: HashMap<u32, u32> = containers.iter().copied().zip(0..).collect();
        let edge = |((one, other), sum): ((u32, u32), u64)| (nodes[&one], nodes[&other], sum);
        let mut edges: Vec<(u32, u32, u64)> = self.sums.drain().map(edge).collect();
        edges.sort_unstable();
        Exchange { graph: CommunityGraph { nodes: containers.len(), edges }, containers }
    }
}

/// Messages that come three times, sorted; see the file's head.
#[derive(Debug, Clone)]
pub struct StreamedGram {
    cut: CommunityCut,
    weight: Weight,
    boundaries: PhaseBoundaries,
    /// Sum of the volumes that count as weight.
    positive: f64,
    totals: TotalsByPhase,
    everywhere: PairWeights,
    cursor: PhaseCursor,
    phase: usize,
    /// Messages before the current phase.
    before: usize,
    pairs: PairWeights,
}

impl StreamedGram {
    /// How often it must see the messages.
    pub const PASSES: usize = 3;

    /// Nothing so far.
    pub fn new(phases: usize, cut: CommunityCut, weight: Weight) -> StreamedGram {
        StreamedGram {
            cut,
            weight,
            boundaries: PhaseBoundaries::new(phases),
            positive: 0.0,
            totals: TotalsByPhase::default(),
            everywhere: PairWeights::default(),
            cursor: PhaseCursor::default(),
            phase: 0,
            before: 0,
            pairs: PairWeights::default(),
        }
    }

    /// Takes the next message of a pass. In the last one, gives the phase that ends before it.
    pub fn add(&mut self, pass: usize, message: &CommMessage) -> Option<CommPhase> {
        match pass {
            0 => {
                self.boundaries.add(message.twice_middle());
                self.positive += message.positive_volume();
                None
            }
            1 => {
                self.totals.add(message);
                self.everywhere.add(message, WeightScale::of(self.positive, self.weight));
                None
            }
            _ => {
                let phase = self.cursor.advance();
                let ended = if phase > self.phase { self.end_phase() } else { None };
                let scale = WeightScale::of(self.totals.totals[phase].positive, self.weight);
                self.pairs.add(message, scale);
                ended
            }
        }
    }

    /// Ends a pass. The last one gives the last phase.
    pub fn finish(&mut self, pass: usize) -> Option<CommPhase> {
        if pass == 0 {
            let boundaries = std::mem::take(&mut self.boundaries).finish();
            self.cursor = PhaseCursor::new(boundaries.clone());
            self.totals = TotalsByPhase::new(boundaries);
        }
        if pass + 1 == StreamedGram::PASSES { self.end_phase() } else { None }
    }

    /// The totals of each phase, after pass 1.
    pub fn totals(&self) -> &[PhaseTotals] {
        self.totals.totals()
    }

    /// The place of each container in a picture, after pass 1: containers and places, by container.
    pub fn places(&mut self) -> Vec<(u32, u32)> {
        let exchange = self.everywhere.take();
        let places = order::places(&exchange.graph, &communities::tree(&exchange.graph));
        exchange.containers.into_iter().zip(places).collect()
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        let pairs = self.everywhere.bytes() + self.pairs.bytes();
        self.boundaries.bytes() + self.totals.bytes() + self.cursor.bytes() + pairs
    }

    fn end_phase(&mut self) -> Option<CommPhase> {
        let totals = self.totals.totals.get(self.phase)?;
        let messages = self.before..self.before + totals.messages as usize;
        self.before = messages.end;
        self.phase += 1;
        Some(CommPhase::new(messages, self.pairs.take(), self.cut))
    }
}
