//! Checks arguments that name something of the trace: types, values, containers, depths and times.
//!
//! A name that the trace does not have, and a window that lies outside of it, would give an empty answer that looks like
//! a true one. They are errors, which say what there is.
//!
//! ```text
//!  type => 'MPI_STAT'    compared with the types of the traces whose column `type` the relation still carries
//!  start, stop           compared with the span of the traces whose ticks the relation still carries
//! ```
//! A relation that computes these columns itself (renamed types, moved times, rows of a file) is not checked.

use std::collections::BTreeSet;

use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast::{Expr, Spanned};

use super::argument_error::error_at;
use super::call::{Call, Constant};
use super::definition::{Accepts, ConstantKind, ConstantParameter};
use super::stored_columns::{StoredColumn, stored_columns};
use super::trace_span::TraceSpan;
use super::window::{join, nearest_tick};
use crate::catalog::{ALL_TRACES, TraceNames, did_you_mean};

/// How many names an error lists.
const LISTED: usize = 8;
/// How many names of containers are looked at for a near one.
const COMPARED: usize = 100_000;

/// The arguments of a call, as written; `None` for those that were not given.
pub(super) struct GivenArguments<'a> {
    pub(super) relations: &'a [Option<Expr>],
    pub(super) constants: &'a [Option<Expr>],
}

/// Checks what a call names against the traces that it reads.
pub(super) fn check_names(call: &Call<'_>, given: &GivenArguments<'_>) -> Result<()> {
    for ((parameter, constant), argument) in call.definition.constants.iter().zip(&call.constants).zip(given.constants)
    {
        let (Some(constant), Some(argument)) = (constant, argument) else { continue };
        let check = ArgumentCheck { call, given, parameter, argument };
        match (parameter.accepts, constant) {
            (Accepts::TypeName, Constant::Text(name)) => check.type_name(name)?,
            (Accepts::ValueName, Constant::Text(name)) => check.value_name(name)?,
            (Accepts::ContainerName, Constant::Text(name)) => check.container_name(name)?,
            (Accepts::ContainerName, Constant::BigInt(id)) => check.container_id(*id)?,
            (Accepts::TreeDepth, Constant::BigInt(depth)) => check.depth(*depth)?,
            _ => {}
        }
    }
    check_times(call, given)
}

/// One argument that names something.
struct ArgumentCheck<'a> {
    call: &'a Call<'a>,
    given: &'a GivenArguments<'a>,
    parameter: &'a ConstantParameter,
    argument: &'a Expr,
}

