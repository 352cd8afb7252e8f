//! The rows of `timeline(…, rows => …)`: the containers that each of them stands for, with what they count.
//!
//! ```text
//!  containers ─┐
//!  rows ───────┴► FULL JOIN ─► fold along the tree ─► member_id, row_id, weight, row_leaves, place
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int32Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::{JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::{PLACE, WEIGHT, column, tree_column};
use crate::catalog::type_name;
use crate::functions::calls::call::Call;
use crate::functions::plans::table_kernel::TableKernel;
use ocellus_kernels::folded_rows::{FoldedContainer, RowMember, folded_rows};

/// Folds containers into rows; its columns are container, preorder, last descendant, whether it is a leaf, the container
/// of a row, and the place that it was given.
pub static KERNEL: TableKernel = TableKernel {
    name: "row_members",
    columns: &[
        DataType::Int32,
        DataType::Int32,
        DataType::Int32,
        DataType::Boolean,
        DataType::Int32,
        DataType::Float64,
    ],
    constants: &[],
    rows: &[
        ("member_id", DataType::Int32),
        ("row_id", DataType::Int32),
        (WEIGHT, DataType::Int64),
        ("row_leaves", DataType::Int64),
        (PLACE, DataType::Int64),
    ],
    run,
};

/// The members of the rows that a relation lists.
pub(super) fn row_members(call: &Call<'_>, containers: LogicalPlan, rows: &LogicalPlan) -> Result<LogicalPlan> {
    let function = call.definition.name;
    if !tree_column(&containers).is_empty() {
        return plan_err!("{function}: rows are those of one trace, and the relation of states reads several");
    }
    let number = |name: &str, wanted: DataType| match column(rows, name) {
        Some((expression, kind)) if kind.is_numeric() => Ok(Some(cast(expression, wanted))),
        Some((_, kind)) => plan_err!("{function}: {name} of rows must hold numbers, got {}", type_name(&kind)),
        None => Ok(None),
    };
    let Some(listed) = number("container_id", DataType::Int32)? else {
        return plan_err!("{function}: rows has no column container_id");
    };
    let place = number(PLACE, DataType::Float64)?.unwrap_or_else(|| lit(ScalarValue::Float64(None)));
    let rows = LogicalPlanBuilder::from(rows.clone())
        .project(vec![listed.alias("listed_id"), place.alias("listed_place")])?
        .filter(col("listed_id").is_not_null())?
        .aggregate(vec![col("listed_id")], vec![min(col("listed_place")).alias("listed_place")])?
        .build()?;
    let is_listed = col("container_id").eq(col("listed_id"));
    let columns = ["container_id", "preorder", "last_descendant", "is_leaf", "listed_id", "listed_place"];
    let listed = LogicalPlanBuilder::from(containers)
        .join_on(rows, JoinType::Full, Some(is_listed))?
        .project(columns.map(col).to_vec())?
        .build()?;
    KERNEL.over(listed, vec![])
}

fn run(columns: &[ArrayRef], _constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let [ids, preorders, lasts, listed] = [0, 1, 2, 4].map(|index| columns[index].as_primitive::<Int32Type>());
    let is_leaf = columns[3].as_boolean();
    if let Some(row) = (0..ids.len()).find(|row| ids.is_null(*row)) {
        return exec_err!(
            "timeline: rows has the container_id {}, and the trace has no such container",
            listed.value(row)
        );
    }
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by_key(|row| preorders.value(*row));
    let container = |row: &usize| FoldedContainer {
        preorder: preorders.value(*row),
        last_descendant: lasts.value(*row),
        is_leaf: is_leaf.value(*row),
        is_row: listed.is_valid(*row),
    };
    let members = folded_rows(&order.iter().map(container).collect::<Vec<_>>());
    let places = row_places(&order, listed, &columns[5]);
    let shown: Vec<(usize, RowMember)> =
        members.iter().enumerate().filter_map(|(at, member)| Some((at, (*member)?))).collect();
    let id = |at: usize| ids.value(order[at]);
    let leaves = |row: usize| members[row].map_or(1, |member| member.leaves);
    Ok(vec![
        Arc::new(Int32Array::from_iter_values(shown.iter().map(|(at, _)| id(*at)))),
        Arc::new(Int32Array::from_iter_values(shown.iter().map(|(_, member)| id(member.row)))),
        Arc::new(Int64Array::from_iter_values(shown.iter().map(|(_, member)| member.leaves))),
        Arc::new(Int64Array::from_iter_values(shown.iter().map(|(_, member)| leaves(member.row)))),
        Arc::new(Int64Array::from_iter_values(shown.iter().map(|(_, member)| places[member.row]))),
    ])
}

/// Where each row comes in the picture: by the place that it was given, then by the tree. What is no row has no place.
fn row_places(order: &[usize], listed: &Int32Array, given: &ArrayRef) -> Vec<i64> {
    let given = given.as_primitive::<Float64Type>();
    let mut rows: Vec<usize> = (0..order.len()).filter(|at| listed.is_valid(order[*at])).collect();
    let place = |at: &usize| if given.is_valid(order[*at]) { given.value(order[*at]) } else { f64::INFINITY };
    // Stable: equal ones stay in the order of the tree.
    rows.sort_by(|one, other| place(one).total_cmp(&place(other)));
    let mut places = vec![0; order.len()];
    for (number, at) in rows.into_iter().enumerate() {
        places[at] = number as i64;
    }
    places
}
