//! network: messages between two containers, or from and to those below one, delay the run; or all messages for a while.
//!
//! What counts is waiting for messages that are in flight, and waiting for containers that waited so ([`Blame`]); a slow
//! message that nobody waits for costs nothing. Two containers are a finding when at least half of that waiting is between
//! them and chance would not do it; else a subtree when nearly all of it crosses its border, though it has at most half of
//! the messages; else an interval in which there is more of it than before and after.

use std::collections::BTreeMap;

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment, whole_or_interval};
use super::matrix::RunMatrix;
use super::rows::WaitReason;
use super::segments::{Segment, strongest};
use super::statistics::{chance, confidence, median, spread};

/// Part of the waiting that two containers have at least.
const PAIR_SHARE: f64 = 0.4;
/// Part of the waiting that crosses the border of a subtree at least, and part of the links at most.
const SUBTREE_SHARE: f64 = 0.8;
const SUBTREE_LINKS: f64 = 0.5;

/// What the waiting for messages in flight says.
pub(super) enum NetworkCause {
    /// A place or a time.
    Found(Finding),
    /// It is everywhere: so many seconds.
    Everywhere(f64),
}

/// The cause.
pub(super) fn find(run: &RunMatrix, blame: &Blame) -> NetworkCause {
    let whole: f64 = blame.network.values().sum();
    let series = flights(run);
    let found = between_two(run, blame, whole)
        .or_else(|| for_a_while(run, whole, &series))
        .or_else(|| of_a_subtree(run, blame, whole, &series));
    found.map_or(NetworkCause::Everywhere(whole), NetworkCause::Found)
}

/// Links by two containers, the first one first.
fn links(run: &RunMatrix) -> BTreeMap<(usize, usize), f64> {
    let mut links = BTreeMap::new();
    for pair in &run.pairs {
        if let (Some(one), Some(other)) = (run.place(pair.source), run.place(pair.target)) {
            *links.entry((one.min(other), one.max(other))).or_default() += pair.links;
        }
    }
    links
}

fn between_two(run: &RunMatrix, blame: &Blame, whole: f64) -> Option<Finding> {
    let links = links(run);
    let by_flight = |one: &(&(usize, usize), &f64), other: &(&(usize, usize), &f64)| one.1.total_cmp(other.1);
    let (pair, _) = blame.flights.iter().max_by(by_flight)?;
    let seconds = blame.network.get(pair).copied()?;
    let others: Vec<f64> = links
        .keys()
        .filter(|other| *other != pair)
        .map(|other| blame.network.get(other).copied().unwrap_or(0.0))
        .collect();
    if others.len() < 3 || seconds < PAIR_SHARE * whole {
        return None;
    }
    let usual = median(others.iter().copied());
    let needed = chance(others.len() as f64 + 1.0);
    let deviations = (seconds - usual) / spread(&others).max(0.1 * usual).max(1e-4 * run.resource_seconds());
    if deviations < needed {
        return None;
    }
    let [one, other] = [pair.0, pair.1].map(|place| run.name(place).to_string());
    Some(Finding {
        kind: FindingKind::Network,
        title: format!("messages between {one} and {other} are slow: they cost {} of waiting", moment(seconds)),
        seconds,
        container: Some(pair.0),
        start: run.start,
        end: run.stop,
        involved: vec![one, other],
        confidence: confidence(deviations, needed),
        evidence: Evidence::Links,
    })
}

/// Seconds of waiting for messages in flight per slice.
fn flights(run: &RunMatrix) -> Vec<f64> {
    let mut series = vec![0.0; run.slices];
    for wait in run.waits.iter().filter(|wait| wait.kind == WaitReason::Transfer) {
        if let Some(sum) = wait.slice.and_then(|slice| series.get_mut(slice as usize)) {
            *sum += wait.seconds;
        }
    }
    series
}

fn for_a_while(run: &RunMatrix, whole: f64, series: &[f64]) -> Option<Finding> {
    let usual = median(series.iter().copied());
    let values: Vec<f64> = series.iter().map(|seconds| seconds - usual).collect();
    let segment: Segment = strongest(&values, &vec![1.0; series.len()])?;
    let inside = |slice: &usize| (segment.first..segment.last).contains(slice);
    let outside: Vec<f64> = (0..series.len()).filter(|slice| !inside(slice)).map(|slice| series[slice]).collect();
    let before = median(series[..segment.first].iter().copied());
    let after = median(series[segment.last..].iter().copied());
    let needed = chance((series.len() * series.len()) as f64 / 2.0);
    let noise = spread(&outside).max(0.05 * segment.mean);
    let deviations = segment.mean * segment.weight.sqrt() / noise;
    let level = segment.mean + usual;
    // More than twice what it is before and after.
    let stands_out = before.is_finite() && after.is_finite() && level >= 2.0 * before.max(after);
    if outside.len() * 5 < series.len() || deviations < needed || !stands_out {
        return None;
    }
    let (start, end, when) = whole_or_interval(run, (segment.first, segment.last));
    let waiting: f64 = series.iter().sum();
    let seconds = whole * (segment.mean * segment.weight / waiting.max(f64::MIN_POSITIVE)).min(1.0);
    Some(Finding {
        kind: FindingKind::Network,
        title: format!("messages are slow {when}: waiting for them costs {}", moment(seconds)),
        seconds,
        container: run.common(run.members.iter().copied()),
        start,
        end,
        involved: vec![],
        confidence: confidence(deviations, needed),
        evidence: Evidence::WaitsOf("transfer"),
    })
}

fn of_a_subtree(run: &RunMatrix, blame: &Blame, whole: f64, series: &[f64]) -> Option<Finding> {
    let links = links(run);
    let all: f64 = links.values().sum();
    let crosses = |place: usize, pair: &(usize, usize)| {
        let range = place..run.containers[place].after;
        range.contains(&pair.0) != range.contains(&pair.1)
    };
    let share = |place: usize, of: &BTreeMap<(usize, usize), f64>, whole: f64| {
        let sum: f64 = of.iter().filter(|(pair, _)| crosses(place, pair)).map(|(_, seconds)| seconds).sum();
        if whole > 0.0 { sum / whole } else { 0.0 }
    };
    let count = run.members.len();
    let mut best: Option<(usize, f64)> = None;
    for place in (0..run.containers.len()).rev() {
        let members = run.containers[place].members;
        let below = members.1 - members.0;
        if below == 0 || 2 * below > count || count < 4 {
            continue;
        }
        let (waiting, messages) =
            (share(place, &blame.flights, blame.flights.values().sum()), share(place, &links, all));
        let gain = waiting - messages;
        if waiting >= SUBTREE_SHARE && messages <= SUBTREE_LINKS && best.is_none_or(|(_, known)| gain > known + 1e-9) {
            best = Some((place, gain));
        }
    }
    let (place, gain) = best?;
    let peak = strongest(series, &vec![1.0; series.len()])?;
    let (start, end, when) = whole_or_interval(run, (peak.first, peak.last));
    let name = run.name(place).to_string();
    Some(Finding {
        kind: FindingKind::Network,
        title: format!("messages from and to {name} are slow {when}: they cost {} of waiting", moment(whole)),
        seconds: whole,
        container: Some(place),
        start,
        end,
        involved: vec![name],
        confidence: gain.clamp(0.0, 1.0),
        evidence: Evidence::Links,
    })
}