impl ArgumentCheck<'_> {
    fn refuse(&self, message: String) -> DataFusionError {
        error_at(self.argument.span(), format!("{}: {message}", self.call.definition.name))
    }

    fn type_name(&self, name: &str) -> Result<()> {
        let Some(sources) = sources(self.call, self.given) else { return Ok(()) };
        let mut known = BTreeSet::new();
        let mut other_kind = None;
        for (trace, kind) in &sources {
            let Some(types) = self.call.tables.names.get(trace).and_then(TraceNames::types) else { return Ok(()) };
            for one in types {
                if one.kind == *kind {
                    known.insert(one.name.as_str());
                } else if one.name == name {
                    other_kind = Some(one.kind.as_str());
                }
            }
        }
        if known.contains(name) {
            return Ok(());
        }
        let kind = sources.first().map_or("", |(_, kind)| *kind);
        let what = other_kind.map_or(String::new(), |kind| format!(" (it is a {kind} type)"));
        let message = format!(
            "{} => {} is no {kind} type of {}{what}{}",
            self.parameter.name,
            quoted(name),
            traces_in_words(sources.iter().map(|(trace, _)| trace)),
            suggestions(name, &known)
        );
        Err(self.refuse(message))
    }

    fn value_name(&self, name: &str) -> Result<()> {
        let Some(sources) = sources(self.call, self.given) else { return Ok(()) };
        if !has_stored_values(self.call, self.given) {
            return Ok(());
        }
        let wanted = self.call.text("type");
        let mut known = BTreeSet::new();
        for (trace, kind) in &sources {
            let names = self.call.tables.names.get(trace);
            let Some(types) = names.and_then(TraceNames::types) else { return Ok(()) };
            let Some(values) = names.and_then(TraceNames::values) else { return Ok(()) };
            let of_kind: BTreeSet<&str> =
                types.iter().filter(|one| one.kind == *kind).map(|one| one.name.as_str()).collect();
            let fits = |type_name: &str| of_kind.contains(type_name) && wanted.is_none_or(|wanted| wanted == type_name);
            known.extend(values.iter().filter(|value| fits(&value.type_name)).map(|value| value.name.as_str()));
        }
        if known.contains(name) {
            return Ok(());
        }
        let kind = sources.first().map_or("", |(_, kind)| *kind);
        let of_type = wanted.map_or(String::new(), |wanted| format!(" of type {}", quoted(wanted)));
        let message = format!(
            "{} => {} is no {kind}{of_type} of {}{}",
            self.parameter.name,
            quoted(name),
            traces_in_words(sources.iter().map(|(trace, _)| trace)),
            suggestions(name, &known)
        );
        Err(self.refuse(message))
    }

    fn container_name(&self, name: &str) -> Result<()> {
        let traces = traces(self.call);
        let mut known = vec![];
        for trace in &traces {
            let Some(containers) = self.call.tables.names.get(trace).and_then(TraceNames::containers) else {
                return Ok(());
            };
            let is_id = name.parse::<usize>().is_ok_and(|id| id < containers.names.len());
            if containers.words.contains(name) || is_id {
                return Ok(());
            }
            known.extend(containers.names.iter().map(String::as_str).take(COMPARED));
        }
        if traces.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} => {} is no name, path, alias or id of a container of {}{}",
            self.parameter.name,
            quoted(name),
            traces_in_words(&traces),
            suggestions(name, &known.into_iter().collect())
        );
        Err(self.refuse(message))
    }

    fn container_id(&self, id: i64) -> Result<()> {
        let traces = traces(self.call);
        let mut most = 0;
        for trace in &traces {
            let Some(containers) = self.call.tables.names.get(trace).and_then(TraceNames::containers) else {
                return Ok(());
            };
            most = most.max(containers.names.len());
        }
        if traces.is_empty() || usize::try_from(id).is_ok_and(|id| id < most) {
            return Ok(());
        }
        let message = format!(
            "{} => {id} is no id of a container of {}, whose ids are 0 to {}",
            self.parameter.name,
            traces_in_words(&traces),
            most.saturating_sub(1)
        );
        Err(self.refuse(message))
    }

    fn depth(&self, depth: i64) -> Result<()> {
        let traces = traces(self.call);
        let mut deepest = None;
        for trace in &traces {
            let Some(containers) = self.call.tables.names.get(trace).and_then(TraceNames::containers) else {
                return Ok(());
            };
            deepest = deepest.max(containers.deepest);
        }
        match deepest {
            Some(deepest) if depth > i64::from(deepest) => Err(self.refuse(format!(
                "{} => {depth} is below the leaves of {}, whose containers have the depths 0 to {deepest}",
                self.parameter.name,
                traces_in_words(&traces),
            ))),
            _ => Ok(()),
        }
    }
}

/// The traces that a function without a relation reads.
fn traces(call: &Call<'_>) -> BTreeSet<String> {
    match call.tables.schema.as_str() {
        ALL_TRACES => call.tables.names.keys().cloned().collect(),
        schema => call.tables.names.contains_key(schema).then(|| schema.to_string()).into_iter().collect(),
    }
}

/// The traces and kinds of entities that the column `type` of the first relation comes from; `None` when that cannot be
/// known.
fn sources(call: &Call<'_>, given: &GivenArguments<'_>) -> Option<BTreeSet<(String, &'static str)>> {
    let parameter = call.definition.relations.first()?;
    let is_default = given.relations.first().is_none_or(Option::is_none);
    if let (true, Some(kind)) = (is_default, parameter.default.and_then(kind_of)) {
        let found: BTreeSet<_> = traces(call).into_iter().map(|trace| (trace, kind)).collect();
        return Some(found).filter(|found| !found.is_empty());
    }
    let columns = stored_columns(call.relations.first()?, "type")?;
    let mut found = BTreeSet::new();
    for StoredColumn { schema, table, column } in columns {
        if column != "type" || !call.tables.names.contains_key(&schema) {
            return None;
        }
        found.insert((schema, kind_of(&table)?));
    }
    Some(found).filter(|found| !found.is_empty())
}

/// Whether the column `value` of the first relation holds the values of a trace.
fn has_stored_values(call: &Call<'_>, given: &GivenArguments<'_>) -> bool {
    if given.relations.first().is_none_or(Option::is_none) {
        return true;
    }
    let columns = call.relations.first().and_then(|relation| stored_columns(relation, "value"));
    columns.is_some_and(|columns| columns.iter().all(|column| column.column == "value"))
}

/// The kind of types that a table has.
fn kind_of(table: &str) -> Option<&'static str> {
    match table {
        "states" | "state_segments" => Some("state"),
        "events" => Some("event"),
        "variables" => Some("variable"),
        "links" => Some("link"),
        "containers" => Some("container"),
        _ => None,
    }
}

