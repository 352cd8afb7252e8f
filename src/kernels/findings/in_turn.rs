//! Work that containers do one after the other though each of them has it: serialisation by turns.
//!
//! ```text
//!  a  ##~~~~~~      # the work, ~ waiting: 1 at a time of 4
//!  b  ~~##~~~~
//!  c  ~~~~##~~
//!  d  ~~~~~~##
//! ```
//! Where one state of a value begins in a slice, its times are known. Of all such times of a value, their sum over the time in which there
//! is at least one is how many containers do it at a time.

use super::cells::WorkCell;
use super::matrix::RunMatrix;
use super::rows::StateActivity;

/// Containers that have the work at least.
const LEAST_MEMBERS: usize = 4;
/// How many do it at a time at most.
const AT_A_TIME: f64 = 1.5;
/// Part of the states whose times are known at least.
const LEAST_KNOWN: f64 = 0.3;
/// How many would do it at a time at least, if all did it at once: else it is not known well enough.
const COULD: f64 = 4.0;

/// Work that is done in turn.
#[derive(Debug)]
pub(super) struct WorkInTurn {
    pub(super) value: usize,
    /// Places of the containers that have it.
    pub(super) places: Vec<usize>,
    pub(super) at_a_time: f64,
    /// Seconds of all of it.
    pub(super) seconds: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// The values that at least half of the members have, and that are done in turn.
pub(super) fn find(run: &RunMatrix) -> Vec<WorkInTurn> {
    let is_work =
        |value: usize| matches!(run.values[value].activity, StateActivity::Computation | StateActivity::InputOutput);
    let mut cells: Vec<Vec<&WorkCell>> = vec![vec![]; run.values.len()];
    for cell in run.work.iter().filter(|cell| is_work(cell.value)) {
        cells[cell.value].push(cell);
    }
    cells.iter().enumerate().filter_map(|(value, cells)| in_turn(run, value, cells)).collect()
}

fn in_turn(run: &RunMatrix, value: usize, cells: &[&WorkCell]) -> Option<WorkInTurn> {
    let mut members: Vec<usize> = cells.iter().map(|cell| cell.member).collect();
    members.sort_unstable();
    members.dedup();
    if members.len() < LEAST_MEMBERS || 2 * members.len() < run.members.len() {
        return None;
    }
    let mut single: Vec<(f64, f64)> =
        cells.iter().filter(|cell| cell.states == 1.0).map(|cell| (cell.first, cell.last)).collect();
    single.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let (mut sum, mut union, mut until) = (0.0, 0.0, f64::NEG_INFINITY);
    for (first, last) in &single {
        sum += last - first;
        union += (last - f64::max(*first, until)).max(0.0);
        until = until.max(*last);
    }
    let states: f64 = cells.iter().map(|cell| cell.states).sum();
    if (single.len() as f64) < LEAST_KNOWN * states {
        return None;
    }
    let could = members.len() as f64 * single.len() as f64 / states;
    let at_a_time = sum / union;
    let seconds: f64 = cells.iter().map(|cell| cell.seconds).sum();
    let start = cells.iter().map(|cell| cell.first).fold(f64::INFINITY, f64::min);
    let end = cells.iter().map(|cell| cell.last).fold(f64::NEG_INFINITY, f64::max);
    // More than fits into the time cannot have been done in turn.
    let fits = seconds <= AT_A_TIME * (end - start);
    if at_a_time.is_nan() || at_a_time > AT_A_TIME || could < COULD || !fits {
        return None;
    }
    let places = members.iter().map(|member| run.members[*member]).collect();
    Some(WorkInTurn { value, places, at_a_time, seconds, start, end })
}
