//! serialisation: one container computes what nobody else does, and the others wait for it.
//!
//! Of the containers that do more than their siblings ([`ExtraActivity`]), those that are single members and whose extra time is
//! computation in states that others do not have, while others wait for at least as long in total. Recovered is that time, and that in which others wait for it.

use super::evidence::Evidence;
use super::extra_activity::ExtraActivity;
use super::finding::{Finding, FindingKind, short, whole_or_interval};
use super::matrix::RunMatrix;
use super::rows::StateActivity;

/// Whether extra activity is of this kind.
pub(super) fn is_serial(extra: &ExtraActivity) -> bool {
    let is_single = extra.members.1 - extra.members.0 == 1;
    let is_awaited = extra.seconds - extra.own >= extra.own;
    is_single && is_awaited && extra.activity == StateActivity::Computation && extra.is_exclusive
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
    extra.iter().filter(|extra| is_serial(extra)).map(finding).collect()
}
