//! slow_container: a container, or all below one, takes longer for the same work than its siblings, always or for a while.
//!
//! Work is compared as [`WorkRatios`] says: states of computation by value, with those of siblings that begin at the same
//! time. Of all containers that hold at most half of the members, and all intervals, that one is taken which explains most
//! (the largest sum of squares), then the next among what remains. It counts when it is slower by 5 % at least and
//! when the mean deviation is beyond chance, given the noise of cells and how much containers differ anyway.
//!
//! Where computation is not recorded as states, but is the time between calls, a container that only does its work in another order
//! has longer times between some calls and shorter ones between others. There it must also compute more per call.
//!
//! Recovered are the seconds beyond those of siblings, and those in which others wait for them: see [`waited_for`].

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, whole_or_times};
use super::matrix::RunMatrix;
use super::recovery::waited_for;
use super::rows::StateActivity;
use super::scan::{DeviatingPlace, DeviationScan};
use super::segments::Segment;
use super::statistics::{confidence, median};
use super::work::WorkRatios;

/// Findings of this kind at most.
const MOST: usize = 12;
/// The least slowdown.
const LEAST_FACTOR: f64 = 1.05;
/// Part of the slowdown that must be there per call, too.
const PER_CALL: f64 = 0.5;

/// The findings.
pub(super) fn find(run: &RunMatrix, work: &WorkRatios, blame: &Blame) -> Vec<Finding> {
    let scan = DeviationScan::new(run, (work.steps, 1), work.compared / 2, |member, step| work.ratio(member, step));
    let places = scan.places(MOST, LEAST_FACTOR.ln());
    let has_more = |place: &&DeviatingPlace| has_more_work(run, work, place);
    places.iter().filter(has_more).map(|place| finding(run, work, blame, place, scan.needed)).collect()
}

/// Whether what is slower is more work: always where states say which work it is.
fn has_more_work(run: &RunMatrix, work: &WorkRatios, slow: &DeviatingPlace) -> bool {
    let slices = work.slices(run, slow.segment.first, slow.segment.last);
    let members = slow.members.0..slow.members.1;
    let is_own = |member: usize, slice: usize| members.contains(&member) && (slices.0..slices.1).contains(&slice);
    let (mut whole, mut between) = (0.0, 0.0);
    for cell in run.work.iter().filter(|cell| is_own(cell.member, cell.slice)) {
        whole += cell.seconds;
        between += if run.values[cell.value].is_between { cell.seconds } else { 0.0 };
    }
    if between < 0.5 * whole {
        return true;
    }
    let per_call = |members: &mut dyn Iterator<Item = usize>| {
        let (mut seconds, mut calls) = (0.0, 0.0);
        for member in members {
            seconds +=
                (slices.0..slices.1).map(|slice| run.busy(member, StateActivity::Computation, slice)).sum::<f64>();
            calls += run.begun(member, slices);
        }
        seconds / calls
    };
    let group = run.groups[slow.members.0];
    let siblings = (0..run.members.len()).filter(|member| run.groups[*member] == group && !members.contains(member));
    let usual = median(siblings.map(|member| per_call(&mut std::iter::once(member))));
    let ratio = per_call(&mut members.clone()) / usual;
    ratio.is_nan() || ratio.ln() >= PER_CALL * slow.segment.mean
}

fn finding(run: &RunMatrix, work: &WorkRatios, blame: &Blame, slow: &DeviatingPlace, needed: f64) -> Finding {
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
    let below = slow.members.1 - slow.members.0;
    let waited = waited_for(run, blame, slow.members, &late);
    let slices = work.slices(run, first, last);
    let (start, end, when) = whole_or_times(run, work.times(run, slow.members, (first, last), mean));
    let involved = run.work_values(slow.members, slices);
    let name = run.name(slow.place);
    let who = if below > 1 { format!("the {below} containers of {name}") } else { name.to_string() };
    Finding {
        kind: FindingKind::SlowContainer,
        title: format!("{who} took {:.2} times as long as siblings for the same work {when}", mean.exp()),
        seconds: own + waited,
        container: Some(slow.place),
        start,
        end,
        evidence: Evidence::StateLengths(involved.clone()),
        involved,
        confidence: confidence(slow.deviations, needed),
    }
}
