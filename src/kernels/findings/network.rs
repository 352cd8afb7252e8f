//! network: messages between two containers, or from and to those below one, delay the run; or all messages for a while.
//!
//! What counts is waiting for messages that are in flight, and waiting for containers that waited so ([`Blame`]); a slow
//! message that nobody waits for costs nothing. Messages are compared with others of the same distance or farther, which is the depth of
//! what both ends have in common: those within a node are faster than those between nodes, and that is no finding.
//!
//! Two containers are a finding when at least 40 % of the waiting is between them; else a subtree when at least 80 % of
//! it crosses its border; and when a message of theirs is waited for at least four times as long as others of
//! the same distance. Two containers count before a subtree when they have at least 80 % of what it has. Else it
//! is an interval in which the messages that a subtree sends are waited for four times as long as before and after, and as those of
//! others, if they have half of what the next costs; else one in which there is twice as much of all waiting for messages as before and after.

use std::collections::BTreeMap;

use super::blame::Blame;
use super::cycle::over_cycle;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment, whole_or_interval, whole_or_times};
use super::matrix::RunMatrix;
use super::rows::WaitReason;
use super::scan::DeviationScan;
use super::segments::strongest;
use super::statistics::{chance, confidence, mean, median, noise_of_means, quantile, spread};

/// Part of the waiting that two containers have at least.
const PAIR_SHARE: f64 = 0.4;
/// Part of the waiting that crosses the border of a subtree at least.
const SUBTREE_SHARE: f64 = 0.8;
/// Part of what all messages of an interval cost that those of a sender have at least, if it is to be these.
const SENDERS_SHARE: f64 = 0.5;
/// How many times as long a message is waited for as others of its distance.
const LEAST_RATIO: f64 = 4.0;
/// Part of the time that a sender is waited for in addition at least.
const LEAST_SHARE: f64 = 0.03;
/// Part of the waiting at other times that is for a sender at most.
const MOST_WAITED: f64 = 0.5;
/// Pairs that it is compared with at least.
const LEAST_OTHERS: usize = 2;

/// What the waiting for messages in flight says.
pub(super) struct NetworkCauses {
    /// A place or a time.
    pub(super) found: Option<Finding>,
    /// Seconds of what is everywhere.
    pub(super) everywhere: f64,
}

/// The causes.
pub(super) fn find(run: &RunMatrix, blame: &Blame) -> NetworkCauses {
    let whole: f64 = blame.network.values().sum();
    let waits = FlightWaits::new(run, blame);
    let subtree = waits.of_a_subtree(run, whole);
    let most = subtree.as_ref().map_or(0.0, |subtree| subtree.seconds);
    let found = waits.between_two(run, blame, whole).filter(|two| two.seconds >= SUBTREE_SHARE * most).or(subtree);
    if found.is_some() {
        return NetworkCauses { found, everywhere: 0.0 };
    }
    let of_all = waits.for_a_while(run, whole);
    let most = of_all.as_ref().map_or(0.0, |all| all.seconds);
    let of_senders = waits.of_senders_for_a_while(run, whole).filter(|found| found.seconds >= SENDERS_SHARE * most);
    if let Some(found) = of_senders {
        let everywhere = whole - found.seconds;
        return NetworkCauses { found: Some(found), everywhere };
    }
    let everywhere = if of_all.is_some() { 0.0 } else { whole };
    NetworkCauses { found: of_all, everywhere }
}

/// Waiting for messages in flight.
struct FlightWaits {
    /// By two containers, the first one first.
    pairs: BTreeMap<(usize, usize), FlightSum>,
    /// Seconds per slice.
    series: Vec<f64>,
    whole: f64,
}

/// Messages between two containers.
#[derive(Debug, Clone, Copy, Default)]
struct FlightSum {
    links: f64,
    /// Seconds of waiting for them.
    seconds: f64,
    /// Depth of what both have in common.
    distance: usize,
}

