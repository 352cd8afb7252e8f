//! Sorts rows in little memory, whatever memory there is: DataFusion's sort holds all rows unless it is refused.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use datafusion::common::{Result, internal_datafusion_err, resources_datafusion_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::stream;

use super::tick_sort::{is_sortable, sort_by_ticks};
use crate::functions::plans::table_sweep::SWEEP_SORT;

/// Bytes that the sorts of an operator may hold before they write them to disk, together.
const MOST_IN_MEMORY: usize = 32 << 20;

/// Bytes that the sort of a partition may hold, however many there are.
const LEAST_OF_PARTITION: usize = 16 << 20;

/// Bytes that the sort of each partition of a plan may hold.
pub(super) fn bytes_of_partition(rows: &Arc<dyn ExecutionPlan>) -> usize {
    let partitions = rows.output_partitioning().partition_count().max(1);
    (MOST_IN_MEMORY / partitions).max(LEAST_OF_PARTITION)
}

/// The rows sorted by some of their columns; as they are for none. What the sort holds is memory of the query.
pub(super) fn sort(
    rows: SendableRecordBatchStream,
    by: &[usize],
    context: &Arc<TaskContext>,
    metrics: SpillMetrics,
) -> Result<SendableRecordBatchStream> {
    let schema = rows.schema();
    if is_sortable(&schema, by) {
        return Ok(sort_by_ticks(rows, by[0], MOST_IN_MEMORY, context, metrics));
    }
    let key = |place: &usize| {
        let column = Column::new(schema.field(*place).name(), *place);
        PhysicalSortExpr::new(Arc::new(column), SWEEP_SORT)
    };
    match LexOrdering::new(by.iter().map(key)) {
        Some(order) => sort_by(rows, order, MOST_IN_MEMORY, context),
        None => Ok(rows),
    }
}

/// The rows in an order, sorted in so many bytes.
pub(super) fn sort_by(
    rows: SendableRecordBatchStream,
    order: LexOrdering,
    bytes: usize,
    context: &Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let schema = rows.schema();
    let source = Arc::new(RowsOnce { schema: Arc::clone(&schema), rows: Mutex::new(Some(rows)) });
    let input = StreamingTableExec::try_new(Arc::clone(&schema), vec![source], None, [], false, None)?;
    SortExec::new(order, Arc::new(input)).execute(0, Arc::new(with_limit(context, bytes)))
}

/// The same context with less memory.
fn with_limit(context: &TaskContext, bytes: usize) -> TaskContext {
    let environment = context.runtime_env();
    let pool = LimitedPool { pool: Arc::clone(&environment.memory_pool), bytes, used: AtomicUsize::new(0) };
    TaskContext::new(
        context.task_id(),
        context.session_id(),
        context.session_config().clone(),
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        Arc::new(RuntimeEnv { memory_pool: Arc::new(pool), ..environment.as_ref().clone() }),
    )
}

/// Rows that are already on their way, as the source of a plan.
struct RowsOnce {
    schema: SchemaRef,
    rows: Mutex<Option<SendableRecordBatchStream>>,
}

impl fmt::Debug for RowsOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsOnce")
    }
}

impl PartitionStream for RowsOnce {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).take();
        rows.unwrap_or_else(|| {
            let error = internal_datafusion_err!("the rows of a table sweep are read twice");
            Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::iter([Err(error)])))
        })
    }
}

/// A part of a pool of memory: who has some and asks for more is refused, as if the pool had no more.
#[derive(Debug)]
struct LimitedPool {
    pool: Arc<dyn MemoryPool>,
    bytes: usize,
    used: AtomicUsize,
}

impl fmt::Display for LimitedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes, self.pool)
    }
}

impl MemoryPool for LimitedPool {
    fn name(&self) -> &str {
        "table_sweep"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
        self.used.fetch_add(additional, Ordering::Relaxed);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
        self.used.fetch_sub(shrink, Ordering::Relaxed);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let used = self.used.load(Ordering::Relaxed);
        // Who is refused writes to disk what it holds. One that holds nothing to speak of cannot, and would fail: a batch
        // may be larger than all that is allowed.
        let has_enough = reservation.size() >= 2 * additional;
        if has_enough && used + additional > self.bytes {
            return Err(resources_datafusion_err!(
                "{} asks for {additional} bytes; {used} of {} are taken",
                reservation.consumer().name(),
                self.bytes
            ));
        }
        self.pool.try_grow(reservation, additional)?;
        self.used.fetch_add(additional, Ordering::Relaxed);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        match self.pool.memory_limit() {
            MemoryLimit::Finite(bytes) => MemoryLimit::Finite(bytes.min(self.bytes)),
            _ => MemoryLimit::Finite(self.bytes),
        }
    }
}
