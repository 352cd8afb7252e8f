//! The sweep behind wait_states: states and links in the order of time, twice.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex};

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray, UInt32Array};
use arrow::compute::{cast, take};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use hashbrown::HashMap;

use super::comm_waits::{COLUMNS, number};
use super::path_rows::{PACKED, PathCodes, PathNames, UnpackedRow, locked};
use crate::functions::plans::table_kernel::big_int;
use crate::functions::plans::table_sweep::{RowPacker, RowSweep};
use ocellus_kernels::waiting::{SweptMessage, SweptWait, TimedState, WaitKind, WaitSweep};

/// Types of packed rows with key and volume.
static DETAILED_PACKED: [DataType; 7] = [
    DataType::Int64,
    DataType::Int64,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Utf8,
    DataType::Float64,
];

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
        codes: Arc::default(),
        names: None,
        found: FoundWaits { per: rows, totals: HashMap::new(), rows: vec![] },
        is_finished: false,
    }))
}

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// The columns of a message that tell it from others with the same ends and times, and that rows show.
#[derive(Debug)]
struct WaitLinkColumns {
    /// Number of its value in the order of the alphabet.
    label: u32,
    key: Option<Arc<str>>,
    volume: Option<f64>,
}

impl WaitLinkColumns {
    fn rank(&self) -> (u32, &Option<Arc<str>>) {
        (self.label, &self.key)
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

/// A sweep under way.
#[derive(Debug)]
struct WaitStates {
    window: (i64, i64),
    sweep: WaitSweep<WaitLinkColumns>,
    codes: Arc<Mutex<PathCodes>>,
    /// What the codes stand for, when all of them are there.
    names: Option<PathNames>,
    found: FoundWaits,
    is_finished: bool,
}

impl RowSweep for WaitStates {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let WaitStates { sweep, codes, names, found, .. } = self;
        let names = names.get_or_insert_with(|| PathNames::new(&locked(codes)));
        // Nobody looks at them in the first pass.
        let details = match columns {
            [.., keys, volumes] if columns.len() == DETAILED_PACKED.len() && pass > 0 => Some((keys, volumes)),
            _ => None,
        };
        let mut give = |wait: SweptWait<'_, WaitLinkColumns>| found.add(&wait);
        let mut row = 0;
        names.for_each(columns, |unpacked| {
            match unpacked {
                UnpackedRow::State(state) => sweep.add_state(state, &mut give),
                UnpackedRow::Link(message) => {
                    let key = details.and_then(|(keys, _)| key_of(keys, row));
                    let volume = details.and_then(|(_, volumes)| number(volumes, row));
                    let detail = WaitLinkColumns { label: message.label, key, volume };
                    sweep.add_message(SweptMessage { message, detail }, &mut give);
                }
            }
            row += 1;
        });
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        let found = &mut self.found;
        let facts = self.sweep.finish(&mut |wait: SweptWait<'_, WaitLinkColumns>| found.add(&wait));
        if pass == 0 {
            self.sweep = WaitSweep::explain(self.window, facts);
        }
        self.is_finished = pass == 1;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = match self.found.per {
            WaitRows::Totals => self.is_finished,
            WaitRows::Waits => self.is_finished || self.found.rows.len() >= ROWS_AT_ONCE,
        };
        let Some(names) = self.names.as_ref().filter(|_| is_ready && !self.found.rows.is_empty()) else {
            return Ok(None);
        };
        let rows = arrays(&self.found.rows, names)?;
        self.found.rows.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sweep.bytes() + locked(&self.codes).bytes() + self.found.bytes()
    }

    fn packer(&self) -> Option<RowPacker> {
        let codes = Arc::clone(&self.codes);
        Some(match self.found.per {
            WaitRows::Totals => {
                RowPacker { types: &PACKED, pack: Box::new(move |columns| locked(&codes).pack(columns)) }
            }
            WaitRows::Waits => RowPacker {
                types: &DETAILED_PACKED,
                pack: Box::new(move |columns| {
                    let mut packed = locked(&codes).pack(columns)?;
                    packed.push(cast(&columns[COLUMNS.len()], &DataType::Utf8)?);
                    packed.push(Arc::clone(&columns[COLUMNS.len() + 1]));
                    Ok(packed)
                }),
            },
        })
    }
}

fn key_of(keys: &ArrayRef, row: usize) -> Option<Arc<str>> {
    let keys = keys.as_string::<i32>();
    keys.is_valid(row).then(|| Arc::from(keys.value(row)))
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
    key: Option<Arc<str>>,
    volume: Option<f64>,
    sent: i64,
    received: i64,
}

/// The rows that were not handed over yet.
#[derive(Debug)]
struct FoundWaits {
    per: WaitRows,
    totals: HashMap<(WaitKind, u32, Option<u32>, u32), usize>,
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
        self.totals.allocation_size() + self.rows.capacity() * size_of::<WaitRow>()
    }
}

fn arrays(rows: &[WaitRow], names: &PathNames) -> Result<Vec<ArrayRef>> {
    let big_ints = |value: &dyn Fn(&WaitRow) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Int64Array>())
    };
    // A text for each kind and value, and its place for each row.
    let texts = |texts: Vec<Option<&str>>, place: &dyn Fn(&WaitRow) -> u32| {
        let places = UInt32Array::from_iter_values(rows.iter().map(place));
        take(&texts.into_iter().collect::<StringViewArray>(), &places, None)
    };
    let key = |row: &WaitRow| row.link.as_ref().and_then(|link| link.key.clone());
    let volume = |row: &WaitRow| row.link.as_ref().and_then(|link| link.volume);
    Ok(vec![
        texts(KINDS.iter().map(|(_, name)| Some(*name)).collect(), &|row| {
            KINDS.iter().position(|(kind, _)| *kind == row.kind).unwrap_or(0) as u32
        })?,
        Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.container as i32))),
        Arc::new(rows.iter().map(|row| row.partner.map(|partner| partner as i32)).collect::<Int32Array>()),
        texts(names.state_texts().collect(), &|row| row.value)?,
        big_ints(&|row| Some(row.waits)),
        big_ints(&|row| Some(row.start)),
        big_ints(&|row| Some(row.end)),
        big_ints(&|row| Some(row.ticks)),
        big_ints(&|row| row.wait),
        Arc::new(rows.iter().map(key).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(volume).collect::<Float64Array>()),
        big_ints(&|row| row.link.as_ref().map(|link| link.sent)),
        big_ints(&|row| row.link.as_ref().map(|link| link.received)),
    ])
}

const KINDS: [(WaitKind, &str); 5] = [
    (WaitKind::LateSender, "late sender"),
    (WaitKind::LateReceiver, "late receiver"),
    (WaitKind::Transfer, "transfer"),
    (WaitKind::Collective, "collective"),
    (WaitKind::Unexplained, "unexplained"),
];