impl FlightWaits {
    fn new(run: &RunMatrix, blame: &Blame) -> FlightWaits {
        let mut pairs: BTreeMap<(usize, usize), FlightSum> = BTreeMap::new();
        for pair in &run.pairs {
            if let (Some(one), Some(other)) = (run.place(pair.source), run.place(pair.target)) {
                let distance = run.common([one, other]).map_or(0, |place| 1 + run.depth(place));
                let sum = pairs.entry((one.min(other), one.max(other))).or_default();
                (sum.links, sum.distance) = (sum.links + pair.links, distance);
            }
        }
        for (pair, seconds) in &blame.flights {
            pairs.entry(*pair).or_default().seconds += seconds;
        }
        let mut series = vec![0.0; run.slices];
        for wait in run.waits.iter().filter(|wait| wait.kind == WaitReason::Transfer) {
            if let Some(sum) = wait.slice.and_then(|slice| series.get_mut(slice as usize)) {
                *sum += wait.seconds;
            }
        }
        FlightWaits { pairs, series, whole: blame.flights.values().sum() }
    }

    /// How many times as long messages of some pairs are waited for as others of the same distance or farther; `None` when there are too
    /// few of these.
    fn ratio(&self, is_meant: impl Fn(&(usize, usize)) -> bool) -> Option<f64> {
        let (mut own, mut expected) = (0.0, 0.0);
        let mut others: BTreeMap<usize, (usize, f64, f64)> = BTreeMap::new();
        for (_, sum) in self.pairs.iter().filter(|(pair, _)| !is_meant(pair)) {
            let known = others.entry(sum.distance).or_default();
            *known = (known.0 + 1, known.1 + sum.links, known.2 + sum.seconds);
        }
        for (_, sum) in self.pairs.iter().filter(|(pair, _)| is_meant(pair)) {
            let farther = others.range(..=sum.distance).map(|(_, other)| other);
            let (count, links, seconds) =
                farther.fold((0, 0.0, 0.0), |known, other| (known.0 + other.0, known.1 + other.1, known.2 + other.2));
            if count >= LEAST_OTHERS && links > 0.0 {
                own += sum.seconds;
                expected += sum.links * seconds / links;
            }
        }
        (own > 0.0).then(|| own / expected.max(f64::MIN_POSITIVE))
    }

    fn between_two(&self, run: &RunMatrix, blame: &Blame, whole: f64) -> Option<Finding> {
        let by_flight = |one: &(&(usize, usize), &FlightSum), other: &(&(usize, usize), &FlightSum)| {
            one.1.seconds.total_cmp(&other.1.seconds)
        };
        let (pair, own) = self.pairs.iter().max_by(by_flight)?;
        let seconds = blame.network.get(pair).copied()?;
        if seconds < PAIR_SHARE * whole || self.ratio(|other| other == pair)? < LEAST_RATIO {
            return None;
        }
        let others: Vec<f64> = self
            .pairs
            .iter()
            .filter(|(other, sum)| *other != pair && sum.distance <= own.distance)
            .map(|(other, _)| blame.network.get(other).copied().unwrap_or(0.0))
            .collect();
        let usual = median(others.iter().copied());
        let needed = chance(others.len() as f64 + 1.0);
        let deviations = (seconds - usual) / spread(&others).max(0.1 * usual).max(1e-4 * run.resource_seconds());
        if deviations < needed {
            return None;
        }
        let [one, other] = [pair.0, pair.1].map(|place| run.name(place).to_string());
        let (start, end, when) = self.times(run);
        Some(Finding {
            kind: FindingKind::Network,
            title: format!(
                "messages between {one} and {other} are slow {when}: they cost {} of waiting",
                moment(seconds)
            ),
            seconds,
            container: Some(pair.0),
            start,
            end,
            involved: vec![one, other],
            confidence: confidence(deviations, needed),
            evidence: Evidence::Links,
        })
    }

