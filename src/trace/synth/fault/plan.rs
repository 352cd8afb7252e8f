//! Where, when and how strongly a fault strikes: chosen by the seed, asked by programs, network and simulation.

use std::ops::Range;

use super::layout::{MachinePart, RANKS_PER_NODE};
use super::network::NetworkModel;
use super::noise::NoiseField;
use super::operations::names;
use super::options::{FaultKind, FaultOptions, ProgramShape, thousandths};
use super::settings::ProgramSettings;
use super::slowdown::Slowdown;
use crate::synth::random::RandomSource;

/// What is wrong in a run.
#[derive(Debug, Clone)]
pub(super) struct FaultPlan {
    pub(super) kind: FaultKind,
    /// Where the cause is.
    pub(super) part: MachinePart,
    /// The two ranks of a slow connection.
    pub(super) pair: Option<(u32, u32)>,
    /// When, in nanoseconds, for faults that come and go with the time.
    pub(super) start: u64,
    pub(super) end: u64,
    /// When, for faults of the program.
    pub(super) iterations: Range<u32>,
    /// In thousandths.
    pub(super) strength: u64,
    /// One of two forms that some faults have.
    pub(super) variant: FaultVariant,
    /// What each rank has more or less of the main work, in thousandths of the strength.
    spread: Vec<i64>,
    ranks: Range<u32>,
}

/// The form of a fault that has two: at the start or at the end, damaged lines or a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultVariant {
    First,
    Second,
}

/// What is done too early, if anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkOrder {
    Usual,
    WorkBeforeSend,
    WorkBeforeReceive,
    WorkBeforeMeeting,
}

/// The strength that was asked for, or that of the seed, in thousandths.
pub(super) fn strength(options: &FaultOptions) -> u64 {
    let (least, most) = options.kind.strengths();
    let mut random = choices(options, 1);
    let chosen = least + random.below(most - least + 1);
    options.strength.map_or(chosen, thousandths)
}

/// Random numbers of the seed that differ from kind to kind, from shape to shape, and by what is chosen.
fn choices(options: &FaultOptions, what: u64) -> RandomSource {
    let (kind, shape) = (options.kind as u64, options.shape as u64);
    NoiseField::new(options.seed, 0).random([what, kind, shape])
}

impl FaultPlan {
    /// Nothing is wrong.
    pub(super) fn clean() -> FaultPlan {
        FaultPlan {
            kind: FaultKind::None,
            part: MachinePart::Whole,
            pair: None,
            start: 0,
            end: 0,
            iterations: 0..0,
            strength: 0,
            variant: FaultVariant::First,
            spread: vec![],
            ranks: 0..0,
        }
    }

    /// Chooses place and time in a program whose clean run lasts `clean_end` nanoseconds.
    pub(super) fn new(options: &FaultOptions, settings: &ProgramSettings, clean_end: u64) -> FaultPlan {
        let mut random = choices(options, 2);
        let (kind, ranks) = (options.kind, options.ranks);
        let variant = if random.percent(50) { FaultVariant::First } else { FaultVariant::Second };
        let pair = (kind == FaultKind::NetworkPair).then(|| connection(options.shape, ranks, &mut random));
        // A program with a master has its own kind of rank 0, which is not one of its siblings.
        let first = u32::from(options.shape == ProgramShape::MasterWorker);
        let rank = first + random.below(u64::from(ranks - first)) as u32;
        let node = first + random.below(u64::from(ranks / RANKS_PER_NODE - first)) as u32;
        let part = match kind {
            FaultKind::SlowRank
            | FaultKind::SlowRankInterval
            | FaultKind::LateSender
            | FaultKind::LateReceiver
            | FaultKind::CollectiveWait => MachinePart::Rank(rank),
            FaultKind::Serialisation if options.shape == ProgramShape::MasterWorker => MachinePart::Rank(0),
            FaultKind::Serialisation => MachinePart::Rank(rank),
            FaultKind::SlowNode | FaultKind::DeviatingInterval | FaultKind::MemoryCeiling => MachinePart::Node(node),
            FaultKind::TraceQuality if variant == FaultVariant::Second => MachinePart::Node(node),
            FaultKind::NetworkPair => MachinePart::Rank(pair.map_or(0, |(left, _)| left)),
            _ => MachinePart::Whole,
        };
        let (start, end) = match kind {
            FaultKind::SlowRankInterval
            | FaultKind::DeviatingInterval
            | FaultKind::NetworkInterval
            | FaultKind::MemoryCeiling => interval(clean_end, &mut random),
            _ => (0, u64::MAX),
        };
        let iterations = match kind {
            FaultKind::LateSender
            | FaultKind::LateReceiver
            | FaultKind::CollectiveWait
            | FaultKind::Serialisation
            | FaultKind::Imbalance => {
                let count = u64::from(settings.iterations);
                let length = count * 35 / 100 + random.below(count * 35 / 100 + 1);
                let first = random.below(count - length + 1);
                first as u32..(first + length) as u32
            }
            _ => 0..settings.iterations,
        };
        let spread = spread(ranks, &mut random);
        let ranks = part.ranks(ranks);
        FaultPlan { kind, part, pair, start, end, iterations, strength: strength(options), variant, spread, ranks }
    }

    /// When a rank is done that begins to compute then.
    pub(super) fn compute_end(&self, rank: u32, begin: u64, length: u64) -> u64 {
        let slows = matches!(
            self.kind,
            FaultKind::SlowRank | FaultKind::SlowRankInterval | FaultKind::SlowNode | FaultKind::MemoryCeiling
        );
        match slows && self.ranks.contains(&rank) {
            true => self.slowdown().finish(begin, length),
            false => begin + length,
        }
    }

