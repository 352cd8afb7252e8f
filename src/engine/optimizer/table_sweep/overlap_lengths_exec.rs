//! The operator that measures, for each key, unions of intervals and what they share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, RecordBatch, StructArray};
use arrow::datatypes::{DataType, Field, Float64Type, Int32Type, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput, SpillMetrics,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements, Partitioning,
    PlanProperties,
};
use futures::{StreamExt, stream};

use super::bounded_sort::bytes_of_partition;
use super::numbered_keys::NumberedKeys;
use super::tick_sort::sort_by_ticks;
use crate::functions::plans::accumulators::kept_rows;
use ocellus_kernels::intervals::SweptLengths;

/// Lengths of unions of intervals, of two sides by key.
#[derive(Debug)]
pub(super) struct OverlapLengthsExec {
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// Whether an interval is of the right side, its start and its end.
    intervals: Vec<Arc<dyn PhysicalExpr>>,
    input: Arc<dyn ExecutionPlan>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl OverlapLengthsExec {
    /// `schema` is that of the keys, and a struct of lengths.
    pub(super) fn new(
        keys: Vec<Arc<dyn PhysicalExpr>>,
        intervals: Vec<Arc<dyn PhysicalExpr>>,
        schema: SchemaRef,
        input: &Arc<dyn ExecutionPlan>,
    ) -> OverlapLengthsExec {
        let partitions = if keys.is_empty() { 1 } else { input.output_partitioning().partition_count() };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        let (input, metrics) = (Arc::clone(input), ExecutionPlanMetricsSet::new());
        OverlapLengthsExec { keys, intervals, input, metrics, properties: Arc::new(properties) }
    }

    /// The intervals that take time: an order of starts, start, end, and the number of key and side.
    fn numbered(&self, rows: SendableRecordBatchStream, keys: &Arc<Mutex<NumberedKeys>>) -> SendableRecordBatchStream {
        let types = [DataType::Int64, DataType::Float64, DataType::Float64, DataType::Int32];
        let field = |(place, kind): (usize, DataType)| Field::new(format!("column_{place}"), kind, false);
        let schema = Arc::new(Schema::new(types.into_iter().enumerate().map(field).collect::<Vec<Field>>()));
        let (numbers, made) = (Arc::clone(keys), Arc::clone(&schema));
        let (keys, intervals) = (self.keys.clone(), self.intervals.clone());
        let rows = rows.map(move |batch| {
            let batch = batch?;
            let of_rows = |expressions: &[Arc<dyn PhysicalExpr>]| -> Result<Vec<ArrayRef>> {
                expressions.iter().map(|expression| expression.evaluate(&batch)?.into_array(batch.num_rows())).collect()
            };
            let groups = locked(&numbers).numbers(&of_rows(&keys)?, batch.num_rows())?;
            let columns = timed(&of_rows(&intervals)?, &groups)?;
            Ok(RecordBatch::try_new(Arc::clone(&made), columns)?)
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

fn locked(keys: &Mutex<NumberedKeys>) -> MutexGuard<'_, NumberedKeys> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The columns of intervals that take time, each with the number of its group.
fn timed(intervals: &[ArrayRef], groups: &[usize]) -> Result<Vec<ArrayRef>> {
    let [is_right, starts, ends] = intervals else {
        return internal_err!("intervals have a side and two bounds");
    };
    let (is_right, starts, ends) =
        (is_right.as_boolean(), starts.as_primitive::<Float64Type>(), ends.as_primitive::<Float64Type>());
    let rows: Vec<usize> = kept_rows(intervals, None).filter(|row| starts.value(*row) < ends.value(*row)).collect();
    let too_many = || exec_datafusion_err!("overlap_seconds: there are more than {} keys", i32::MAX / 2);
    let number = |row: &usize| {
        let number = i32::try_from(groups[*row]).ok().and_then(|group| group.checked_mul(2)).ok_or_else(too_many)?;
        Ok(number + i32::from(is_right.value(*row)))
    };
    let numbers = rows.iter().map(number).collect::<Result<Vec<i32>>>()?;
    let bounds = |of: &Float64Array| rows.iter().map(|row| of.value(*row)).collect::<Vec<f64>>();
    let order = rows.iter().map(|row| ordered(starts.value(*row)));
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(order)),
        Arc::new(Float64Array::from(bounds(starts))),
        Arc::new(Float64Array::from(bounds(ends))),
        Arc::new(Int32Array::from(numbers)),
    ])
}

/// A whole number that is in the order of numbers.
fn ordered(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

impl DisplayAs for OverlapLengthsExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "OverlapLengthsExec: ")?;
        }
        let keys: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
        write!(f, "keys=[{}]", keys.join(", "))
    }
}

