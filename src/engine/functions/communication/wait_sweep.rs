//! The sweep behind wait_states: states and links in the order of time, twice.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::{DataType, Int8Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use hashbrown::{Equivalent, HashMap};

use super::comm_waits::{COLUMNS, number, role_of, text};
use crate::functions::plans::table_kernel::big_int;
use crate::functions::plans::table_sweep::{RowSweep, SweepOrder};
use ocellus_kernels::waiting::{SweptMessage, SweptWait, TimedState, WaitKind, WaitMessage, WaitSweep};

/// By the instant at which a row begins to count.
pub(crate) const BY_BEGIN: SweepOrder = SweepOrder { computed: &[DataType::Int64], compute: begins, by: &[0] };

/// A message that is received before it is sent, by clocks that differ, counts as sent when it is received.
fn begins(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let [starts, ends] = [2, 3].map(|index| columns[index].as_primitive::<Int64Type>());
    let begin = |(start, end): (&i64, &i64)| *start.min(end);
    Ok(vec![Arc::new(Int64Array::from_iter_values(starts.values().iter().zip(ends.values()).map(begin)))])
}

/// What a row of the result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitRows {
    Totals,
    Waits,
}

/// Begins a sweep over a window.
pub(crate) fn begin(constants: &[ScalarValue], rows: WaitRows) -> Result<Box<dyn RowSweep>> {
    let (Some(start), Some(stop)) = (big_int(constants, 0)?, big_int(constants, 1)?) else {
        return internal_err!("wait_states has no window");
    };
    Ok(Box::new(WaitStates {
        window: (start, stop),
        sweep: WaitSweep::survey((start, stop)),
        values: ValueNumbers::default(),
        found: FoundWaits { per: rows, totals: BTreeMap::new(), rows: vec![] },
        is_finished: false,
    }))
}

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// The columns of a message that tell it from others with the same ends and times, and that rows show.
#[derive(Debug)]
struct WaitLinkColumns {
    value: Option<Box<str>>,
    key: Option<Box<str>>,
    volume: Option<f64>,
}

impl WaitLinkColumns {
    fn rank(&self) -> (&Option<Box<str>>, &Option<Box<str>>) {
        (&self.value, &self.key)
    }
}

impl Ord for WaitLinkColumns {
    fn cmp(&self, other: &WaitLinkColumns) -> Ordering {
        let volume = |columns: &WaitLinkColumns| columns.volume.unwrap_or(f64::NEG_INFINITY);
        self.rank().cmp(&other.rank()).then_with(|| volume(self).total_cmp(&volume(other)))
    }
}

impl PartialOrd for WaitLinkColumns {
    fn partial_cmp(&self, other: &WaitLinkColumns) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WaitLinkColumns {
    fn eq(&self, other: &WaitLinkColumns) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for WaitLinkColumns {}

/// The values of states with the numbers of their activities.
#[derive(Debug, Default)]
struct ValueNumbers {
    numbers: HashMap<StateValue, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct StateValue {
    value: Option<String>,
    activity: Option<i8>,
}

#[derive(Hash)]
struct StateValueRef<'a> {
    value: Option<&'a str>,
    activity: Option<i8>,
}

impl Equivalent<StateValue> for StateValueRef<'_> {
    fn equivalent(&self, known: &StateValue) -> bool {
        self.activity == known.activity && self.value == known.value.as_deref()
    }
}

impl ValueNumbers {
    fn number(&mut self, value: Option<&str>, activity: Option<i8>) -> u32 {
        if let Some(number) = self.numbers.get(&StateValueRef { value, activity }) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(StateValue { value: value.map(str::to_string), activity }, number);
        number
    }

    /// Numbers the values in the order of the alphabet; gives the new number for each old one.
    fn sort(&mut self) -> Vec<u32> {
        let mut known: Vec<(StateValue, u32)> = self.numbers.drain().collect();
        known.sort_unstable();
        let mut numbers = vec![0; known.len()];
        for ((value, before), number) in known.into_iter().zip(0..) {
            numbers[before as usize] = number;
            self.numbers.insert(value, number);
        }
        numbers
    }

