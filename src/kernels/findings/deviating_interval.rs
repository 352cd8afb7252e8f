//! deviating_interval: for a while, part of the machine behaves unlike itself before and after.
//!
//! Three ways to deviate. Containers do something that their siblings do not ([`ExtraActivity`]) and that is no serial section;
//! all containers alike take longer for the same work than before and after; or containers below one wait and communicate
//! for more of the time than before and after. For the last two, before and after must exist and be closer to each
//! other than the interval is to both; and the last is no finding where another one explains the interval.

use super::cycle::over_cycle;
use super::evidence::Evidence;
use super::extra_activity::ExtraActivity;
use super::finding::{Finding, FindingKind, short, whole_or_interval, whole_or_times};
use super::matrix::RunMatrix;
use super::scan::DeviationScan;
use super::segments::strongest;
use super::serialisation::is_serial;
use super::statistics::{chance, confidence, mean, median, noise_of_means};
use super::work::WorkRatios;

/// The least slowdown of all.
const LEAST_FACTOR: f64 = 1.05;
/// The least part of the time that is spent waiting in addition.
const LEAST_SHARE: f64 = 0.05;
/// What is left before and after at least, as part of the run.
const MARGIN: f64 = 0.03;
/// Iterations that all are slower at least.
const LEAST_ITERATIONS: f64 = 1.5;
/// Part of the window that is all of it.
const ALWAYS: f64 = 0.9;
/// Places that wait more at most.
const MOST: usize = 3;

/// The findings.
pub(super) fn find(run: &RunMatrix, work: &WorkRatios, extra: &[ExtraActivity], known: &[Finding]) -> Vec<Finding> {
    let is_several = |extra: &ExtraActivity| extra.members.1 - extra.members.0 > 1;
    // A container with a role of its own does not deviate.
    let is_own = |extra: &&ExtraActivity| {
        let is_while = ((extra.last - extra.first) as f64) < ALWAYS * run.slices as f64;
        !is_serial(extra) && extra.has_siblings && (extra.is_exclusive || (is_several(extra) && is_while))
    };
    let mut found: Vec<Finding> = extra.iter().filter(is_own).map(|extra| of_extra(run, extra)).collect();
    let has_drift = known.iter().any(|finding| finding.kind == FindingKind::Drift);
    found.extend(slower_for_a_while(run, work).filter(|_| !has_drift));
    let all: Vec<&Finding> = known.iter().chain(&found).collect();
    let blocked = more_blocked(run, &all);
    found.extend(blocked);
    found
}

fn of_extra(run: &RunMatrix, extra: &ExtraActivity) -> Finding {
    let (start, end, when) = whole_or_interval(run, (extra.first, extra.last));
    let below = extra.members.1 - extra.members.0;
    let name = run.name(extra.place);
    let who = if below > 1 { format!("the {below} containers of {name} are") } else { format!("{name} is") };
    Finding {
        kind: FindingKind::DeviatingInterval,
        title: format!(
            "{who} in {} for {:.1} % of the time more than others {when}",
            short(&extra.value),
            100.0 * extra.share
        ),
        seconds: extra.seconds,
        container: Some(extra.place),
        start,
        end,
        involved: vec![extra.value.clone()],
        confidence: extra.confidence,
        evidence: Evidence::StateMix,
    }
}

/// Whether values are unlike those before and after, and these like each other.
fn stands_out(values: &[f64], first: usize, last: usize) -> bool {
    let side = |range: std::ops::Range<usize>| -> Vec<f64> {
        values[range].iter().copied().filter(|value| value.is_finite()).collect()
    };
    let (before, inside, after) = (side(0..first), side(first..last), side(last..values.len()));
    let margin = (MARGIN * values.len() as f64).ceil() as usize;
    if before.len() < margin || after.len() < margin {
        return false;
    }
    let (before, inside, after) = (median(before), mean(inside), median(after));
    (before - after).abs() < 0.5 * (inside - before.max(after))
}

