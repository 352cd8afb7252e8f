//! The container tree as input of a kernel, in the same rows as the data that hangs on it.
//!
//! ```text
//!  node_id  parent_id  preorder  depth  name    …data
//!        0       NULL         0      0  grid    NULL          a node of the tree
//!        1          0         1      1  site-0  NULL
//!        1       NULL      NULL   NULL  NULL    12.5          data of node 1
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, StringViewArray};
use arrow::compute::take;
use arrow::datatypes::{DataType, Int32Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};
use hashbrown::HashMap;

use crate::functions::calls::call::Call;
use crate::functions::plans::table_kernel::union_rows;
use crate::functions::tree::attached_tree;

/// Types of the columns that the tree takes; those of the data follow.
const TREE_COLUMNS: [DataType; 5] =
    [DataType::Int32, DataType::Int32, DataType::Int32, DataType::Int32, DataType::Utf8View];

const NODE: &str = "node_id";

/// The rows of a tree, and those of `data`: its column `node_id`, which is a container, and others.
///
/// The tree is that of the containers of the current trace. A call with an argument `hierarchy` names an
/// attached one instead: then data hangs on the machines of its containers, and what has none is omitted.
pub(crate) fn with_tree(call: &Call<'_>, data: LogicalPlan) -> Result<LogicalPlan> {
    let Some(hierarchy) = call.text("hierarchy") else {
        let containers = LogicalPlanBuilder::from(call.table("containers")?);
        return join_rows(containers.project(tree_columns("container_id"))?, data);
    };
    let trace = &call.tables.schema;
    let nodes = || attached_tree::nodes(call, trace, hierarchy);
    let places = LogicalPlanBuilder::from(nodes()?)
        .project(vec![col("node_id").alias("place_id"), col("name").alias("place")])?
        .build()?;
    let others = data.schema().fields().iter().map(|field| field.name().clone()).filter(|name| name != NODE);
    let shown: Vec<Expr> = others.map(col).chain([col("place_id").alias(NODE)]).collect();
    let placed = LogicalPlanBuilder::from(data)
        .join(attached_tree::residents(call, trace)?, JoinType::Inner, (vec![NODE], vec!["resident_id"]), None)?
        .join(places, JoinType::Inner, (vec!["machine"], vec!["place"]), None)?
        .project(shown)?
        .build()?;
    join_rows(LogicalPlanBuilder::from(nodes()?).project(tree_columns("node_id"))?, placed)
}

fn tree_columns(id: &str) -> Vec<Expr> {
    let name = cast(col("name"), DataType::Utf8View).alias("name");
    vec![col(id).alias(NODE), col("parent_id"), col("preorder"), col("depth"), name]
}

fn join_rows(tree: LogicalPlanBuilder, data: LogicalPlan) -> Result<LogicalPlan> {
    let fields: Vec<(String, DataType)> =
        data.schema().fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
    let others = || fields.iter().filter(|(name, _)| name != NODE);
    let mut of_tree: Vec<Expr> = tree.schema().columns().into_iter().map(Expr::Column).collect();
    for (name, kind) in others() {
        of_tree.push(lit(ScalarValue::try_from(kind)?).alias(name));
    }
    let nothing = |kind: &DataType, name: &str| -> Result<Expr> { Ok(lit(ScalarValue::try_from(kind)?).alias(name)) };
    let mut of_data = vec![cast(col(NODE), DataType::Int32).alias(NODE)];
    for (name, kind) in ["parent_id", "preorder", "depth", "name"].iter().zip(&TREE_COLUMNS[1..]) {
        of_data.push(nothing(kind, name)?);
    }
    of_data.extend(others().map(|(name, _)| col(name)));
    let data = LogicalPlanBuilder::from(data).project(of_data)?.build()?;
    union_rows(tree.project(of_tree)?.build()?, data)
}

/// The tree, collected: its nodes in preorder.
#[derive(Debug)]
pub(crate) struct CollectedTree {
    pub(crate) ids: Vec<i32>,
    /// Places of the parents, each before its children; `None` for a root.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) depths: Vec<i32>,
    pub(crate) names: StringViewArray,
    places: HashMap<i32, usize>,
}

/// A row of data, and the place of its node in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DataRow {
    pub(crate) place: usize,
    pub(crate) row: usize,
}

impl CollectedTree {
    /// Splits collected rows into the tree and the data; rows of data without a node are omitted.
    pub(crate) fn of_columns(function: &str, columns: &[ArrayRef]) -> Result<(CollectedTree, Vec<DataRow>)> {
        let [ids, parents, preorders, depths] = [0, 1, 2, 3].map(|index| columns[index].as_primitive::<Int32Type>());
        let mut order: Vec<(i32, usize)> =
            preorders.iter().enumerate().filter_map(|(row, preorder)| Some((preorder?, row))).collect();
        order.sort_unstable();
        let places: HashMap<i32, usize> =
            order.iter().enumerate().map(|(place, (_, row))| (ids.value(*row), place)).collect();
        let rows = Int32Array::from_iter_values(order.iter().map(|(_, row)| *row as i32));
        let names = take(columns[4].as_ref(), &rows, None)?;
        let parent_of = |row: usize| if parents.is_null(row) { None } else { places.get(&parents.value(row)).copied() };
        let tree = CollectedTree {
            ids: order.iter().map(|(_, row)| ids.value(*row)).collect(),
            parents: order.iter().map(|(_, row)| parent_of(*row)).collect(),
            depths: order.iter().map(|(_, row)| depths.value(*row)).collect(),
            names: names.as_string_view().clone(),
            places,
        };
        let mut data = vec![];
        for row in (0..preorders.len()).filter(|row| preorders.is_null(*row) && ids.is_valid(*row)) {
            let Some(place) = tree.places.get(&ids.value(row)).copied() else {
                return exec_err!("{function}: {} is no container_id of this trace", ids.value(row));
            };
            data.push(DataRow { place, row });
        }
        Ok((tree, data))
    }

    /// For each node, its ancestor at a depth; itself when it lies no deeper.
    pub(crate) fn ancestors_at(&self, depth: Option<i64>) -> Vec<usize> {
        let mut ancestors = Vec::with_capacity(self.ids.len());
        for (place, parent) in self.parents.iter().enumerate() {
            let is_deeper = depth.is_some_and(|depth| i64::from(self.depths[place]) > depth);
            ancestors.push(match parent {
                Some(parent) if is_deeper => ancestors[*parent],
                _ => place,
            });
        }
        ancestors
    }

    /// The name of each of some nodes; `None` gives NULL.
    pub(crate) fn names_of(&self, places: impl Iterator<Item = usize>) -> Result<ArrayRef> {
        let places = Int32Array::from_iter_values(places.map(|place| place as i32));
        Ok(Arc::clone(&take(&self.names, &places, None)?))
    }
}