    fn of_a_subtree(&self, run: &RunMatrix, whole: f64) -> Option<Finding> {
        let count = run.members.len();
        let mut best: Option<(usize, f64, f64)> = None;
        for place in (0..run.containers.len()).rev() {
            let members = run.containers[place].members;
            let below = members.1 - members.0;
            if below == 0 || 2 * below > count || self.whole <= 0.0 {
                continue;
            }
            let range = place..run.containers[place].after;
            let crosses = |pair: &(usize, usize)| range.contains(&pair.0) != range.contains(&pair.1);
            let across: f64 = self.pairs.iter().filter(|(pair, _)| crosses(pair)).map(|(_, sum)| sum.seconds).sum();
            let share = across / self.whole;
            if share < SUBTREE_SHARE || best.is_some_and(|(_, known, _)| share <= known + 1e-9) {
                continue;
            }
            let Some(ratio) = self.ratio(crosses).filter(|ratio| *ratio >= LEAST_RATIO) else { continue };
            best = Some((place, share, ratio));
        }
        let (place, share, ratio) = best?;
        let (start, end, when) = self.times(run);
        let name = run.name(place).to_string();
        let seconds = whole * share;
        Some(Finding {
            kind: FindingKind::Network,
            title: format!("messages from and to {name} are slow {when}: they cost {} of waiting", moment(seconds)),
            seconds,
            container: Some(place),
            start,
            end,
            involved: vec![name],
            confidence: confidence(ratio, LEAST_RATIO),
            evidence: Evidence::Links,
        })
    }

    fn for_a_while(&self, run: &RunMatrix, whole: f64) -> Option<Finding> {
        let interval = self.interval(run)?;
        let (start, end, when) = whole_or_times(run, interval.times);
        let seconds = whole * (interval.seconds / self.series.iter().sum::<f64>()).min(1.0);
        Some(Finding {
            kind: FindingKind::Network,
            title: format!("messages are slow {when}: waiting for them costs {}", moment(seconds)),
            seconds,
            container: run.common(run.members.iter().copied()),
            start,
            end,
            involved: vec![],
            confidence: interval.confidence,
            evidence: Evidence::WaitsOf("transfer"),
        })
    }

    /// Messages that one container, or those below it, send for a while: waited for at least four times as long as at other times and
    /// as those of others.
    fn of_senders_for_a_while(&self, run: &RunMatrix, whole: f64) -> Option<Finding> {
        let mut waited = vec![0.0; run.members.len() * run.slices];
        for wait in run.waits.iter().filter(|wait| wait.kind == WaitReason::Transfer) {
            let sender = wait.partner.and_then(|id| run.place(id)).and_then(|place| run.member_at(place));
            let slice = wait.slice.map(|slice| slice as usize).filter(|slice| *slice < run.slices);
            if let (Some(sender), Some(slice)) = (sender, slice) {
                waited[sender * run.slices + slice] += wait.seconds / run.width();
            }
        }
        let means: Vec<f64> = waited.chunks(run.slices).flat_map(|row| over_cycle(row, run.cycle)).collect();
        let cell = |member: usize, slice: usize| means[member * run.slices + slice];
        let usual: Vec<f64> =
            (0..run.slices).map(|slice| median((0..run.members.len()).map(|member| cell(member, slice)))).collect();
        let scan = DeviationScan::new(run, (run.slices, run.cycle), run.members.len() / 2, |member, slice| {
            cell(member, slice) - usual[slice]
        });
        let place = scan.places(1, LEAST_SHARE).into_iter().next()?;
        let (slices, members) = (place.segment.first..place.segment.last, place.members.0..place.members.1);
        let mean_of = |is_meant: &dyn Fn(usize, usize) -> bool| {
            let cells = (0..run.members.len()).flat_map(|member| (0..run.slices).map(move |slice| (member, slice)));
            mean(cells.filter(|(member, slice)| is_meant(*member, *slice)).map(|(member, slice)| cell(member, slice)))
        };
        let own = mean_of(&|member, slice| members.contains(&member) && slices.contains(&slice));
        let before = mean_of(&|member, slice| members.contains(&member) && !slices.contains(&slice));
        let others = mean_of(&|member, slice| !members.contains(&member) && slices.contains(&slice));
        // Who sends most of what is waited for at any time is not slower than others, of whom nothing is known.
        let at_other_times = mean_of(&|_, slice| !slices.contains(&slice)) * run.members.len() as f64;
        let sends_most = before * members.len() as f64 > MOST_WAITED * at_other_times;
        if slices.len() < 2 * run.cycle || own < LEAST_RATIO * before.max(others) || sends_most {
            return None;
        }
        let more = (own - before.max(others)) * run.width() * (slices.len() * members.len()) as f64;
        let (start, end, when) = whole_or_interval(run, (slices.start, slices.end));
        let name = run.name(place.place).to_string();
        let seconds = whole * (more / self.series.iter().sum::<f64>()).min(1.0);
        Some(Finding {
            kind: FindingKind::Network,
            title: format!("messages that {name} sends are slow {when}: waiting for them costs {}", moment(seconds)),
            seconds,
            container: Some(place.place),
            start,
            end,
            involved: vec![name],
            confidence: confidence(place.deviations, scan.needed),
            evidence: Evidence::Links,
        })
    }