/// All containers take longer for the same work.
fn slower_for_a_while(run: &RunMatrix, work: &WorkRatios) -> Option<Finding> {
    let weights: Vec<f64> = work.trend.iter().map(|trend| f64::from(u8::from(trend.is_finite()))).collect();
    let values: Vec<f64> = work.trend.iter().map(|trend| if trend.is_finite() { *trend } else { 0.0 }).collect();
    let segment = strongest(&values, &weights)?;
    let outside: Vec<f64> = (0..values.len())
        .filter(|step| !(segment.first..segment.last).contains(step) && weights[*step] > 0.0)
        .map(|step| values[step])
        .collect();
    // Steps in which nothing begins are left out.
    let known: Vec<f64> = (0..values.len()).filter(|step| weights[*step] > 0.0).map(|step| values[step]).collect();
    let first = (0..segment.first).filter(|step| weights[*step] > 0.0).count();
    let noise = noise_of_means(&known, (first, first + known.len() - outside.len()), 1).max(0.005);
    let deviations = segment.mean / noise;
    let needed = chance((work.steps * work.steps) as f64 / 2.0);
    let usual: f64 = work.seconds.iter().sum();
    let part = work.seconds[segment.first..segment.last].iter().sum::<f64>() / usual;
    // One iteration that is longer than others is no interval.
    let iterations = part * run.slices as f64 / run.cycle as f64;
    if iterations < LEAST_ITERATIONS
        || segment.mean < LEAST_FACTOR.ln()
        || deviations < needed
        || !stands_out(&work.trend, segment.first, segment.last)
    {
        return None;
    }
    let seconds =
        (segment.first..segment.last).map(|step| work.seconds[step] * (values[step].exp() - 1.0).max(0.0)).sum();
    let slices = work.slices(run, segment.first, segment.last);
    let times = work.trend_times(run, (segment.first, segment.last), segment.mean);
    let (start, end, when) = whole_or_times(run, times);
    let involved = run.work_values((0, run.members.len()), slices);
    Some(Finding {
        kind: FindingKind::DeviatingInterval,
        title: format!("all took {:.2} times as long for the same work {when} as before and after", segment.mean.exp()),
        seconds,
        container: run.common(run.members.iter().copied()),
        start,
        end,
        evidence: Evidence::StateTrend(involved.clone()),
        involved,
        confidence: confidence(deviations, needed),
    })
}

/// Containers below one wait and communicate for more of the time.
fn more_blocked(run: &RunMatrix, known: &[&Finding]) -> Vec<Finding> {
    let count = run.members.len();
    let width = run.width();
    let mut values = vec![f64::NAN; count * run.slices];
    // Who is known to depend on others waits for them: others may just sleep.
    for member in (0..count).filter(|member| run.connected[*member]) {
        let share = |slice: usize| run.blocked(member, slice) / width;
        let usual = median((0..run.slices).filter(|slice| run.lives(member, *slice)).map(share));
        for slice in (0..run.slices).filter(|slice| run.lives(member, *slice)) {
            values[member * run.slices + slice] = share(slice) - usual;
        }
    }
    let values: Vec<f64> = values.chunks(run.slices).flat_map(|row| over_cycle(row, run.cycle)).collect();
    let scan =
        DeviationScan::new(run, (run.slices, run.cycle), count, |member, slice| values[member * run.slices + slice]);
    let mut found = vec![];
    for place in scan.places(MOST, LEAST_SHARE) {
        let (first, last) = (place.segment.first, place.segment.last);
        let members = place.members.0..place.members.1;
        let column = |slice: usize| mean(members.clone().map(|member| values[member * run.slices + slice]));
        let row: Vec<f64> = (0..run.slices).map(column).collect();
        let (start, end, when) = whole_or_interval(run, (first, last));
        let shared = |finding: &&&Finding| {
            let common = (end.min(finding.end) - start.max(finding.start)).max(0.0);
            common >= 0.5 * (end - start)
        };
        if known.iter().any(|finding| shared(&finding)) || !stands_out(&row, first, last) {
            continue;
        }
        let below = members.len();
        found.push(Finding {
            kind: FindingKind::DeviatingInterval,
            title: format!(
                "the {below} containers of {} wait and communicate for {:.1} % of the time more than before and after {when}",
                run.name(place.place),
                100.0 * place.segment.mean
            ),
            seconds: place.segment.mean * (end - start) * below as f64,
            container: Some(place.place),
            start,
            end,
            involved: vec![],
            confidence: confidence(place.deviations, scan.needed),
            evidence: Evidence::StateMix,
        });
    }
    found
}
