//! The window of time that a function looks at, from its arguments `start` and `stop`.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::LogicalPlan;

use super::call::{Call, Constant};
use super::scanned_schemas::schemas;
use super::trace_span::TraceSpan;
use ocellus_trace::time::Resolution;

/// A half-open interval of ticks that is not empty.
///
/// It reaches from the start to the end of the trace where an argument is absent. Times are rounded to
/// ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    pub(crate) start_tick: i64,
    pub(crate) stop_tick: i64,
    pub(crate) resolution: Resolution,
    /// No trace that is read goes on at or after the stop: what happens at that very instant belongs
    /// to the window, since it is the last instant of the trace.
    pub(crate) reaches_end: bool,
}

impl TimeWindow {
    /// The window of a call with DOUBLE arguments `start` and `stop` over the traces that `relation` reads.
    pub(crate) fn of_call(call: &Call<'_>, relation: &LogicalPlan) -> Result<TimeWindow> {
        let bound = |name: &str| call.constant(name).and_then(|constant| constant.as_double());
        TimeWindow::new(call, relation, bound("start"), bound("stop"))
    }

    fn new(call: &Call<'_>, relation: &LogicalPlan, start: Option<f64>, stop: Option<f64>) -> Result<TimeWindow> {
        let name = call.definition.name;
        let span = span_of(call, relation)?;
        let resolution = span.map_or(Resolution::NANOSECONDS, |span| span.resolution);
        let tick = |argument: &str, seconds: f64| match nearest_tick(resolution, seconds) {
            Some(tick) => Ok(tick),
            None => plan_err!("{name}: {argument} => {seconds} is beyond the times that a trace can have"),
        };
        let start_tick = match (start, span) {
            (Some(seconds), _) => tick("start", seconds)?,
            (None, Some(span)) => span.start_tick,
            (None, None) => return plan_err!("{name}: give start and stop, since its relation reads no trace"),
        };
        let stop_tick = match (stop, span) {
            (Some(seconds), _) => tick("stop", seconds)?,
            // A trace of one instant still has that instant, and a window behind its end is empty.
            (None, Some(span)) => span.end_tick.max(start_tick.saturating_add(1)),
            (None, None) => return plan_err!("{name}: give start and stop, since its relation reads no trace"),
        };
        if stop_tick <= start_tick {
            let (start, stop) = (resolution.seconds(start_tick), resolution.seconds(stop_tick));
            return plan_err!("{name}: stop must be later than start, got start => {start}, stop => {stop}");
        }
        let reaches_end = span.is_none_or(|span| stop_tick >= span.end_tick);
        Ok(TimeWindow { start_tick, stop_tick, resolution, reaches_end })
    }

    /// Length in ticks.
    pub(crate) fn ticks(&self) -> i128 {
        i128::from(self.stop_tick) - i128::from(self.start_tick)
    }
}

/// From the earliest start to the latest end of the traces that a relation reads, in the finest of
/// their resolutions; the current trace when it reads none that is known.
fn span_of(call: &Call<'_>, relation: &LogicalPlan) -> Result<Option<TraceSpan>> {
    let mut names = schemas(relation)?;
    names.retain(|name| call.tables.spans.contains_key(name));
    if names.is_empty() {
        return Ok(call.tables.spans.get(&call.tables.schema).copied());
    }
    let read = names.iter().filter_map(|name| call.tables.spans.get(name)).copied();
    Ok(read.reduce(join))
}

/// The date of the zero of the traces that a call reads, in nanoseconds since 1970.
pub(crate) fn origin_of(call: &Call<'_>) -> Result<i64> {
    let function = call.definition.name;
    let mut names = BTreeSet::new();
    for relation in &call.relations {
        names.extend(schemas(relation)?);
    }
    names.retain(|name| call.tables.spans.contains_key(name));
    if names.is_empty() {
        names.insert(call.tables.schema.clone());
    }
    let read: Vec<(&String, i64)> =
        names.iter().filter_map(|name| Some((name, call.tables.spans.get(name)?.origin))).collect();
    let Some((first, origin)) = read.first() else {
        return plan_err!("{function}: a date needs the origin of a trace, and no trace is read; choose a trace");
    };
    if let Some((other, _)) = read.iter().find(|(_, other)| other != origin) {
        return plan_err!(
            "{function}: the traces {first} and {other} have different origins, so dates mean different seconds; \
             read one trace at a time"
        );
    }
    Ok(*origin)
}

/// The call with seconds of the trace in place of dates.
pub(crate) fn seconds_of_dates(mut call: Call<'_>) -> Result<Call<'_>> {
    if !call.constants.iter().any(|constant| matches!(constant, Some(Constant::Timestamp(_)))) {
        return Ok(call);
    }
    let origin = origin_of(&call)?;
    for constant in call.constants.iter_mut().flatten() {
        if let Constant::Timestamp(date) = constant {
            *constant = Constant::Double((i128::from(*date) - i128::from(origin)) as f64 / 1e9);
        }
    }
    Ok(call)
}

pub(super) fn join(one: TraceSpan, other: TraceSpan) -> TraceSpan {
    let resolution = if one.resolution.digits() >= other.resolution.digits() { one } else { other }.resolution;
    let scaled = |tick: i64, from: Resolution| {
        let factor = resolution.ticks_per_second() / from.ticks_per_second();
        tick.saturating_mul(factor)
    };
    let (a, b) = (one.resolution, other.resolution);
    TraceSpan {
        start_tick: scaled(one.start_tick, a).min(scaled(other.start_tick, b)),
        end_tick: scaled(one.end_tick, a).max(scaled(other.end_tick, b)),
        resolution,
        // Whoever asks for it asks `origin_of`.
        origin: one.origin,
    }
}

/// The tick nearest to some seconds.
pub(super) fn nearest_tick(resolution: Resolution, seconds: f64) -> Option<i64> {
    let after = resolution.first_tick_at(seconds)?;
    let before = after.checked_sub(1)?;
    let (low, high) = (resolution.seconds(before), resolution.seconds(after));
    Some(if seconds - low < high - seconds { before } else { after })
}