    fn values(&self) -> Vec<Option<&str>> {
        let mut values = vec![None; self.numbers.len()];
        for (value, number) in &self.numbers {
            values[*number as usize] = value.value.as_deref();
        }
        values
    }
}

/// A sweep under way.
#[derive(Debug)]
struct WaitStates {
    window: (i64, i64),
    sweep: WaitSweep<WaitLinkColumns>,
    values: ValueNumbers,
    found: FoundWaits,
    is_finished: bool,
}

impl RowSweep for WaitStates {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let [containers, targets] = [0, 1].map(|index| columns[index].as_primitive::<Int32Type>());
        let [starts, ends] = [2, 3].map(|index| columns[index].as_primitive::<Int64Type>());
        let (numbers, collectives) = (columns[5].as_primitive::<Int8Type>(), columns[6].as_boolean());
        let is_detailed = columns.len() > COLUMNS.len();
        let found = &mut self.found;
        let mut give = |wait: SweptWait<'_, WaitLinkColumns>| found.add(&wait);
        for row in 0..containers.len() {
            let (container, start, end) = (containers.value(row) as u32, starts.value(row), ends.value(row));
            let number_or_size = numbers.is_valid(row).then(|| numbers.value(row));
            let joins = collectives.is_valid(row) && collectives.value(row);
            let value = text(&columns[4], row);
            if targets.is_null(row) {
                let (value, role) = (self.values.number(value, number_or_size), role_of(number_or_size));
                self.sweep.add_state(TimedState { container, start, end, value, role, joins }, &mut give);
                continue;
            }
            let message = WaitMessage {
                source: container,
                target: targets.value(row) as u32,
                start,
                end,
                label: 0,
                size: number_or_size.unwrap_or(0) as u8,
                is_collective: joins,
            };
            let detail = WaitLinkColumns {
                value: value.map(Box::from),
                key: is_detailed.then(|| text(&columns[7], row).map(Box::from)).flatten(),
                volume: is_detailed.then(|| number(&columns[8], row)).flatten(),
            };
            self.sweep.add_message(SweptMessage { message, detail }, &mut give);
        }
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        let found = &mut self.found;
        let facts = self.sweep.finish(&mut |wait: SweptWait<'_, WaitLinkColumns>| found.add(&wait));
        if pass == 0 {
            self.sweep = WaitSweep::explain(self.window, facts.renumbered(&self.values.sort()));
        }
        self.is_finished = pass == 1;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = match self.found.per {
            WaitRows::Totals => self.is_finished,
            WaitRows::Waits => self.is_finished || self.found.rows.len() >= ROWS_AT_ONCE,
        };
        if self.found.rows.is_empty() || !is_ready {
            return Ok(None);
        }
        let rows = std::mem::take(&mut self.found.rows);
        Ok(Some(arrays(&rows, &self.values.values())))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sweep.bytes() + self.found.bytes()
    }
}

/// A row that comes out: a wait, or a total.
#[derive(Debug)]
struct WaitRow {
    kind: WaitKind,
    container: u32,
    partner: Option<u32>,
    value: u32,
    waits: i64,
    start: i64,
    end: i64,
    ticks: i64,
    wait: Option<i64>,
    link: Option<WaitLink>,
}

/// The message of a wait.
#[derive(Debug)]
struct WaitLink {
    key: Option<Box<str>>,
    volume: Option<f64>,
    sent: i64,
    received: i64,
}

/// The rows that were not handed over yet.
#[derive(Debug)]
struct FoundWaits {
    per: WaitRows,
    totals: BTreeMap<(WaitKind, u32, Option<u32>, u32), usize>,
    rows: Vec<WaitRow>,
}

impl FoundWaits {
    fn add(&mut self, wait: &SweptWait<'_, WaitLinkColumns>) {
        let SweptWait { kind, state: TimedState { container, value, .. }, partner, start, end, .. } = *wait;
        if self.per == WaitRows::Totals {
            let place = *self.totals.entry((kind, container, partner, value)).or_insert(self.rows.len());
            if let Some(total) = self.rows.get_mut(place) {
                total.waits += 1;
                total.start = total.start.min(start);
                total.end = total.end.max(end);
                total.ticks += end - start;
                return;
            }
        }
        let is_shown = self.per == WaitRows::Waits;
        let link = |swept: &SweptMessage<WaitLinkColumns>| WaitLink {
            key: swept.detail.key.clone(),
            volume: swept.detail.volume,
            sent: swept.message.start,
            received: swept.message.end,
        };
        self.rows.push(WaitRow {
            kind,
            container,
            partner,
            value,
            waits: 1,
            start,
            end,
            ticks: end - start,
            wait: is_shown.then_some(wait.number),
            link: wait.message.filter(|_| is_shown).map(link),
        });
    }

    fn bytes(&self) -> usize {
        let totals = self.totals.len() * 2 * size_of::<((WaitKind, u32, Option<u32>, u32), usize)>();
        totals + self.rows.capacity() * size_of::<WaitRow>()
    }
}

fn arrays(rows: &[WaitRow], values: &[Option<&str>]) -> Vec<ArrayRef> {
    let big_ints = |value: &dyn Fn(&WaitRow) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Int64Array>())
    };
    let key = |row: &WaitRow| row.link.as_ref().and_then(|link| link.key.clone());
    let volume = |row: &WaitRow| row.link.as_ref().and_then(|link| link.volume);
    vec![
        Arc::new(StringViewArray::from_iter_values(rows.iter().map(|row| name(row.kind)))),
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.container as i32))),
        Arc::new(rows.iter().map(|row| row.partner.map(|partner| partner as i32)).collect::<Int32Array>()),
        Arc::new(rows.iter().map(|row| values[row.value as usize]).collect::<StringViewArray>()),
        big_ints(&|row| Some(row.waits)),
        big_ints(&|row| Some(row.start)),
        big_ints(&|row| Some(row.end)),
        big_ints(&|row| Some(row.ticks)),
        big_ints(&|row| row.wait),
        Arc::new(rows.iter().map(key).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(volume).collect::<Float64Array>()),
        big_ints(&|row| row.link.as_ref().map(|link| link.sent)),
        big_ints(&|row| row.link.as_ref().map(|link| link.received)),
    ]
}

fn name(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::LateSender => "late sender",
        WaitKind::LateReceiver => "late receiver",
        WaitKind::Transfer => "transfer",
        WaitKind::Collective => "collective",
        WaitKind::Unexplained => "unexplained",
    }
}
