//! load_imbalance: in a phase, siblings have unequal amounts of work, and those with little wait.
//!
//! Siblings are members of one type and one name but for its numbers, three at least; what differs between others is no imbalance. Per step, the
//! spread of their work around the median of the siblings is measured: of the lengths of their states of a value (the same states take
//! longer; a value is a phase), and of the logarithms of their time of computation (they have more of them), by median distances, so that few
//! slow containers do not count. The phase is the interval in which the spread stands out most from the noise of the run.
//!
//! Recovered is the time in which members with less work wait, up to the work of the sibling with the most; and no more than that is
//! in the whole window, since what is only done later is not less.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment, whole_or_interval};
use super::matrix::RunMatrix;
use super::recovery::balanced;
use super::rows::StateActivity;
use super::segments::{Segment, strongest};
use super::siblings::LEAST_SIBLINGS;
use super::statistics::{chance, confidence, mean, median, spread};
use super::work::WorkRatios;

/// Members that a spread needs.
const LEAST_MEMBERS: usize = 4;
/// The least spread that counts.
const LEAST_SPREAD: f64 = 0.03;
/// A logarithm of a spread of n members has this standard deviation times the root of n.
const SPREAD_NOISE: f64 = 1.2;
/// Part of the computation that a value has at least.
const LEAST_PART: f64 = 0.05;
/// How many times the noise it must be: more than a quarter of the members that deviate alike makes of it.
const LEAST_RATIO: f64 = 2.0;

/// The finding, if there is one. Of what slow containers do, the part beyond their siblings does not count.
pub(super) fn find(run: &RunMatrix, work: &WorkRatios, known: &[Finding]) -> Option<Finding> {
    let times = |member: usize, step: usize| {
        let slices = work.slices(run, step, step + 1);
        (slices.0..slices.1).map(|slice| run.busy(member, StateActivity::Computation, slice)).sum::<f64>().ln()
    };
    let siblings = compared_siblings(run);
    let mut phases: Vec<SpreadPhase> = spread_phase(work, &siblings, times).into_iter().collect();
    for value in main_values(run) {
        let lengths = work.lengths(run, value);
        let phase = spread_phase(work, &siblings, |member, step| lengths[member * work.steps + step]);
        phases.extend(phase.map(|phase| SpreadPhase { is_of_lengths: true, ..phase }));
    }
    let order = |one: &&SpreadPhase, other: &&SpreadPhase| one.deviations.total_cmp(&other.deviations);
    // Where lengths of states tell the phase, they tell it more closely than the time spent in them.
    let phase = phases.iter().filter(|phase| phase.is_of_lengths).max_by(order).or(phases.iter().max_by(order))?;
    let slices = work.slices(run, phase.segment.first, phase.segment.last);
    let amount = |member: usize, slice: usize| {
        let own = run.busy(member, StateActivity::Computation, slice);
        let is_known = |finding: &Finding| {
            let (first, last) = finding.container.map_or((0, 0), |place| run.containers[place].members);
            finding.kind == FindingKind::SlowContainer
                && (first..last).contains(&member)
                && finding.start < run.time(slice + 1)
                && run.time(slice) < finding.end
        };
        match known.iter().any(is_known) {
            true => own - work.excess(member, slice / work.factor).max(0.0) / work.factor as f64,
            false => own,
        }
    };
    // What is only done later than by others is not less.
    let recovered =
        |slices| siblings.iter().map(|siblings| balanced(run, siblings, slices, amount)).collect::<Vec<f64>>();
    let (in_phase, in_all) = (recovered(slices), recovered((0, run.slices)));
    let seconds = in_phase.iter().sum::<f64>().min(in_all.iter().sum());
    let (start, end, when) = whole_or_interval(run, slices);
    let sums: Vec<f64> = (0..run.members.len())
        .map(|member| (slices.0..slices.1).map(|slice| run.busy(member, StateActivity::Computation, slice)).sum())
        .collect();
    let order = |one: &usize, other: &usize| sums[*one].total_cmp(&sums[*other]).then(other.cmp(one));
    // Of several groups of siblings, the one that waits most is named.
    let group =
        (0..siblings.len()).max_by(|one, other| in_phase[*one].total_cmp(&in_phase[*other]).then(other.cmp(one)))?;
    let of_most = &siblings[group];
    let most = of_most.iter().copied().max_by(order)?;
    let involved = run.work_values((0, run.members.len()), slices);
    Some(Finding {
        kind: FindingKind::LoadImbalance,
        title: format!(
            "work is spread unevenly {when}: {} computed for {}, the mean is {}",
            run.name(run.members[most]),
            moment(sums[most]),
            moment(mean(of_most.iter().map(|member| sums[*member])))
        ),
        seconds,
        container: run.common(siblings.iter().flatten().map(|member| run.members[*member])),
        start,
        end,
        evidence: Evidence::StateTimes(involved.clone()),
        involved,
        confidence: confidence(phase.deviations, phase.needed),
    })
}

