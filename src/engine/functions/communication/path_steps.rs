//! The sweep behind critical_path: states and links in the order of time, their ends backwards, and the steps that were
//! found, which come the last one first, backwards again.

use std::sync::{Arc, Mutex};

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};

use super::comm_waits::activity_name;
use super::path_log::{LOGGED, LoggedLines, PathLog};
use super::path_rows::{PACKED, PathCodes, PathNames, UnpackedRow, locked, states_at_once};
use crate::functions::plans::table_kernel::big_int;
use crate::functions::plans::table_sweep::{RowPacker, RowSweep};
use ocellus_kernels::waiting::{BackStep, PathFacts, PathSurvey, PathWalkBack, StepKind};

/// Lines of the log and rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

const PASSES: usize = 3;

/// Begins a sweep over a window.
pub(crate) fn begin(constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    let (Some(start), Some(stop)) = (big_int(constants, 0)?, big_int(constants, 1)?) else {
        return internal_err!("critical_path has no window");
    };
    let window = (start, stop);
    Ok(Box::new(PathSteps {
        window,
        codes: Arc::default(),
        names: None,
        survey: PathSurvey::new(window),
        walk: PathWalkBack::new(window, PathFacts::default()),
        log: PathLog::default(),
        is_logged: false,
        step: 0,
        found: vec![],
        is_finished: false,
    }))
}

/// A sweep under way.
#[derive(Debug)]
struct PathSteps {
    window: (i64, i64),
    codes: Arc<Mutex<PathCodes>>,
    /// What the codes stand for, when all of them are there.
    names: Option<PathNames>,
    survey: PathSurvey,
    walk: PathWalkBack,
    log: PathLog,
    /// Whether the pass is over, and the rest of the log is to be handed over.
    is_logged: bool,
    step: i64,
    found: Vec<BackStep>,
    is_finished: bool,
}

impl RowSweep for PathSteps {
    fn passes(&self) -> usize {
        PASSES
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let PathSteps { codes, names, survey, walk, log, found, .. } = self;
        let names = names.get_or_insert_with(|| PathNames::new(&locked(codes)));
        self.is_logged = false;
        match pass {
            0 => names.for_each(columns, |row| match row {
                UnpackedRow::State(state) => survey.add_state(state, &mut |record| log.add_record(record)),
                UnpackedRow::Link(message) => survey.add_message(message, &mut |record| log.add_record(record)),
            }),
            1 => {
                let lines = LoggedLines::of(columns);
                for row in (0..lines.len()).rev() {
                    if walk.is_over() {
                        break;
                    }
                    walk.add(lines.record(row, names)?, &mut |step| log.add_step(&step));
                }
            }
            _ => {
                let lines = LoggedLines::of(columns);
                found.extend((0..lines.len()).rev().map(|row| lines.step(row)));
            }
        }
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        let log = &mut self.log;
        match pass {
            0 => {
                let facts = self.survey.finish(&mut |record| log.add_record(record));
                match facts {
                    Ok(facts) => self.walk = PathWalkBack::new(self.window, facts),
                    Err((one, other)) => {
                        let names = self.names.as_ref();
                        return states_at_once("critical_path", names, &one, &other);
                    }
                }
                self.survey = PathSurvey::new(self.window);
            }
            1 => self.walk.finish(&mut |step| log.add_step(&step)),
            _ => self.is_finished = true,
        }
        self.is_logged = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = self.is_finished || self.found.len() >= ROWS_AT_ONCE;
        let Some(names) = self.names.as_ref().filter(|_| is_ready && !self.found.is_empty()) else { return Ok(None) };
        let rows = arrays(&self.found, self.step, names, self.window);
        self.step += self.found.len() as i64;
        self.found.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        let found = self.found.capacity() * size_of::<BackStep>();
        size_of_val(self)
            + locked(&self.codes).bytes()
            + self.survey.bytes()
            + self.walk.bytes()
            + self.log.bytes()
            + found
    }

    fn packer(&self) -> Option<RowPacker> {
        let codes = Arc::clone(&self.codes);
        Some(RowPacker { types: &PACKED, pack: Box::new(move |columns| locked(&codes).pack(columns)) })
    }

    fn log_types(&self) -> Option<&'static [DataType]> {
        Some(&LOGGED)
    }

    fn log(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let least = if self.is_logged { 1 } else { ROWS_AT_ONCE };
        Ok((self.log.len() >= least).then(|| self.log.take()))
    }
}

/// Steps as rows; the first has a number.
fn arrays(steps: &[BackStep], first: i64, names: &PathNames, window: (i64, i64)) -> Vec<ArrayRef> {
    let length = window.1 as f64 - window.0 as f64;
    let kind = |step: &BackStep| match step.kind {
        StepKind::Computation => "computation",
        StepKind::Transfer => "transfer",
        StepKind::Wait => "wait",
        StepKind::Other => "other",
    };
    let state = |step: &BackStep| step.value.filter(|_| step.target.is_none()).map(|value| names.state(value));
    let value = |step: &BackStep| match step.target {
        Some(_) => step.value.and_then(|label| names.link(label)),
        None => state(step).and_then(|(value, ..)| value),
    };
    let activity = |step: &BackStep| state(step).and_then(|(_, number, _)| activity_name(number));
    vec![
        Arc::new(Int64Array::from_iter_values(first..first + steps.len() as i64)),
        Arc::new(StringViewArray::from_iter_values(steps.iter().map(kind))),
        Arc::new(Int32Array::from_iter_values(steps.iter().map(|step| step.container as i32))),
        Arc::new(steps.iter().map(|step| step.target.map(|target| target as i32)).collect::<Int32Array>()),
        Arc::new(steps.iter().map(value).collect::<StringViewArray>()),
        Arc::new(steps.iter().map(activity).collect::<StringViewArray>()),
        Arc::new(Int64Array::from_iter_values(steps.iter().map(|step| step.start))),
        Arc::new(Int64Array::from_iter_values(steps.iter().map(|step| step.end))),
        Arc::new(Float64Array::from_iter_values(steps.iter().map(|step| (step.end - step.start) as f64 / length))),
    ]
}
