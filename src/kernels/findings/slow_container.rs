//! slow_container: a container, or all below one, takes longer for the same work than its siblings, always or for a while.
//!
//! Work is compared as [`WorkRatios`] says: states of computation by value, with those of siblings that begin at the same
//! time. Of all containers that hold at most half of the members, and all intervals, that one is taken which explains most
//! (the largest sum of squares), then the next among what remains. It counts when it is slower by 5 % at least and
//! when the mean deviation is beyond chance, given the noise of cells and how much containers differ anyway.
//!
//! Recovered are the seconds beyond those of siblings, and those in which others wait for them.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, whole_or_interval};
use super::matrix::RunMatrix;
use super::recovery::waited_for;
use super::scan::{DeviatingPlace, DeviationScan};
use super::segments::Segment;
use super::statistics::confidence;
use super::work::WorkRatios;

/// Findings of this kind at most.
const MOST: usize = 12;
/// The least slowdown.
const LEAST_FACTOR: f64 = 1.05;

/// The findings.
pub(super) fn find(run: &RunMatrix, work: &WorkRatios) -> Vec<Finding> {
    let scan = DeviationScan::new(run, work.steps, work.compared / 2, |member, step| work.ratio(member, step));
    let places = scan.places(MOST, LEAST_FACTOR.ln());
    places.iter().map(|place| finding(run, work, place, scan.needed)).collect()
}

fn finding(run: &RunMatrix, work: &WorkRatios, slow: &DeviatingPlace, needed: f64) -> Finding {
    let Segment { first, last, mean, .. } = slow.segment;
    let mut late = vec![0.0; run.slices];
    let mut own = 0.0;
    for step in first..last {
        let excess = (slow.members.0..slow.members.1).map(|member| work.excess(member, step).max(0.0));
        let (sum, most) = excess.fold((0.0, 0.0), |(sum, most), excess| (sum + excess, f64::max(most, excess)));
        own += sum;
        let slices = work.slices(run, step, step + 1);
        late[slices.0..slices.1].fill(most / (slices.1 - slices.0).max(1) as f64);
    }
    let slices = work.slices(run, first, last);
    let (start, end, when) = whole_or_interval(run, slices);
    let involved = run.work_values(slow.members, slices);
    let below = slow.members.1 - slow.members.0;
    let name = run.name(slow.place);
    let who = if below > 1 { format!("the {below} containers of {name}") } else { name.to_string() };
    Finding {
        kind: FindingKind::SlowContainer,
        title: format!("{who} took {:.2} times as long as siblings for the same work {when}", mean.exp()),
        seconds: own + waited_for(run, slow.members, &late),
        container: Some(slow.place),
        start,
        end,
        evidence: Evidence::StateLengths(involved.clone()),
        involved,
        confidence: confidence(slow.deviations, needed),
    }
}
