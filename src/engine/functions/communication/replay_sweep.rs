//! The sweep behind replay: states and links in the order of time, twice.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray};
use datafusion::common::{Result, ScalarValue, internal_err};
use hashbrown::HashSet;

use super::comm_waits::role_of;
use super::path_rows::{PathNames, UnpackedRow, states_at_once};
use super::replay_rows::{CHOSEN_TICK, REPLAY_PACKED, ReplayCodes, ReplayDetail, for_each};
use crate::functions::plans::table_kernel::{big_int, double};
use crate::functions::plans::table_sweep::{RowPacker, RowSweep};
use ocellus_kernels::replay::{
    NetworkChange, ReplayChanges, ReplayFacts, ReplayLink, ReplayRow, ReplayState, ReplaySurvey, ReplaySweep, Replayed,
};
use ocellus_kernels::waiting::{StateRole, TimedState};

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// Begins a replay with the constants of the kernel: factors on latency, on transfers and on states, the value of these,
/// the window of changes, and whether only chosen containers are changed.
pub(crate) fn begin(constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    let (Some(start), Some(stop)) = (big_int(constants, 4)?, big_int(constants, 5)?) else {
        return internal_err!("replay has no window");
    };
    let (Some(ScalarValue::Utf8(value)), Some(ScalarValue::Boolean(Some(is_chosen)))) =
        (constants.get(3), constants.get(6))
    else {
        return internal_err!("replay does not know what to change");
    };
    let factor = double(constants, 2)?;
    let changes = ReplayChanges {
        network: NetworkChange { latency: double(constants, 0)?, transfer: double(constants, 1)? },
        gap_factor: if value.is_some() { 1.0 } else { factor },
        window: (start, stop),
        containers: is_chosen.then(HashSet::new),
    };
    Ok(Box::new(ReplayedTrace {
        changes,
        factor,
        value: value.clone(),
        codes: Arc::default(),
        names: None,
        survey: ReplaySurvey::default(),
        sweep: ReplaySweep::new(ReplayChanges::NONE, ReplayFacts::default()),
        found: vec![],
        is_finished: false,
    }))
}

/// What the codes of rows stand for.
#[derive(Debug)]
struct ReplayNames {
    path: PathNames,
    types: Vec<Box<str>>,
}

/// A replay under way.
#[derive(Debug)]
struct ReplayedTrace {
    changes: ReplayChanges,
    /// On the time of states.
    factor: f64,
    /// Of the states that are changed.
    value: Option<String>,
    codes: Arc<Mutex<ReplayCodes>>,
    /// When all codes are there.
    names: Option<ReplayNames>,
    survey: ReplaySurvey,
    sweep: ReplaySweep<ReplayDetail>,
    found: Vec<Replayed<ReplayDetail>>,
    is_finished: bool,
}

fn locked(codes: &Mutex<ReplayCodes>) -> MutexGuard<'_, ReplayCodes> {
    codes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The factor of a state: of those of a value, else of those in which a container neither communicates nor waits.
fn factor_of(state: &TimedState, names: &PathNames, value: Option<&str>, factor: f64) -> f64 {
    let (text, number, joins) = names.state(state.value);
    let is_changed = match value {
        Some(value) => text == Some(value),
        None => !joins && !matches!(role_of(number), StateRole::Communicates | StateRole::Waits),
    };
    if is_changed { factor } else { 1.0 }
}