    /// What a rank does after it has computed, and for how long.
    pub(super) fn interruption(&self, rank: u32, begin: u64, length: u64) -> Option<(&'static str, u64)> {
        let strikes = self.kind == FaultKind::DeviatingInterval
            && self.ranks.contains(&rank)
            && (self.start..self.end).contains(&begin);
        strikes.then(|| (names::WRITE, (length * self.strength / 1000).max(1)))
    }

    /// How much of the main work a rank has in an iteration.
    pub(super) fn main_work(&self, rank: u32, iteration: u32, usual: u64) -> u64 {
        if self.kind != FaultKind::Imbalance || !self.iterations.contains(&iteration) {
            return usual;
        }
        let more = i128::from(usual) * i128::from(self.strength) * i128::from(self.spread[rank as usize]) / 1_000_000;
        (i128::from(usual) + more).max(0) as u64
    }

    /// How long any work of an iteration is.
    pub(super) fn work(&self, iteration: u32, iterations: u32, usual: u64) -> u64 {
        if self.kind != FaultKind::Drift {
            return usual;
        }
        let last = u64::from(iterations.max(2) - 1);
        usual + usual * self.strength / 1000 * u64::from(iteration) / last
    }

    /// In which order a rank works in an iteration.
    pub(super) fn order(&self, rank: u32, iteration: u32) -> WorkOrder {
        if !self.strikes(rank, iteration) {
            return WorkOrder::Usual;
        }
        match self.kind {
            FaultKind::LateSender => WorkOrder::WorkBeforeSend,
            FaultKind::LateReceiver => WorkOrder::WorkBeforeReceive,
            FaultKind::CollectiveWait => WorkOrder::WorkBeforeMeeting,
            _ => WorkOrder::Usual,
        }
    }

    /// How long the section is that one rank does for all in an iteration, and which rank that is.
    pub(super) fn section(&self, iteration: u32, settings: &ProgramSettings) -> Option<(u32, u64)> {
        let strikes = self.kind == FaultKind::Serialisation && self.iterations.contains(&iteration);
        strikes.then(|| (self.ranks.start, settings.iteration * self.strength / 1000))
    }

    /// Into how many messages one is cut.
    pub(super) fn pieces(&self) -> u64 {
        if self.kind == FaultKind::SmallMessages { self.strength / 1000 } else { 1 }
    }

    /// Whether messages are hidden behind work.
    pub(super) fn overlaps(&self) -> bool {
        self.kind != FaultKind::NoOverlap
    }

    /// How long the start and the end take.
    pub(super) fn start_and_end(&self, settings: &ProgramSettings) -> (u64, u64) {
        let usual = settings.start;
        if self.kind != FaultKind::Startup {
            return (usual, usual);
        }
        let long = settings.iteration * u64::from(settings.iterations) * self.strength / 1000;
        match self.variant {
            FaultVariant::First => (usual + long, usual),
            FaultVariant::Second => (usual, usual + long),
        }
    }

    /// By how many nanoseconds the clock of a rank is ahead.
    pub(super) fn clock_offset(&self, rank: u32) -> u64 {
        let strikes =
            self.kind == FaultKind::TraceQuality && self.variant == FaultVariant::Second && self.ranks.contains(&rank);
        // A strength of 0.01 is ten milliseconds.
        if strikes { self.strength * 1_000_000 } else { 0 }
    }

    /// The network of the run.
    pub(super) fn network(&self, noise: NoiseField) -> NetworkModel {
        let slow = match self.kind {
            FaultKind::NetworkPair => Some((self.slowdown(), self.pair)),
            FaultKind::NetworkInterval => Some((self.slowdown(), None)),
            _ => None,
        };
        NetworkModel { noise, slow }
    }

    fn strikes(&self, rank: u32, iteration: u32) -> bool {
        self.ranks.contains(&rank) && self.iterations.contains(&iteration)
    }

    fn slowdown(&self) -> Slowdown {
        Slowdown { start: self.start, end: self.end, factor: self.strength }
    }
}

/// A fifth to almost half of the run, neither at its very start nor at its end.
fn interval(clean_end: u64, random: &mut RandomSource) -> (u64, u64) {
    let length = clean_end / 5 + random.below(clean_end / 4);
    let start = clean_end / 10 + random.below(clean_end * 8 / 10 - length);
    (start, start + length)
}

/// Two ranks of different nodes that send each other messages.
fn connection(shape: ProgramShape, ranks: u32, random: &mut RandomSource) -> (u32, u32) {
    match shape {
        ProgramShape::MasterWorker => (0, RANKS_PER_NODE + random.below(u64::from(ranks - RANKS_PER_NODE)) as u32),
        // The same place in the next node.
        _ => {
            let left = random.below(u64::from(ranks - RANKS_PER_NODE)) as u32;
            (left, left + RANKS_PER_NODE)
        }
    }
}

/// Evenly from -1000 to 1000, in an order of the seed.
fn spread(ranks: u32, random: &mut RandomSource) -> Vec<i64> {
    let last = i64::from(ranks) - 1;
    let mut shares: Vec<i64> = (0..=last).map(|place| 2000 * place / last - 1000).collect();
    for place in (1..shares.len()).rev() {
        shares.swap(place, random.below(place as u64 + 1) as usize);
    }
    shares
}