/// Members by siblings, where these are enough to be compared.
fn compared_siblings(run: &RunMatrix) -> Vec<Vec<usize>> {
    let mut siblings = vec![vec![]; run.kin.iter().max().map_or(0, |last| last + 1)];
    for (member, group) in run.kin.iter().enumerate() {
        siblings[*group].push(member);
    }
    siblings.retain(|siblings| siblings.len() >= LEAST_SIBLINGS);
    siblings
}

/// The values of computation with most time.
fn main_values(run: &RunMatrix) -> Vec<usize> {
    let mut sums = vec![0.0; run.values.len()];
    for cell in run.work.iter().filter(|cell| run.values[cell.value].activity == StateActivity::Computation) {
        sums[cell.value] += cell.seconds;
    }
    let whole: f64 = sums.iter().sum();
    let mut order: Vec<usize> =
        (0..sums.len()).filter(|value| sums[*value] >= LEAST_PART * whole && whole > 0.0).collect();
    order.sort_by(|one, other| sums[*other].total_cmp(&sums[*one]).then(one.cmp(other)));
    order
}

/// When work is spread most.
#[derive(Debug)]
struct SpreadPhase {
    segment: Segment,
    deviations: f64,
    needed: f64,
    is_of_lengths: bool,
}

fn spread_phase(
    work: &WorkRatios,
    siblings: &[Vec<usize>],
    amount: impl Fn(usize, usize) -> f64,
) -> Option<SpreadPhase> {
    let members: usize = siblings.iter().map(Vec::len).sum();
    // By member, how far its steps are from the median of its siblings.
    let mut rows: Vec<Vec<f64>> = vec![];
    for siblings in siblings {
        let center = |step: usize| median(siblings.iter().map(|member| amount(*member, step)));
        let centers: Vec<f64> = (0..work.steps).map(center).collect();
        let row = |member: &usize| (0..work.steps).map(|step| amount(*member, step) - centers[step]).collect();
        rows.extend(siblings.iter().map(row));
    }
    // Noise: how far cells are from the median of their member.
    let mut distances = vec![];
    for row in &rows {
        let center = median(row.iter().copied());
        distances.extend(row.iter().map(|cell| cell - center).filter(|cell| cell.is_finite()));
    }
    let noise = spread(&distances).max(0.005);
    let (mut values, mut weights) = (vec![0.0; work.steps], vec![0.0; work.steps]);
    for step in 0..work.steps {
        let column: Vec<f64> = rows.iter().map(|row| row[step]).filter(|cell| cell.is_finite()).collect();
        let found = spread(&column);
        if column.len() >= LEAST_MEMBERS && 2 * column.len() >= members && found > 0.0 {
            values[step] = (found / noise).ln();
            weights[step] = 1.0;
        }
    }
    if work.compared < LEAST_MEMBERS {
        return None;
    }
    let segment = strongest(&values, &weights)?;
    let size = noise * segment.mean.exp();
    let deviations = segment.mean * segment.weight.sqrt() * (members as f64).sqrt() / SPREAD_NOISE;
    let needed = chance((work.steps * work.steps) as f64 / 2.0);
    (deviations >= needed && size >= LEAST_SPREAD && segment.mean >= LEAST_RATIO.ln()).then_some(SpreadPhase {
        segment,
        deviations,
        needed,
        is_of_lengths: false,
    })
}
