//! The client: plans queries here, runs them on a cluster.
//!
//! The session stays that of the embedded engine, with its tables, views, functions and rules. Only the last
//! step differs: the physical plan goes to the scheduler, and its rows come back from the executors. What only
//! describes the session itself, such as EXPLAIN or SHOW, runs here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ballista_core::extension::SessionConfigExt;
use ballista_core::planner::scans_only_information_schema;
use datafusion::catalog::Session;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, internal_err, not_impl_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::{Expr, LogicalPlan, Window};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion::prelude::SessionConfig;
use futures::TryStreamExt;

use super::distribute::distribute;
use super::identity::{Identity, PATIENCE, check_same_build};
use super::job::{ClusterTarget, encode, run};
use super::network::LARGEST_MESSAGE;
use ocellus_engine::Engine;
use ocellus_engine::optimizer::LOCAL_RULES;
use ocellus_trace::error;

/// Makes an engine run its queries on the cluster of a scheduler, `HOST:PORT`. A query that no executor works on for
/// `executor_wait` fails.
pub async fn attach(
    engine: &Engine,
    scheduler: &str,
    identity: &Identity,
    executor_wait: Duration,
) -> error::Result<()> {
    check_same_build(scheduler, identity, PATIENCE, executor_wait.max(PATIENCE)).await?;
    let context = engine.context();
    let state = context.state();
    let config = configuration(state.config().clone(), identity);
    let planner = ClusterPlanner { scheduler: scheduler.to_string(), executor_wait };
    let rules =
        state.physical_optimizers().iter().filter(|rule| !LOCAL_RULES.contains(&rule.name())).cloned().collect();
    let state = SessionStateBuilder::new_from_existing(state)
        .with_config(config)
        .with_physical_optimizer_rules(rules)
        .with_query_planner(Arc::new(planner));
    *context.state_ref().write() = state.build();
    Ok(())
}

/// The settings of the embedded engine where plans may stay as they are; Ballista's where stages need it.
pub(super) fn configuration(config: SessionConfig, identity: &Identity) -> SessionConfig {
    let own = config.options().optimizer.clone();
    let partitions = config.target_partitions();
    let mut config = config
        .upgrade_for_ballista()
        .with_target_partitions(partitions)
        .with_ballista_grpc_client_max_message_size(LARGEST_MESSAGE as usize)
        .with_ballista_override_create_grpc_client_endpoint(identity.endpoint_override());
    let options = config.options_mut();
    // Texts of ours are views everywhere; messages are large enough for them.
    options.execution.parquet.schema_force_view_types = true;
    options.sql_parser.map_string_types_to_utf8view = true;
    options.optimizer.prefer_hash_join = own.prefer_hash_join;
    config
}

/// Plans as the embedded engine does, and puts the cluster on top.
#[derive(Debug)]
struct ClusterPlanner {
    scheduler: String,
    executor_wait: Duration,
}

#[async_trait]
impl QueryPlanner for ClusterPlanner {
    async fn create_physical_plan(&self, plan: &LogicalPlan, session: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        refuse(plan)?;
        let planned = DefaultPhysicalPlanner::default().create_physical_plan(plan, session).await?;
        if describes_session(plan)? {
            return Ok(planned);
        }
        let plan = distribute(planned)?;
        let bytes = encode_or_refuse(&plan)?;
        let target = ClusterTarget {
            scheduler: self.scheduler.clone(),
            config: session.config().clone(),
            session: session.session_id().to_string(),
            executor_wait: self.executor_wait,
        };
        Ok(Arc::new(ClusterExec::new(&plan, bytes, target)))
    }
}

/// Refuses statements that would have an effect where they run.
fn refuse(plan: &LogicalPlan) -> Result<()> {
    match plan {
        LogicalPlan::Copy(_) => {
            not_impl_err!(
                "COPY cannot run on a cluster, which has no place for the file; write the rows here: ocellus sql --cluster … -o FILE"
            )
        }
        LogicalPlan::Dml(_) => {
            not_impl_err!("{} cannot run on a cluster; run it without --cluster", plan.display())
        }
        LogicalPlan::Analyze(_) => {
            not_impl_err!("EXPLAIN ANALYZE cannot run on a cluster; run it without --cluster, or EXPLAIN alone")
        }
        // The form in which plans travel has no place for it, and rows that it leaves out would count.
        _ if plan.exists(|node| Ok(matches!(node, LogicalPlan::Window(window) if has_filter(window))))? => {
            not_impl_err!("FILTER of a window function cannot run on a cluster; run it without --cluster")
        }
        _ if plan.exists(|node| Ok(matches!(node, LogicalPlan::RecursiveQuery(_))))? => {
            not_impl_err!("WITH RECURSIVE cannot run on a cluster; run it without --cluster")
        }
        _ => Ok(()),
    }
}

/// Whether a window function sees a part of its rows only.
fn has_filter(window: &Window) -> bool {
    let filters = |node: &Expr| match node {
        Expr::WindowFunction(function) => Ok(function.params.filter.is_some()),
        _ => Ok(false),
    };
    // A search that fails has found nothing: this one cannot fail.
    window.window_expr.iter().any(|expression| expression.exists(filters).unwrap_or(true))
}

fn describes_session(plan: &LogicalPlan) -> Result<bool> {
    match plan {
        LogicalPlan::Explain(_) | LogicalPlan::DescribeTable(_) | LogicalPlan::Statement(_) => Ok(true),
        // Without a table there is nothing to distribute, as in DESCRIBE with our names of types.
        _ if !reads_tables(plan)? => Ok(true),
        _ => scans_only_information_schema(plan).or_else(|_| {
            not_impl_err!(
                "information_schema together with tables of a trace cannot run on a cluster; run the query without --cluster"
            )
        }),
    }
}

fn reads_tables(plan: &LogicalPlan) -> Result<bool> {
    let mut is_reading = false;
    plan.apply_with_subqueries(|node| {
        is_reading |= matches!(node, LogicalPlan::TableScan(_) | LogicalPlan::Extension(_));
        Ok(if is_reading { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(is_reading)
}

/// The bytes of a plan; says before anything runs what cannot travel.
fn encode_or_refuse(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<u8>> {
    if let Ok(bytes) = encode(plan) {
        return Ok(bytes);
    }
    let mut culprit = plan;
    while let Some(child) = culprit.children().into_iter().find(|child| encode(child).is_err()) {
        culprit = child;
    }
    not_impl_err!("{} cannot run on a cluster; run the query without --cluster", culprit.name())
}

/// Rows of a plan that runs on a cluster.
#[derive(Debug)]
struct ClusterExec {
    plan: Vec<u8>,
    target: ClusterTarget,
    properties: Arc<PlanProperties>,
}

impl ClusterExec {
    fn new(plan: &Arc<dyn ExecutionPlan>, bytes: Vec<u8>, target: ClusterTarget) -> ClusterExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(plan.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ClusterExec { plan: bytes, target, properties: Arc::new(properties) }
    }
}

impl DisplayAs for ClusterExec {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClusterExec: scheduler={}", self.target.scheduler)
    }
}

impl ExecutionPlan for ClusterExec {
    fn name(&self) -> &str {
        "ClusterExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    /// None: the plan below is for other processes.
    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, _children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return internal_err!("a query on a cluster has one partition here, asked for number {partition}");
        }
        let rows = futures::stream::once(run(self.plan.clone(), self.target.clone())).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}
