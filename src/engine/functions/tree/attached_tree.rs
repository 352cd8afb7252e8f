//! An attached hierarchy in the place of the container tree: `hierarchy => 'name'`.
//!
//! ```text
//!  hierarchy_nodes WHERE hierarchy = 'name' ─► kernel: an error when there are none ─► nodes, or lines of ancestors
//!  container_machines ⋈ nodes ON machine = name                                     ─► the node of each container
//! ```
//! Containers without a machine, or whose machine is not in the hierarchy, have no node.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, StringViewArray};
use arrow::datatypes::{DataType, Int32Type};
use datafusion::common::{Result, ScalarValue, TableReference, exec_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};
use crate::functions::plans::table_kernel::{TableKernel, text};

/// The argument of functions that read the container tree.
pub(crate) const HIERARCHY: ConstantParameter = ConstantParameter {
    name: "hierarchy",
    kind: ConstantKind::Text,
    default: DefaultValue::Absent,
    accepts: Accepts::Anything,
    doc: "Name of an attached hierarchy that replaces the tree of containers: what containers have goes to their machines, \
          and ids are those of hierarchy_nodes. Containers without a machine in it are omitted.",
};

const COLUMNS: [DataType; 7] = [
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Utf8View,
    DataType::Utf8View,
];

pub(crate) static NODES: TableKernel = TableKernel {
    name: "hierarchy_nodes_of",
    columns: &COLUMNS,
    constants: &[DataType::Utf8, DataType::Utf8],
    rows: &[
        ("node_id", DataType::Int32),
        ("parent_id", DataType::Int32),
        ("preorder", DataType::Int32),
        ("last_descendant", DataType::Int32),
        ("depth", DataType::Int32),
        ("name", DataType::Utf8View),
        ("type", DataType::Utf8View),
    ],
    run: |columns, constants| {
        check(columns, constants)?;
        Ok(columns.to_vec())
    },
};

pub(crate) static LINES: TableKernel = TableKernel {
    name: "hierarchy_lines_of",
    columns: &COLUMNS,
    constants: &[DataType::Utf8, DataType::Utf8],
    rows: &[("line_of", DataType::Utf8View), ("ancestor_id", DataType::Int32), ("ancestor_depth", DataType::Int32)],
    run: lines,
};

fn check(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<()> {
    if columns[0].is_empty() {
        let (function, name) = (text(constants, 0)?, text(constants, 1)?);
        return exec_err!(
            "{function}: no hierarchy {name} is attached; SELECT DISTINCT hierarchy FROM hierarchy_nodes lists them"
        );
    }
    Ok(())
}

/// Every node with itself and each of its ancestors.
fn lines(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    check(columns, constants)?;
    let numbers = |index: usize| columns[index].as_primitive::<Int32Type>();
    let (ids, preorders, lasts, depths) = (numbers(0), numbers(2), numbers(3), numbers(4));
    let names = columns[5].as_string_view();
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by_key(|row| preorders.value(*row));
    // The nodes that the walk is inside of, outermost first.
    let mut open: Vec<usize> = vec![];
    let mut pairs: Vec<(usize, usize)> = vec![];
    for row in order {
        open.retain(|above| lasts.value(*above) >= preorders.value(row));
        open.push(row);
        pairs.extend(open.iter().map(|above| (row, *above)));
    }
    Ok(vec![
        Arc::new(StringViewArray::from_iter_values(pairs.iter().map(|(row, _)| names.value(*row)))),
        Arc::new(Int32Array::from_iter_values(pairs.iter().map(|(_, above)| ids.value(*above)))),
        Arc::new(Int32Array::from_iter_values(pairs.iter().map(|(_, above)| depths.value(*above)))),
    ])
}

fn table(call: &Call<'_>, trace: &str, name: &str) -> Result<LogicalPlan> {
    call.tables.find(&TableReference::partial(trace, name))
}

fn run(kernel: &'static TableKernel, call: &Call<'_>, trace: &str, hierarchy: &str) -> Result<LogicalPlan> {
    let text = |name: &str| cast(col(name), DataType::Utf8View).alias(name);
    let nodes = LogicalPlanBuilder::from(table(call, trace, "hierarchy_nodes")?)
        .filter(col("hierarchy").eq(lit(hierarchy)))?
        .project(vec![
            col("node_id"),
            col("parent_id"),
            col("preorder"),
            col("last_descendant"),
            col("depth"),
            text("name"),
            text("type"),
        ])?
        .build()?;
    kernel.over(nodes, vec![ScalarValue::from(call.definition.name), ScalarValue::from(hierarchy)])
}

/// The nodes of an attached hierarchy of a trace: node_id, parent_id, preorder, last_descendant, depth, name, type.
pub(crate) fn nodes(call: &Call<'_>, trace: &str, hierarchy: &str) -> Result<LogicalPlan> {
    run(&NODES, call, trace, hierarchy)
}

/// Pairs of line_of, the name of a node, and ancestor_id and ancestor_depth of itself and all above it.
pub(crate) fn ancestors(call: &Call<'_>, trace: &str, hierarchy: &str) -> Result<LogicalPlan> {
    run(&LINES, call, trace, hierarchy)
}

/// The machine of each container that has one: resident_id and machine.
pub(crate) fn residents(call: &Call<'_>, trace: &str) -> Result<LogicalPlan> {
    let machine = cast(col("machine"), DataType::Utf8View).alias("machine");
    LogicalPlanBuilder::from(table(call, trace, "container_machines")?)
        .project(vec![col("container_id").alias("resident_id"), machine])?
        .build()
}
