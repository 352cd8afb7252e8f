//! What the parts of a cluster take from others: physical plans, and only such as read.
//!
//! Clients plan for themselves. A logical plan from outside could name anything, a sink among it, and a plan with a
//! sink would write files where an executor runs. Both are refused when they arrive, by the scheduler and by every
//! executor.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::BufMut;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::{AsLogicalPlan, LogicalExtensionCodec};
use datafusion_proto::physical_plan::{AsExecutionPlan, PhysicalExtensionCodec};
use datafusion_proto::protobuf::PhysicalPlanNode;
use ocellus_trace::panics::unless_panic;

/// A logical plan, which is never taken.
#[derive(Debug, Clone)]
pub(super) struct NoLogicalPlan;

impl AsLogicalPlan for NoLogicalPlan {
    fn try_decode(_bytes: &[u8]) -> Result<NoLogicalPlan> {
        plan_err!("a cluster takes physical plans only; send queries with: ocellus sql --cluster")
    }

    fn try_encode<B: BufMut>(&self, _buffer: &mut B) -> Result<()> {
        plan_err!("a cluster sends no logical plan")
    }

    fn try_into_logical_plan(&self, _context: &TaskContext, _codec: &dyn LogicalExtensionCodec) -> Result<LogicalPlan> {
        plan_err!("a cluster takes physical plans only")
    }

    fn try_from_logical_plan(_plan: &LogicalPlan, _codec: &dyn LogicalExtensionCodec) -> Result<NoLogicalPlan> {
        plan_err!("a cluster sends no logical plan")
    }
}

/// A physical plan that writes nothing.
#[derive(Debug, Clone)]
pub(super) struct ReadingPlan(PhysicalPlanNode);

impl AsExecutionPlan for ReadingPlan {
    fn try_decode(bytes: &[u8]) -> Result<ReadingPlan> {
        PhysicalPlanNode::try_decode(bytes).map(ReadingPlan)
    }

    fn try_encode<B: BufMut>(&self, buffer: &mut B) -> Result<()> {
        self.0.try_encode(buffer)
    }

    fn try_into_physical_plan(
        &self,
        context: &TaskContext,
        codec: &dyn PhysicalExtensionCodec,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // Ballista and DataFusion panic where a field is missing, or names what was not built.
        let read = || self.0.try_into_physical_plan(context, codec);
        let Some(plan) = unless_panic(read) else {
            return plan_err!("a plan that is no plan of this cluster cannot be read");
        };
        let plan = plan?;
        refuse_sinks(&plan)?;
        Ok(plan)
    }

    fn try_from_physical_plan(plan: Arc<dyn ExecutionPlan>, codec: &dyn PhysicalExtensionCodec) -> Result<ReadingPlan> {
        PhysicalPlanNode::try_from_physical_plan(plan, codec).map(ReadingPlan)
    }
}

/// Refuses a plan that would write.
pub(super) fn refuse_sinks(plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
    plan.apply(|node| match node.is::<DataSinkExec>() {
        true => plan_err!("a plan that writes cannot run on a cluster"),
        false => Ok(TreeNodeRecursion::Continue),
    })?;
    Ok(())
}
