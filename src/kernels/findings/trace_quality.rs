//! trace_quality: what the trace lacks, so that nothing else is trusted too far.
//!
//! Lines that were lost: severity is their part of all lines. Clocks that differ: links that end before they start; the container
//! is the smallest of whose members every such link has exactly one end, if there is one (of two, that across whose border links differ more by direction), and severity is the part of the links
//! across its border that are so. A trace that is cut off is said by its diagnostics, which are errors: each
//! counts like a lost line.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind};
use super::matrix::RunMatrix;
use super::rows::PairRow;
use super::statistics::median;

/// The findings.
pub(super) fn find(run: &RunMatrix) -> Vec<Finding> {
    lost_lines(run).into_iter().chain(clocks(run)).collect()
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

fn clocks(run: &RunMatrix) -> Option<Finding> {
    let reversed: f64 = run.pairs.iter().map(|pair| pair.reversed).sum();
    if reversed <= 0.0 {
        return None;
    }
    let crosses = |place: usize, pair: &&PairRow| {
        let range = place..run.containers[place].after;
        let [one, other] =
            [pair.source, pair.target].map(|id| run.place(id).is_some_and(|place| range.contains(&place)));
        one != other
    };
    let explains = |place: &usize| {
        let across: f64 = run.pairs.iter().filter(|pair| crosses(*place, pair)).map(|pair| pair.reversed).sum();
        across >= reversed
    };
    let size = |place: usize| {
        let members = run.containers[place].members;
        members.1 - members.0
    };
    let candidates: Vec<usize> =
        (0..run.containers.len()).filter(|place| size(*place) > 0 && explains(place)).collect();
    let smallest = candidates.iter().map(|place| size(*place)).min().unwrap_or(0);
    let order = |one: &usize, other: &usize| skew(run, *one).total_cmp(&skew(run, *other)).then(one.cmp(other));
    let place = candidates.into_iter().filter(|place| size(*place) == smallest).max_by(order);
    let links = |pair: &PairRow| pair.links;
    let among: f64 = match place {
        Some(place) => run.pairs.iter().filter(|pair| crosses(place, pair)).map(links).sum(),
        None => run.pairs.iter().map(links).sum(),
    };
    let severity = reversed / among.max(1.0);
    let whose = place.map_or("of the trace".to_string(), |place| format!("of {}", run.name(place)));
    let title = format!(
        "clocks {whose} differ: {reversed:.0} of {among:.0} links end before they start ({:.2} %)",
        100.0 * severity
    );
    let container = place.or_else(|| run.common(run.members.iter().copied()));
    Some(finding(run, title, severity, container, Evidence::ReversedLinks))
}

/// How much longer links take one way than the other across the border of a container. Where two containers explain links that
/// end too early, it is larger for the one whose clock is wrong: what comes from the other side is late as much.
fn skew(run: &RunMatrix, place: usize) -> f64 {
    let range = place..run.containers[place].after;
    let (mut into, mut out) = ((0.0, 0.0), (0.0, 0.0));
    for pair in &run.pairs {
        let [from, to] = [pair.source, pair.target].map(|id| run.place(id).is_some_and(|place| range.contains(&place)));
        let sums = match (from, to) {
            (true, false) => &mut out,
            (false, true) => &mut into,
            _ => continue,
        };
        *sums = (sums.0 + pair.seconds, sums.1 + pair.links);
    }
    let usual = median(run.pairs.iter().map(|pair| pair.seconds / pair.links.max(1.0)));
    let mean = |(seconds, links): (f64, f64)| if links > 0.0 { seconds / links } else { usual };
    (mean(into) - mean(out)).abs()
}
