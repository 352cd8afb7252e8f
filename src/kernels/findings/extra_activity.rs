//! Containers that do more than their siblings: work of their own that the others do not have, always or for a while.
//!
//! Per slice, what a member does of its own (computation, input/output, overhead) beyond what is usual for it, or for the
//! median member if that is less, is compared with the same of all members, in the mean of an iteration, and in the mean of all slices. Slow containers do not count. What remains is shared by two kinds: see [`serialisation`](super::serialisation) and
//! [`deviating_interval`](super::deviating_interval).

use super::blame::Blame;
use super::cycle::over_cycle;
use super::finding::{Finding, FindingKind};
use super::matrix::RunMatrix;
use super::recovery::{waited_for, waited_longer};
use super::rows::StateActivity;
use super::scan::{DeviatingPlace, DeviationScan};
use super::siblings::LEAST_SIBLINGS;
use super::statistics::{confidence, median};

/// Places at most.
const MOST: usize = 6;
/// The least part of the time that counts.
const LEAST_SHARE: f64 = 0.03;

/// Slices that it takes at least: what is shorter is the order of things within an iteration.
const LEAST_SLICES: usize = 3;
/// Part of what is more within the interval that must be more than at other times, too.
const IN_TOTAL: f64 = 0.5;
/// Part that others have at most of what is exclusive.
const EXCLUSIVE: f64 = 0.05;

/// A container that does more than others.
#[derive(Debug, Clone)]
pub(super) struct ExtraActivity {
    pub(super) place: usize,
    pub(super) members: (usize, usize),
    /// Slices.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Part of the time of its members in which they do more of the value than others.
    pub(super) share: f64,
    /// Seconds that it does more.
    pub(super) own: f64,
    /// Seconds that would be recovered.
    pub(super) seconds: f64,
    pub(super) confidence: f64,
    /// The value that it is most about, and what it means.
    pub(super) value: String,
    pub(super) activity: StateActivity,
    /// Others have next to nothing of that value.
    pub(super) is_exclusive: bool,
    /// Otherwise its members do the same kind of work as enough siblings.
    pub(super) has_siblings: bool,
}

/// The places; what slow containers do is known.
pub(super) fn find(run: &RunMatrix, blame: &Blame, known: &[Finding]) -> Vec<ExtraActivity> {
    let count = run.members.len();
    let width = run.width();
    let own = |member: usize| {
        median((0..run.slices).filter(|slice| run.lives(member, *slice)).map(|slice| run.active(member, slice)))
    };
    let centers: Vec<f64> = (0..count).map(own).collect();
    let mut extra = vec![f64::NAN; count * run.slices];
    let groups = run.kin.iter().max().map_or(0, |last| last + 1);
    for group in 0..groups {
        let members: Vec<usize> = (0..count).filter(|member| run.kin[*member] == group).collect();
        if members.len() < LEAST_SIBLINGS {
            continue;
        }
        let usual = median(members.iter().map(|member| centers[*member]));
        let more = |member: usize, slice: usize| run.active(member, slice) - centers[member].min(usual);
        for slice in 0..run.slices {
            let lives = |member: &&usize| run.lives(**member, slice);
            let all = median(members.iter().filter(lives).map(|member| more(*member, slice)));
            for member in members.iter().filter(lives).filter(|member| !is_slow(run, known, **member, slice)) {
                extra[member * run.slices + slice] = (more(*member, slice) - all) / width;
            }
        }
    }
    let extra: Vec<f64> = extra.chunks(run.slices).flat_map(|row| over_cycle(row, run.cycle)).collect();
    let scan =
        DeviationScan::new(run, (run.slices, run.cycle), count / 2, |member, slice| extra[member * run.slices + slice]);
    let places = scan.places(MOST, LEAST_SHARE);
    let in_slices = |member: usize, slice: usize| extra[member * run.slices + slice];
    let mut found: Vec<ExtraActivity> =
        places.iter().filter_map(|place| describe(run, blame, place, in_slices, scan.needed)).collect();
    // Where containers run ahead of others and wait for them later, slices say little, and the whole says it.
    let whole = more_in_total(run, known);
    let scan = DeviationScan::new(run, (1, 1), count / 2, |member, _| whole[member]);
    for mut place in scan.places(MOST, LEAST_SHARE) {
        (place.segment.first, place.segment.last) = (0, run.slices);
        let is_known = |(first, last): (usize, usize)| first < place.members.1 && place.members.0 < last;
        if !found.iter().any(|known| is_known(known.members)) {
            found.extend(describe(run, blame, &place, |member, _| whole[member], scan.needed));
        }
    }
    found.truncate(MOST);
    found
}

