//! Operators as bytes and back, for plans that travel to another process.
//!
//! The logical plan of an interval join is made of stock nodes and functions with names, so it needs no
//! codec. Of the physical operators, the bytes (JSON) describe the join; inputs travel by themselves.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::{DataFusionError, JoinSide, Result, internal_datafusion_err, internal_err};
use datafusion::logical_expr::JoinType;
use datafusion::physical_plan::ExecutionPlan;
use serde::{Deserialize, Serialize};

use super::exec::IntervalJoinExec;
use super::join_spec::{JoinSpec, SideColumns};
use super::sweep_exec::IntervalSweepExec;

/// What the bytes say.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    method: Method,
    /// As DataFusion writes the type of a join.
    kind: String,
    left: EncodedSide,
    right: EncodedSide,
    projection: Option<Vec<usize>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    IndexOfLeft,
    IndexOfRight,
    Sweep,
}

#[derive(Debug, Serialize, Deserialize)]
struct EncodedSide {
    keys: Vec<usize>,
    start: usize,
    end: usize,
}

/// The bytes of an operator of interval joins; `None` for any other.
pub fn encode(plan: &dyn ExecutionPlan) -> Result<Option<Vec<u8>>> {
    let (method, shape) = if let Some(join) = plan.downcast_ref::<IntervalJoinExec>() {
        let is_left = join.indexed == JoinSide::Left;
        (if is_left { Method::IndexOfLeft } else { Method::IndexOfRight }, &join.shape)
    } else if let Some(join) = plan.downcast_ref::<IntervalSweepExec>() {
        (Method::Sweep, &join.shape)
    } else {
        return Ok(None);
    };
    let columns = |side: &SideColumns| EncodedSide { keys: side.keys.clone(), start: side.start, end: side.end };
    let description = Description {
        method,
        kind: shape.join_type.to_string(),
        left: columns(&shape.left),
        right: columns(&shape.right),
        projection: shape.projection.clone(),
    };
    serde_json::to_vec(&description).map(Some).map_err(|e| internal_datafusion_err!("an interval join: {e}"))
}

/// The operator that [`encode`] wrote, over its inputs.
pub fn decode(bytes: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
    let description: Description = serde_json::from_slice(bytes).map_err(|e| unreadable(&e.to_string()))?;
    let [left, right] = inputs else {
        return internal_err!("an interval join has two inputs, got {}", inputs.len());
    };
    let columns = |columns: EncodedSide, input: &Arc<dyn ExecutionPlan>| {
        let width = input.schema().fields().len();
        let largest = columns.keys.iter().copied().chain([columns.start, columns.end]).max();
        match largest.is_some_and(|column| column < width) {
            true => Ok(SideColumns { keys: columns.keys, start: columns.start, end: columns.end }),
            false => Err(unreadable("it names a column that is not there")),
        }
    };
    let shape = JoinSpec {
        join_type: description.kind.parse::<JoinType>()?,
        left: columns(description.left, left)?,
        right: columns(description.right, right)?,
        projection: description.projection,
    };
    if shape.left.keys.len() != shape.right.keys.len() {
        return Err(unreadable("its keys do not pair up"));
    }
    let (left, right) = (Arc::clone(left), Arc::clone(right));
    let indexed = match description.method {
        Method::IndexOfLeft => JoinSide::Left,
        Method::IndexOfRight => JoinSide::Right,
        Method::Sweep => return Ok(Arc::new(IntervalSweepExec::new(left, right, shape)?)),
    };
    // A plan that travels may run in several processes, each with some of the partitions.
    Ok(Arc::new(IntervalJoinExec::new(left, right, shape, indexed)?.reading_one_partition()))
}

fn unreadable(why: &str) -> DataFusionError {
    internal_datafusion_err!("the bytes of an interval join cannot be read: {why}")
}
