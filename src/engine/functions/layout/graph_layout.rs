//! `graph_layout(edges, …)`: a place for every node of a graph.
//!
//! ```text
//!  edges ─► distinct pairs of ends ─► kernel ─► node, x, y
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, StringViewArray};
use arrow::datatypes::{DataType, Int32Type};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::cast;

use super::{column, column_names};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int, double, text};
use ocellus_kernels::graph_layout::{LayoutAlgorithm, LayoutGraph, LayoutOptions, layout};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "graph_layout",
        family: "layout",
        form: Form::Table,
        description: "Places the nodes of a graph in a picture.",
        notes: "The relation has columns source and target, or source_id and target_id, or all four as comm_graph \
                gives them: then ids tell nodes apart. A row without a target is a node by itself; a row without a \
                source is omitted. Edges that come again, and edges from a node to itself, change nothing. The \
                same edges in any order give the same positions. Nodes come in the order of their ids, else of \
                their names.",
        relations: &[RelationParameter {
            name: "edges",
            default: None,
            doc: "Edges from source to target, or from source_id to target_id.",
        }],
        constants: &[
            ConstantParameter {
                name: "algorithm",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("force"),
                accepts: Accepts::OneOf(&["force", "circular", "radial", "layered", "grid"]),
                doc: "force lets edges pull and nodes push, circular and grid follow the order of nodes, radial puts \
                      rings around the node with the most neighbors, layered puts edges downwards.",
            },
            ConstantParameter {
                name: "width",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(800.0),
                accepts: Accepts::Between(1e-6, 1e9),
                doc: "Width of the picture.",
            },
            ConstantParameter {
                name: "height",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(600.0),
                accepts: Accepts::Between(1e-6, 1e9),
                doc: "Height of the picture.",
            },
            ConstantParameter {
                name: "iterations",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(300),
                accepts: Accepts::Between(0.0, 100_000.0),
                doc: "Steps of the force layout; sweeps of the layered one, of which 24 count.",
            },
            ConstantParameter {
                name: "seed",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(1),
                accepts: Accepts::Anything,
                doc: "Where the force layout starts from; another seed gives another picture.",
            },
        ],
        columns: &[
            OutputColumn { name: "node_id", kind: "INTEGER", doc: "Id of the node; NULL when the relation has none." },
            OutputColumn {
                name: "node",
                kind: "TEXT",
                doc: "Name of the node; its id when the relation has no names.",
            },
            OutputColumn { name: "x", kind: "DOUBLE", doc: "From 0 at the left to width." },
            OutputColumn { name: "y", kind: "DOUBLE", doc: "From 0 at the top to height." },
        ],
        examples: &[
            "SELECT node, round(x, 1) AS x, round(y, 1) AS y FROM graph_layout((SELECT source, target FROM links), \
             algorithm => 'circular', width => 100, height => 100)",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "graph_places",
    columns: &[DataType::Int32, DataType::Utf8View, DataType::Int32, DataType::Utf8View],
    constants: &[DataType::Utf8, DataType::Float64, DataType::Float64, DataType::Int64, DataType::Int64],
    rows: &[
        ("node_id", DataType::Int32),
        ("node", DataType::Utf8View),
        ("x", DataType::Float64),
        ("y", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let edges = call.relation(0)?;
    let both = |one: &str, other: &str| Some((column(&edges, one)?, column(&edges, other)?));
    let (ids, names) = (both("source_id", "target_id"), both("source", "target"));
    if ids.is_none() && names.is_none() {
        return plan_err!(
            "graph_layout: the relation needs columns source and target, or source_id and target_id; it has {}",
            column_names(&edges)
        );
    }
    let id = |id: Option<Expr>| id.map_or(lit(ScalarValue::Int32(None)), |id| cast(id, DataType::Int32));
    let name =
        |name: Option<Expr>| name.map_or(lit(ScalarValue::Utf8View(None)), |name| cast(name, DataType::Utf8View));
    let (source_id, target_id) = ids.unzip();
    let (source, target) = names.unzip();
    let pairs = LogicalPlanBuilder::from(edges)
        .project(vec![
            id(source_id).alias("source_id"),
            name(source).alias("source"),
            id(target_id).alias("target_id"),
            name(target).alias("target"),
        ])?
        .distinct()?
        .build()?;
    let constants = vec![
        ScalarValue::from(call.text("algorithm").unwrap_or_default()),
        ScalarValue::from(call.double("width")?),
        ScalarValue::from(call.double("height")?),
        ScalarValue::Int64(call.big_int("iterations")),
        ScalarValue::Int64(call.big_int("seed")),
    ];
    KERNEL.over(pairs, constants)
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let options = LayoutOptions {
        algorithm: match text(constants, 0)? {
            "circular" => LayoutAlgorithm::Circular,
            "radial" => LayoutAlgorithm::Radial,
            "layered" => LayoutAlgorithm::Layered,
            "grid" => LayoutAlgorithm::Grid,
            _ => LayoutAlgorithm::Force,
        },
        width: double(constants, 1)?,
        height: double(constants, 2)?,
        iterations: big_int(constants, 3)?.unwrap_or_default() as usize,
        seed: big_int(constants, 4)?.unwrap_or_default() as u64,
    };
    let sources = EdgeEnds::of(&columns[0], &columns[1]);
    let targets = EdgeEnds::of(&columns[2], &columns[3]);
    // An id has one name: the first, should there be several.
    let mut nodes: BTreeMap<Key<'_>, Option<&str>> = BTreeMap::new();
    for row in (0..columns[0].len()).filter(|row| sources.key(*row).is_some()) {
        for end in [&sources, &targets] {
            if let Some(key) = end.key(row) {
                let name = nodes.entry(key).or_insert(end.name(row));
                *name = (*name).min(end.name(row));
            }
        }
    }
    let places: BTreeMap<Key<'_>, usize> = nodes.keys().enumerate().map(|(place, key)| (*key, place)).collect();
    let edges = (0..columns[0].len()).filter_map(|row| Some((places[&sources.key(row)?], places[&targets.key(row)?])));
    let points = layout(&LayoutGraph { nodes: nodes.len(), edges: edges.collect() }, &options);
    let ids: Int32Array = nodes.keys().map(|key| key.0).collect();
    let names = nodes.iter().map(|(key, name)| name.map(str::to_string).or(key.0.map(|id| id.to_string())));
    Ok(vec![
        Arc::new(ids),
        Arc::new(names.collect::<StringViewArray>()),
        Arc::new(Float64Array::from_iter_values(points.iter().map(|point| point.x))),
        Arc::new(Float64Array::from_iter_values(points.iter().map(|point| point.y))),
    ])
}

/// What a node is known by: its id, or its name when it has none.
type Key<'a> = (Option<i32>, Option<&'a str>);

/// The sources, or the targets, of all edges.
struct EdgeEnds<'a> {
    ids: &'a Int32Array,
    names: &'a StringViewArray,
}

impl<'a> EdgeEnds<'a> {
    fn of(ids: &'a ArrayRef, names: &'a ArrayRef) -> EdgeEnds<'a> {
        EdgeEnds { ids: ids.as_primitive::<Int32Type>(), names: names.as_string_view() }
    }

    fn key(&self, row: usize) -> Option<Key<'a>> {
        match self.ids.is_valid(row) {
            true => Some((Some(self.ids.value(row)), None)),
            false => self.name(row).map(|name| (None, Some(name))),
        }
    }

    fn name(&self, row: usize) -> Option<&'a str> {
        self.names.is_valid(row).then(|| self.names.value(row))
    }
}
