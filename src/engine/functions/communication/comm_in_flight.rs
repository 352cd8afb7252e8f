//! `comm_in_flight([links], slices, start, stop)`: what is sent and what is in flight, slice by slice.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, MESSAGE_COLUMNS, timed_links};
use super::comm_sweeps::messages_of;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::{TableKernel, big_int};
use crate::functions::plans::table_sweep::{RowSweep, SweepOrder, TableSweep};
use crate::functions::slices::slice_plan::{SLICE, SLICE_END, SLICE_START, SLICES, START, STOP};
use ocellus_kernels::in_flight::{InFlightMessage, SlicedWindow, Traffic, TrafficCounts, TrafficPosition};
use ocellus_kernels::slices::Slicing;
use ocellus_kernels::slices::events::LastInstant;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_in_flight",
        family: "communication",
        form: Form::Table,
        description: "Counts messages and bytes that are sent, and those that are in flight, in slices of time.",
        notes: "A message is sent in the slice in which it starts, and in flight in all slices that it touches; what ends on a \
                boundary is not in flight after it. The means weigh a message with the part of the slice that it is in \
                flight. A message that is received before it is sent (clocks that differ) takes no time: it is sent, and in flight, \
                at its start. A message without a volume counts with 0. Every slice has a row, also without messages. Row order \
                is unspecified.",
        relations: &[LINKS],
        constants: &[SLICES, START, STOP],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            OutputColumn { name: "sent", kind: "BIGINT", doc: "Messages that start in the slice." },
            OutputColumn { name: "sent_volume", kind: "DOUBLE", doc: "Sum of their volumes." },
            OutputColumn {
                name: "in_flight",
                kind: "BIGINT",
                doc: "Messages that are in flight at some time of the slice.",
            },
            OutputColumn { name: "in_flight_volume", kind: "DOUBLE", doc: "Sum of their volumes." },
            OutputColumn { name: "mean_messages", kind: "DOUBLE", doc: "How many messages are in flight on average." },
            OutputColumn { name: "mean_volume", kind: "DOUBLE", doc: "How much volume is in flight on average." },
        ],
        examples: &["SELECT slice, slice_start, slice_end, sent, sent_volume, in_flight, in_flight_volume \
             FROM comm_in_flight(slices => 5) ORDER BY slice"],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "messages_in_flight",
    columns: &MESSAGE_COLUMNS,
    constants: &[DataType::Int64, DataType::Int64, DataType::Int64, DataType::Int64, DataType::Int64],
    rows: &[
        ("slice", DataType::Int64),
        ("slice_start", DataType::Float64),
        ("slice_end", DataType::Float64),
        ("sent", DataType::Int64),
        ("sent_volume", DataType::Float64),
        ("in_flight", DataType::Int64),
        ("in_flight_volume", DataType::Float64),
        ("mean_messages", DataType::Float64),
        ("mean_volume", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(&call, &call.relation(0)?)?;
    let (messages, rate) = timed_links(&call, call.relation(0)?, &[])?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let [start, stop] = [window.start_tick, window.stop_tick].map(|tick| tick.saturating_mul(factor));
    let slices = call.big_int("slices").unwrap_or(1);
    if Slicing::new(start, stop, slices as u32, rate).is_none() {
        return plan_err!("comm_in_flight: the window is too long");
    }
    // One that ends before it starts may do so before the window.
    let (ends, starts) = (col("end_tick").gt_eq(lit(start)), col("start_tick").gt_eq(lit(start)));
    let reaches =
        LogicalPlanBuilder::from(messages).filter(col("start_tick").lt_eq(lit(stop)).and(ends.or(starts)))?.build()?;
    let constants = [start, stop, slices, rate, i64::from(window.reaches_end)].map(ScalarValue::from);
    KERNEL.over(reaches, constants.to_vec())
}

/// Counts messages as they come.
pub(crate) static SWEEP: TableSweep = TableSweep { kernel: &KERNEL, order: SweepOrder::ANY, begin };

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

fn begin(constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    let constant = |index: usize| -> Result<i64> { Ok(big_int(constants, index)?.unwrap_or_default()) };
    let (start, stop, count) = (constant(0)?, constant(1)?, constant(2)?);
    let Some(slicing) = Slicing::new(start, stop, count as u32, constant(3)?) else {
        return internal_err!("comm_in_flight has no window");
    };
    let last = if constant(4)? == 1 { LastInstant::Within } else { LastInstant::Outside };
    let counts = TrafficCounts::new(SlicedWindow { start, stop, count: count as usize, last });
    Ok(Box::new(TrafficSweep { slicing, counts, given: None }))
}

#[derive(Debug)]
struct TrafficSweep {
    slicing: Slicing,
    counts: TrafficCounts,
    /// When all messages are counted: the next slice to give, and what is under way there.
    given: Option<(i64, TrafficPosition)>,
}

/// Slices whose rows are made at once.
const SLICES_AT_ONCE: usize = 1 << 14;

impl RowSweep for TrafficSweep {
    fn passes(&self) -> usize {
        1
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        for message in messages_of(columns) {
            let (start, volume) = (message.start, message.volume.unwrap_or(0.0));
            let end = message.end.max(start);
            self.counts.add(&InFlightMessage { start, end, volume });
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        self.given = Some((0, TrafficPosition::default()));
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let Some((first, position)) = &mut self.given else { return Ok(None) };
        let traffic = self.counts.traffic(position, SLICES_AT_ONCE);
        let (begin, end) = (*first, *first + traffic.len() as i64);
        if begin == end {
            return Ok(None);
        }
        *first = end;
        let boundary = |slice: i64| self.slicing.boundary(slice);
        let whole =
            |of: fn(&Traffic) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(traffic.iter().map(of))) };
        let real =
            |of: fn(&Traffic) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(traffic.iter().map(of))) };
        Ok(Some(vec![
            Arc::new(Int64Array::from_iter_values(begin..end)),
            Arc::new(Float64Array::from_iter_values((begin..end).map(boundary))),
            Arc::new(Float64Array::from_iter_values((begin + 1..=end).map(boundary))),
            whole(|slice| slice.sent),
            real(|slice| slice.sent_volume),
            whole(|slice| slice.in_flight),
            real(|slice| slice.in_flight_volume),
            real(|slice| slice.mean_messages),
            real(|slice| slice.mean_volume),
        ]))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.counts.bytes()
    }
}
