//! drift: the same work takes longer and longer, on all containers alike.
//!
//! The trend of [`WorkRatios`] is the usual length of states of a value in a step, over its median. It drifts when it rises by
//! 5 % at least from begin to end (median of the slopes of all pairs of steps), when more pairs rise than chance allows
//! (Kendall's test), and when a line describes it better than a step up or an interval does.
//!
//! Recovered is what work takes longer than at the begin.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind};
use super::matrix::RunMatrix;
use super::statistics::{chance, confidence, median};
use super::work::WorkRatios;

/// Steps that a trend needs.
const LEAST_STEPS: usize = 8;
/// The least rise.
const LEAST_FACTOR: f64 = 1.05;

/// The finding, if there is one.
pub(super) fn find(run: &RunMatrix, work: &WorkRatios) -> Option<Finding> {
    let points: Vec<(f64, f64)> = work
        .trend
        .iter()
        .enumerate()
        .filter(|(_, trend)| trend.is_finite())
        .map(|(step, trend)| (step as f64, *trend))
        .collect();
    if points.len() < LEAST_STEPS {
        return None;
    }
    let line = Line::through(&points);
    let rise = line.slope * (points[points.len() - 1].0 - points[0].0);
    let needed = chance(2.0) + 1.0;
    if rise < LEAST_FACTOR.ln() || line.deviations < needed || !line.fits_best(&points) {
        return None;
    }
    let base = line.at(points[0].0);
    let seconds: f64 =
        points.iter().map(|(step, trend)| work.seconds[*step as usize] * (trend.exp() - base.exp()).max(0.0)).sum();
    let involved = run.work_values((0, run.members.len()), (0, run.slices));
    let first = work.slices(run, points[0].0 as usize, points[points.len() - 1].0 as usize + 1);
    Some(Finding {
        kind: FindingKind::Drift,
        title: format!(
            "the same work took {:.2} times as long at the end as at the begin, and longer step by step",
            rise.exp()
        ),
        seconds,
        container: run.common(run.members.iter().copied()),
        start: run.time(first.0),
        end: run.time(first.1),
        evidence: Evidence::StateTrend(involved.clone()),
        involved,
        confidence: confidence(line.deviations, needed),
    })
}

/// A line through the middle of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) slope: f64,
    base: f64,
    /// Kendall's statistic, in standard deviations.
    pub(super) deviations: f64,
}

impl Line {
    pub(super) fn through(points: &[(f64, f64)]) -> Line {
        let (mut slopes, mut order) = (vec![], 0.0);
        for (place, one) in points.iter().enumerate() {
            for other in &points[place + 1..] {
                slopes.push((other.1 - one.1) / (other.0 - one.0));
                order += (other.1 - one.1).signum() * f64::from(u8::from(other.1 != one.1));
            }
        }
        let slope = median(slopes);
        let count = points.len() as f64;
        let variance = count * (count - 1.0) * (2.0 * count + 5.0) / 18.0;
        let base = median(points.iter().map(|(x, y)| y - slope * x));
        Line { slope, base, deviations: order / variance.sqrt() }
    }

    fn at(&self, x: f64) -> f64 {
        self.base + self.slope * x
    }

    /// Whether the points are closer to the line than to two means, one within an interval and one outside of it.
    fn fits_best(&self, points: &[(f64, f64)]) -> bool {
        let line: f64 = points.iter().map(|(x, y)| (y - self.at(*x)).powi(2)).sum();
        let mut sums = vec![(0.0, 0.0)];
        for (place, (_, y)) in points.iter().enumerate() {
            let (sum, squares): (f64, f64) = sums[place];
            sums.push((sum + y, squares + y * y));
        }
        let (whole, squares) = sums[points.len()];
        let rest = |count: usize, sum: f64| if count > 0 { sum * sum / count as f64 } else { 0.0 };
        let mut best = f64::INFINITY;
        for first in 0..points.len() {
            for last in first + 1..=points.len() {
                let inside = sums[last].0 - sums[first].0;
                let count = last - first;
                best = best.min(squares - rest(count, inside) - rest(points.len() - count, whole - inside));
            }
        }
        line <= best
    }
}
