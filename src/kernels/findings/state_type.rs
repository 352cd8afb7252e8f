//! Which states findings are about, and which of them say when containers wait.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::rows::{RunRows, StateActivity, StateCell};

/// The type whose states have most computation; else that with most of it in no state; else that of which most is known; else that with
/// most time. A type of a few calls leaves nearly all time in no state, and says least about it.
pub(super) fn main_type(rows: &RunRows) -> Option<u32> {
    let activities: HashMap<(u32, u32), StateActivity> =
        rows.activities.iter().map(|row| ((row.kind, row.value), row.activity)).collect();
    let no_state: HashMap<u32, StateActivity> = rows.activities.iter().map(|row| (row.kind, row.no_state)).collect();
    let mut sums: BTreeMap<u32, [f64; 4]> = BTreeMap::new();
    let known: HashMap<i32, f64> = rows.containers.iter().map(|row| (row.id, row.end - row.begin)).collect();
    let mut owners: BTreeMap<(u32, i32), f64> = BTreeMap::new();
    for cell in rows.states.iter().filter(|cell| known.contains_key(&cell.container)) {
        let activity = activities.get(&(cell.kind, cell.value)).copied().unwrap_or(StateActivity::Unknown);
        let sum = sums.entry(cell.kind).or_default();
        let is_computation = activity == StateActivity::Computation;
        sum[3] += cell.seconds;
        sum[2] += if activity == StateActivity::Unknown { 0.0 } else { cell.seconds };
        sum[1] += if is_computation { cell.seconds } else { 0.0 };
        sum[0] += if is_computation { cell.seconds } else { 0.0 };
        *owners.entry((cell.kind, cell.container)).or_default() += cell.seconds;
    }
    for ((kind, container), seconds) in owners {
        if no_state.get(&kind) == Some(&StateActivity::Computation) {
            let gap = (known[&container] - seconds).max(0.0);
            if let Some(sum) = sums.get_mut(&kind) {
                sum[1] += gap;
                sum[2] += gap;
            }
        }
    }
    let text = |kind: u32| rows.texts.get(kind as usize);
    let order = |one: &(u32, [f64; 4]), other: &(u32, [f64; 4])| {
        let sums =
            one.1.iter().zip(&other.1).fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)));
        sums.then_with(|| text(other.0).cmp(&text(one.0)))
    };
    sums.into_iter().max_by(order).map(|(kind, _)| kind)
}

/// Whether containers that have states of the main type wait in states of other types, too, while those of the main type say when
/// they compute and when they wait.
pub(super) fn waits_again(rows: &RunRows, main: u32) -> bool {
    let activities: HashMap<(u32, u32), StateActivity> =
        rows.activities.iter().map(|row| ((row.kind, row.value), row.activity)).collect();
    let is = |cell: &StateCell, wanted: &[StateActivity]| {
        cell.seconds > 0.0 && activities.get(&(cell.kind, cell.value)).is_some_and(|activity| wanted.contains(activity))
    };
    let blocked = [StateActivity::Communication, StateActivity::Waiting];
    let known: HashSet<i32> = rows.containers.iter().map(|row| row.id).collect();
    let cells = || rows.states.iter().filter(|cell| known.contains(&cell.container));
    let main_cells = || cells().filter(|cell| cell.kind == main);
    let owners: HashSet<i32> = main_cells().map(|cell| cell.container).collect();
    main_cells().any(|cell| is(cell, &[StateActivity::Computation]))
        && main_cells().any(|cell| is(cell, &blocked))
        && cells().any(|cell| cell.kind != main && owners.contains(&cell.container) && is(cell, &blocked))
}
