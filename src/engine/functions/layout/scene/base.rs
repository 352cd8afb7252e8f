//! The bases of a scene: where containers stand, and what is drawn below them.
//!
//! A base gives the places of containers (place_id, place, x, z, bar: the width of its bar), and shapes.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::core::expr_fn::least;
use datafusion::functions::math::expr_fn::{ceil, floor, sqrt};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::super::{comm_graph, graph_layout, treemap};
use super::row::{SceneRow, of};
use crate::functions::calls::call::Call;
use crate::functions::layout::tree_input::with_tree;
use crate::functions::plans::table_kernel::union_rows;

/// How much of its share of the base a bar or a machine takes.
const FILLED: f64 = 0.5;
/// Steps of the force layout.
const ITERATIONS: i64 = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseLayout {
    Communication,
    Topology,
    Treemap,
}

/// The base of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SceneGround {
    kind: BaseLayout,
    size: f64,
}

impl SceneGround {
    pub(super) fn of_call(call: &Call<'_>) -> Result<SceneGround> {
        let kind = match call.text("base") {
            Some("topology") => BaseLayout::Topology,
            Some("treemap") => BaseLayout::Treemap,
            _ => BaseLayout::Communication,
        };
        Ok(SceneGround { kind, size: call.double("size")? })
    }

    /// The places of containers, under an alias.
    pub(super) fn places(&self, call: &Call<'_>, alias: &str) -> Result<LogicalPlan> {
        let places = match self.kind {
            BaseLayout::Communication => self.nodes(communication(call)?)?,
            BaseLayout::Topology => self.on_machines(call)?,
            BaseLayout::Treemap => self.on_rectangles(call)?,
        };
        LogicalPlanBuilder::from(places).alias(alias)?.build()
    }

    /// The shapes and lines of the base, in the columns of the answer.
    pub(super) fn shapes(&self, call: &Call<'_>) -> Result<Vec<LogicalPlan>> {
        match self.kind {
            BaseLayout::Communication => {
                let places = || self.nodes(communication(call)?);
                let edges = edge_rows(communication(call)?, places()?, places()?)?;
                Ok(vec![node_rows(places()?, Some(col("place_id")))?, edges])
            }
            BaseLayout::Topology => {
                let places = || self.nodes(network(call)?);
                let edges = edge_rows(network(call)?, places()?, places()?)?;
                Ok(vec![node_rows(places()?, None)?, edges])
            }
            BaseLayout::Treemap => Ok(vec![area_rows(self.rectangles(call)?)?]),
        }
    }

    /// The nodes of a graph by a force layout, each with a part of the base of its own.
    fn nodes(&self, graph: LogicalPlan) -> Result<LogicalPlan> {
        let places = graph_layout::KERNEL.over(
            graph,
            vec![
                ScalarValue::from("force"),
                ScalarValue::from(self.size),
                ScalarValue::from(self.size),
                ScalarValue::from(ITERATIONS),
                ScalarValue::from(1_i64),
            ],
        )?;
        let all = Expr::from(WindowFunction::new(count_udaf(), vec![lit(1_i64)])).alias("nodes");
        LogicalPlanBuilder::from(places)
            .window(vec![all])?
            .project(vec![
                col("node_id").alias("place_id"),
                col("node").alias("place"),
                col("x"),
                col("y").alias("z"),
                (lit(self.size * FILLED) / sqrt(cast(col("nodes"), DataType::Float64))).alias("bar"),
            ])?
            .build()
    }

    /// Leaf containers stand in rows and columns on their machine.
    fn on_machines(&self, call: &Call<'_>) -> Result<LogicalPlan> {
        let leaves = LogicalPlanBuilder::from(call.table("containers")?)
            .filter(col("is_leaf"))?
            .project(vec![col("container_id").alias("leaf_id")])?
            .build()?;
        let machines = LogicalPlanBuilder::from(self.nodes(network(call)?)?).alias("m")?.build()?;
        let number = row_number()
            .partition_by(vec![col("machine")])
            .order_by(vec![col("container_id").sort(true, false)])
            .build()?
            .alias("number");
        let count = Expr::from(WindowFunction::new(count_udaf(), vec![lit(1_i64)]))
            .partition_by(vec![col("machine")])
            .build()?
            .alias("residents");
        let double = |expression: Expr| cast(expression, DataType::Float64);
        let columns = || ceil(sqrt(double(col("residents"))));
        let index = || double(col("number")) - lit(1.0);
        let row = || floor(index() / columns());
        let cell = || of("m", "bar") / columns();
        let along = |middle: Expr, cells: Expr| middle - of("m", "bar") / lit(2.0) + (cells + lit(0.5)) * cell();
        LogicalPlanBuilder::from(call.table("container_machines")?)
            .project(vec![col("container_id"), col("container"), col("machine")])?
            .join(leaves, JoinType::LeftSemi, (vec!["container_id"], vec!["leaf_id"]), None)?
            .window(vec![number])?
            .window(vec![count])?
            .join_on(machines, JoinType::Inner, [col("machine").eq(of("m", "place"))])?
            .project(vec![
                col("container_id").alias("place_id"),
                col("container").alias("place"),
                along(of("m", "x"), index() - row() * columns()).alias("x"),
                along(of("m", "z"), row()).alias("z"),
                (cell() * lit(FILLED)).alias("bar"),
            ])?
            .build()
    }