impl RowSweep for ReplayedTrace {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let ReplayedTrace { changes, factor, value, codes, names, survey, sweep, found, .. } = self;
        let names = names.get_or_insert_with(|| {
            let codes = locked(codes);
            ReplayNames { path: PathNames::new(&codes.path), types: codes.types() }
        });
        let mut give = |replayed| found.push(replayed);
        for_each(&names.path, columns, |row, volume, detail| match (row, pass) {
            (UnpackedRow::State(state), _) if state.start == CHOSEN_TICK => {
                changes.containers.get_or_insert_default().insert(state.container);
            }
            (UnpackedRow::State(state), 0) => survey.add_state(state),
            (UnpackedRow::Link(message), 0) => survey.add_link(message, volume),
            (UnpackedRow::State(state), _) => {
                let factor = factor_of(&state, &names.path, value.as_deref(), *factor);
                sweep.add_state(ReplayState { state, factor, detail }, &mut give);
            }
            (UnpackedRow::Link(message), _) => sweep.add_link(ReplayLink { message, volume, detail }, &mut give),
        });
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        if pass == 0 {
            match std::mem::take(&mut self.survey).finish() {
                Ok(facts) => self.sweep = ReplaySweep::new(self.changes.clone(), facts),
                Err((one, other)) => {
                    let names = self.names.as_ref().map(|names| &names.path);
                    return states_at_once("replay", names, &one, &other);
                }
            }
            return Ok(());
        }
        let found = &mut self.found;
        self.sweep.finish(&mut |replayed| found.push(replayed));
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = self.is_finished || self.found.len() >= ROWS_AT_ONCE;
        let Some(names) = self.names.as_ref().filter(|_| is_ready && !self.found.is_empty()) else { return Ok(None) };
        let rows = arrays(&self.found, names);
        self.found.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        let found = self.found.capacity() * size_of::<Replayed<ReplayDetail>>();
        let chosen = self.changes.containers.as_ref().map_or(0, HashSet::allocation_size);
        // The sweep has its own copy of the chosen containers.
        size_of_val(self) + locked(&self.codes).bytes() + self.survey.bytes() + self.sweep.bytes() + found + 2 * chosen
    }

    fn packer(&self) -> Option<RowPacker> {
        let codes = Arc::clone(&self.codes);
        Some(RowPacker { types: &REPLAY_PACKED, pack: Box::new(move |columns| locked(&codes).pack(columns)) })
    }
}

/// What the columns of a row are made of.
struct RowParts<'a> {
    kind: &'static str,
    container: u32,
    target: Option<u32>,
    value: Option<&'a str>,
    volume: Option<f64>,
    detail: &'a ReplayDetail,
    old: (i64, i64),
}

fn parts<'a>(row: &'a ReplayRow<ReplayDetail>, names: &'a ReplayNames) -> RowParts<'a> {
    match row {
        ReplayRow::State(ReplayState { state, detail, .. }) => RowParts {
            kind: "state",
            container: state.container,
            target: None,
            value: names.path.state(state.value).0,
            volume: None,
            detail,
            old: (state.start, state.end),
        },
        ReplayRow::Link(ReplayLink { message, volume, detail }) => RowParts {
            kind: "link",
            container: message.source,
            target: Some(message.target),
            value: names.path.link(message.label),
            volume: *volume,
            detail,
            old: (message.start, message.end),
        },
    }
}

fn arrays(found: &[Replayed<ReplayDetail>], names: &ReplayNames) -> Vec<ArrayRef> {
    let rows: Vec<RowParts<'_>> = found.iter().map(|replayed| parts(&replayed.row, names)).collect();
    let type_of = |row: &RowParts<'_>| row.detail.kind.map(|code| &*names.types[code as usize]);
    let ticks =
        |tick: &dyn Fn(usize) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values((0..rows.len()).map(tick))) };
    vec![
        Arc::new(StringViewArray::from_iter_values(rows.iter().map(|row| row.kind))),
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.container as i32))),
        Arc::new(rows.iter().map(|row| row.target.map(|target| target as i32)).collect::<Int32Array>()),
        Arc::new(rows.iter().map(type_of).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(|row| row.value).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(|row| row.detail.key.as_deref()).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(|row| row.volume).collect::<Float64Array>()),
        ticks(&|row| found[row].start),
        ticks(&|row| found[row].end),
        ticks(&|row| rows[row].old.0),
        ticks(&|row| rows[row].old.1),
    ]
}
