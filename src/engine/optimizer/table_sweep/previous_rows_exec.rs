//! The operator that gives each row values of the row before it with the same key.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput, SpillMetrics,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements, PlanProperties,
};
use futures::{StreamExt, stream};

use super::bounded_sort::bytes_of_partition;
use super::latest_rows::LatestRows;
use super::tick_sort::sort_by_ticks;

/// What rows get of the rows before them.
#[derive(Debug, Clone)]
pub(super) struct PreviousValues {
    /// What rows have in common with the one before.
    pub(super) keys: Vec<Arc<dyn PhysicalExpr>>,
    /// The column of ticks, never NULL, that decides which row is before another.
    pub(super) tick: usize,
    /// What is taken of it.
    pub(super) values: Vec<Arc<dyn PhysicalExpr>>,
}

/// Its input's rows, in the order of ticks, with values of the rows before them.
#[derive(Debug)]
pub(super) struct PreviousRowsExec {
    previous: PreviousValues,
    input: Arc<dyn ExecutionPlan>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl PreviousRowsExec {
    /// `schema` is that of the input and of the values.
    pub(super) fn new(previous: PreviousValues, schema: SchemaRef, input: Arc<dyn ExecutionPlan>) -> PreviousRowsExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            input.output_partitioning().clone(),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        let metrics = ExecutionPlanMetricsSet::new();
        PreviousRowsExec { previous, input, metrics, properties: Arc::new(properties) }
    }
}

impl DisplayAs for PreviousRowsExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "PreviousRowsExec: ")?;
        }
        let listed = |expressions: &[Arc<dyn PhysicalExpr>]| {
            expressions.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
        };
        let PreviousValues { keys, tick, values } = &self.previous;
        let tick = self.input.schema().field(*tick).name().clone();
        write!(f, "values=[{}], keys=[{}], order=[{tick}]", listed(values), listed(keys))
    }
}

impl ExecutionPlan for PreviousRowsExec {
    fn name(&self) -> &str {
        "PreviousRowsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![match self.previous.keys.as_slice() {
            [] => Distribution::SinglePartition,
            keys => Distribution::KeyPartitioned(keys.to_vec()),
        }])
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let mut next = TreeNodeRecursion::Continue;
        for expression in self.previous.keys.iter().chain(&self.previous.values) {
            next = next.visit_sibling(|| f(expression))?;
        }
        Ok(next)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("rows have one input, got {}", children.len());
        };
        Ok(Arc::new(PreviousRowsExec::new(self.previous.clone(), self.schema(), Arc::clone(input))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let bytes = bytes_of_partition(&self.input);
        let rows = sortable(self.input.execute(partition, Arc::clone(&context))?);
        let spills = SpillMetrics::new(&self.metrics, partition);
        let following = FollowingRows {
            rows: sort_by_ticks(rows, self.previous.tick, bytes, &context, spills),
            input: self.input.schema(),
            schema: self.schema(),
            latest: LatestRows::new(&self.previous.keys, &self.previous.values, &self.input.schema())?,
            previous: self.previous.clone(),
            waiting: vec![],
            is_finished: false,
            reservation: MemoryConsumer::new("previous_rows").register(context.memory_pool()),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let found = stream::try_unfold(following, |mut following| async move {
            Ok(following.next().await?.map(|batch| (batch, following)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), found)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The same rows with texts that a batch holds one after the other.
fn sortable(rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8View => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
        _ => Arc::clone(field),
    };
    let schema = Arc::new(Schema::new(rows.schema().fields().iter().map(field).collect::<Vec<Arc<Field>>>()));
    let kept = Arc::clone(&schema);
    let rows = rows.map(move |batch| with_types(batch?.columns(), &kept));
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

/// Columns as those of a schema.
fn with_types(columns: &[ArrayRef], schema: &SchemaRef) -> Result<RecordBatch> {
    let of_type = |(column, field): (&ArrayRef, &Arc<Field>)| Ok(cast(column, field.data_type())?);
    let columns = columns.iter().zip(schema.fields()).map(of_type).collect::<Result<Vec<ArrayRef>>>()?;
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Rows in their order, and what was seen of them.
struct FollowingRows {
    rows: SendableRecordBatchStream,
    input: SchemaRef,
    schema: SchemaRef,
    latest: LatestRows,
    previous: PreviousValues,
    /// Rows that are not enough yet to look at all keys for.
    waiting: Vec<RecordBatch>,
    is_finished: bool,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
}

impl FollowingRows {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.is_finished {
            match self.rows.next().await {
                Some(batch) => self.waiting.push(batch?),
                None => self.is_finished = true,
            }
            // A batch costs as much as there are keys.
            let count: usize = self.waiting.iter().map(RecordBatch::num_rows).sum();
            if count > 0 && (self.is_finished || count >= self.latest.keys()) {
                return self.follow().map(Some);
            }
        }
        Ok(None)
    }

    fn follow(&mut self) -> Result<RecordBatch> {
        let timer = self.metrics.elapsed_compute().clone();
        let _working = timer.timer();
        let rows = match self.waiting.as_slice() {
            [batch] => batch.clone(),
            batches => concat_batches(&self.rows.schema(), batches)?,
        };
        self.waiting.clear();
        let rows = with_types(rows.columns(), &self.input)?;
        let of_rows = |expressions: &[Arc<dyn PhysicalExpr>]| -> Result<Vec<ArrayRef>> {
            expressions.iter().map(|expression| expression.evaluate(&rows)?.into_array(rows.num_rows())).collect()
        };
        let (keys, values) = (of_rows(&self.previous.keys)?, of_rows(&self.previous.values)?);
        let found = self.latest.replace(rows.num_rows(), &keys, &values)?;
        self.reservation.try_resize(self.latest.size())?;
        let columns = [rows.columns(), &found].concat();
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?.record_output(&self.metrics))
    }
}
