//! The physical operator for relations that do not fit into memory: both sides sorted by start, which
//! DataFusion does on disk if need be, and a sweep that holds only what is active.

use std::fmt;
use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{JoinSide, Result, internal_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexOrdering, OrderingRequirements, Partitioning, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::{EmbeddedProjection, ProjectionExec, try_embed_projection};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements, PlanProperties,
};
use futures::stream;

use super::join_spec::{JoinOutput, JoinSpec, column};
use super::swept::{Sweeping, SweptInput};

/// Joins rows whose keys are equal and whose intervals overlap, both sides sorted by start.
#[derive(Debug)]
pub struct IntervalSweepExec {
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
    pub(crate) shape: JoinSpec,
    layout: JoinOutput,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl IntervalSweepExec {
    pub(crate) fn new(
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
        shape: JoinSpec,
    ) -> Result<IntervalSweepExec> {
        let layout = shape.layout(&left.schema(), &right.schema())?;
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&layout.schema)),
            Partitioning::UnknownPartitioning(left.output_partitioning().partition_count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(IntervalSweepExec { left, right, shape, layout, metrics, properties: Arc::new(properties) })
    }

    fn input(&self, side: JoinSide) -> &Arc<dyn ExecutionPlan> {
        if side == JoinSide::Left { &self.left } else { &self.right }
    }

    fn swept(&self, side: JoinSide, partition: usize, context: &Arc<TaskContext>) -> Result<SweptInput> {
        let stream = self.input(side).execute(partition, Arc::clone(context))?;
        Ok(SweptInput::new(side, self.shape.side(side).clone(), &self.layout, stream))
    }
}

impl DisplayAs for IntervalSweepExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "IntervalSweepExec: ")?;
        }
        self.shape.describe(&self.left.schema(), &self.right.schema(), f)?;
        self.shape.describe_projection(&self.layout, f)
    }
}

impl ExecutionPlan for IntervalSweepExec {
    fn name(&self) -> &str {
        "IntervalSweepExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        if self.shape.left.keys.is_empty() {
            return InputDistributionRequirements::new(vec![Distribution::SinglePartition; 2]);
        }
        let by_key = |side| {
            let schema = self.input(side).schema();
            let keys = self.shape.side(side).keys.iter().map(|key| column(&schema, *key));
            Distribution::KeyPartitioned(keys.collect())
        };
        InputDistributionRequirements::co_partitioned(vec![by_key(JoinSide::Left), by_key(JoinSide::Right)])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let by_start = |side| {
            let start = column(&self.input(side).schema(), self.shape.side(side).start);
            let options = SortOptions { descending: false, nulls_first: false };
            LexOrdering::new([PhysicalSortExpr::new(start, options)]).map(OrderingRequirements::from)
        };
        vec![by_start(JoinSide::Left), by_start(JoinSide::Right)]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.left, &self.right]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.shape.apply_expressions(&self.left.schema(), &self.right.schema(), f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [left, right] = children.as_slice() else {
            return internal_err!("an interval join has two inputs, got {}", children.len());
        };
        Ok(Arc::new(IntervalSweepExec::new(Arc::clone(left), Arc::clone(right), self.shape.clone())?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let kept = self.shape.kept_side()?.unwrap_or(JoinSide::Left);
        let sweeping = Sweeping::new(
            self.shape.wanted(),
            [self.swept(kept, partition, &context)?, self.swept(kept.negate(), partition, &context)?],
            self.shape.side(kept).key_map(&self.input(kept).schema())?,
            self.layout.clone(),
            context.session_config().batch_size(),
            MemoryConsumer::new(format!("IntervalSweep[{partition}]")).register(context.memory_pool()),
            BaselineMetrics::new(&self.metrics, partition),
        );
        let rows = stream::try_unfold(sweeping, |mut sweeping| async move {
            Ok(sweeping.next().await?.map(|batch| (batch, sweeping)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn try_swapping_with_projection(&self, projection: &ProjectionExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        try_embed_projection(projection, self)
    }
}

impl EmbeddedProjection for IntervalSweepExec {
    fn with_projection(&self, projection: Option<Vec<usize>>) -> Result<Self> {
        let shape = match projection {
            Some(places) => self.shape.project(&places),
            None => self.shape.clone(),
        };
        IntervalSweepExec::new(Arc::clone(&self.left), Arc::clone(&self.right), shape)
    }
}
