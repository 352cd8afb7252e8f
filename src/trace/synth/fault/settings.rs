//! Sizes of a program: how long it computes and how much it sends, in the clean run and in that with the fault alike.
//!
//! ```text
//!  an iteration   [ before ][ main ][ after ](meet)[ tail ](meet)      shares in thousandths
//!                       send ►    ◄ wait
//! ```

use super::network::EAGER_BYTES;
use super::options::{FaultKind, FaultOptions, ProgramShape};

/// Nanoseconds of computation in an iteration.
const ITERATION: u64 = 8_000_000;
const SHORT_ITERATION: u64 = 2_000_000;
/// Messages that are short enough to be latency-bound when they are cut.
const SHORT_MESSAGE: u64 = 8 << 10;

/// When a rank is ready for the messages of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReceivePosting {
    /// Before it works, so that messages arrive meanwhile.
    Early,
    /// When it needs them: their senders wait for it.
    OnNeed,
}

/// What both runs have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgramSettings {
    pub(super) shape: ProgramShape,
    pub(super) ranks: u32,
    pub(super) iterations: u32,
    /// Nanoseconds of computation in an iteration.
    pub(super) iteration: u64,
    before: u64,
    main: u64,
    after: u64,
    tail: u64,
    /// Of a message.
    pub(super) bytes: u64,
    pub(super) posting: ReceivePosting,
    /// Nanoseconds that the start and the end take.
    pub(super) start: u64,
}

impl ProgramSettings {
    /// `strength` is in thousandths.
    pub(super) fn new(options: &FaultOptions, strength: u64) -> ProgramSettings {
        let (kind, shape) = (options.kind, options.shape);
        let is_short = shape == ProgramShape::Pipeline || kind == FaultKind::SmallMessages;
        let iteration = if is_short { SHORT_ITERATION } else { ITERATION };
        let bytes = match kind {
            FaultKind::SmallMessages => SHORT_MESSAGE,
            // Nothing hides them, so they are as short as their sender still has to wait for.
            FaultKind::LateReceiver => EAGER_BYTES * 3 / 2,
            // A byte between nodes takes a nanosecond. Phases share an iteration.
            FaultKind::NoOverlap => iteration * strength / 1000 / phases(shape),
            _ if shape == ProgramShape::Pipeline => 256 << 10,
            _ => 512 << 10,
        };
        let [before, main, after, tail] = match kind {
            FaultKind::LateSender | FaultKind::LateReceiver => with_share([250, 400, 0, 150], 2, strength),
            FaultKind::CollectiveWait => with_share([250, 400, 200, 0], 3, strength),
            // What hides the messages must be as long as they are.
            FaultKind::NoOverlap => [150, 600, 150, 100],
            _ => [250, 400, 200, 150],
        };
        let posting = match kind {
            FaultKind::LateReceiver => ReceivePosting::OnNeed,
            _ => ReceivePosting::Early,
        };
        let start = iteration * u64::from(options.iterations) / 200;
        let (ranks, iterations) = (options.ranks, options.iterations);
        ProgramSettings { shape, ranks, iterations, iteration, before, main, after, tail, bytes, posting, start }
    }

    /// Nanoseconds of the part of an iteration before messages are sent, of that which hides them, of that after
    /// they have come, and of that between the two meetings.
    pub(super) fn parts(&self) -> [u64; 4] {
        [self.before, self.main, self.after, self.tail].map(|share| self.iteration * share / 1000)
    }
}

/// How often ranks exchange messages in an iteration.
pub(super) fn phases(shape: ProgramShape) -> u64 {
    if shape == ProgramShape::AllToAll { 2 } else { 1 }
}

/// Gives one part its share of 1000, and the others the rest as they were.
fn with_share(mut shares: [u64; 4], part: usize, share: u64) -> [u64; 4] {
    let others: u64 = shares.iter().sum();
    shares = shares.map(|other| other * (1000 - share) / others);
    shares[part] = share;
    shares
}
