//! Chrome trace event JSON: containers at the top are processes, all others their threads.
//!
//! | row | event |
//! |---|---|
//! | container | process_name or thread_name (M) |
//! | state | complete event (X); its type is the category |
//! | event | instant (i) |
//! | variable | counter (C) of the process, with the container as its id |
//! | link | flow (s, f), with a number as its id |

use std::io::Write;

use serde_json::{Map, Value, json};

use super::conversion::Conversion;
use super::decimal::decimal;
use super::flow_numbers::FlowNumbers;
use super::packed_row::{RowBody, RowData, body, extras, phase};
use crate::error::{Error, Result};
use crate::model::{ContainerId, TypeId, ValueId, World};
use crate::reader::{ChromeRecord, ReadFlow, Sorted};
use crate::simulator::Simulated;
use crate::time::Resolution;

/// Rows of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 22;
/// The column that the reader of Chrome traces makes of categories.
const CATEGORY: &str = "category";

/// Writes a trace.
pub(super) fn write(
    simulated: &Simulated,
    sorted: Sorted,
    origin_ms: Option<i64>,
    resolution: Resolution,
    out: &mut dyn Write,
) -> Result<Conversion> {
    let mut text = ChromeText {
        world: &simulated.world,
        processes: processes(&simulated.world),
        digits: i32::from(resolution.digits()) - 6,
        out,
        conversion: Conversion::default(),
        flows: FlowNumbers::default(),
    };
    text.begin(origin_ms)?;
    text.names()?;
    sorted.each_group(LARGEST_GROUP, |group| {
        let mut order: Vec<(u32, usize)> = vec![];
        for place in 0..group.len() {
            let record = group.record(place);
            // Of states of one time, the outer ones come first.
            let is_state = matches!(record.phase, phase::STATE | phase::INSTANT_STATE);
            order.push((if is_state { body(record.arguments).number as u32 } else { u32::MAX }, place));
        }
        order.sort_unstable();
        for (_, place) in order {
            text.row(&group.record(place))?;
        }
        Ok(ReadFlow::GoOn)
    })?;
    text.finish()
}

struct ChromeText<'a> {
    world: &'a World,
    /// By container: the one at the top above it.
    processes: Vec<u32>,
    /// Decimals of microseconds.
    digits: i32,
    out: &'a mut dyn Write,
    conversion: Conversion,
    flows: FlowNumbers,
}

