//! Which states findings are about.

use std::collections::{BTreeMap, HashMap};

use super::rows::{RunRows, StateActivity};

/// The type of states with most computation; else that of which most is known; else that with most time.
pub(super) fn main_type(rows: &RunRows) -> Option<u32> {
    let activities: HashMap<(u32, u32), StateActivity> =
        rows.activities.iter().map(|row| ((row.kind, row.value), row.activity)).collect();
    let no_state: HashMap<u32, StateActivity> = rows.activities.iter().map(|row| (row.kind, row.no_state)).collect();
    let mut sums: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
    let known: HashMap<i32, f64> = rows.containers.iter().map(|row| (row.id, row.end - row.begin)).collect();
    let mut owners: BTreeMap<(u32, i32), f64> = BTreeMap::new();
    for cell in rows.states.iter().filter(|cell| known.contains_key(&cell.container)) {
        let activity = activities.get(&(cell.kind, cell.value)).copied().unwrap_or(StateActivity::Unknown);
        let sum = sums.entry(cell.kind).or_default();
        sum[2] += cell.seconds;
        sum[1] += if activity == StateActivity::Unknown { 0.0 } else { cell.seconds };
        sum[0] += if activity == StateActivity::Computation { cell.seconds } else { 0.0 };
        *owners.entry((cell.kind, cell.container)).or_default() += cell.seconds;
    }
    for ((kind, container), seconds) in owners {
        if no_state.get(&kind) == Some(&StateActivity::Computation) {
            let gap = (known[&container] - seconds).max(0.0);
            if let Some(sum) = sums.get_mut(&kind) {
                sum[0] += gap;
                sum[1] += gap;
            }
        }
    }
    let text = |kind: u32| rows.texts.get(kind as usize);
    let order = |one: &(u32, [f64; 3]), other: &(u32, [f64; 3])| {
        let sums =
            one.1.iter().zip(&other.1).fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)));
        sums.then_with(|| text(other.0).cmp(&text(one.0)))
    };
    sums.into_iter().max_by(order).map(|(kind, _)| kind)
}
