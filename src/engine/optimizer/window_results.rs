//! Passes the rows of a window operator on, and gives back what their values held.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use crate::functions::plans::bounded_windows::{BudgetUser, WindowBudget};

/// The operator; see the file's head.
#[derive(Debug)]
pub(crate) struct WindowResultsExec {
    input: Arc<dyn ExecutionPlan>,
    /// Columns of counted values, each with its budget.
    counted: Vec<(usize, Arc<WindowBudget>)>,
}

impl WindowResultsExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, counted: Vec<(usize, Arc<WindowBudget>)>) -> WindowResultsExec {
        WindowResultsExec { input, counted }
    }
}

impl DisplayAs for WindowResultsExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WindowResultsExec")
    }
}

impl ExecutionPlan for WindowResultsExec {
    fn name(&self) -> &str {
        "WindowResultsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(input) if children.is_empty() => Ok(Arc::new(WindowResultsExec::new(input, self.counted.clone()))),
            _ => internal_err!("WindowResultsExec has one child"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let memory = context.memory_pool();
        let users: Vec<(usize, BudgetUser)> =
            self.counted.iter().map(|(column, budget)| (*column, BudgetUser::start(budget, memory))).collect();
        let rows = self.input.execute(partition, Arc::clone(&context))?;
        let schema = rows.schema();
        let emitted = move |batch: Result<RecordBatch>| {
            let batch = batch?;
            for (column, user) in &users {
                user.emitted(batch.column(*column));
            }
            Ok(batch)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows.map(emitted))))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        None
    }
}
