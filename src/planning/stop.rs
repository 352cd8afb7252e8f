//! Plans that stop when they are told to. Tasks end where they wait, and a join waits for its input only: between two
//! batches of it, it may make millions of batches, or look at billions of pairs and make none.
//!
//! So joins let others have a turn after some batches of their own, and their filters fail once the query has ended.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, HashJoinExecBuilder, NestedLoopJoinExec, NestedLoopJoinExecBuilder,
};

/// Whether a query has ended, whatever its plan still does.
#[derive(Debug, Clone, Default)]
pub struct Ended(Arc<AtomicBool>);

impl Ended {
    /// Tells all parts of the plan.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The same plan, whose joins stop soon after the query has ended.
pub(super) fn stoppable(plan: Arc<dyn ExecutionPlan>, ended: &Ended) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = plan.transform_up(|node| {
        let join: Arc<dyn ExecutionPlan> = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
            let filter = join.filter().map(|filter| watched(filter, ended));
            Arc::new(HashJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            let filter = join.filter().map(|filter| watched(filter, ended));
            Arc::new(NestedLoopJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if node.downcast_ref::<CrossJoinExec>().is_some() {
            node
        } else {
            return Ok(Transformed::no(node));
        };
        Ok(Transformed::yes(Arc::new(CooperativeExec::new(join)) as Arc<dyn ExecutionPlan>))
    });
    changed.map(|changed| changed.data)
}

fn watched(filter: &JoinFilter, ended: &Ended) -> JoinFilter {
    let condition = Watched { condition: Arc::clone(filter.expression()), ended: ended.clone() };
    JoinFilter::new(Arc::new(condition), filter.column_indices().to_vec(), Arc::clone(filter.schema()))
}

/// A condition that fails once the query has ended.
#[derive(Debug)]
struct Watched {
    condition: Arc<dyn PhysicalExpr>,
    ended: Ended,
}

impl PartialEq for Watched {
    fn eq(&self, other: &Watched) -> bool {
        self.condition.eq(&other.condition)
    }
}

impl Eq for Watched {}

impl Hash for Watched {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.hash(state);
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl PhysicalExpr for Watched {
    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        if self.ended.is_told() {
            return exec_err!("the query has ended");
        }
        self.condition.evaluate(batch)
    }

    fn return_field(&self, input_schema: &Schema) -> Result<FieldRef> {
        self.condition.return_field(input_schema)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.condition]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        match children.pop() {
            Some(condition) if children.is_empty() => Ok(Arc::new(Watched { condition, ended: self.ended.clone() })),
            _ => exec_err!("a watched condition has one part"),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt_sql(f)
    }
}
