//! serialisation: one container computes, reads or writes what nobody else does, and the others wait for it.
//!
//! Of the containers that do more than their siblings ([`ExtraActivity`]), those that are single members and whose extra time is
//! computation or input and output in states that others do not have, while others wait for at least as long in total. Recovered is that time, and that in which others wait for it,
//! see [`waited_for`](super::recovery::waited_for) and [`waited_longer`](super::recovery::waited_longer).
//!
//! Or work that most containers have, and that they do one after the other: see [`in_turn`]. Recovered is what is waited, as far as it
//! would not be if all did it at once.

use super::evidence::Evidence;
use super::extra_activity::ExtraActivity;
use super::finding::{Finding, FindingKind, short, whole_or_interval, whole_or_times};
use super::in_turn::{self, WorkInTurn};
use super::matrix::RunMatrix;
use super::rows::StateActivity;

/// Part of the time of work in turn that others wait at least.
const AWAITED: f64 = 0.8;

/// Whether extra activity is of this kind.
pub(super) fn is_serial(extra: &ExtraActivity) -> bool {
    let is_single = extra.members.1 - extra.members.0 == 1;
    let is_awaited = extra.seconds - extra.own >= extra.own;
    let is_work = matches!(extra.activity, StateActivity::Computation | StateActivity::InputOutput);
    is_single && is_awaited && is_work && extra.is_exclusive
}

/// The findings.
pub(super) fn find(run: &RunMatrix, extra: &[ExtraActivity]) -> Vec<Finding> {
    let finding = |extra: &ExtraActivity| {
        let (start, end, when) = whole_or_interval(run, (extra.first, extra.last));
        Finding {
            kind: FindingKind::Serialisation,
            title: format!(
                "{} is in {} for {:.1} % of the time more than others, which wait for it, {when}",
                run.name(extra.place),
                short(&extra.value),
                100.0 * extra.share
            ),
            seconds: extra.seconds,
            container: Some(extra.place),
            start,
            end,
            involved: vec![extra.value.clone()],
            confidence: extra.confidence,
            evidence: Evidence::StateTimes(vec![extra.value.clone()]),
        }
    };
    let alone = extra.iter().filter(|extra| is_serial(extra)).map(finding);
    alone.chain(in_turn::find(run).iter().filter_map(|work| of_turns(run, work))).collect()
}

/// If all did at once what they do in turn, each would be done when the first is: so much less is waited.
fn of_turns(run: &RunMatrix, work: &WorkInTurn) -> Option<Finding> {
    let members = work.places.iter().filter_map(|place| run.member_at(*place));
    let blocked: f64 = members
        .filter(|member| run.connected[*member])
        .map(|member| (0..run.slices).map(|slice| run.blocked(member, slice)).sum::<f64>())
        .sum();
    let count = work.places.len();
    let container = run.common(work.places.iter().copied());
    let (start, end, when) = whole_or_times(run, (work.start, work.end));
    let value = run.values[work.value].name.clone();
    // Where others compute meanwhile, it is no turn that they wait for.
    let seconds = work.seconds * (count - 1) as f64;
    (blocked >= AWAITED * seconds).then(|| Finding {
        kind: FindingKind::Serialisation,
        title: format!(
            "{count} containers are in {} one after the other, {:.1} at a time, while others wait, {when}",
            short(&value),
            work.at_a_time
        ),
        seconds: seconds.min(blocked),
        container,
        start,
        end,
        involved: vec![value.clone()],
        confidence: 1.0 - 0.5 * work.at_a_time / count as f64,
        evidence: Evidence::StateTimes(vec![value]),
    })
}
