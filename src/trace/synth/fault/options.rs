//! What can be asked for: kinds of faults, shapes of programs, and which go together.

use serde::Serialize;

use crate::error::{Error, Result};

/// What is wrong with the program, the machine or the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Nothing.
    None,
    /// One rank computes more slowly than the others.
    SlowRank,
    /// The same, for a while.
    SlowRankInterval,
    /// All ranks of one node compute more slowly.
    SlowNode,
    /// The ranks of one node also write files for a while.
    DeviatingInterval,
    /// The main work is spread unevenly in some iterations.
    Imbalance,
    /// One rank sends only after work that could wait.
    LateSender,
    /// One rank is ready to receive only after work that could wait.
    LateReceiver,
    /// One rank enters a collective only after work that could wait.
    CollectiveWait,
    /// One rank does something while all others wait.
    Serialisation,
    /// Messages between two nodes' ranks are slow.
    NetworkPair,
    /// All messages between nodes are slow for a while.
    NetworkInterval,
    /// What could be one message is sent in many, one after the other.
    SmallMessages,
    /// Everybody waits for messages before the work that could hide them.
    NoOverlap,
    /// The start or the end takes long.
    Startup,
    /// Each iteration takes longer than the one before.
    Drift,
    /// The memory of one node is full for a while, and its ranks are slower.
    MemoryCeiling,
    /// Lines are damaged, or the clock of a node differs.
    TraceQuality,
}

impl FaultKind {
    /// All kinds, the clean run first.
    pub const ALL: [FaultKind; 18] = [
        FaultKind::None,
        FaultKind::SlowRank,
        FaultKind::SlowRankInterval,
        FaultKind::SlowNode,
        FaultKind::DeviatingInterval,
        FaultKind::Imbalance,
        FaultKind::LateSender,
        FaultKind::LateReceiver,
        FaultKind::CollectiveWait,
        FaultKind::Serialisation,
        FaultKind::NetworkPair,
        FaultKind::NetworkInterval,
        FaultKind::SmallMessages,
        FaultKind::NoOverlap,
        FaultKind::Startup,
        FaultKind::Drift,
        FaultKind::MemoryCeiling,
        FaultKind::TraceQuality,
    ];

    /// The name on the command line and in the truth.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::None => "none",
            FaultKind::SlowRank => "slow_rank",
            FaultKind::SlowRankInterval => "slow_rank_interval",
            FaultKind::SlowNode => "slow_node",
            FaultKind::DeviatingInterval => "deviating_interval",
            FaultKind::Imbalance => "imbalance",
            FaultKind::LateSender => "late_sender",
            FaultKind::LateReceiver => "late_receiver",
            FaultKind::CollectiveWait => "collective_wait",
            FaultKind::Serialisation => "serialisation",
            FaultKind::NetworkPair => "network_pair",
            FaultKind::NetworkInterval => "network_interval",
            FaultKind::SmallMessages => "small_messages",
            FaultKind::NoOverlap => "no_overlap",
            FaultKind::Startup => "startup",
            FaultKind::Drift => "drift",
            FaultKind::MemoryCeiling => "memory_ceiling",
            FaultKind::TraceQuality => "trace_quality",
        }
    }

    /// The least and the greatest strength that a seed chooses, in thousandths; see `docs/generate.md` for the units.
    pub(super) fn strengths(self) -> (u64, u64) {
        match self {
            FaultKind::None => (0, 0),
            FaultKind::SlowRank | FaultKind::SlowNode => (1_300, 2_500),
            FaultKind::SlowRankInterval | FaultKind::MemoryCeiling => (1_600, 2_500),
            FaultKind::DeviatingInterval => (600, 1_500),
            FaultKind::Imbalance => (500, 900),
            FaultKind::LateSender | FaultKind::LateReceiver | FaultKind::CollectiveWait => (250, 400),
            FaultKind::Serialisation => (300, 800),
            FaultKind::NetworkPair => (10_000, 18_000),
            FaultKind::NetworkInterval => (12_000, 20_000),
            FaultKind::SmallMessages => (12_000, 20_000),
            FaultKind::NoOverlap => (250, 450),
            FaultKind::Startup => (250, 600),
            FaultKind::Drift => (600, 1_500),
            FaultKind::TraceQuality => (10, 50),
        }
    }

    /// The strengths that a user may ask for, in thousandths: below them there is no fault, beyond them no program.
    pub(super) fn accepted_strengths(self) -> (u64, u64) {
        match self {
            FaultKind::None => (0, 0),
            FaultKind::SlowRank
            | FaultKind::SlowNode
            | FaultKind::SlowRankInterval
            | FaultKind::MemoryCeiling
            | FaultKind::NetworkPair
            | FaultKind::NetworkInterval => (1_001, 1_000_000),
            FaultKind::SmallMessages => (2_000, 1_000_000),
            FaultKind::Imbalance => (1, 1_000),
            FaultKind::LateSender | FaultKind::LateReceiver | FaultKind::CollectiveWait => (1, 600),
            FaultKind::NoOverlap => (1, 500),
            FaultKind::TraceQuality => (1, 500),
            FaultKind::DeviatingInterval | FaultKind::Serialisation | FaultKind::Startup | FaultKind::Drift => {
                (1, 1_000_000)
            }
        }
    }
}

