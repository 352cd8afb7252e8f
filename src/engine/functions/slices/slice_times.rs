//! Which rows can matter to some slices: conditions on their times that scans can use.
//!
//! In: a window and the slices of it that are asked for. Out: conditions that every row fulfils that
//! counts in one of them. What they let through beside that is cut by the aggregate.

use arrow::datatypes::DataType;
use datafusion::logical_expr::{Expr, lit};

use super::slice_window::SliceWindow;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::links::Boundary;

/// How rows say when they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowTimes {
    /// From a begin to an end.
    Intervals,
    /// At one time.
    Instants,
    /// Like intervals, but those without length count too.
    Links,
}

/// Where the times of a row are among the arguments of an aggregate of slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeArguments {
    pub(crate) times: RowTimes,
    pub(crate) begins: usize,
    pub(crate) ends: usize,
}

/// The times of an aggregate of slices; `None` for every other function.
pub(crate) fn time_arguments(function: &str) -> Option<TimeArguments> {
    let (times, begins, ends) = match function {
        "state_cells" => (RowTimes::Intervals, 3, 4),
        "variable_cells" => (RowTimes::Intervals, 2, 3),
        "event_cells" => (RowTimes::Instants, 3, 3),
        "link_cells" => (RowTimes::Links, 3, 4),
        _ => return None,
    };
    Some(TimeArguments { times, begins, ends })
}

/// A column of times: ticks, or seconds.
#[derive(Debug, Clone)]
pub(crate) struct TimeColumn {
    pub(crate) column: Expr,
    pub(crate) kind: DataType,
}

impl TimeColumn {
    /// Keeps what is not before a tick.
    fn from(&self, tick: i64, per_second: i64) -> Expr {
        match self.kind {
            DataType::Int64 => self.column.clone().gt_eq(lit(tick)),
            // Seconds are rounded to ticks later: one tick more is enough.
            _ => self.column.clone().gt_eq(lit(tick.saturating_sub(1) as f64 / per_second as f64)),
        }
    }

    /// Keeps what is not behind a tick.
    fn until(&self, tick: i64, per_second: i64) -> Expr {
        match self.kind {
            DataType::Int64 => self.column.clone().lt_eq(lit(tick)),
            _ => self.column.clone().lt_eq(lit(tick.saturating_add(1) as f64 / per_second as f64)),
        }
    }
}

/// Keeps the rows that can count in the first slice that is asked for, or later.
pub(crate) fn from_first(window: &SliceWindow, times: RowTimes, begins: &TimeColumn, ends: &TimeColumn) -> Expr {
    let slicing = &window.slicing;
    let (below, above) = slicing.boundary_ticks(slicing.asked().0);
    let per_second = slicing.per_second();
    match (times, window.boundary) {
        // What ends on the boundary lies before it.
        (RowTimes::Intervals, _) => ends.from(below.saturating_add(1), per_second),
        (RowTimes::Links, Boundary::Clip) => ends.from(above, per_second),
        (RowTimes::Instants, _) | (RowTimes::Links, Boundary::Inside) => begins.from(above, per_second),
    }
}

/// Keeps the rows that can count in the last slice that is asked for, or earlier.
pub(crate) fn until_last(window: &SliceWindow, times: RowTimes, begins: &TimeColumn, ends: &TimeColumn) -> Expr {
    let slicing = &window.slicing;
    let end = slicing.asked().1 + 1;
    let (below, above) = slicing.boundary_ticks(end);
    let per_second = slicing.per_second();
    // What begins on the boundary lies behind it, but for the end of the trace.
    let has_boundary = end == slicing.slices() && window.last_instant == LastInstant::Within;
    let latest = if has_boundary { above } else { above.saturating_sub(1) };
    match (times, window.boundary) {
        (RowTimes::Links, Boundary::Inside) => ends.until(below, per_second),
        (RowTimes::Links, Boundary::Clip) | (RowTimes::Instants, _) => begins.until(latest, per_second),
        (RowTimes::Intervals, _) => begins.until(above.saturating_sub(1), per_second),
    }
}