    /// A treemap in which every leaf weighs the same.
    fn rectangles(&self, call: &Call<'_>) -> Result<LogicalPlan> {
        let weights = LogicalPlanBuilder::from(call.table("containers")?)
            .filter(col("is_leaf"))?
            .project(vec![
                col("container_id").alias("node_id"),
                lit(ScalarValue::Utf8View(None)).alias("value"),
                lit(1.0).alias("total"),
            ])?
            .build()?;
        treemap::KERNEL.over(
            with_tree(call, weights)?,
            vec![
                ScalarValue::from("squarified"),
                ScalarValue::from(self.size),
                ScalarValue::from(self.size),
                ScalarValue::from(0.0),
                ScalarValue::from(0.0),
                ScalarValue::Int64(None),
            ],
        )
    }

    fn on_rectangles(&self, call: &Call<'_>) -> Result<LogicalPlan> {
        let (x, z) = middle();
        LogicalPlanBuilder::from(self.rectangles(call)?)
            .project(vec![
                col("container_id").alias("place_id"),
                col("container").alias("place"),
                x.alias("x"),
                z.alias("z"),
                (least(vec![col("w"), col("h")]) * lit(FILLED)).alias("bar"),
            ])?
            .build()
    }
}

/// The middle of a rectangle.
fn middle() -> (Expr, Expr) {
    (col("x") + col("w") / lit(2.0), col("y") + col("h") / lit(2.0))
}

/// The columns that a graph layout reads.
fn ends(source_id: &str, source: &str, target: Option<(&str, &str)>) -> Vec<Expr> {
    let text = |name: &str| cast(col(name), DataType::Utf8View);
    let (target_id, target) = match target {
        Some((id, name)) => (cast(col(id), DataType::Int32), text(name)),
        None => (lit(ScalarValue::Int32(None)), lit(ScalarValue::Utf8View(None))),
    };
    vec![
        cast(col(source_id), DataType::Int32).alias("source_id"),
        text(source).alias("source"),
        target_id.alias("target_id"),
        target.alias("target"),
    ]
}

/// Who sends to whom, and all leaf containers.
fn communication(call: &Call<'_>) -> Result<LogicalPlan> {
    let graph = LogicalPlanBuilder::from(comm_graph::graph(call, call.relation(1)?, None)?)
        .project(ends("source_id", "source", Some(("target_id", "target"))))?
        .build()?;
    let leaves = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(col("is_leaf"))?
        .project(ends("container_id", "name", None))?
        .build()?;
    union_rows(graph, leaves)
}

/// The attached network.
fn network(call: &Call<'_>) -> Result<LogicalPlan> {
    let edges = LogicalPlanBuilder::from(call.table("topology_edges")?)
        .project(ends("source_id", "source", Some(("target_id", "target"))))?
        .build()?;
    let nodes =
        LogicalPlanBuilder::from(call.table("topology_nodes")?).project(ends("node_id", "name", None))?.build()?;
    union_rows(edges, nodes)
}

fn node_rows(places: LogicalPlan, container_id: Option<Expr>) -> Result<LogicalPlan> {
    let row = SceneRow {
        kind: "node",
        container_id,
        name: Some(col("place")),
        place: Some((col("x"), col("z"))),
        extent: Some((col("bar"), col("bar"))),
        ..SceneRow::default()
    };
    LogicalPlanBuilder::from(places).project(row.columns())?.build()
}

/// Lines between the places of two nodes; an edge from a node to itself is none.
fn edge_rows(graph: LogicalPlan, sources: LogicalPlan, targets: LogicalPlan) -> Result<LogicalPlan> {
    let row = SceneRow {
        kind: "edge",
        name: Some(of("a", "place")),
        place: Some((of("a", "x"), of("a", "z"))),
        end: Some((of("b", "x"), of("b", "z"))),
        ..SceneRow::default()
    };
    let aliased = |plan: LogicalPlan, alias: &str| LogicalPlanBuilder::from(plan).alias(alias)?.build();
    LogicalPlanBuilder::from(graph)
        .filter(col("target_id").is_not_null().and(col("source_id").not_eq(col("target_id"))))?
        .alias("e")?
        .join_on(aliased(sources, "a")?, JoinType::Inner, [of("e", "source_id").eq(of("a", "place_id"))])?
        .join_on(aliased(targets, "b")?, JoinType::Inner, [of("e", "target_id").eq(of("b", "place_id"))])?
        .project(row.columns())?
        .build()
}

fn area_rows(rectangles: LogicalPlan) -> Result<LogicalPlan> {
    let row = SceneRow {
        kind: "area",
        container_id: Some(col("container_id")),
        name: Some(col("container")),
        place: Some(middle()),
        extent: Some((col("w"), col("h"))),
        ..SceneRow::default()
    };
    LogicalPlanBuilder::from(rectangles).project(row.columns())?.build()
}
