//! A first look at all lines: threads with their last names, CPUs, and the columns that fields become.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::fields::{SwitchedThread, ThreadSwitch, fields};
use super::line::{KernelLine, KernelSyntax};
use crate::error::Result;
use crate::model::{FieldKind, StoredTable};
use crate::reader::TraceOrigin;
use crate::reader::paje::column_name;
use crate::reader::text_lines::TextLines;

/// Lines between two pauses.
const PAUSE: u64 = 1 << 16;
/// Columns of fields; further fields are in the column of their event's text.
const MOST_COLUMNS: usize = 200;

/// What is known of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ThreadFacts {
    /// Its last name: programs rename their threads when they start.
    pub comm: String,
    pub tgid: Option<u32>,
}

/// What the lines show.
#[derive(Debug, Default)]
pub(super) struct KernelSurvey {
    pub threads: BTreeMap<u32, ThreadFacts>,
    pub cpus: BTreeSet<u32>,
    /// By key of a field: its column and what that holds.
    pub columns: HashMap<String, (String, FieldKind)>,
    /// The time of the first line.
    pub first: Option<String>,
}

impl KernelSurvey {
    pub fn of(
        origin: &TraceOrigin,
        syntax: KernelSyntax,
        mut pause: impl FnMut() -> Result<()>,
    ) -> Result<KernelSurvey> {
        let mut survey = KernelSurvey::default();
        let mut lines = TextLines::new(origin.input()?);
        let mut count = 0_u64;
        while let Some(line) = lines.line()? {
            count += 1;
            if count.is_multiple_of(PAUSE) {
                pause()?;
            }
            let text = String::from_utf8_lossy(line.text);
            if let Some(line) = KernelLine::parse(&text, syntax).filter(|_| !line.is_cut && !is_comment(&text)) {
                survey.line(&line);
            }
        }
        Ok(survey)
    }

    fn line(&mut self, line: &KernelLine<'_>) {
        if self.first.is_none() {
            self.first = Some(line.seconds.to_string());
        }
        self.thread(line.tid, line.comm, line.tgid);
        self.cpus.extend(line.cpu);
        match line.short_event() {
            "sched_switch" => {
                if let Some(switch) = ThreadSwitch::parse(line.rest) {
                    for thread in [switch.previous, switch.next] {
                        self.thread(thread.tid, thread.comm, None);
                    }
                    return;
                }
            }
            "sched_waking" | "sched_wakeup" | "sched_wakeup_new" => {
                if let Some(thread) = SwitchedThread::woken(line.rest) {
                    self.thread(thread.tid, thread.comm, None);
                }
            }
            _ => (),
        }
        for (key, value) in fields(line.rest) {
            self.column(key, value);
        }
    }

    fn thread(&mut self, tid: u32, comm: &str, tgid: Option<u32>) {
        let facts = self.threads.entry(tid).or_default();
        // ftrace writes <...> for a name that it does not know.
        if facts.comm.is_empty() || (comm != "<...>" && !comm.is_empty()) && facts.comm != comm {
            facts.comm = comm.to_string();
        }
        facts.tgid = tgid.or(facts.tgid);
    }

    fn column(&mut self, key: &str, value: &str) {
        let kind = kind_of(value);
        if let Some((_, found)) = self.columns.get_mut(key) {
            *found = match (*found, kind) {
                (first, second) if first == second => first,
                (FieldKind::Int | FieldKind::Double, FieldKind::Int | FieldKind::Double) => FieldKind::Double,
                _ => FieldKind::Text,
            };
        } else if self.columns.len() < MOST_COLUMNS {
            let column = column_name(StoredTable::Events, key);
            // The reader has columns of its own.
            let column =
                if matches!(column.as_str(), "cpu" | "period" | "stack") { format!("field_{column}") } else { column };
            self.columns.insert(key.to_string(), (column, kind));
        }
    }
}

/// Whether a line is part of the header.
pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn kind_of(value: &str) -> FieldKind {
    match (value.parse::<i64>(), value.parse::<f64>()) {
        (Ok(_), _) => FieldKind::Int,
        (_, Ok(number)) if number.is_finite() => FieldKind::Double,
        _ => FieldKind::Text,
    }
}
