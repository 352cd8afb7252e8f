//! Containers that do more than their siblings: work of their own that the others do not have, always or for a while.
//!
//! Per slice, what a member does of its own (computation, input/output, overhead) beyond what is usual for it, or for the
//! median member if that is less, is compared with the same of all members. Slow containers do not count. What remains is shared by two kinds: see [`serialisation`](super::serialisation) and
//! [`deviating_interval`](super::deviating_interval).

use super::finding::{Finding, FindingKind};
use super::matrix::RunMatrix;
use super::recovery::waited_for;
use super::rows::Activity;
use super::scan::{DeviatingPlace, DeviationScan};
use super::statistics::{confidence, median};

/// Places at most.
const MOST: usize = 6;
/// The least part of the time that counts.
const LEAST_SHARE: f64 = 0.03;

/// Part of what is more within the interval that must be more in the whole window.
const IN_TOTAL: f64 = 0.5;

/// A container that does more than others.
#[derive(Debug, Clone)]
pub(super) struct ExtraActivity {
    pub(super) place: usize,
    pub(super) members: (usize, usize),
    /// Slices.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Part of the time.
    pub(super) share: f64,
    /// Seconds that would be recovered.
    pub(super) seconds: f64,
    pub(super) confidence: f64,
    /// The value that it is most about, and what it means.
    pub(super) value: String,
    pub(super) activity: Activity,
}

/// The places; what slow containers do is known.
pub(super) fn find(run: &RunMatrix, known: &[Finding]) -> Vec<ExtraActivity> {
    let count = run.members.len();
    let width = run.width();
    let own = |member: usize| {
        median((0..run.slices).filter(|slice| run.lives(member, *slice)).map(|slice| run.active(member, slice)))
    };
    let centers: Vec<f64> = (0..count).map(own).collect();
    let usual = median(centers.iter().copied());
    let more = |member: usize, slice: usize| run.active(member, slice) - centers[member].min(usual);
    let mut extra = vec![f64::NAN; count * run.slices];
    for slice in 0..run.slices {
        let lives = |member: &usize| run.lives(*member, slice);
        let all = median((0..count).filter(lives).map(|member| more(member, slice)));
        for member in (0..count).filter(lives) {
            if !is_slow(run, known, member, slice) {
                extra[member * run.slices + slice] = (more(member, slice) - all) / width;
            }
        }
    }
    let scan = DeviationScan::new(run, run.slices, count / 2, |member, slice| extra[member * run.slices + slice]);
    let places = scan.places(MOST, LEAST_SHARE);
    places.iter().filter_map(|place| describe(run, place, &extra, scan.needed)).collect()
}

/// Whether a slow container explains what a member does in a slice.
fn is_slow(run: &RunMatrix, known: &[Finding], member: usize, slice: usize) -> bool {
    let (start, end) = (run.time(slice), run.time(slice + 1));
    known.iter().any(|finding| {
        let (first, last) = finding.container.map_or((0, 0), |place| run.containers[place].members);
        finding.kind == FindingKind::SlowContainer
            && (first..last).contains(&member)
            && finding.start < end
            && start < finding.end
    })
}

fn describe(run: &RunMatrix, found: &DeviatingPlace, extra: &[f64], needed: f64) -> Option<ExtraActivity> {
    let (first, last) = (found.segment.first, found.segment.last);
    let mut late = vec![0.0; run.slices];
    let mut own = 0.0;
    for (slice, late) in late.iter_mut().enumerate().take(last).skip(first) {
        for member in found.members.0..found.members.1 {
            let seconds = extra[member * run.slices + slice].max(0.0) * run.width();
            if seconds.is_finite() {
                own += seconds;
                *late = f64::max(*late, seconds);
            }
        }
    }
    if in_total(run, found, own) < IN_TOTAL * own {
        return None;
    }
    let (value, activity) = main_value(run, found.members, (first, last))?;
    Some(ExtraActivity {
        place: found.place,
        members: found.members,
        first,
        last,
        share: found.segment.mean,
        seconds: own + waited_for(run, found.members, &late),
        confidence: confidence(found.deviations, needed),
        value,
        activity,
    })
}

/// How much more members do: than they do at other times, or always than others. What is done later than by others is not
/// more.
fn in_total(run: &RunMatrix, found: &DeviatingPlace, own: f64) -> f64 {
    let (first, last) = (found.segment.first, found.segment.last);
    let members = found.members.0..found.members.1;
    let sum = |member: usize| (0..run.slices).map(|slice| run.active(member, slice)).sum::<f64>();
    let usual = median((0..run.members.len()).map(sum));
    let than_others: f64 = members.clone().map(|member| sum(member) - usual).sum();
    if 10 * (last - first) >= 8 * run.slices {
        return than_others;
    }
    let length = (last - first) as f64;
    let than_before = members.map(|member| {
        let outside = (0..run.slices).filter(|slice| !(first..last).contains(slice) && run.lives(member, *slice));
        let inside: f64 = (first..last).map(|slice| run.active(member, slice)).sum();
        inside - length * median(outside.map(|slice| run.active(member, slice)))
    });
    // Others do less while they wait: what they lost is as good as what is more.
    let lost = |member: usize| {
        let outside = (0..run.slices).filter(|slice| !(first..last).contains(slice) && run.lives(member, *slice));
        let inside: f64 = (first..last).map(|slice| run.active(member, slice)).sum();
        length * median(outside.map(|slice| run.active(member, slice))) - inside
    };
    let others =
        median((0..run.members.len()).filter(|member| !(found.members.0..found.members.1).contains(member)).map(lost));
    let than_before: f64 = than_before.sum::<f64>() + others.max(0.0) * (found.members.1 - found.members.0) as f64;
    than_others.max(than_before).min(own.max(0.0) * 2.0)
}

/// The value that members have more of than others, per member, within slices.
fn main_value(run: &RunMatrix, members: (usize, usize), slices: (usize, usize)) -> Option<(String, Activity)> {
    let (mut own, mut all) = (vec![0.0; run.values.len()], vec![0.0; run.values.len()]);
    for cell in run.work.iter().filter(|cell| (slices.0..slices.1).contains(&cell.slice)) {
        let sums = if (members.0..members.1).contains(&cell.member) { &mut own } else { &mut all };
        sums[cell.value] += cell.seconds;
    }
    let inside = (members.1 - members.0) as f64;
    let outside = (run.members.len() as f64 - inside).max(1.0);
    let more = |value: &usize| own[*value] / inside - all[*value] / outside;
    let best = (0..own.len()).max_by(|one, other| more(one).total_cmp(&more(other)).then(other.cmp(one)))?;
    (more(&best) > 0.0).then(|| (run.values[best].name.clone(), run.values[best].activity))
}
