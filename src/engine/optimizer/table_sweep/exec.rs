//! The physical operator of a table sweep.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::{Distribution, EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::{StreamExt, stream};

use super::bounded_sort::sort;
use super::spool::Spool;
use super::sweeping::SweepPasses;
use crate::functions::plans::table_sweep::{RowPacker, TableSweep};

/// Runs a sweep over all rows of its input.
#[derive(Debug)]
pub(crate) struct TableSweepExec {
    sweep: &'static TableSweep,
    /// What the sweep takes of each row.
    columns: Vec<Arc<dyn PhysicalExpr>>,
    constants: Vec<ScalarValue>,
    input: Arc<dyn ExecutionPlan>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl TableSweepExec {
    /// `arguments` are the columns and the constants of the kernel, `schema` is one column of structs.
    pub(super) fn new(
        sweep: &'static TableSweep,
        mut arguments: Vec<Arc<dyn PhysicalExpr>>,
        schema: SchemaRef,
        input: Arc<dyn ExecutionPlan>,
    ) -> Result<TableSweepExec> {
        let nothing = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let mut constants = vec![];
        for expression in arguments.split_off(sweep.kernel.columns.len().min(arguments.len())) {
            match expression.evaluate(&nothing)? {
                ColumnarValue::Scalar(value) => constants.push(value),
                ColumnarValue::Array(_) => return internal_err!("{} takes constants", sweep.kernel.name),
            }
        }
        Ok(TableSweepExec::with(sweep, arguments, constants, schema, input))
    }

    fn with(
        sweep: &'static TableSweep,
        columns: Vec<Arc<dyn PhysicalExpr>>,
        constants: Vec<ScalarValue>,
        schema: SchemaRef,
        input: Arc<dyn ExecutionPlan>,
    ) -> TableSweepExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Both,
            Boundedness::Bounded,
        );
        let metrics = ExecutionPlanMetricsSet::new();
        TableSweepExec { sweep, columns, constants, input, metrics, properties: Arc::new(properties) }
    }

    /// The rows of the input with the columns that are sorted and kept: those of the order, then those of the kernel, or
    /// what the sweep makes of them.
    fn kept_rows(&self, input: SendableRecordBatchStream, packer: Option<RowPacker>) -> SendableRecordBatchStream {
        let types = packer.as_ref().map_or(self.sweep.kernel.columns, |packer| packer.types);
        let schema = unnamed(self.sweep.order.computed.iter().chain(types));
        let (columns, order) = (self.columns.clone(), self.sweep.order);
        let mut pack = packer.map(|packer| packer.pack);
        let of_batch = {
            let schema = Arc::clone(&schema);
            move |batch: Result<RecordBatch>| -> Result<RecordBatch> {
                let batch = batch?;
                let rows = batch.num_rows();
                let mut own: Vec<ArrayRef> =
                    columns.iter().map(|column| column.evaluate(&batch)?.into_array(rows)).collect::<Result<_>>()?;
                if let Some(pack) = &mut pack {
                    own = pack(&own)?;
                }
                let mut kept = (order.compute)(&own)?;
                kept.extend(own);
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                Ok(RecordBatch::try_new_with_options(Arc::clone(&schema), kept, &options)?)
            }
        };
        Box::pin(RecordBatchStreamAdapter::new(schema, input.map(of_batch)))
    }
}

/// A schema of columns of some types.
fn unnamed<'a>(types: impl Iterator<Item = &'a DataType>) -> SchemaRef {
    let field = |(place, kind): (usize, &DataType)| Field::new(format!("column_{place}"), kind.clone(), true);
    Arc::new(Schema::new(types.enumerate().map(field).collect::<Vec<Field>>()))
}

impl DisplayAs for TableSweepExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "TableSweepExec: ")?;
        }
        let columns = self.columns.iter().map(ToString::to_string);
        let arguments: Vec<String> = columns.chain(self.constants.iter().map(ToString::to_string)).collect();
        write!(f, "{}({})", self.sweep.kernel.name, arguments.join(", "))
    }
}

impl ExecutionPlan for TableSweepExec {
    fn name(&self) -> &str {
        "TableSweepExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let mut next = TreeNodeRecursion::Continue;
        for column in &self.columns {
            next = next.visit_sibling(|| f(column))?;
        }
        Ok(next)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("a table sweep has one input, got {}", children.len());
        };
        let (columns, constants) = (self.columns.clone(), self.constants.clone());
        Ok(Arc::new(TableSweepExec::with(self.sweep, columns, constants, self.schema(), Arc::clone(input))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return internal_err!("a table sweep has one partition, asked for {partition}");
        }
        let sweep = (self.sweep.begin)(&self.constants)?;
        let rows = self.kept_rows(self.input.execute(0, Arc::clone(&context))?, sweep.packer());
        let log = sweep.log_types().map(|types| unnamed(types.iter()));
        let spooled = log.clone().unwrap_or_else(|| rows.schema());
        let spills = SpillMetrics::new(&self.metrics, partition);
        let new_spool = {
            let (context, spills) = (Arc::clone(&context), spills.clone());
            move || Spool::new(&context, spills.clone(), Arc::clone(&spooled))
        };
        let sweeping = SweepPasses {
            pass: 0,
            passes: sweep.passes(),
            sweep,
            computed: self.sweep.order.computed.len(),
            spool: new_spool(),
            new_log: log.map(|_| Box::new(new_spool) as Box<dyn Fn() -> Spool + Send>),
            rows: sort(rows, self.sweep.order.by, &context, spills.clone())?,
            ready: None,
            schema: self.schema(),
            batch_size: context.session_config().batch_size(),
            reservation: MemoryConsumer::new(self.sweep.kernel.name).register(context.memory_pool()),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let found = stream::try_unfold(sweeping, |mut sweeping| async move {
            Ok(sweeping.next().await?.map(|batch| (batch, sweeping)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), found)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
