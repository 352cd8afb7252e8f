//! What is collected from the tables of a database: containers, and states, events, variables and links to be sorted by time.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{StoredTable, WordTable};
use crate::reader::chrome::arguments::Arguments;
use crate::reader::chrome::record::{ChromeRecord, RecordSorter};
use crate::reader::table_rows::{TableRow, TableValue};

/// What a record is.
pub(super) mod phase {
    /// As the order of records of one time knows it.
    pub const STATE: u8 = b'X';
    pub const EVENT: u8 = b'i';
    pub const VARIABLE: u8 = b'C';
    pub const ADDED: u8 = b'+';
    pub const LINK_START: u8 = b's';
    pub const LINK_END: u8 = b'f';
    /// A state that ends with the next [`POP`].
    pub const PUSH: u8 = b'(';
    pub const POP: u8 = b')';
}

/// The end of a state that had none when the recording ended.
pub(super) const OPEN: i64 = i64::MAX;

/// Rows that were lost, completed or reinterpreted for one reason: what is reported of them, and the table.
type LossKey = (Code, &'static str, String);

/// A container before it is created.
#[derive(Debug)]
pub(super) struct ActivityContainer {
    pub type_: &'static str,
    pub parent: Option<u32>,
    pub name: String,
    pub ids: Vec<(&'static str, String)>,
    pub is_used: bool,
}

/// Collects rows.
pub(super) struct ActivityCollector {
    pub sorter: RecordSorter,
    pub names: WordTable,
    pub arguments: Arguments,
    pub containers: Vec<ActivityContainer>,
    keys: HashMap<String, u32>,
    /// States of one type of one container: they nest, or go to lanes.
    lines: HashMap<(u32, u32), u32>,
    pub line_list: Vec<(u32, u32)>,
    packed: Vec<u8>,
    /// Ticks of a time of the database: multiplied, then divided.
    scale: (i128, i128),
    /// The last tick of all records.
    pub last: i64,
    /// How many rows there are of each kind of loss, and where the first one is.
    pub losses: BTreeMap<LossKey, (u64, u64)>,
}

impl ActivityCollector {
    pub fn new(sorted_in_memory: usize, ticks_per_second: i64) -> ActivityCollector {
        let mut names = WordTable::default();
        names.number(b"");
        ActivityCollector {
            sorter: RecordSorter::new(sorted_in_memory),
            names,
            arguments: Arguments::default(),
            containers: vec![],
            keys: HashMap::new(),
            lines: HashMap::new(),
            line_list: vec![],
            packed: vec![],
            scale: (i128::from(ticks_per_second), 1_000_000_000),
            last: i64::MIN,
            losses: BTreeMap::new(),
        }
    }

    /// The container of a key; made with the given description when it is new.
    pub fn container(
        &mut self,
        key: &str,
        type_: &'static str,
        parent: Option<u32>,
        describe: impl FnOnce() -> (String, Vec<(&'static str, String)>),
    ) -> u32 {
        if let Some(known) = self.keys.get(key) {
            return *known;
        }
        let (name, ids) = describe();
        self.containers.push(ActivityContainer { type_, parent, name, ids, is_used: false });
        let number = self.containers.len() as u32 - 1;
        self.keys.insert(key.to_string(), number);
        number
    }

    /// The container whose key starts and ends so, when there is only one.
    pub fn only_container(&self, start: &str, end: &str) -> Option<u32> {
        let is_one = |key: &str| key.len() >= start.len() + end.len() && key.starts_with(start) && key.ends_with(end);
        let mut found = self.keys.iter().filter(|(key, _)| is_one(key)).map(|(_, number)| *number);
        found.next().filter(|_| found.next().is_none())
    }

    /// Counts a row that is lost or changed; the reason is a sentence about rows of its table.
    pub fn lose(&mut self, code: Code, row: TableRow<'_>, reason: &'static str) {
        self.lose_many(code, &row.table.name, reason, 1, row.byte);
    }

    /// Counts rows of a table.
    pub fn lose_many(&mut self, code: Code, table: &str, reason: &'static str, rows: u64, byte: u64) {
        if rows > 0 {
            self.losses.entry((code, reason, table.to_string())).or_insert((0, byte)).0 += rows;
        }
    }

    /// Packs the columns of a row that are not named, for the record that comes next.
    pub fn pack(&mut self, table: StoredTable, row: TableRow<'_>, without: &[&str]) {
        for (place, name) in row.table.columns.iter().enumerate() {
            if !without.contains(&name.as_str()) {
                self.pack_value(table, name, row.at(place));
            }
        }
    }

    /// Packs a value, for the record that comes next.
    pub fn pack_value(&mut self, table: StoredTable, name: &str, value: &TableValue) {
        let quoted = serde_json::Value::from(name).to_string();
        let key = &quoted.as_bytes()[1..quoted.len() - 1];
        match value {
            TableValue::Int(number) => {
                self.arguments.pack_whole(table, key, *number, &mut self.packed);
            }
            TableValue::Real(number) if number.is_finite() => {
                self.arguments.pack_json(table, key, format!("{number:?}").as_bytes(), &mut self.packed);
            }
            TableValue::Text(text) if !text.is_empty() => {
                let json = serde_json::Value::from(text.as_str()).to_string();
                self.arguments.pack_json(table, key, json.as_bytes(), &mut self.packed);
            }
            _ => (),
        }
    }

    fn tick(&self, time: i64) -> i64 {
        let scaled = i128::from(time) * self.scale.0 / self.scale.1;
        scaled.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    fn observe(&mut self, container: u32) {
        let mut next = Some(container);
        while let Some(number) = next {
            let container = &mut self.containers[number as usize];
            if container.is_used {
                return;
            }
            container.is_used = true;
            next = container.parent;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn push(
        &mut self,
        phase: u8,
        thread: u32,
        type_: u32,
        name: u32,
        start: i64,
        end: i64,
        byte: u64,
        id: &[u8],
    ) -> Result<()> {
        let (start, end) = (self.tick(start), if end == OPEN { OPEN } else { self.tick(end) });
        self.last = self.last.max(if end == OPEN { start } else { end });
        let arguments = &self.packed;
        let record = ChromeRecord { start, end, byte, thread, name, category: type_, phase, mode: 0, id, arguments };
        self.sorter.push(&record)?;
        self.packed.clear();
        Ok(())
    }

    fn line(&mut self, container: u32, type_: &str) -> u32 {
        self.observe(container);
        let type_ = self.names.number(type_.as_bytes());
        let lines = &mut self.line_list;
        *self.lines.entry((container, type_)).or_insert_with(|| {
            lines.push((container, type_));
            lines.len() as u32 - 1
        })
    }

    /// Keeps a state; one that ends before it starts has no length, one without an end ends with the trace.
    pub fn state(
        &mut self,
        container: u32,
        type_: &str,
        value: &str,
        (start, end): (i64, Option<i64>),
        row: TableRow<'_>,
    ) -> Result<()> {
        match end {
            Some(end) if end < start => {
                self.lose(Code::TimeBackwards, row, "states end before they start; they have no length");
            }
            Some(_) => (),
            None => self.lose(Code::OpenState, row, "states have no end; they end with the trace"),
        }
        let line = self.line(container, type_);
        let name = self.names.number(value.as_bytes());
        self.push(phase::STATE, line, 0, name, start, end.map_or(OPEN, |end| end.max(start)), row.byte, &[])
    }

    /// Keeps the begin of a state, or its end where there is no value.
    pub fn step(&mut self, container: u32, type_: &str, value: Option<&str>, time: i64, byte: u64) -> Result<()> {
        let line = self.line(container, type_);
        let name = self.names.number(value.unwrap_or("").as_bytes());
        let phase = if value.is_some() { phase::PUSH } else { phase::POP };
        self.push(phase, line, 0, name, time, time, byte, &[])
    }

    /// Keeps an event.
    pub fn event(&mut self, container: u32, type_: &str, value: &str, time: i64, byte: u64) -> Result<()> {
        self.observe(container);
        let (type_, name) = (self.names.number(type_.as_bytes()), self.names.number(value.as_bytes()));
        self.push(phase::EVENT, container, type_, name, time, time, byte, &[])
    }

    /// Keeps the value of a variable, or a change of it.
    pub fn variable(
        &mut self,
        container: u32,
        name: &str,
        time: i64,
        (value, is_change): (f64, bool),
        byte: u64,
    ) -> Result<()> {
        self.observe(container);
        let type_ = self.names.number(name.as_bytes());
        let phase = if is_change { phase::ADDED } else { phase::VARIABLE };
        self.packed.clear();
        self.push(phase, container, type_, 0, time, time, byte, &value.to_le_bytes())
    }

    /// Keeps an end of a link; the arguments of its start count.
    pub fn link(&mut self, container: u32, type_: &str, key: &str, time: i64, is_start: bool, byte: u64) -> Result<()> {
        self.observe(container);
        let type_ = self.names.number(type_.as_bytes());
        let phase = if is_start { phase::LINK_START } else { phase::LINK_END };
        self.push(phase, container, type_, type_, time, time, byte, key.as_bytes())
    }
}
