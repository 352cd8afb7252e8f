//! trace_quality: what the trace lacks, so that nothing else is trusted too far.
//!
//! Lines that were lost: severity is their part of all lines. A trace that is cut off, as its last line says, lacks its end: how much
//! that is cannot be known, so that severity is the part of the containers with states that are still in one at its end.
//!
//! Clocks that differ: links that end before they start. A clock that is ahead shortens what its container sends by as much as it
//! lengthens what it receives. The container is that whose clock, set by one number, explains the shortest links of all pairs
//! best, by least squares; of those that do so equally well the smallest. Severity is the part of the links across its border that end before they
//! start.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment};
use super::matrix::RunMatrix;
use super::rows::PairRow;
use super::statistics::median;

/// What diagnostics call a trace that is cut off.
const CUT: &str = "truncated-line";
/// What they call states that are open at the end.
const OPEN: &str = "open-state";
/// A clock explains links as well as another when what it leaves is not larger by this part.
const AS_WELL: f64 = 0.05;

/// The findings.
pub(super) fn find(run: &RunMatrix) -> Vec<Finding> {
    lost_lines(run).into_iter().chain(cut(run)).chain(clocks(run)).collect()
}

fn finding(run: &RunMatrix, title: String, severity: f64, container: Option<usize>, evidence: Evidence) -> Finding {
    Finding {
        kind: FindingKind::TraceQuality,
        title,
        seconds: severity * run.resource_seconds(),
        container,
        start: run.start,
        end: run.stop,
        involved: vec![],
        confidence: 1.0,
        evidence,
    }
}

fn lost_lines(run: &RunMatrix) -> Option<Finding> {
    let trace = run.trace.as_ref()?;
    let errors: f64 =
        run.diagnostics.iter().filter(|row| run.text(row.severity) == "error").map(|row| row.occurrences).sum();
    let lost = trace.lost_lines.max(errors);
    if lost <= 0.0 || trace.lines <= 0.0 {
        return None;
    }
    let severity = (lost / trace.lines).min(1.0);
    let title = format!("{lost:.0} of {:.0} lines of the trace were lost ({:.2} %)", trace.lines, 100.0 * severity);
    let mut found = finding(run, title, severity, run.common(run.members.iter().copied()), Evidence::Diagnostics);
    let codes = run.diagnostics.iter().filter(|row| run.text(row.severity) == "error");
    found.involved = codes.map(|row| run.text(row.code).to_string()).collect();
    found.involved.dedup();
    Some(found)
}

/// A trace whose last line has no end.
fn cut(run: &RunMatrix) -> Option<Finding> {
    let occurrences = |code: &str| -> f64 {
        run.diagnostics.iter().filter(|row| run.text(row.code) == code).map(|row| row.occurrences).sum()
    };
    if occurrences(CUT) <= 0.0 {
        return None;
    }
    let open = occurrences(OPEN).min(run.members.len() as f64);
    let severity = open / run.members.len().max(1) as f64;
    let title = format!(
        "the trace breaks off at {}: {open:.0} of {} containers were in a state, and what followed is not in it",
        moment(run.stop),
        run.members.len()
    );
    let mut found = finding(run, title, severity, run.common(run.members.iter().copied()), Evidence::Diagnostics);
    found.involved = vec![CUT.to_string()];
    Some(found)
}

fn clocks(run: &RunMatrix) -> Option<Finding> {
    let reversed: f64 = run.pairs.iter().map(|pair| pair.reversed).sum();
    if reversed <= 0.0 {
        return None;
    }
    let place = wrong_clock(run);
    let is_meant = |pair: &&PairRow| place.is_none_or(|place| direction(run, place, pair) != 0.0);
    let among: f64 = run.pairs.iter().filter(is_meant).map(|pair| pair.links).sum();
    let severity = (reversed / among.max(1.0)).min(1.0);
    let whose = place.map_or("of the trace".to_string(), |place| format!("of {}", run.name(place)));
    let title = format!(
        "clocks {whose} differ: {reversed:.0} of {among:.0} links end before they start ({:.2} %)",
        100.0 * severity
    );
    let container = place.or_else(|| run.common(run.members.iter().copied()));
    Some(finding(run, title, severity, container, Evidence::ReversedLinks))
}

/// 1 for links into a container, -1 for those out of it, 0 for others.
fn direction(run: &RunMatrix, place: usize, pair: &PairRow) -> f64 {
    let range = place..run.containers[place].after;
    let [from, to] = [pair.source, pair.target].map(|id| run.place(id).is_some_and(|place| range.contains(&place)));
    f64::from(i8::from(to) - i8::from(from))
}

/// The container whose clock explains the links that end before they start.
fn wrong_clock(run: &RunMatrix) -> Option<usize> {
    let usual = median(run.pairs.iter().map(|pair| pair.shortest).filter(|shortest| *shortest >= 0.0));
    let usual = if usual.is_finite() { usual } else { 0.0 };
    let size = |place: usize| {
        let members = run.containers[place].members;
        members.1 - members.0
    };
    let mut fits: Vec<(usize, f64)> = vec![];
    for place in (0..run.containers.len()).filter(|place| size(*place) > 0 && size(*place) < run.members.len()) {
        let directed = run.pairs.iter().map(|pair| (direction(run, place, pair), pair.shortest - usual));
        let (sum, count) = directed.clone().fold((0.0, 0.0), |(sum, count), (direction, seconds)| {
            (sum + direction * seconds, count + direction.abs())
        });
        let offset = if count > 0.0 { sum / count } else { 0.0 };
        let is_late = |(direction, seconds): (f64, f64)| (seconds - direction * offset).powi(2);
        fits.push((place, directed.map(is_late).sum()));
    }
    let best = fits.iter().map(|(_, rest)| *rest).fold(f64::INFINITY, f64::min);
    let nothing: f64 = run.pairs.iter().map(|pair| (pair.shortest - usual).powi(2)).sum();
    let as_well = fits.into_iter().filter(|(_, rest)| *rest <= best + AS_WELL * nothing && *rest <= 0.5 * nothing);
    as_well.min_by(|one, other| (size(one.0), one.0).cmp(&(size(other.0), other.0))).map(|(place, _)| place)
}
