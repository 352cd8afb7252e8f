//! Windows that look at the row before, in the order of time: idle_gaps and state_transitions look at all states of a trace.
//!
//! ```text
//!  window  lag(value) OVER (PARTITION BY container_id ORDER BY start_tick)       PreviousRowsExec: value
//!    sort  by container and tick                                            ─►     rows, in any order
//!      rows
//! ```
//! DataFusion sorts rows by container and time, though they come nearly in the order of time. The operator sorts them by
//! time alone, which is cheap then, and holds the latest row of each container.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowUDFExpr};

use super::previous_rows_exec::{PreviousRowsExec, PreviousValues};

/// The rule. It must run before rows are sorted for windows, and before it is decided how they are spread over partitions.
#[derive(Debug)]
pub(crate) struct PreviousRows;

impl PreviousRows {
    /// Its name among the rules of a session.
    pub(crate) const NAME: &str = "previous_rows";
}

impl PhysicalOptimizerRule for PreviousRows {
    fn name(&self) -> &str {
        PreviousRows::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match node.downcast_ref::<BoundedWindowAggExec>().and_then(previous_values) {
            Some((values, input)) => {
                let exec = PreviousRowsExec::new(values, node.schema(), input);
                Ok(Transformed::yes(Arc::new(exec) as Arc<dyn ExecutionPlan>))
            }
            None => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// What a window takes of the row before; `None` when it computes anything else.
fn previous_values(window: &BoundedWindowAggExec) -> Option<(PreviousValues, Arc<dyn ExecutionPlan>)> {
    let input = window.input();
    let schema = input.schema();
    let first = window.window_expr().first()?;
    let (keys, order) = (first.partition_by(), first.order_by());
    let is_same = |call: &Arc<dyn WindowExpr>| call.partition_by() == keys && call.order_by() == order;
    if !window.window_expr().iter().all(is_same) || !schema.fields().iter().all(|field| is_kept(field.data_type())) {
        return None;
    }
    let is_key = |key: &Arc<dyn PhysicalExpr>| key.data_type(&schema).is_ok_and(|kind| !kind.is_floating());
    let tick = tick_column(order, &schema).filter(|_| keys.iter().all(is_key))?;
    let values = window.window_expr().iter().map(previous_value).collect::<Option<Vec<Arc<dyn PhysicalExpr>>>>()?;
    // What is carried along has the type of what comes out.
    let outputs = window.schema().fields().iter().skip(schema.fields().len()).cloned().collect::<Vec<_>>();
    let fits = values.iter().zip(&outputs).all(|(value, output)| {
        value.data_type(&schema).is_ok_and(|kind| kind == *output.data_type()) && is_kept(output.data_type())
    });
    fits.then(|| (PreviousValues { keys: keys.to_vec(), tick, values }, Arc::clone(input)))
}

/// Whether rows with such a column are sorted here.
fn is_kept(kind: &DataType) -> bool {
    kind.is_primitive() || matches!(kind, DataType::Boolean | DataType::Utf8 | DataType::Utf8View)
}

/// The column of ticks that decides the order, if it is that alone.
fn tick_column(order: &[PhysicalSortExpr], schema: &Schema) -> Option<usize> {
    let [by] = order else { return None };
    let place = by.expr.downcast_ref::<Column>()?.index();
    let field = schema.fields().get(place)?;
    let is_tick = *field.data_type() == DataType::Int64 && !field.is_nullable();
    (is_tick && !by.options.descending).then_some(place)
}

/// What a call takes of the row before; `None` for any call but `lag(value)`.
fn previous_value(call: &Arc<dyn WindowExpr>) -> Option<Arc<dyn PhysicalExpr>> {
    let function = call.as_any().downcast_ref::<StandardWindowExpr>()?.get_standard_func_expr();
    let function = function.as_any().downcast_ref::<WindowUDFExpr>()?;
    // These two are not told otherwise.
    let told = format!("{function:?}");
    let is_plain = ["is_reversed", "ignore_nulls"]
        .iter()
        .all(|name| told.contains(&format!("{name}: false")) && !told.contains(&format!("{name}: true")));
    let value = match function.args() {
        [value] => value,
        [value, offset] if is_one(offset) => value,
        _ => return None,
    };
    (is_plain && function.fun().name() == "lag").then(|| Arc::clone(value))
}

fn is_one(offset: &Arc<dyn PhysicalExpr>) -> bool {
    offset.downcast_ref::<Literal>().is_some_and(|literal| *literal.value() == ScalarValue::Int64(Some(1)))
}
