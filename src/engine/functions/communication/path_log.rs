//! The log of critical_path in columns: first the records of its way forwards, then the steps of its way back.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int8Array, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Int8Type, Int32Type, Int64Type};
use datafusion::common::{Result, internal_err};

use super::comm_waits::role_of;
use super::path_rows::PathNames;
use ocellus_kernels::waiting::{
    BackStep, JoinedNumbers, PathRecord, StateRecord, StepKind, SurveyedMessage, TimedState,
};

/// Types of its columns: what a line is, small numbers, container, another one, a number, value, start, end, instant.
pub(crate) const LOGGED: [DataType; 9] = [
    DataType::Int8,
    DataType::Int8,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Int64,
    DataType::Int64,
];

const BEGIN: i8 = 0;
const ARRIVAL: i8 = 1;
const PICKED_UP: i8 = 2;
const RECEIPT: i8 = 3;
const END: i8 = 4;
const STATE_STEP: i8 = 5;
const MESSAGE_STEP: i8 = 6;
const STATELESS_STEP: i8 = 7;

/// What is known of a state that has ended, as bits.
const REACHED: i8 = 1;
const COMMON: i8 = 2;
const EXPLAINED: i8 = 4;
const JOINED: i8 = 8;

const KINDS: [StepKind; 4] = [StepKind::Computation, StepKind::Transfer, StepKind::Wait, StepKind::Other];

/// A line as it is written.
#[derive(Debug, Clone, Copy, Default)]
struct LogLine {
    tag: i8,
    small: i8,
    container: u32,
    other: u32,
    number: u32,
    value: u32,
    start: i64,
    end: i64,
    instant: i64,
}

/// Lines that were not handed over yet.
#[derive(Debug, Default)]
pub(crate) struct PathLog {
    lines: Vec<LogLine>,
}

impl PathLog {
    pub(crate) fn add_record(&mut self, record: PathRecord) {
        let line = match record {
            PathRecord::Begin(container, start, value, JoinedNumbers { in_container, in_common }) => LogLine {
                tag: BEGIN,
                container,
                other: in_container,
                number: in_common,
                value,
                start,
                ..LogLine::default()
            },
            PathRecord::Arrival(message, true) => message_line(ARRIVAL, &message),
            PathRecord::Arrival(message, false) => message_line(PICKED_UP, &message),
            PathRecord::Receipt(message) => message_line(RECEIPT, &message),
            PathRecord::End(record) => state_line(&record),
        };
        self.lines.push(line);
    }

