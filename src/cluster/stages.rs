//! Stages on an executor: those of Ballista, which write no files of a plan, check what they read of stores, and report no
//! metrics of their operators.
//!
//! A plan travels without what the manifest says of its files, and without it a damaged file may give other rows.
//!
//! The scheduler adds the metrics of a stage's tasks by their places. Tasks of a union read one input each and have
//! operators of their own: where the counts differ, the scheduler drops the report that a task ended, and the query
//! never does. Nobody reads these metrics.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::serde::protobuf::{RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats, WindowStateReport};
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::common::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;

use super::admission::refuse_sinks;
use super::read_stores::ReadScope;
use ocellus_engine::catalog::CheckedScans;

/// Makes such stages.
pub(super) struct QuietEngine {
    ballista: DefaultExecutionEngine,
    scans: CheckedScans,
}

impl QuietEngine {
    /// For an executor that may read these files.
    pub(super) fn new(scope: ReadScope) -> Result<QuietEngine> {
        let scans = CheckedScans::new(Box::new(move |path| scope.admit(path).ok()))?;
        Ok(QuietEngine { ballista: DefaultExecutionEngine::default(), scans })
    }
}

impl ExecutionEngine for QuietEngine {
    fn create_query_stage_exec(
        &self,
        job: JobId,
        stage: usize,
        task: usize,
        partitions: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_folder: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        refuse_sinks(&plan)?;
        let plan = self.scans.applied(plan)?;
        let stage = self.ballista.create_query_stage_exec(job, stage, task, partitions, plan, work_folder, config)?;
        Ok(Arc::new(QuietStage(stage)))
    }
}

/// A stage of Ballista without metrics.
#[derive(Debug)]
struct QuietStage(Arc<dyn QueryStageExecutor>);

impl fmt::Display for QuietStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl QueryStageExecutor for QuietStage {
    async fn execute_query_stage(&self, task: usize, context: Arc<TaskContext>) -> Result<Vec<ShuffleWritePartition>> {
        self.0.execute_query_stage(task, context).await
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        vec![]
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.0.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.0.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.0.collect_column_stats()
    }
}