impl ExecutionPlan for OverlapLengthsExec {
    fn name(&self) -> &str {
        "OverlapLengthsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![match self.keys.as_slice() {
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
        for expression in self.keys.iter().chain(&self.intervals) {
            next = next.visit_sibling(|| f(expression))?;
        }
        Ok(next)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("lengths have one input, got {}", children.len());
        };
        Ok(Arc::new(OverlapLengthsExec::new(self.keys.clone(), self.intervals.clone(), self.schema(), input)))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let bytes = bytes_of_partition(&self.input);
        let schema = self.schema();
        let types = schema.fields()[..self.keys.len()].iter().map(|field| field.data_type().clone());
        let keys = Arc::new(Mutex::new(NumberedKeys::new(types)?));
        let rows = self.numbered(self.input.execute(partition, Arc::clone(&context))?, &keys);
        let spills = SpillMetrics::new(&self.metrics, partition);
        let mut lengths = LengthsByKey {
            rows: sort_by_ticks(rows, 0, bytes, &context, spills),
            keys,
            lengths: vec![],
            reservation: MemoryConsumer::new("overlap_lengths").register(context.memory_pool()),
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let made = Arc::clone(&schema);
        let found = stream::once(async move {
            lengths.measure().await?;
            Ok(lengths.finish(&made)?.record_output(&metrics))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, found)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The lengths of all keys.
struct LengthsByKey {
    rows: SendableRecordBatchStream,
    keys: Arc<Mutex<NumberedKeys>>,
    lengths: Vec<SweptLengths>,
    reservation: MemoryReservation,
}

impl LengthsByKey {
    async fn measure(&mut self) -> Result<()> {
        while let Some(rows) = self.rows.next().await {
            let rows = rows?;
            // All rows were numbered before the first of them came.
            if self.lengths.is_empty() {
                let keys = locked(&self.keys);
                self.reservation.try_resize(keys.size() + keys.count() * size_of::<SweptLengths>())?;
                self.lengths = vec![SweptLengths::default(); keys.count()];
            }
            let [starts, ends] = [1, 2].map(|place| rows.column(place).as_primitive::<Float64Type>().values());
            let numbers = rows.column(3).as_primitive::<Int32Type>().values();
            for ((start, end), number) in starts.iter().zip(ends).zip(numbers) {
                self.lengths[*number as usize / 2].add(*number as usize % 2, *start, *end);
            }
        }
        Ok(())
    }

    fn finish(self, schema: &SchemaRef) -> Result<RecordBatch> {
        let mut keys = locked(&self.keys);
        // Of keys that have only intervals without time none came.
        let mut lengths = self.lengths;
        lengths.resize(keys.count(), SweptLengths::default());
        let mut columns = keys.take()?;
        let lengths: Vec<[f64; 3]> = lengths.into_iter().map(SweptLengths::finish).collect();
        let DataType::Struct(fields) = schema.field(columns.len()).data_type() else {
            return internal_err!("lengths are a struct");
        };
        let of_place =
            |place: usize| Arc::new(lengths.iter().map(|of| of[place]).collect::<Float64Array>()) as ArrayRef;
        columns.push(Arc::new(StructArray::try_new(fields.clone(), (0..3).map(of_place).collect(), None)?));
        Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
    }
}