    pub(crate) fn add_step(&mut self, step: &BackStep) {
        let tag = match (step.value, step.target) {
            (None, _) => STATELESS_STEP,
            (_, None) => STATE_STEP,
            (_, Some(_)) => MESSAGE_STEP,
        };
        let small = KINDS.iter().position(|kind| *kind == step.kind).unwrap_or(0) as i8;
        let (other, value) = (step.target.unwrap_or(0), step.value.unwrap_or(0));
        let BackStep { container, start, end, .. } = *step;
        self.lines.push(LogLine { tag, small, container, other, value, start, end, ..LogLine::default() });
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// All lines as columns.
    pub(crate) fn take(&mut self) -> Vec<ArrayRef> {
        let (small, number, big) = (
            |value: fn(&LogLine) -> i8| -> ArrayRef {
                Arc::new(Int8Array::from_iter_values(self.lines.iter().map(value)))
            },
            |value: fn(&LogLine) -> u32| -> ArrayRef {
                Arc::new(Int32Array::from_iter_values(self.lines.iter().map(|line| value(line) as i32)))
            },
            |value: fn(&LogLine) -> i64| -> ArrayRef {
                Arc::new(Int64Array::from_iter_values(self.lines.iter().map(value)))
            },
        );
        let columns = vec![
            small(|line| line.tag),
            small(|line| line.small),
            number(|line| line.container),
            number(|line| line.other),
            number(|line| line.number),
            number(|line| line.value),
            big(|line| line.start),
            big(|line| line.end),
            big(|line| line.instant),
        ];
        self.lines.clear();
        columns
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<LogLine>()
    }
}

fn message_line(tag: i8, message: &SurveyedMessage) -> LogLine {
    let SurveyedMessage { source, target, start, end, label, size, is_collective, began } = *message;
    LogLine {
        tag,
        small: size as i8,
        container: source,
        other: target,
        number: u32::from(is_collective),
        value: label,
        start,
        end,
        instant: began,
    }
}

fn state_line(record: &StateRecord) -> LogLine {
    let StateRecord { state, first_arrival, is_reached, joined, is_common } = *record;
    let bit = |is_set: bool, bit: i8| if is_set { bit } else { 0 };
    let JoinedNumbers { in_container, in_common } = joined.unwrap_or(JoinedNumbers { in_container: 0, in_common: 0 });
    LogLine {
        tag: END,
        small: bit(is_reached, REACHED)
            | bit(is_common, COMMON)
            | bit(first_arrival.is_some(), EXPLAINED)
            | bit(joined.is_some(), JOINED),
        container: state.container,
        other: in_container,
        number: in_common,
        value: state.value,
        start: state.start,
        end: state.end,
        instant: first_arrival.unwrap_or(0),
    }
}

/// Lines that are read.
pub(crate) struct LoggedLines<'a> {
    small: [&'a [i8]; 2],
    numbers: [&'a [i32]; 4],
    ticks: [&'a [i64]; 3],
}

impl LoggedLines<'_> {
    pub(crate) fn of(columns: &[ArrayRef]) -> LoggedLines<'_> {
        LoggedLines {
            small: [0, 1].map(|index| columns[index].as_primitive::<Int8Type>().values().as_ref()),
            numbers: [2, 3, 4, 5].map(|index| columns[index].as_primitive::<Int32Type>().values().as_ref()),
            ticks: [6, 7, 8].map(|index| columns[index].as_primitive::<Int64Type>().values().as_ref()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.small[0].len()
    }

    fn line(&self, row: usize) -> LogLine {
        let [tag, small] = self.small.map(|column| column[row]);
        let [container, other, number, value] = self.numbers.map(|column| column[row] as u32);
        let [start, end, instant] = self.ticks.map(|column| column[row]);
        LogLine { tag, small, container, other, number, value, start, end, instant }
    }

    pub(crate) fn record(&self, row: usize, names: &PathNames) -> Result<PathRecord> {
        let LogLine { tag, small, container, other, number, value, start, end, instant } = self.line(row);
        let joined = JoinedNumbers { in_container: other, in_common: number };
        let message = SurveyedMessage {
            source: container,
            target: other,
            start,
            end,
            label: value,
            size: small as u8,
            is_collective: number == 1,
            began: instant,
        };
        Ok(match tag {
            BEGIN => PathRecord::Begin(container, start, value, joined),
            ARRIVAL => PathRecord::Arrival(message, true),
            PICKED_UP => PathRecord::Arrival(message, false),
            RECEIPT => PathRecord::Receipt(message),
            END => {
                let (_, activity, joins) = names.state(value);
                PathRecord::End(StateRecord {
                    state: TimedState { container, start, end, value, role: role_of(activity), joins },
                    first_arrival: (small & EXPLAINED != 0).then_some(instant),
                    is_reached: small & REACHED != 0,
                    joined: (small & JOINED != 0).then_some(joined),
                    is_common: small & COMMON != 0,
                })
            }
            _ => return internal_err!("a log of critical_path has no records of kind {tag}"),
        })
    }

    pub(crate) fn step(&self, row: usize) -> BackStep {
        let LogLine { tag, small, container, other, value, start, end, .. } = self.line(row);
        BackStep {
            kind: KINDS[small as usize % KINDS.len()],
            container,
            target: (tag == MESSAGE_STEP).then_some(other),
            value: (tag != STATELESS_STEP).then_some(value),
            start,
            end,
        }
    }
}
