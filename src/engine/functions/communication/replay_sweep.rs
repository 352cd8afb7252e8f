//! The sweep behind replay: states and links in the order of time, twice.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray};
use datafusion::common::{Result, ScalarValue, internal_err};
use hashbrown::HashSet;

use super::path_rows::{PathNames, states_at_once};
use super::replay_rows::{REPLAY_PACKED, ReplayCodes, ReplayDetail, ReplayInput, for_each};
use super::replay_scenario::{Scenario, ScenarioReplay};
use crate::functions::plans::table_kernel::{big_int, double};
use crate::functions::plans::table_sweep::{RowPacker, RowSweep};
use ocellus_kernels::replay::{
    ChosenLinks, NetworkChange, ReplayChanges, ReplayFacts, ReplayLink, ReplayPart, ReplayRow, ReplayState,
    ReplaySurvey, Replayed,
};

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// Begins a replay with the constants of the kernel: factors on latency, on transfers and on states, the value of these,
/// the window of changes, whether only chosen containers, sources and targets are changed, and whether phases are balanced.
pub(crate) fn begin(constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    let (Some(start), Some(stop)) = (big_int(constants, 4)?, big_int(constants, 5)?) else {
        return internal_err!("replay has no window");
    };
    let Some(ScalarValue::Utf8(value)) = constants.get(3) else {
        return internal_err!("replay does not know what to change");
    };
    let is = |place: usize| matches!(constants.get(place), Some(ScalarValue::Boolean(Some(true))));
    let chosen = |place: usize| is(place).then(HashSet::new);
    let changes = ReplayChanges {
        network: NetworkChange { latency: double(constants, 0)?, transfer: double(constants, 1)? },
        window: (start, stop),
        containers: chosen(6),
        links: ChosenLinks { sources: chosen(7), targets: chosen(8) },
        ..ReplayChanges::NONE
    };
    let factor = double(constants, 2)?;
    let scenario = Scenario { name: None, changes, factor, value: value.clone(), is_balanced: is(9), subtree: None };
    Ok(Box::new(ReplayedTrace {
        replay: ScenarioReplay::new(scenario),
        codes: Arc::default(),
        names: None,
        survey: ReplaySurvey::default(),
        facts: ReplayFacts::default(),
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
    replay: ScenarioReplay<ReplayDetail>,
    codes: Arc<Mutex<ReplayCodes>>,
    /// When all codes are there.
    names: Option<ReplayNames>,
    survey: ReplaySurvey,
    facts: ReplayFacts,
    found: Vec<Replayed<ReplayDetail>>,
    is_finished: bool,
}

fn locked(codes: &Mutex<ReplayCodes>) -> MutexGuard<'_, ReplayCodes> {
    codes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReplayedTrace {
    /// Which pass replays: the one before it measures what is balanced.
    fn last_pass(&self) -> usize {
        if self.replay.scenario.is_balanced { 2 } else { 1 }
    }
}

impl RowSweep for ReplayedTrace {
    fn passes(&self) -> usize {
        self.last_pass() + 1
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let last = self.last_pass();
        let ReplayedTrace { replay, codes, names, survey, found, .. } = self;
        let names = names.get_or_insert_with(|| {
            let codes = locked(codes);
            ReplayNames { path: PathNames::new(&codes.path), types: codes.types() }
        });
        let names = &names.path;
        let mut give = |replayed| found.push(replayed);
        let mut outcome = Ok(());
        for_each(names, columns, |row| match row {
            ReplayInput::Change(change) if pass == 0 => {
                if let Err(error) = replay.scenario.add(&change, names) {
                    outcome = Err(error);
                }
            }
            ReplayInput::Change(_) => {}
            ReplayInput::State(state, part, detail) if pass == last => {
                replay.add_state(state, part, detail.to_detail(), names, &mut give);
            }
            ReplayInput::Link(message, volume, detail) if pass == last => {
                replay.add_link(message, volume, detail.to_detail(), &mut give);
            }
            ReplayInput::State(_, ReplayPart::Carried, _) => {}
            ReplayInput::State(state, ..) if pass == 0 => survey.add_state(state),
            ReplayInput::Link(message, volume, _) if pass == 0 => survey.add_link(message, volume),
            ReplayInput::State(state, ..) => replay.measure(&state),
            ReplayInput::Link(..) => {}
        });
        outcome
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        if pass == self.last_pass() {
            let found = &mut self.found;
            self.replay.finish(&mut |replayed| found.push(replayed));
            self.is_finished = true;
            return Ok(());
        }
        if pass > 0 {
            self.replay.end_measuring(&self.facts);
            return Ok(());
        }
        match std::mem::take(&mut self.survey).finish() {
            Ok(facts) => {
                self.replay.begin(&facts);
                self.facts = facts;
                Ok(())
            }
            Err((one, other)) => states_at_once("replay", self.names.as_ref().map(|names| &names.path), &one, &other),
        }
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
        size_of_val(self) + locked(&self.codes).bytes() + self.survey.bytes() + self.replay.bytes() + found
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