/// What the program is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramShape {
    /// Ranks on a torus exchange halos with four neighbors, and reduce twice an iteration.
    Stencil,
    /// Rank 0 hands out a task to every other rank and merges their results.
    MasterWorker,
    /// Items pass from node to node, one lane for each rank of a node.
    Pipeline,
    /// Ranks exchange blocks with all of their row and then of their column, and reduce twice an iteration.
    AllToAll,
}

impl ProgramShape {
    /// All shapes.
    pub const ALL: [ProgramShape; 4] =
        [ProgramShape::Stencil, ProgramShape::MasterWorker, ProgramShape::Pipeline, ProgramShape::AllToAll];

    /// The name on the command line and in the truth.
    pub fn name(self) -> &'static str {
        match self {
            ProgramShape::Stencil => "stencil",
            ProgramShape::MasterWorker => "master-worker",
            ProgramShape::Pipeline => "pipeline",
            ProgramShape::AllToAll => "all-to-all",
        }
    }

    /// Whether a fault makes sense in such a program: work that is moved costs time only where everybody meets in each
    /// iteration, and a section of one rank needs a meeting too.
    pub fn supports(self, kind: FaultKind) -> bool {
        match kind {
            FaultKind::LateSender | FaultKind::LateReceiver | FaultKind::CollectiveWait | FaultKind::SmallMessages => {
                matches!(self, ProgramShape::Stencil | ProgramShape::AllToAll)
            }
            FaultKind::NoOverlap => !matches!(self, ProgramShape::MasterWorker),
            FaultKind::Serialisation => !matches!(self, ProgramShape::Pipeline),
            _ => true,
        }
    }
}

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaultOptions {
    /// What is wrong.
    pub kind: FaultKind,
    /// What the program is like.
    pub shape: ProgramShape,
    /// Where the random numbers start: position, interval, strength and noise follow from it.
    pub seed: u64,
    /// How many ranks there are: a multiple of 4 from 16 to 1024.
    pub ranks: u32,
    /// How many iterations the program has, from 10 to 50,000.
    pub iterations: u32,
    /// Standard deviation of the logarithm of compute times, from 0 to 0.5.
    pub noise: f64,
    /// How strong the fault is; a seed chooses when not given.
    pub strength: Option<f64>,
}

/// The most operations of all ranks, about: both runs are held in memory.
const MOST_OPERATIONS: u64 = 2_000_000;

impl FaultOptions {
    /// How many iterations a program has when nobody says: as many as its fault needs to be seen.
    pub fn usual_iterations(kind: FaultKind, shape: ProgramShape) -> u32 {
        match (kind, shape) {
            (FaultKind::SmallMessages, _) => 20,
            (_, ProgramShape::Pipeline) => 200,
            _ => 60,
        }
    }

    /// Fails on what cannot be generated.
    pub(super) fn check(&self) -> Result<()> {
        let fail = |message: String| Err(Error::Usage(message));
        let (kind, shape) = (self.kind.name(), self.shape.name());
        if !self.shape.supports(self.kind) {
            let fitting: Vec<&str> =
                ProgramShape::ALL.iter().filter(|shape| shape.supports(self.kind)).map(|shape| shape.name()).collect();
            return fail(format!("{kind} costs a {shape} program nothing; it takes the shapes {}", fitting.join(", ")));
        }
        if !(16..=1024).contains(&self.ranks) || !self.ranks.is_multiple_of(4) {
            return fail(format!("--ranks must be a multiple of 4 from 16 to 1024, got {}", self.ranks));
        }
        if !(10..=50_000).contains(&self.iterations) {
            return fail(format!("--iterations must be between 10 and 50000, got {}", self.iterations));
        }
        if !(0.0..=0.5).contains(&self.noise) {
            return fail(format!("--noise must be between 0 and 0.5, got {}", self.noise));
        }
        self.check_strength()?;
        if self.operations() > MOST_OPERATIONS {
            let operations = self.operations();
            return fail(format!(
                "fewer ranks or iterations: the run has about {operations} operations, at most {MOST_OPERATIONS} fit"
            ));
        }
        Ok(())
    }

    fn check_strength(&self) -> Result<()> {
        let fail = |message: String| Err(Error::Usage(message));
        let kind = self.kind.name();
        let Some(strength) = self.strength else { return Ok(()) };
        let (least, most) = self.kind.accepted_strengths();
        if self.kind == FaultKind::None {
            return fail("a clean run has no --strength".to_string());
        }
        if !(least..=most).contains(&thousandths(strength)) {
            let (least, most) = (least as f64 / 1000.0, most as f64 / 1000.0);
            return fail(format!("--strength of {kind} must be between {least} and {most}, got {strength}"));
        }
        Ok(())
    }

    /// About how many operations all ranks have.
    fn operations(&self) -> u64 {
        let partners = match self.shape {
            ProgramShape::AllToAll => 2 + u64::from(self.ranks) / 4,
            _ => 4,
        };
        let pieces = match self.kind {
            FaultKind::SmallMessages => self.strength.map_or(self.kind.strengths().1, thousandths) / 1000,
            _ => 1,
        };
        u64::from(self.ranks) * u64::from(self.iterations) * (4 + partners * pieces)
    }
}

/// A number that is not negative in thousandths.
pub(super) fn thousandths(value: f64) -> u64 {
    // Rounding a product of two doubles is the same on every machine; what is negative or no number becomes 0.
    (value * 1000.0).round() as u64
}
