//! What the fields of each kind of event are for: columns, who made it, and what it does to states.
//!
//! In: the classes of a trace and the rules of pairs. Out: a layout per event.

use std::sync::Arc;

use hashbrown::HashMap;

use super::classes::{EventClass, FieldClass, StreamClass, TraceClass};
use super::decoder::{FieldValue, shown};
use super::pairs::{PairRules, PairedEvents};
use super::plain_struct::PlainStruct;
use crate::model::FieldKind;

/// The fields of a switch of the scheduler, by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SwitchFields {
    pub prev_tid: usize,
    pub prev_name: Option<usize>,
    pub prev_state: Option<usize>,
    pub next_tid: usize,
    pub next_name: Option<usize>,
}

/// The layout of a kind of event.
#[derive(Debug)]
pub(super) struct EventLayout {
    /// Its place among the layouts of all traces that are read together.
    pub number: u32,
    pub name: String,
    /// Names of the fields, of all contexts and of the payload.
    pub columns: Vec<(String, FieldKind)>,
    /// The places of what tells who made the event.
    pub pid: Option<usize>,
    pub tid: Option<usize>,
    pub process_name: Option<usize>,
    pub cpu: Option<usize>,
    pub pair: Option<PairedEvents>,
    /// The place of the field that is the value of the state.
    pub pair_value: Option<usize>,
    pub switch: Option<SwitchFields>,
    /// The place of the thread that is woken, and of its name.
    pub woken: Option<(usize, Option<usize>)>,
    /// The fields, where all are plain numbers.
    pub plain: Option<PlainStruct>,
}

impl EventLayout {
    /// The CPU that an event says it is from.
    #[inline(always)]
    pub fn cpu_of(&self, fields: &[FieldValue]) -> Option<i64> {
        self.cpu.and_then(|place| fields.get(place)).and_then(FieldValue::whole)
    }
}

/// The layouts of a trace, by stream and event.
pub(super) type EventLayouts = HashMap<(u64, u64), Arc<EventLayout>>;

/// The layouts of all events of a trace, numbered from `first` on.
pub(super) fn layouts(trace: &TraceClass, rules: &PairRules, first: u32) -> EventLayouts {
    let names = trace.streams.values().flat_map(|stream| stream.events.values().map(|event| event.name.as_str()));
    let pairs = rules.pairs(&names.collect());
    let mut all = HashMap::new();
    for (stream_id, stream) in &trace.streams {
        for (event_id, event) in &stream.events {
            let pair = pairs.get(event.name.as_str());
            let layout = EventLayout { number: first + all.len() as u32, ..layout(stream, event, pair) };
            all.insert((*stream_id, *event_id), Arc::new(layout));
        }
    }
    all
}

fn layout(stream: &StreamClass, event: &EventClass, pair: Option<&PairedEvents>) -> EventLayout {
    let mut columns = vec![];
    for class in [&stream.event_context, &event.context] {
        columns.extend(members(class.as_ref()));
    }
    let contexts = columns.len();
    columns.extend(members(event.payload.as_ref()));
    let context = |wanted: &[&str]| place(&columns[..contexts], wanted);
    let any = |wanted: &[&str]| place(&columns, wanted);
    let payload = |wanted: &[&str]| place(&columns[contexts..], wanted).map(|place| place + contexts);
    let short = event.name.rsplit(':').next().unwrap_or_default();
    let switch = match (payload(&["prev_tid", "prev_pid"]), payload(&["next_tid", "next_pid"])) {
        (Some(prev_tid), Some(next_tid)) if short == "sched_switch" => Some(SwitchFields {
            prev_tid,
            prev_name: payload(&["prev_comm"]),
            prev_state: payload(&["prev_state"]),
            next_tid,
            next_name: payload(&["next_comm"]),
        }),
        _ => None,
    };
    let is_waking = matches!(short, "sched_waking" | "sched_wakeup" | "sched_wakeup_new");
    let woken = payload(&["tid", "pid"]).filter(|_| is_waking).map(|tid| (tid, payload(&["comm"])));
    let pair_value = pair.and_then(|pair| pair.value_field.as_deref()).and_then(|field| payload(&[field]));
    EventLayout {
        number: 0,
        name: event.name.clone(),
        pid: context(&["vpid", "pid"]).or_else(|| any(&["perf_pid"])),
        tid: context(&["vtid", "tid"]).or_else(|| any(&["perf_tid"])),
        process_name: context(&["procname"]),
        cpu: context(&["cpu_id"]).or_else(|| any(&["perf_cpu"])),
        pair: pair.cloned(),
        pair_value,
        switch,
        woken,
        columns,
        plain: PlainStruct::of([&stream.event_context, &event.context, &event.payload].into_iter().flatten()),
    }
}

fn place(columns: &[(String, FieldKind)], wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|wanted| columns.iter().position(|(name, _)| name == wanted))
}

/// Names and kinds of the members of a struct.
fn members(class: Option<&FieldClass>) -> Vec<(String, FieldKind)> {
    match class {
        Some(FieldClass::Struct(fields)) => {
            fields.members.iter().map(|(name, class)| (shown(name).to_string(), kind(class))).collect()
        }
        Some(other) => vec![("field".to_string(), kind(other))],
        None => vec![],
    }
}

fn kind(class: &FieldClass) -> FieldKind {
    match class {
        FieldClass::Integer(integer) if integer.labels.is_some() || integer.is_hex || integer.is_boolean => {
            FieldKind::Text
        }
        FieldClass::Integer(_) => FieldKind::Int,
        FieldClass::Float { .. } => FieldKind::Double,
        FieldClass::Optional { class, .. } => kind(class),
        FieldClass::Variant { options, .. } => {
            let mut kinds = options.iter().map(|option| kind(&option.class));
            let first = kinds.next().unwrap_or(FieldKind::Text);
            if kinds.all(|kind| kind == first) { first } else { FieldKind::Text }
        }
        _ => FieldKind::Text,
    }
}
