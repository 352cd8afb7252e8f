//! The physical operator: one side in an index, the other asks it, partition by partition.
//!
//! The asking side keeps its partitions and needs no order; the other is read once for all of them.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinSide, Result, internal_err};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{Distribution, EquivalenceProperties, Partitioning, PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::{EmbeddedProjection, ProjectionExec, ProjectionExpr, try_embed_projection};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements, PlanProperties,
};
use futures::{FutureExt, TryStreamExt, stream};

use super::build::{BuildMetrics, Builder, Built};
use super::join_spec::{JoinOutput, JoinSpec, OutputOrigin};
use super::probe::{Asking, Probe};
use crate::functions::intervals::interval_join::{OVERLAP_END, OVERLAP_START};
use crate::functions::intervals::{OfTwoIntervals, OverlapQuestion};
use crate::optimizer::build_once::{BuildOnce, Building};

/// Joins rows whose keys are equal and whose intervals overlap.
#[derive(Debug)]
pub struct IntervalJoinExec {
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
    pub(crate) shape: JoinSpec,
    /// The side that is held in memory.
    pub(crate) indexed: JoinSide,
    /// Where the partitions of that side are read.
    reading: IndexReading,
    layout: JoinOutput,
    building: BuildOnce<Built>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

/// How the side that is held in memory arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexReading {
    /// In any number of partitions; the join reads them all.
    AllPartitions,
    /// In one partition, for a plan whose partitions run in different processes.
    OnePartition,
}

impl IntervalJoinExec {
    pub(crate) fn new(
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
        shape: JoinSpec,
        indexed: JoinSide,
    ) -> Result<IntervalJoinExec> {
        if shape.kept_side()? == Some(indexed) {
            return internal_err!("an interval join cannot keep the rows of its index");
        }
        let layout = shape.layout(&left.schema(), &right.schema())?;
        let asking = if indexed == JoinSide::Left { &right } else { &left };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&layout.schema)),
            Partitioning::UnknownPartitioning(asking.output_partitioning().partition_count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(IntervalJoinExec {
            left,
            right,
            shape,
            indexed,
            reading: IndexReading::AllPartitions,
            layout,
            building: BuildOnce::default(),
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        })
    }

    /// The same join for a plan whose partitions run in different processes: each reads the side of the index
    /// whole.
    pub fn with_gathered_index(&self) -> Result<IntervalJoinExec> {
        let gathered = |side: JoinSide| -> Arc<dyn ExecutionPlan> {
            let input = Arc::clone(self.input(side));
            if side == self.indexed { Arc::new(CoalescePartitionsExec::new(input)) } else { input }
        };
        let join = IntervalJoinExec::new(
            gathered(JoinSide::Left),
            gathered(JoinSide::Right),
            self.shape.clone(),
            self.indexed,
        )?;
        Ok(join.reading_one_partition())
    }

    pub(crate) fn reading_one_partition(self) -> IntervalJoinExec {
        IntervalJoinExec { reading: IndexReading::OnePartition, ..self }
    }

    fn asking_side(&self) -> JoinSide {
        self.indexed.negate()
    }

    fn input(&self, side: JoinSide) -> &Arc<dyn ExecutionPlan> {
        if side == JoinSide::Left { &self.left } else { &self.right }
    }

    fn build(&self, context: &Arc<TaskContext>) -> Result<Building<Built>> {
        self.building.get(|| {
            let kept = self.layout.origins.iter().filter_map(|origin| match origin {
                OutputOrigin::Input(side, column) if *side == self.indexed => Some(*column),
                _ => None,
            });
            let reservation = MemoryConsumer::new("IntervalJoin[index]").register(context.memory_pool());
            let builder = Builder {
                columns: self.shape.side(self.indexed).clone(),
                clock: self.layout.clock,
                kept: kept.collect(),
                reservation: Arc::new(reservation),
                metrics: BuildMetrics::new(&self.metrics),
            };
            let input = self.input(self.indexed);
            let partitions = 0..input.output_partitioning().partition_count();
            let inputs = partitions.map(|partition| input.execute(partition, Arc::clone(context)));
            Ok(builder.build(inputs.collect::<Result<_>>()?).boxed())
        })
    }
}

impl IntervalJoinExec {
    /// The same join with other columns out.
    fn reshaped(&self, shape: JoinSpec) -> Result<IntervalJoinExec> {
        let join = IntervalJoinExec::new(Arc::clone(&self.left), Arc::clone(&self.right), shape, self.indexed)?;
        Ok(IntervalJoinExec { reading: self.reading, ..join })
    }

