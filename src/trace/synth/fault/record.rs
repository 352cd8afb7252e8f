//! What a simulated run leaves behind: states, messages, and when iterations began and ended. Times are nanoseconds.

/// A state of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankSpan {
    pub(super) rank: u32,
    pub(super) state: &'static str,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeliveredMessage {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) bytes: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
}

/// A run.
#[derive(Debug, Default)]
pub(super) struct RunRecord {
    /// Those of one rank are in the order of time.
    pub(super) spans: Vec<RankSpan>,
    pub(super) messages: Vec<DeliveredMessage>,
    /// The first start and the last end of each step of the program.
    pub(super) steps: Vec<(u64, u64)>,
    /// When the last rank ends.
    pub(super) end: u64,
}

impl RunRecord {
    pub(super) fn span(&mut self, rank: u32, state: &'static str, start: u64, end: u64) {
        if end > start {
            self.spans.push(RankSpan { rank, state, start, end });
        }
    }

    /// A rank was in a step of the program during that time, among others.
    pub(super) fn step(&mut self, step: u32, start: u64, end: u64) {
        let step = step as usize;
        if self.steps.len() <= step {
            self.steps.resize(step + 1, (u64::MAX, 0));
        }
        let (first, last) = &mut self.steps[step];
        (*first, *last) = (start.min(*first), end.max(*last));
        self.end = self.end.max(end);
    }
}
