//! Looks for containers and intervals that deviate: of all containers and all intervals that which explains most, then the
//! next among what remains.
//!
//! ```text
//!  values by member and step     place and interval with the largest gain
//!   a  . . . . . .                 node of c and d
//!   b  . . . . . .
//!   c  . . # # # .                     [---)
//!   d  . . # # # .
//! ```

use std::collections::HashSet;

use super::matrix::RunMatrix;
use super::segments::{Segment, strongest};
use super::statistics::{chance, mean, median, spread};

/// Noise is never taken to be smaller.
const LEAST_NOISE: f64 = 0.005;
/// Places that are refused before the search ends.
const MOST_REFUSED: usize = 64;

/// Values by member and step, and what is usual among them.
pub(super) struct DeviationScan {
    pub(super) steps: usize,
    /// Steps whose values are not independent, as they are means over a cycle.
    cycle: f64,
    /// NaN where there is none.
    values: Vec<f64>,
    /// Standard deviation of a value around the median of its member.
    pub(super) noise: f64,
    nodes: Vec<(usize, (usize, usize))>,
    /// Deviations that are no chance.
    pub(super) needed: f64,
}

/// A container, and when it deviates.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeviatingPlace {
    pub(super) place: usize,
    pub(super) members: (usize, usize),
    pub(super) segment: Segment,
    /// How far from usual, in standard deviations.
    pub(super) deviations: f64,
}

impl DeviationScan {
    /// A scan of containers that hold at most `most` members. Values are means over `cycle` steps.
    pub(super) fn new(
        run: &RunMatrix,
        (steps, cycle): (usize, usize),
        most: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> DeviationScan {
        let count = run.members.len();
        let values: Vec<f64> = (0..count)
            .flat_map(|member| (0..steps).map(move |step| (member, step)))
            .map(|(member, step)| value(member, step))
            .collect();
        let mut distances = vec![];
        for row in values.chunks(steps.max(1)) {
            let center = median(row.iter().copied());
            if center.is_finite() {
                distances.extend(row.iter().filter(|value| value.is_finite()).map(|value| value - center));
            }
        }
        let nodes = nodes(run, most);
        let needed = chance(nodes.len() as f64 * (steps * steps) as f64 / 2.0);
        let noise = spread(&distances).max(LEAST_NOISE);
        DeviationScan { steps, cycle: cycle.max(1) as f64, values, noise, nodes, needed }
    }

    /// Places that deviate upwards by `least` and by more than chance, those that explain most first.
    pub(super) fn places(&self, count: usize, least: f64) -> Vec<DeviatingPlace> {
        let mut masked = vec![false; self.values.len()];
        let mut known: Vec<Option<DeviatingPlace>> = self.nodes.iter().map(|node| self.look(*node, &masked)).collect();
        let mut found = vec![];
        let mut refused = 0;
        while found.len() < count && refused < MOST_REFUSED {
            let counts =
                |place: &(usize, DeviatingPlace)| place.1.segment.mean >= least && place.1.deviations >= self.needed;
            let each = known.iter().enumerate().filter_map(|(node, place)| Some((node, (*place)?))).filter(counts);
            let order = |one: &(usize, DeviatingPlace), other: &(usize, DeviatingPlace)| {
                one.1.segment.gain().total_cmp(&other.1.segment.gain())
            };
            let Some((node, mut best)) = each.max_by(order) else { break };
            // Members may differ within the interval for other reasons: an imbalance, a phase.
            let variety = self.variety_within(&best.segment);
            let variance = variety * variety / (best.members.1 - best.members.0) as f64
                + self.noise * self.noise * self.cycle / best.segment.weight;
            best.deviations = best.segment.mean / variance.sqrt();
            if best.deviations < self.needed {
                known[node] = None;
                refused += 1;
                continue;
            }
            found.push(best);
            for member in best.members.0..best.members.1 {
                let row = member * self.steps;
                masked[row + best.segment.first..row + best.segment.last].fill(true);
            }
            for (node, known) in self.nodes.iter().zip(&mut known) {
                if node.1.0 < best.members.1 && best.members.0 < node.1.1 {
                    *known = self.look(*node, &masked);
                }
            }
        }
        found
    }

    /// How much the means of members within an interval differ.
    fn variety_within(&self, segment: &Segment) -> f64 {
        let center = |row: &[f64]| {
            let values = row[segment.first..segment.last].iter().copied().filter(|value| value.is_finite());
            let values: Vec<f64> = values.collect();
            if values.is_empty() { f64::NAN } else { mean(values) }
        };
        let centers: Vec<f64> =
            self.values.chunks(self.steps.max(1)).map(center).filter(|mean| mean.is_finite()).collect();
        spread(&centers)
    }

    fn look(&self, (place, members): (usize, (usize, usize)), masked: &[bool]) -> Option<DeviatingPlace> {
        let (mut values, mut weights) = (vec![0.0; self.steps], vec![0.0; self.steps]);
        for member in members.0..members.1 {
            for step in 0..self.steps {
                let cell = member * self.steps + step;
                if self.values[cell].is_finite() && !masked[cell] {
                    values[step] += self.values[cell];
                    weights[step] += 1.0;
                }
            }
        }
        for (value, weight) in values.iter_mut().zip(&weights) {
            *value /= f64::max(*weight, 1.0);
        }
        let segment = strongest(&values, &weights)?;
        let deviations = segment.mean * (segment.weight / self.cycle).sqrt() / self.noise;
        Some(DeviatingPlace { place, members, segment, deviations })
    }
}

/// Containers that hold at most so many members, each set of members once: by the deepest container.
fn nodes(run: &RunMatrix, most: usize) -> Vec<(usize, (usize, usize))> {
    let mut seen = HashSet::new();
    let mut nodes = vec![];
    for place in (0..run.containers.len()).rev() {
        let members = run.containers[place].members;
        let count = members.1 - members.0;
        if count > 0 && count <= most && seen.insert(members) {
            nodes.push((place, members));
        }
    }
    nodes
}