/// The part of its life in which a member does something of its own, beyond that of the median of its kin; NaN where it is slow, or has
/// too few of them.
fn more_in_total(run: &RunMatrix, known: &[Finding]) -> Vec<f64> {
    let share = |member: usize| {
        let lives = (0..run.slices).filter(|slice| run.lives(member, *slice));
        let (count, seconds) =
            lives.fold((0.0, 0.0), |(count, seconds), slice| (count + 1.0, seconds + run.active(member, slice)));
        seconds / (count * run.width())
    };
    let shares: Vec<f64> = (0..run.members.len()).map(share).collect();
    let mut kin = vec![vec![]; run.kin.iter().max().map_or(0, |last| last + 1)];
    for (group, share) in run.kin.iter().zip(&shares).filter(|(_, share)| share.is_finite()) {
        kin[*group].push(*share);
    }
    let usual = |kin: &Vec<f64>| if kin.len() < LEAST_SIBLINGS { f64::NAN } else { median(kin.iter().copied()) };
    let usual: Vec<f64> = kin.iter().map(usual).collect();
    let more = |member: usize| {
        let is_slow = (0..run.slices).any(|slice| is_slow(run, known, member, slice));
        if is_slow { f64::NAN } else { shares[member] - usual[run.kin[member]] }
    };
    (0..shares.len()).map(more).collect()
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

fn describe(
    run: &RunMatrix,
    blame: &Blame,
    found: &DeviatingPlace,
    extra: impl Fn(usize, usize) -> f64,
    needed: f64,
) -> Option<ExtraActivity> {
    let (first, last) = (found.segment.first, found.segment.last);
    let mut late = vec![0.0; run.slices];
    let mut own = 0.0;
    for (slice, late) in late.iter_mut().enumerate().take(last).skip(first) {
        for member in found.members.0..found.members.1 {
            let seconds = extra(member, slice).max(0.0) * run.width();
            if seconds.is_finite() {
                own += seconds;
                *late = f64::max(*late, seconds);
            }
        }
    }
    if last - first < LEAST_SLICES.max(run.cycle) {
        return None;
    }
    let more = values_that_are_more(run, found.members, (first, last));
    if more.iter().map(|more| more.seconds).sum::<f64>() < IN_TOTAL * own {
        return None;
    }
    let most =
        more.iter().max_by(|one, other| one.seconds.total_cmp(&other.seconds).then(other.value.cmp(&one.value)))?;
    let mut waited = waited_for(run, blame, found.members, &late);
    if most.is_exclusive {
        waited = waited.max(waited_longer(run, found.members, (first, last), late.iter().sum()));
    }
    let time = (last - first) as f64 * run.width() * (found.members.1 - found.members.0) as f64;
    Some(ExtraActivity {
        place: found.place,
        members: found.members,
        first,
        last,
        share: (most.than_others / time).min(1.0),
        own,
        seconds: own + waited,
        confidence: confidence(found.deviations, needed),
        value: run.values[most.value].name.clone(),
        activity: run.values[most.value].activity,
        is_exclusive: most.is_exclusive,
        has_siblings: (found.members.0..found.members.1).all(|member| has_siblings(run, member)),
    })
}

fn has_siblings(run: &RunMatrix, member: usize) -> bool {
    run.groups.iter().filter(|group| **group == run.groups[member]).count() >= LEAST_SIBLINGS
}

/// A value that members have more of.
struct MoreOfValue {
    value: usize,
    /// How much more.
    seconds: f64,
    /// How much more than others at that time, whatever members do at other times.
    than_others: f64,
    /// Others have next to nothing of it.
    is_exclusive: bool,
}

/// The values that members have more of within slices, than others there and than themselves at other times. What is done later
/// than by others is not more.
fn values_that_are_more(run: &RunMatrix, members: (usize, usize), slices: (usize, usize)) -> Vec<MoreOfValue> {
    let count = run.values.len();
    let (mut inside, mut outside, mut others) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    for cell in &run.work {
        let is_own = (members.0..members.1).contains(&cell.member);
        let is_inside = (slices.0..slices.1).contains(&cell.slice);
        match (is_own, is_inside) {
            (true, true) => inside[cell.value] += cell.seconds,
            (true, false) => outside[cell.value] += cell.seconds,
            (false, true) => others[cell.value] += cell.seconds,
            (false, false) => {}
        }
    }
    let length = (slices.1 - slices.0) as f64;
    let rest = run.slices as f64 - length;
    let own = (members.1 - members.0) as f64;
    let other = (run.members.len() as f64 - own).max(1.0);
    let mut found = vec![];
    for value in 0..count {
        // A short rest says little.
        let before = if rest >= 0.1 * run.slices as f64 { outside[value] * length / rest } else { 0.0 };
        let than_others = inside[value] - others[value] * own / other;
        let seconds = than_others.min(inside[value] - before);
        if seconds > 0.0 {
            found.push(MoreOfValue {
                value,
                seconds,
                than_others,
                is_exclusive: others[value] / other <= EXCLUSIVE * inside[value] / own,
            });
        }
    }
    found
}
