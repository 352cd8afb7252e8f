//! Window functions over whole partitions, one partition after the other: DataFusion's operator holds all rows until the last
//! one has come.
//!
//! ```text
//!  rows, sorted by partition   | a a a | a b b | b c c | …
//!  held                          a a a   a a a a  b b b
//!  given                                 a a a a   b b b     when the next partition begins
//! ```

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::{concat, concat_batches, partition};
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_expr_common::sort_expr::OrderingRequirements;
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::{StreamExt, stream};

use crate::optimizer::bounded_windows::budget_of;

/// A window operator that holds one partition at a time.
#[derive(Debug)]
pub(super) struct PartitionWindowAggExec {
    window: WindowAggExec,
}

impl PartitionWindowAggExec {
    /// The same as a window operator over some rows; `None` where all rows are one partition, or its values have bounds that
    /// others count.
    pub(super) fn try_new(
        window: &WindowAggExec,
        rows: Arc<dyn ExecutionPlan>,
    ) -> Result<Option<PartitionWindowAggExec>> {
        let calls = window.window_expr();
        let Some(keys) = calls.first().map(|call| call.partition_by()).filter(|keys| !keys.is_empty()) else {
            return Ok(None);
        };
        if calls.iter().any(|call| call.partition_by() != keys || budget_of(call.as_ref()).is_some()) {
            return Ok(None);
        }
        let window = WindowAggExec::try_new(calls.to_vec(), rows, !window.partition_keys().is_empty())?;
        Ok(Some(PartitionWindowAggExec { window }))
    }
}

impl DisplayAs for PartitionWindowAggExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "Partition")?;
        }
        self.window.fmt_as(form, f)
    }
}

impl ExecutionPlan for PartitionWindowAggExec {
    fn name(&self) -> &str {
        "PartitionWindowAggExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.window.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.window.maintains_input_order()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.window.required_input_ordering()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.window.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.window.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.window.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("a window has one input, got {}", children.len());
        };
        match PartitionWindowAggExec::try_new(&self.window, Arc::clone(input))? {
            Some(window) => Ok(Arc::new(window)),
            None => internal_err!("a window lost its partitions"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = self.window.input().execute(partition, Arc::clone(&context))?;
        let windows = PartitionWindows {
            calls: self.window.window_expr().to_vec(),
            schema: self.window.schema(),
            held: vec![],
            reservation: MemoryConsumer::new("PartitionWindowAggExec").register(context.memory_pool()),
        };
        let given = stream::try_unfold((Some(rows), windows), |(mut rows, mut windows)| async move {
            while let Some(stream) = &mut rows {
                let found = match stream.next().await {
                    Some(batch) => windows.add(batch?)?,
                    None => {
                        rows = None;
                        windows.finish()?
                    }
                };
                if let Some(batch) = found {
                    return Ok(Some((batch, (rows, windows))));
                }
            }
            Ok(None)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.window.schema(), given)))
    }
}

/// The rows of a partition that is not known to be over.
struct PartitionWindows {
    calls: Vec<Arc<dyn WindowExpr>>,
    /// Of the rows with their windows.
    schema: SchemaRef,
    held: Vec<RecordBatch>,
    reservation: MemoryReservation,
}

impl PartitionWindows {
    /// Takes rows; gives those of partitions that are over.
    fn add(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        self.reservation.try_grow(get_record_batch_memory_size(&batch))?;
        let last = partition(&self.keys(&batch)?)?.ranges().last().map_or(0, |range| range.start);
        if last == 0 {
            if self.goes_on(&batch)? {
                self.held.push(batch);
                return Ok(None);
            }
            let over = std::mem::replace(&mut self.held, vec![batch]);
            return self.give(&over);
        }
        let rest = batch.slice(last, batch.num_rows() - last);
        let mut over = std::mem::replace(&mut self.held, vec![rest]);
        over.push(batch.slice(0, last));
        self.give(&over)
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>> {
        let over = std::mem::take(&mut self.held);
        self.give(&over)
    }

    fn keys(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let keys = self.calls.first().map_or(&[][..], |call| call.partition_by());
        keys.iter().map(|key| key.evaluate(batch)?.into_array(batch.num_rows())).collect()
    }

    /// Whether the first row of a batch is of the partition that is held.
    fn goes_on(&self, batch: &RecordBatch) -> Result<bool> {
        let Some(held) = self.held.last() else { return Ok(true) };
        let before = self.keys(&held.slice(held.num_rows() - 1, 1))?;
        let after = self.keys(&batch.slice(0, 1))?;
        let pairs: Vec<ArrayRef> = before
            .iter()
            .zip(&after)
            .map(|(before, after)| Ok(concat(&[before.as_ref(), after.as_ref()])?))
            .collect::<Result<_>>()?;
        Ok(partition(&pairs)?.len() == 1)
    }

    /// Rows of whole partitions with their windows; `None` for no rows.
    fn give(&mut self, over: &[RecordBatch]) -> Result<Option<RecordBatch>> {
        let Some(first) = over.first() else { return Ok(None) };
        let rows = concat_batches(first.schema_ref(), over)?;
        let ranges = partition(&self.keys(&rows)?)?.ranges();
        let mut columns = rows.columns().to_vec();
        for call in &self.calls {
            let parts: Vec<ArrayRef> = ranges
                .iter()
                .map(|range| call.evaluate(&rows.slice(range.start, range.len())))
                .collect::<Result<_>>()?;
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            columns.push(concat(&parts)?);
        }
        self.reservation.try_resize(self.held.iter().map(get_record_batch_memory_size).sum())?;
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?))
    }
}
