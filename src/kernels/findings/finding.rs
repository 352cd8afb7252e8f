//! What a finding is.

use super::evidence::Evidence;
use super::matrix::RunMatrix;

/// A finding that takes as much of the window takes all of it.
const ALWAYS: f64 = 0.9;

/// The kinds, in the order of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// A container or subtree that computes slower than its siblings.
    SlowContainer,
    /// Each iteration slower than the one before.
    Drift,
    /// Work that is not spread evenly.
    LoadImbalance,
    /// Few containers are active while others wait for them.
    Serialisation,
    /// Links that take longer than others, or than before.
    Network,
    /// Part of the machine unlike itself before and after.
    DeviatingInterval,
    /// Waiting for messages that are sent late.
    LateSender,
    /// Waiting for messages to be received.
    LateReceiver,
    /// Waiting for the last to come.
    CollectiveWait,
    /// Latency of many small messages.
    SmallMessages,
    /// Messages in flight while nobody computes.
    NoOverlap,
    /// Start and end of the program.
    StartEnd,
    /// A variable at its ceiling.
    ResourceCeiling,
    /// What the trace lacks.
    TraceQuality,
}

impl FindingKind {
    /// All, with their names in SQL.
    pub const NAMES: [(FindingKind, &'static str); 14] = [
        (FindingKind::SlowContainer, "slow_container"),
        (FindingKind::Drift, "drift"),
        (FindingKind::LoadImbalance, "load_imbalance"),
        (FindingKind::Serialisation, "serialisation"),
        (FindingKind::Network, "network"),
        (FindingKind::DeviatingInterval, "deviating_interval"),
        (FindingKind::LateSender, "late_sender"),
        (FindingKind::LateReceiver, "late_receiver"),
        (FindingKind::CollectiveWait, "collective_wait"),
        (FindingKind::SmallMessages, "small_messages"),
        (FindingKind::NoOverlap, "no_overlap"),
        (FindingKind::StartEnd, "start_end"),
        (FindingKind::ResourceCeiling, "resource_ceiling"),
        (FindingKind::TraceQuality, "trace_quality"),
    ];

    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        FindingKind::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| *name)
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<FindingKind> {
        FindingKind::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// A sentence with numbers.
    pub title: String,
    /// Seconds of containers that would be recovered.
    pub seconds: f64,
    /// The smallest subtree that explains it: its place in [`RunMatrix::containers`](super::RunMatrix).
    pub container: Option<usize>,
    /// Since when.
    pub start: f64,
    /// Until when.
    pub end: f64,
    /// Values, types or containers that are involved.
    pub involved: Vec<String>,
    /// 0 to 1: how certain it is that this is no chance.
    pub confidence: f64,
    /// What proves it.
    pub evidence: Evidence,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct FindingSettings {
    /// Least severity.
    pub least: f64,
    /// Only these kinds; all when empty.
    pub kinds: Vec<FindingKind>,
}

/// When slices begin and end, and that in words: all of the window, if they are nearly that.
pub(super) fn whole_or_interval(run: &RunMatrix, slices: (usize, usize)) -> (f64, f64, String) {
    whole_or_times(run, (run.time(slices.0), run.time(slices.1)))
}

/// An interval, and in words: all of the window, if it is nearly that.
pub(super) fn whole_or_times(run: &RunMatrix, (start, end): (f64, f64)) -> (f64, f64, String) {
    if end - start >= ALWAYS * (run.stop - run.start) {
        (run.start, run.stop, "all the time".to_string())
    } else {
        (start, end, format!("from {} to {}", moment(start), moment(end)))
    }
}

/// Seconds in words, with as many digits as say something.
pub(super) fn moment(seconds: f64) -> String {
    let digits = (5 - seconds.abs().max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{seconds:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} s")
}

/// A name, cut where it is longer than a line can hold.
pub(super) fn short(name: &str) -> String {
    const MOST: usize = 60;
    if name.chars().count() <= MOST { name.to_string() } else { name.chars().take(MOST - 1).chain(['…']).collect() }
}
