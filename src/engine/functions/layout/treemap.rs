//! `treemap(relation, …)`: nested rectangles, one per container, and one per value of a container.
//!
//! ```text
//!  relation ─► sum of weights per container and value ─┐
//!  containers ─────────────────────────────────────────┴─► union ─► kernel ─► rectangles
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, StringViewArray};
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::functions_aggregate::expr_fn::sum;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::tree_input::{CollectedTree, DataRow, with_tree};
use super::{column, column_names, required_column};
use crate::catalog::did_you_mean;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int, double, text};
use crate::functions::tree::attached_tree::HIERARCHY;
use ocellus_kernels::treemap::{PlacedNode, TreemapAlgorithm, TreemapOptions, WeightTree, treemap};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "treemap",
        family: "layout",
        form: Form::Table,
        description: "Places containers as nested rectangles whose areas are proportional to their weights.",
        notes: "The relation has a container_id, a column of weights, and optionally a column value, which \
                divides the rectangle of its container. Weights are added per container and value, and up the \
                tree; a sum must be neither negative nor infinite. A container without weight gives no row, and \
                neither does a row whose container_id or weight is NULL. Siblings tile their parent without \
                overlap; weight that a container has itself besides that of the containers below it, without a \
                value, leaves a part of it free. Several roots share the area. Containers come before those \
                in them, and values last, by name. Reads the tree of the current trace; write lu.treemap(…) for another.",
        relations: &[RelationParameter {
            name: "relation",
            default: None,
            doc: "A table with container_id, a weight, and optionally value.",
        }],
        constants: &[
            ConstantParameter {
                name: "weight",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("seconds"),
                accepts: Accepts::Anything,
                doc: "Name of the column of weights; when there is no column seconds, weight is taken.",
            },
            ConstantParameter {
                name: "width",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(800.0),
                accepts: Accepts::Between(1e-6, 1e9),
                doc: "Width of the whole.",
            },
            ConstantParameter {
                name: "height",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(600.0),
                accepts: Accepts::Between(1e-6, 1e9),
                doc: "Height of the whole.",
            },
            ConstantParameter {
                name: "algorithm",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("squarified"),
                accepts: Accepts::OneOf(&["squarified", "slice_and_dice", "strip"]),
                doc: "squarified gives rectangles near squares, strip keeps the order of siblings, slice_and_dice \
                      puts siblings beside each other and their children below each other.",
            },
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, 1e9),
                doc: "Deepest level to show; what is below is added to it, value by value. NULL shows all.",
            },
            ConstantParameter {
                name: "padding",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(0.0),
                accepts: Accepts::Between(0.0, 1e9),
                doc: "Room between a container and what is in it; at most a quarter of its sides.",
            },
            ConstantParameter {
                name: "min_area",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(0.0),
                accepts: Accepts::Between(0.0, 1e18),
                doc: "Smaller rectangles are omitted, with all that is in them.",
            },
            HIERARCHY,
        ],
        columns: &[
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of the container." },
            OutputColumn { name: "parent_id", kind: "INTEGER", doc: "The container that holds it; NULL for a root." },
            OutputColumn { name: "depth", kind: "INTEGER", doc: "Distance of the container from the root." },
            OutputColumn {
                name: "value",
                kind: "TEXT",
                doc: "The value that has this part of it; NULL for the container itself.",
            },
            OutputColumn { name: "weight", kind: "DOUBLE", doc: "Its weight, with all that is in it." },
            OutputColumn { name: "x", kind: "DOUBLE", doc: "Left edge." },
            OutputColumn { name: "y", kind: "DOUBLE", doc: "Upper edge; y grows downwards." },
            OutputColumn { name: "w", kind: "DOUBLE", doc: "Width." },
            OutputColumn { name: "h", kind: "DOUBLE", doc: "Height." },
        ],
        examples: &[
            "SELECT container, weight, round(x, 3) AS x, round(y, 3) AS y, round(w, 3) AS w, round(h, 3) AS h FROM \
             treemap((SELECT container_id, duration AS seconds FROM states), width => 6, height => 4)",
            "SELECT container, value, weight, x, y, w, h FROM tree.treemap(tree.states, weight => 'duration', width \
             => 6, height => 6, algorithm => 'slice_and_dice', depth => 1)",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "treemap_rectangles",
    // The tree, the value, its weight.
    columns: &[
        DataType::Int32,
        DataType::Int32,
        DataType::Int32,
        DataType::Int32,
        DataType::Utf8View,
        DataType::Utf8View,
        DataType::Float64,
    ],
    constants: &[
        DataType::Utf8,
        DataType::Float64,
        DataType::Float64,
        DataType::Float64,
        DataType::Float64,
        DataType::Int64,
    ],
    rows: &[
        ("container_id", DataType::Int32),
        ("container", DataType::Utf8View),
        ("parent_id", DataType::Int32),
        ("depth", DataType::Int32),
        ("value", DataType::Utf8View),
        ("weight", DataType::Float64),
        ("x", DataType::Float64),
        ("y", DataType::Float64),
        ("w", DataType::Float64),
        ("h", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let weight = weight_column(&call, &relation)?;
    let value = match column(&relation, "value") {
        Some(value) => cast(value, DataType::Utf8View),
        None => lit(ScalarValue::Utf8View(None)),
    };
    let container = required_column(&call, &relation, "container_id")?;
    let weights = LogicalPlanBuilder::from(relation)
        .project(vec![
            cast(container, DataType::Int32).alias("node_id"),
            value.alias("value"),
            cast(weight, DataType::Float64).alias("weight"),
        ])?
        .aggregate(vec![col("node_id"), col("value")], vec![sum(col("weight")).alias("total")])?
        .build()?;
    let constants = vec![
        ScalarValue::from(call.text("algorithm").unwrap_or_default()),
        ScalarValue::from(call.double("width")?),
        ScalarValue::from(call.double("height")?),
        ScalarValue::from(call.double("padding")?),
        ScalarValue::from(call.double("min_area")?),
        ScalarValue::Int64(call.big_int("depth")),
    ];
    KERNEL.over(with_tree(&call, weights)?, constants)
}

fn weight_column(call: &Call<'_>, relation: &LogicalPlan) -> Result<Expr> {
    let name = call.text("weight").unwrap_or("seconds");
    let is_default = name == "seconds";
    let found = column(relation, name).or_else(|| column(relation, "weight").filter(|_| is_default));
    let Some(found) = found else {
        let fields = relation.schema().fields().iter();
        let suggestion = did_you_mean(name, fields.map(|field| field.name().as_str()));
        return plan_err!(
            "treemap: the relation has no column {name}; weight => names one of {}{suggestion}",
            column_names(relation)
        );
    };
    let Expr::Column(column) = &found else { return Ok(found) };
    let kind = relation.schema().qualified_field_from_column(column)?.1.data_type();
    if !kind.is_numeric() {
        return plan_err!("treemap: weight => '{}' must be a column of numbers", column.name);
    }
    Ok(found)
}

/// Weights per node and value, and the rectangles that they get.
struct TreemapLayout<'a> {
    tree: CollectedTree,
    /// For each value rectangle the place of its container and the row that has its value.
    values: Vec<DataRow>,
    placed: Vec<PlacedNode>,
    columns: &'a [ArrayRef],
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let options = TreemapOptions {
        algorithm: match text(constants, 0)? {
            "slice_and_dice" => TreemapAlgorithm::SliceAndDice,
            "strip" => TreemapAlgorithm::Strip,
            _ => TreemapAlgorithm::Squarified,
        },
        width: double(constants, 1)?,
        height: double(constants, 2)?,
        padding: double(constants, 3)?,
        min_area: double(constants, 4)?,
    };
    let (tree, rows) = CollectedTree::of_columns("treemap", columns)?;
    let layout = TreemapLayout::of(tree, rows, big_int(constants, 5)?, columns, &options)?;
    layout.rows()
}

impl<'a> TreemapLayout<'a> {
    fn of(
        tree: CollectedTree,
        mut rows: Vec<DataRow>,
        depth: Option<i64>,
        columns: &'a [ArrayRef],
        options: &TreemapOptions,
    ) -> Result<TreemapLayout<'a>> {
        let (values, weights) = (columns[5].as_string_view(), columns[6].as_primitive::<Float64Type>());
        let ancestors = tree.ancestors_at(depth);
        let text = |row: usize| values.is_valid(row).then(|| values.value(row));
        rows.retain(|data| weights.is_valid(data.row));
        // In one order, so that the last bits of sums are always the same.
        rows.sort_unstable_by_key(|data| (ancestors[data.place], text(data.row), data.place));
        let mut weighted = WeightTree { parents: tree.parents.clone(), weights: vec![0.0; tree.ids.len()] };
        let mut shown: Vec<DataRow> = vec![];
        for data in rows {
            let weight = weights.value(data.row);
            if !(weight.is_finite() && weight >= 0.0) {
                let name = tree.names.value(data.place);
                return exec_err!(
                    "treemap: a weight must be finite and not negative, got {weight} for container {name}"
                );
            }
            let place = ancestors[data.place];
            let Some(value) = text(data.row) else {
                weighted.weights[place] += weight;
                continue;
            };
            let is_same = shown.last().is_some_and(|last| last.place == place && text(last.row) == Some(value));
            if !is_same {
                shown.push(DataRow { place, row: data.row });
                weighted.parents.push(Some(place));
                weighted.weights.push(0.0);
            }
            if let Some(sum) = weighted.weights.last_mut() {
                *sum += weight;
            }
        }
        let placed = treemap(&weighted, options);
        Ok(TreemapLayout { tree, values: shown, placed, columns })
    }

    fn rows(&self) -> Result<Vec<ArrayRef>> {
        let containers = self.tree.ids.len();
        let shown: Vec<usize> = (0..self.placed.len()).filter(|node| self.placed[*node].rectangle.is_some()).collect();
        let place = |node: usize| if node < containers { node } else { self.values[node - containers].place };
        let places = || shown.iter().map(|node| place(*node));
        let parent = |place: usize| self.tree.parents[place].map(|parent| self.tree.ids[parent]);
        let texts = self.columns[5].as_string_view();
        let value = |node: usize| Some(texts.value(self.values[node.checked_sub(containers)?].row));
        let rectangles = || shown.iter().filter_map(|node| self.placed[*node].rectangle);
        let doubles =
            |numbers: &mut dyn Iterator<Item = f64>| Arc::new(Float64Array::from_iter_values(numbers)) as ArrayRef;
        Ok(vec![
            Arc::new(Int32Array::from_iter_values(places().map(|place| self.tree.ids[place]))),
            self.tree.names_of(places())?,
            Arc::new(places().map(parent).collect::<Int32Array>()),
            Arc::new(Int32Array::from_iter_values(places().map(|place| self.tree.depths[place]))),
            Arc::new(shown.iter().map(|node| value(*node)).collect::<StringViewArray>()),
            doubles(&mut shown.iter().map(|node| self.placed[*node].weight)),
            doubles(&mut rectangles().map(|r| r.x)),
            doubles(&mut rectangles().map(|r| r.y)),
            doubles(&mut rectangles().map(|r| r.width)),
            doubles(&mut rectangles().map(|r| r.height)),
        ])
    }
}
