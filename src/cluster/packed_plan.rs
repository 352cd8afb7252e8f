//! Plans that are too deep for one message.
//!
//! Readers of protobuf give up at a hundred messages inside each other, about forty operators. So the lower part of a
//! deep plan travels as bytes of its own, and whoever reads it puts it back in its place:
//!
//! ```text
//!  join ── aggregate ── … ── PackedPlanExec         bytes: join ── aggregate ── … ── scan
//! ```

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, replace_children_if_necessary,
};

/// Operators above each other in one message.
const MOST_OPERATORS: usize = 20;
/// Messages inside each other that are read: a stranger's plan must not exhaust the stack.
pub(super) const MOST_PACKS: usize = 16;

/// The lower part of a plan; see the file's head. It exists on the way only.
#[derive(Debug)]
pub(super) struct PackedPlanExec {
    pub(super) plan: Arc<dyn ExecutionPlan>,
}

/// The plan, with lower parts packed such that no message is too deep.
pub(super) fn packed(plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(packed_with_height(plan)?.0)
}

/// The packed plan, and how many operators of it lie above each other in its own message.
fn packed_with_height(plan: &Arc<dyn ExecutionPlan>) -> Result<(Arc<dyn ExecutionPlan>, usize)> {
    let mut inputs = vec![];
    let mut height = 0;
    for input in plan.children() {
        let (input, below) = packed_with_height(input)?;
        inputs.push(input);
        height = height.max(below);
    }
    let plan = replace_children_if_necessary(Arc::clone(plan), inputs)?;
    match height + 1 < MOST_OPERATORS {
        true => Ok((plan, height + 1)),
        false => Ok((Arc::new(PackedPlanExec { plan }), 1)),
    }
}

impl DisplayAs for PackedPlanExec {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedPlanExec")
    }
}

impl ExecutionPlan for PackedPlanExec {
    fn name(&self) -> &str {
        "PackedPlanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.plan.properties()
    }

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

    fn execute(&self, _partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        internal_err!("a packed plan was not unpacked")
    }
}