/// Refuses a window or an instant that lies outside all traces that are read.
fn check_times(call: &Call<'_>, given: &GivenArguments<'_>) -> Result<()> {
    let moments = call.definition.constants.iter().zip(&call.constants).zip(given.constants);
    let mut bounds: Vec<(&'static str, f64, &Expr)> = vec![];
    for ((parameter, constant), argument) in moments {
        if let (ConstantKind::Moment, Some(Constant::Double(seconds)), Some(argument)) =
            (parameter.kind, constant, argument)
        {
            bounds.push((parameter.name, *seconds, argument));
        }
    }
    let Some((_, _, first)) = bounds.first() else { return Ok(()) };
    let Some((traces, span)) = span_read(call, given) else { return Ok(()) };
    let bound = |name: &str| bounds.iter().find(|(known, _, _)| *known == name).map(|(_, seconds, _)| *seconds);
    let (start, stop, time) = (bound("start"), bound("stop"), bound("time"));
    if let (Some(start), Some(stop)) = (start, stop)
        && stop <= start
    {
        // The function says so.
        return Ok(());
    }
    let tick = |seconds: Option<f64>| seconds.and_then(|seconds| nearest_tick(span.resolution, seconds));
    let is_before =
        tick(stop).is_some_and(|stop| stop <= span.start_tick) || tick(time).is_some_and(|time| time < span.start_tick);
    let is_behind = [start, time].into_iter().any(|seconds| tick(seconds).is_some_and(|tick| tick > span.end_tick));
    if !is_before && !is_behind {
        return Ok(());
    }
    let what = match (time, start, stop) {
        (Some(time), ..) => format!("time => {time} lies outside"),
        (None, Some(start), Some(stop)) => format!("the window from {start} to {stop} lies outside"),
        (None, Some(start), None) => format!("start => {start} lies after the end of"),
        (None, None, stop) => format!("stop => {} lies before the start of", stop.unwrap_or_default()),
    };
    let (from, to) = (span.resolution.seconds(span.start_tick), span.resolution.seconds(span.end_tick));
    let goes = if traces.len() == 1 { "which goes" } else { "which go" };
    let message =
        format!("{}: {what} {}, {goes} from {from} to {to} seconds", call.definition.name, traces_in_words(&traces));
    Err(error_at(first.span(), message))
}

/// The traces whose times a call reads, and from when to when they go together; `None` when a relation has times of its
/// own, or a trace has none.
fn span_read(call: &Call<'_>, given: &GivenArguments<'_>) -> Option<(BTreeSet<String>, TraceSpan)> {
    let mut read = BTreeSet::new();
    for (relation, argument) in call.relations.iter().zip(given.relations) {
        if relation.schema().fields().is_empty() {
            // One that may be absent, and is.
            continue;
        }
        if argument.is_none() {
            read.extend(traces(call));
        } else {
            read.extend(traces_of_times(call, relation)?);
        }
    }
    if call.relations.is_empty() {
        read = traces(call);
    }
    let span = read.iter().filter_map(|trace| call.tables.spans.get(trace)).copied().reduce(join)?;
    let has_times = span.start_tick != 0 || span.end_tick != 0;
    has_times.then_some((read, span))
}

/// The traces whose ticks are behind the times of a relation.
fn traces_of_times(call: &Call<'_>, relation: &LogicalPlan) -> Option<BTreeSet<String>> {
    let columns = stored_columns(relation, "start_time").or_else(|| stored_columns(relation, "time"))?;
    let is_time =
        |column: &StoredColumn| column.column.ends_with("tick") && call.tables.spans.contains_key(&column.schema);
    columns.iter().all(is_time).then(|| columns.into_iter().map(|column| column.schema).collect())
}

fn traces_in_words<'a>(traces: impl IntoIterator<Item = &'a String>) -> String {
    let mut names: Vec<&str> = traces.into_iter().map(String::as_str).collect();
    names.dedup();
    match names.as_slice() {
        [one] => format!("the trace {one}"),
        several => format!("the traces {}", several.join(", ")),
    }
}

/// The near name, and what there is.
fn suggestions(name: &str, known: &BTreeSet<&str>) -> String {
    if known.is_empty() {
        return ", which has none".to_string();
    }
    let mut text = did_you_mean(name, known.iter().copied());
    let listed: Vec<&str> = known.iter().copied().take(LISTED).collect();
    let rest = known.len() - listed.len();
    let there_are = if text.is_empty() { "; there are" } else { " There are" };
    text.push_str(&format!("{there_are}: {}", listed.join(", ")));
    if rest > 0 {
        text.push_str(&format!(" and {rest} more"));
    }
    text
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
