//! resource_ceiling: a variable is at its ceiling while containers are slower or deviate.
//!
//! A ceiling is the largest value of a variable of a type and container, when its mean per slice is within 1 % of it for 5 % of the
//! run at least, in one piece, and when it is lower by 5 % in at least a tenth of the run: what never changes is no
//! ceiling. It is a finding when slow containers or deviating intervals coincide with it: each for most of its time, all of
//! them together, from the first to the last, for most of the time of both, and one of the two containers below the other. Recovered
//! is what these findings say, which it replaces. Where such containers lose as much at other times, it is something else.
//!
//! Where the trace records a capacity X beside X_used, as SimGrid does, time at the capacity is a finding of its own, of which each piece
//! counts, however short: severity is the part of the time of all such resources.

use std::collections::BTreeMap;

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment};
use super::matrix::RunMatrix;
use super::rows::VariableCell;

/// Distance from the ceiling that still is at it.
const NEAR: f64 = 0.01;
/// Distance that is clearly below.
const FAR: f64 = 0.05;
/// The least length, as part of the run.
const LEAST_LENGTH: f64 = 0.05;
/// The least part of the run in which it is lower.
const LEAST_LOWER: f64 = 0.1;
/// Part of the union that both intervals must have in common.
const COMMON: f64 = 0.5;

/// A variable at its ceiling.
struct Ceiling {
    place: usize,
    name: String,
    value: f64,
    start: f64,
    end: f64,
}

/// Findings that a ceiling explains become one about it.
pub(super) fn explain(run: &RunMatrix, found: &mut Vec<Finding>) {
    for ceiling in ceilings(run) {
        let explained: Vec<bool> =
            found.iter().map(|finding| ceiling.concerns(run, finding) && ceiling.holds(finding)).collect();
        let inside = || found.iter().zip(&explained).filter(|(_, is_inside)| **is_inside).map(|(finding, _)| finding);
        let start = inside().map(|finding| finding.start).fold(f64::INFINITY, f64::min);
        let end = inside().map(|finding| finding.end).fold(f64::NEG_INFINITY, f64::max);
        let seconds: f64 = inside().map(|finding| finding.seconds).sum();
        let all = found.iter().filter(|finding| ceiling.concerns(run, finding)).map(|finding| finding.seconds);
        let Some(worst) = inside().max_by(|one, other| one.seconds.total_cmp(&other.seconds)) else { continue };
        let coincide = ceiling.common(start, end) >= COMMON * (end.max(ceiling.end) - start.min(ceiling.start));
        if !coincide || seconds < COMMON * all.sum::<f64>() {
            continue;
        }
        let mut involved = vec![ceiling.name.clone()];
        involved.extend(worst.involved.iter().cloned());
        let title = format!(
            "{} of {} is at its ceiling of {:.6} from {} to {}, while {}",
            ceiling.name,
            run.name(ceiling.place),
            ceiling.value,
            moment(ceiling.start),
            moment(ceiling.end),
            worst.title
        );
        let finding = Finding {
            kind: FindingKind::ResourceCeiling,
            title,
            seconds,
            container: Some(ceiling.place),
            start: ceiling.start,
            end: ceiling.end,
            involved,
            confidence: worst.confidence,
            evidence: Evidence::Variable(ceiling.name.clone()),
        };
        let mut is_explained = explained.iter();
        found.retain(|_| is_explained.next() != Some(&true));
        found.push(finding);
    }
}

impl Ceiling {
    /// Time that it has in common with an interval.
    fn common(&self, start: f64, end: f64) -> f64 {
        (end.min(self.end) - start.max(self.start)).max(0.0)
    }

    /// Whether a finding is about slow work of containers above or below it.
    fn concerns(&self, run: &RunMatrix, finding: &Finding) -> bool {
        let is_slow = matches!(finding.kind, FindingKind::SlowContainer | FindingKind::DeviatingInterval);
        let is_below = |one: usize, other: usize| (one..run.containers[one].after).contains(&other);
        is_slow && finding.container.is_some_and(|place| is_below(place, self.place) || is_below(self.place, place))
    }

    /// Whether a finding is at the ceiling for most of its time.
    fn holds(&self, finding: &Finding) -> bool {
        self.common(finding.start, finding.end) >= COMMON * (finding.end - finding.start)
    }
}

/// Resources that are used up to their capacity, where the trace records both: a variable X and a variable X_used. The
/// resources of one type are one finding; the container is that which is at its ceiling for longest.
pub(super) fn find(run: &RunMatrix) -> Vec<Finding> {
    let mut used: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
    for row in &run.resources {
        if let Some(place) = run.place(row.container) {
            used.entry(run.text(row.kind)).or_default().push((place, row.seconds));
        }
    }
    let finding = |(name, places): (&str, Vec<(usize, f64)>)| {
        let whole: f64 = places.iter().map(|(_, full)| full).sum();
        let (place, longest) =
            places.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))?;
        let at_ceiling = places.iter().filter(|(_, full)| *full > 0.0).count();
        let share = longest / (run.stop - run.start);
        (longest > 0.0).then(|| Finding {
            kind: FindingKind::ResourceCeiling,
            title: format!(
                "{name} is at the capacity for {} in {} ({:.1} % of the time), the longest of {at_ceiling}",
                moment(longest),
                run.name(place),
                100.0 * share
            ),
            seconds: run.resource_seconds() * whole / (places.len() as f64 * (run.stop - run.start)),
            container: Some(place),
            start: run.start,
            end: run.stop,
            involved: vec![name.to_string()],
            confidence: share.clamp(0.0, 1.0),
            evidence: Evidence::Variable(name.to_string()),
        })
    };
    used.into_iter().filter_map(finding).collect()
}

fn ceilings(run: &RunMatrix) -> Vec<Ceiling> {
    let mut found = vec![];
    for series in run.variables.chunk_by(|one, other| (one.kind, one.container) == (other.kind, other.container)) {
        found.extend(ceiling(run, series));
    }
    found
}

fn ceiling(run: &RunMatrix, series: &[VariableCell]) -> Option<Ceiling> {
    let first = series.first()?;
    let value = series.iter().map(|cell| cell.maximum).fold(f64::NEG_INFINITY, f64::max);
    if value <= 0.0 {
        return None;
    }
    let mean = |cell: &VariableCell| cell.integral / cell.covered.max(f64::MIN_POSITIVE);
    let lower = series.iter().filter(|cell| mean(cell) < (1.0 - FAR) * value).count();
    let mut best = (0, 0);
    let mut begin = None;
    for cell in series {
        let slice = cell.slice as usize;
        if mean(cell) < (1.0 - NEAR) * value {
            begin = None;
            continue;
        }
        let from = *begin.get_or_insert(slice);
        if slice + 1 - from > best.1 - best.0 {
            best = (from, slice + 1);
        }
    }
    let is_long = (best.1 - best.0) as f64 >= LEAST_LENGTH * run.slices as f64;
    if !is_long || (lower as f64) < LEAST_LOWER * run.slices as f64 {
        return None;
    }
    Some(Ceiling {
        place: run.place(first.container)?,
        name: run.text(first.kind).to_string(),
        value,
        start: run.time(best.0),
        end: run.time(best.1),
    })
}