    /// When messages are slow, and in words; the whole window, if no interval stands out.
    fn times(&self, run: &RunMatrix) -> (f64, f64, String) {
        let times = self.interval(run).map_or((run.start, run.stop), |interval| interval.times);
        whole_or_times(run, times)
    }

    /// The interval in which more than twice as much is waited as before and after, in the mean of an iteration.
    fn interval(&self, run: &RunMatrix) -> Option<SlowInterval> {
        let means = over_cycle(&self.series, run.cycle);
        // Slow messages make iterations longer: less than half of the time may be usual.
        let usual = quantile(&means, 0.25);
        let values: Vec<f64> = means.iter().map(|seconds| seconds - usual).collect();
        let segment = strongest(&values, &vec![1.0; values.len()])?;
        let (first, last) = (segment.first, segment.last);
        let outside: Vec<f64> = [&means[..first], &means[last..]].concat();
        let needed = chance((values.len() * values.len()) as f64 / 2.0);
        let noise = noise_of_means(&means, (first, last), run.cycle).max(0.05 * segment.mean);
        let deviations = segment.mean / noise;
        let [before, after] = [&means[..first], &means[last..]].map(|side| median(side.iter().copied()));
        let stands_out = before.is_finite() && after.is_finite() && segment.mean + usual >= 2.0 * before.max(after);
        // Of one iteration, it could be chance where in it the interval begins.
        let is_short = last - first < 2 * run.cycle;
        if is_short || outside.len() * 5 < values.len() || deviations < needed || !stands_out {
            return None;
        }
        Some(SlowInterval {
            times: self.exact(run, (first, last), segment.mean + usual),
            seconds: segment.mean * segment.weight,
            confidence: confidence(deviations, needed),
        })
    }

    /// From the first long wait within slices to the end of the last.
    fn exact(&self, run: &RunMatrix, slices: (usize, usize), mean: f64) -> (f64, f64) {
        let (mut start, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
        for wait in run.waits.iter().filter(|wait| wait.kind == WaitReason::Transfer) {
            let slice = wait.slice.map(|slice| slice as usize).filter(|slice| (slices.0..slices.1).contains(slice));
            if slice.is_some_and(|slice| self.series[slice] >= 0.5 * mean) {
                (start, end) = (start.min(wait.first), end.max(wait.last));
            }
        }
        if start < end { (start, end) } else { (run.time(slices.0), run.time(slices.1)) }
    }
}

/// When messages are slow.
struct SlowInterval {
    times: (f64, f64),
    /// Beyond the usual.
    seconds: f64,
    confidence: f64,
}