    /// The expressions of a projection with the overlap of each pair as a column, not as a call: the
    /// join knows it. `None` when they do not ask for it.
    fn overlap_as_columns(&self, projection: &ProjectionExec) -> Result<Option<Vec<ProjectionExpr>>> {
        let width = self.layout.origins.len();
        let mut asks = false;
        let mut expressions = vec![];
        for ProjectionExpr { expr, alias } in projection.expr() {
            let rewritten = Arc::clone(expr).transform_up(|expression| match self.overlap_bound(&expression) {
                None => Ok(Transformed::no(expression)),
                Some((name, offset)) => {
                    asks = true;
                    Ok(Transformed::yes(Arc::new(Column::new(name, width + offset)) as Arc<dyn PhysicalExpr>))
                }
            });
            expressions.push(ProjectionExpr { expr: rewritten.data()?, alias: alias.clone() });
        }
        Ok(asks.then_some(expressions))
    }

    /// Which bound of the overlap of a pair an expression asks for: its name and number.
    fn overlap_bound(&self, expression: &Arc<dyn PhysicalExpr>) -> Option<(&'static str, usize)> {
        let call = expression.downcast_ref::<ScalarFunctionExpr>()?;
        let bound = match call.fun().inner().downcast_ref::<OfTwoIntervals>()?.question {
            OverlapQuestion::Overlap => return None,
            OverlapQuestion::Start => (OVERLAP_START, 0),
            OverlapQuestion::End => (OVERLAP_END, 1),
        };
        let mut origins = vec![];
        for argument in call.args() {
            origins.push(*self.layout.origins.get(argument.downcast_ref::<Column>()?.index())?);
        }
        let of = |side: JoinSide| {
            let columns = self.shape.side(side);
            [OutputOrigin::Input(side, columns.start), OutputOrigin::Input(side, columns.end)]
        };
        let (left, right) = (of(JoinSide::Left), of(JoinSide::Right));
        (origins == [left, right].concat() || origins == [right, left].concat()).then_some(bound)
    }
}

impl DisplayAs for IntervalJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "IntervalJoinExec: ")?;
        }
        self.shape.describe(&self.left.schema(), &self.right.schema(), f)?;
        write!(f, ", index={}", self.indexed.to_string().to_lowercase())?;
        self.shape.describe_projection(&self.layout, f)
    }
}

impl ExecutionPlan for IntervalJoinExec {
    fn name(&self) -> &str {
        "IntervalJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        let of_side = |side: JoinSide| match self.reading {
            IndexReading::OnePartition if side == self.indexed => Distribution::SinglePartition,
            _ => Distribution::UnspecifiedDistribution,
        };
        InputDistributionRequirements::new(vec![of_side(JoinSide::Left), of_side(JoinSide::Right)])
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![self.indexed == JoinSide::Right, self.indexed == JoinSide::Left]
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
        let (left, right) = (Arc::clone(left), Arc::clone(right));
        let join = IntervalJoinExec::new(left, right, self.shape.clone(), self.indexed)?;
        Ok(Arc::new(IntervalJoinExec { reading: self.reading, ..join }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let building = self.build(&context)?;
        let asking = Asking {
            side: self.asking_side(),
            columns: self.shape.side(self.asking_side()).clone(),
            wanted: self.shape.wanted(),
            layout: self.layout.clone(),
            batch_size: context.session_config().batch_size(),
            input: self.input(self.asking_side()).execute(partition, Arc::clone(&context))?,
            reservation: MemoryConsumer::new(format!("IntervalJoin[{partition}]")).register(context.memory_pool()),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let rows = stream::once(Probe::start(asking, building))
            .map_ok(|probe| {
                stream::try_unfold(
                    probe,
                    |mut probe| async move { Ok(probe.next().await?.map(|batch| (batch, probe))) },
                )
            })
            .try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.layout.schema)
    }

    fn try_swapping_with_projection(&self, projection: &ProjectionExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(rewritten) = self.overlap_as_columns(projection)? else {
            return try_embed_projection(projection, self);
        };
        let (left, right) = (&self.left.schema(), &self.right.schema());
        let join = self.reshaped(self.shape.with_overlap(left, right))?;
        let projection = ProjectionExec::try_new(rewritten, Arc::new(self.reshaped(join.shape.clone())?))?;
        let embedded = try_embed_projection(&projection, &join)?;
        Ok(Some(embedded.unwrap_or_else(|| Arc::new(projection))))
    }
}

impl EmbeddedProjection for IntervalJoinExec {
    fn with_projection(&self, projection: Option<Vec<usize>>) -> Result<Self> {
        self.reshaped(match projection {
            Some(places) => self.shape.project(&places),
            None => self.shape.clone(),
        })
    }
}