impl ChromeText<'_> {
    fn begin(&mut self, origin_ms: Option<i64>) -> Result<()> {
        let origin = origin_ms.and_then(|origin| origin.checked_mul(1_000_000));
        let origin = origin.map_or(String::new(), |origin| format!("\"baseTimeNanoseconds\":{origin},"));
        write!(self.out, "{{{origin}\"displayTimeUnit\":\"ns\",\"traceEvents\":[").map_err(failed)
    }

    fn names(&mut self) -> Result<()> {
        for index in 0..self.world.containers.len() as u32 {
            let name = self.world.container_name(ContainerId(index));
            let (pid, tid) = self.ids(index);
            let args = json!({ "name": name });
            if self.processes[index as usize] == index {
                self.event(&format!(r#""ph":"M","name":"process_name","pid":{pid},"args":{args}"#))?;
            }
            let args = json!({ "name": name });
            self.event(&format!(r#""ph":"M","name":"thread_name","pid":{pid},"tid":{tid},"args":{args}"#))?;
        }
        Ok(())
    }

    fn row(&mut self, record: &ChromeRecord<'_>) -> Result<()> {
        let body = body(record.arguments);
        let value = || Value::from(self.world.value_name(ValueId(record.category)));
        let type_ = self.category(record);
        let (pid, tid) = self.ids(record.thread);
        let time = self.time(record.start);
        match record.phase {
            phase::STATE | phase::INSTANT_STATE => {
                let length = decimal(record.end.saturating_sub(record.start), self.digits);
                let (name, args) = (value(), self.arguments(record));
                self.event(&format!(
                    r#""ph":"X","name":{name},"cat":{type_},"pid":{pid},"tid":{tid},"ts":{time},"dur":{length}{args}"#
                ))
            }
            phase::EVENT => {
                let (name, args) = (value(), self.arguments(record));
                self.event(&format!(
                    r#""ph":"i","s":"t","name":{name},"cat":{type_},"pid":{pid},"tid":{tid},"ts":{time}{args}"#
                ))
            }
            phase::VARIABLE => {
                let type_ = Value::from(self.world.type_name(TypeId(record.name)));
                let container = Value::from(self.world.container_name(ContainerId(record.thread)));
                let args = json!({ "value": body.number });
                self.event(&format!(
                    r#""ph":"C","name":{type_},"id":{container},"pid":{pid},"tid":{tid},"ts":{time},"args":{args}"#
                ))
            }
            phase::LINK | phase::LINK_END => {
                let name = value();
                self.flow(record, &body, &name, &type_, &time)
            }
            _ => Ok(()),
        }
    }

    fn flow(
        &mut self,
        record: &ChromeRecord<'_>,
        body: &RowBody,
        name: &Value,
        type_: &Value,
        time: &str,
    ) -> Result<()> {
        let is_start = record.phase == phase::LINK;
        let id = self.flows.number(record, body);
        let (pid, tid) = self.ids(if is_start { body.source } else { body.target });
        let args = if is_start { self.link_arguments(record, body) } else { String::new() };
        let phase = if is_start { r#""ph":"s""# } else { r#""ph":"f","bp":"e""# };
        self.event(&format!(
            r#"{phase},"name":{name},"cat":{type_},"id":{id},"pid":{pid},"tid":{tid},"ts":{time}{args}"#
        ))
    }

    /// The category that a Chrome trace had already, or the type.
    fn category(&self, record: &ChromeRecord<'_>) -> Value {
        let is_category =
            |field: u32| self.world.extra_fields.get(field as usize).is_some_and(|f| f.column == CATEGORY);
        let known = extras(record.arguments).find(|extra| is_category(extra.field)).map(|extra| extra.data);
        match known {
            Some(RowData::Text(text)) => Value::from(text),
            _ => Value::from(self.world.type_name(TypeId(record.name))),
        }
    }

    fn arguments(&self, record: &ChromeRecord<'_>) -> String {
        args_text(self.extra_members(record))
    }

    fn link_arguments(&self, record: &ChromeRecord<'_>, body: &RowBody) -> String {
        let mut members = self.extra_members(record);
        if body.number.is_finite() {
            members.insert("volume".to_string(), Value::from(body.number));
        }
        members.insert("key".to_string(), Value::from(String::from_utf8_lossy(record.id)));
        args_text(members)
    }

    fn extra_members(&self, record: &ChromeRecord<'_>) -> Map<String, Value> {
        let mut members = Map::new();
        for extra in extras(record.arguments) {
            let Some(field) = self.world.extra_fields.get(extra.field as usize) else { continue };
            if field.column == CATEGORY {
                continue;
            }
            let value = match extra.data {
                RowData::Int(value) => Value::from(value),
                RowData::UInt(value) => Value::from(value),
                RowData::Double(value) => Value::from(value),
                RowData::Text(text) => Value::from(text),
            };
            members.insert(field.column.clone(), value);
        }
        members
    }

    fn ids(&self, container: u32) -> (u32, u32) {
        match self.processes.get(container as usize) {
            Some(process) => (process + 1, container + 1),
            None => (0, 0),
        }
    }

    fn time(&self, tick: i64) -> String {
        decimal(tick, self.digits)
    }

    fn event(&mut self, members: &str) -> Result<()> {
        let separator = if self.conversion.events == 0 { "" } else { "," };
        self.conversion.events += 1;
        write!(self.out, "{separator}\n{{{members}}}").map_err(failed)
    }

    fn finish(self) -> Result<Conversion> {
        self.out.write_all(b"\n]}\n").and_then(|()| self.out.flush()).map_err(failed)?;
        Ok(self.conversion)
    }
}

fn args_text(members: Map<String, Value>) -> String {
    match members.is_empty() {
        true => String::new(),
        false => format!(",\"args\":{}", Value::from(members)),
    }
}

/// The container at the top above each; parents come before their children.
fn processes(world: &World) -> Vec<u32> {
    let mut tops: Vec<u32> = vec![];
    for (index, container) in (0..).zip(&world.containers) {
        let top = tops.get(container.parent.0 as usize).copied();
        tops.push(top.unwrap_or(index));
    }
    tops
}

fn failed(source: std::io::Error) -> Error {
    Error::Io { context: "cannot write the trace".to_string(), source }
}
