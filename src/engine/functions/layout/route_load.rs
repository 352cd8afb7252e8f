//! `route_load([links], …)`: what each connection of the attached network carries.
//!
//! ```text
//!  links ─► machines of both ends ─► sums per pair and slice ─┐
//!  topology_edges ────────────────────────────────────────────┴─► kernel ─► loads ─► names, utilisation
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Column, Result, ScalarValue, TableReference, plan_err};
use datafusion::functions::math::expr_fn::floor;
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, coalesce, col};

use super::required_column;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::lineage::ticks_of;
use crate::functions::plans::table_kernel::{TableKernel, text, union_rows};
use ocellus_kernels::routes::{Demand, EdgeDirection, Load, NetworkEdge, route};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "route_load",
        family: "layout",
        form: Form::Table,
        description: "Routes every message over the attached network and adds up what each connection carries.",
        notes: "The network and the machines of containers come from ocellus attach. The route of a message is the \
                shortest one; ties go to fewer connections, then to those that come first in the file. A connection \
                without direction has two lanes, one each way. A message belongs to the slice in which it \
                starts; only links wholly between start and stop count. Messages within a machine pass no \
                connection. Messages whose machine is not known, or that have no route, are rows without a connection. \
                Utilisation is volume over bandwidth and time; above 1 the connection cannot have carried it. \
                Row order is unspecified.",
        relations: &[RelationParameter {
            name: "links",
            default: Some("links"),
            doc: "Links, with source_id, target_id, start_time, end_time and volume.",
        }],
        constants: &[
            ConstantParameter {
                name: "start",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "Start of the first slice, in seconds; NULL for the start of the trace.",
            },
            ConstantParameter {
                name: "stop",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "End of the last slice, in seconds; NULL for the end of the trace.",
            },
            ConstantParameter {
                name: "slices",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(1),
                accepts: Accepts::Between(1.0, 1e6),
                doc: "Number of slices of equal length.",
            },
            ConstantParameter {
                name: "by",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("hops"),
                accepts: Accepts::OneOf(&["hops", "latency"]),
                doc: "What makes a route short: its number of connections, or the sum of their latencies.",
            },
        ],
        columns: &[
            OutputColumn {
                name: "edge_id",
                kind: "INTEGER",
                doc: "The connection, in topology_edges; NULL for messages without a route.",
            },
            OutputColumn { name: "source", kind: "TEXT", doc: "Node that the lane leads from." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Node that the lane leads to." },
            OutputColumn { name: "slice", kind: "BIGINT", doc: "Slice index, from 0." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the slice, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of the slice, in seconds." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "Messages that pass." },
            OutputColumn {
                name: "volume",
                kind: "DOUBLE",
                doc: "Sum of their volumes; a message without one counts as 0.",
            },
            OutputColumn {
                name: "utilisation",
                kind: "DOUBLE",
                doc: "Part of the bandwidth that was used; NULL without a bandwidth.",
            },
        ],
        examples: &[
            "SELECT source, target, messages, volume, round(utilisation, 3) AS utilisation FROM route_load() ORDER BY \
             utilisation DESC, source, target",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "route_loads",
    // An edge: its id, ends, direction and latency; a demand: its ends, slice, messages and volume.
    columns: &[
        DataType::Int32,
        DataType::Int32,
        DataType::Int32,
        DataType::Boolean,
        DataType::Float64,
        DataType::Int64,
        DataType::Int64,
        DataType::Float64,
    ],
    constants: &[DataType::Utf8],
    rows: &[
        ("edge", DataType::Int32),
        ("from_node", DataType::Int32),
        ("to_node", DataType::Int32),
        ("slice", DataType::Int64),
        ("messages", DataType::Int64),
        ("volume", DataType::Float64),
    ],
    run,
};

const COLUMNS: [&str; 8] =
    ["edge_id", "source_id", "target_id", "is_directed", "latency", "slice", "messages", "volume"];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let links = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &links)?;
    let slices = EqualSlices { window, count: call.big_int("slices").unwrap_or(1) };
    let edges = LogicalPlanBuilder::from(call.table("topology_edges")?).project(vec![
        col("edge_id"),
        col("source_id"),
        col("target_id"),
        col("is_directed"),
        col("latency"),
        lit(ScalarValue::Int64(None)).alias("slice"),
        lit(ScalarValue::Int64(None)).alias("messages"),
        lit(ScalarValue::Float64(None)).alias("volume"),
    ])?;
    let rows = union_rows(edges.build()?, demands(&call, links, &slices)?)?;
    let by = ScalarValue::from(call.text("by").unwrap_or("hops"));
    named(&call, KERNEL.over(rows, vec![by])?, &slices)
}

/// Slices of equal length.
struct EqualSlices {
    window: TimeWindow,
    count: i64,
}

impl EqualSlices {
    fn start(&self) -> f64 {
        self.window.resolution.seconds(self.window.start_tick)
    }

    fn stop(&self) -> f64 {
        self.window.resolution.seconds(self.window.stop_tick)
    }

    fn length(&self) -> f64 {
        (self.stop() - self.start()) / self.count as f64
    }

    /// The number of the slice that a link starts in: exact when the relation has ticks.
    fn number(&self, call: &Call<'_>, links: &LogicalPlan) -> Result<Expr> {
        let start = required_column(call, links, "start_time")?;
        let rate = self.window.resolution.ticks_per_second();
        let ticks = ticks_of(links, "start_time").filter(|ticks| ticks.per_second == rate);
        let fits = self.window.ticks().checked_mul(i128::from(self.count)).is_some_and(|product| product < 1 << 62);
        let number = match ticks {
            Some(ticks) if fits => {
                let since = Expr::Column(ticks.column) - lit(self.window.start_tick);
                since * lit(self.count) / lit(self.window.ticks() as i64)
            }
            _ => {
                cast(floor((cast(start, DataType::Float64) - lit(self.start())) / lit(self.length())), DataType::Int64)
            }
        };
        // The last instant of the trace belongs to the last slice.
        when(number.clone().gt_eq(lit(self.count)), lit(self.count - 1)).otherwise(number)
    }
}

/// Messages and volume per slice and pair of network nodes, in the columns that the kernel collects.
fn demands(call: &Call<'_>, links: LogicalPlan, slices: &EqualSlices) -> Result<LogicalPlan> {
    let inside = required_column(call, &links, "start_time")?
        .gt_eq(lit(slices.start()))
        .and(required_column(call, &links, "end_time")?.lt_eq(lit(slices.stop())));
    let volume = cast(required_column(call, &links, "volume")?, DataType::Float64);
    let per_pair = LogicalPlanBuilder::from(links.clone())
        .filter(inside)?
        .project(vec![
            cast(required_column(call, &links, "source_id")?, DataType::Int32).alias("sender"),
            cast(required_column(call, &links, "target_id")?, DataType::Int32).alias("receiver"),
            slices.number(call, &links)?.alias("slice"),
            coalesce(vec![volume, lit(0.0)]).alias("volume"),
        ])?
        .aggregate(
            ["sender", "receiver", "slice"].map(col),
            vec![count(lit(1)).alias("messages"), sum(col("volume")).alias("total")],
        )?;
    let of = |alias: &str, name: &str| Expr::Column(Column::new(Some(TableReference::bare(alias)), name));
    per_pair
        .join_on(machines(call, "senders")?, JoinType::Left, [col("sender").eq(of("senders", "container_id"))])?
        .join_on(machines(call, "receivers")?, JoinType::Left, [col("receiver").eq(of("receivers", "container_id"))])?
        .project(vec![
            lit(ScalarValue::Int32(None)).alias(COLUMNS[0]),
            of("senders", "node_id").alias(COLUMNS[1]),
            of("receivers", "node_id").alias(COLUMNS[2]),
            lit(ScalarValue::Boolean(None)).alias(COLUMNS[3]),
            lit(ScalarValue::Float64(None)).alias(COLUMNS[4]),
            col("slice"),
            col("messages"),
            col("total").alias(COLUMNS[7]),
        ])?
        .build()
}

/// The network node of each container that has one.
fn machines(call: &Call<'_>, alias: &str) -> Result<LogicalPlan> {
    let nodes =
        LogicalPlanBuilder::from(call.table("topology_nodes")?).project(vec![col("node_id"), col("name")])?.build()?;
    LogicalPlanBuilder::from(call.table("container_machines")?)
        .project(vec![col("container_id"), col("machine")])?
        .join(nodes, JoinType::Inner, (vec!["machine"], vec!["name"]), None)?
        .project(vec![col("container_id"), col("node_id")])?
        .alias(alias)?
        .build()
}

/// The columns of the answer.
fn named(call: &Call<'_>, loads: LogicalPlan, slices: &EqualSlices) -> Result<LogicalPlan> {
    let nodes = |alias: &str| {
        LogicalPlanBuilder::from(call.table("topology_nodes")?)
            .project(vec![col("node_id"), col("name")])?
            .alias(alias)?
            .build()
    };
    let bandwidths = LogicalPlanBuilder::from(call.table("topology_edges")?)
        .project(vec![col("edge_id"), col("bandwidth")])?
        .alias("edges")?
        .build()?;
    let of = |alias: &str, name: &str| Expr::Column(Column::new(Some(TableReference::bare(alias)), name));
    let length = slices.length();
    if length <= 0.0 {
        return plan_err!("route_load: slices are too short");
    }
    let number = cast(col("slice"), DataType::Float64);
    let bandwidth = when(of("edges", "bandwidth").gt(lit(0.0)), of("edges", "bandwidth")).end()?;
    LogicalPlanBuilder::from(loads)
        .join_on(bandwidths, JoinType::Left, [col("edge").eq(of("edges", "edge_id"))])?
        .join_on(nodes("sources")?, JoinType::Left, [col("from_node").eq(of("sources", "node_id"))])?
        .join_on(nodes("targets")?, JoinType::Left, [col("to_node").eq(of("targets", "node_id"))])?
        .project(vec![
            col("edge").alias("edge_id"),
            of("sources", "name").alias("source"),
            of("targets", "name").alias("target"),
            col("slice"),
            (lit(slices.start()) + number.clone() * lit(length)).alias("start_time"),
            (lit(slices.start()) + (number + lit(1.0)) * lit(length)).alias("end_time"),
            col("messages"),
            col("volume"),
            (col("volume") / (bandwidth * lit(length))).alias("utilisation"),
        ])?
        .build()
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let [ids, sources, targets] = [0, 1, 2].map(|index| columns[index].as_primitive::<Int32Type>());
    let latencies = columns[4].as_primitive::<Float64Type>();
    let by_latency = text(constants, 0)? == "latency";
    let mut order: Vec<(i32, usize)> =
        (0..ids.len()).filter(|row| ids.is_valid(*row)).map(|row| (ids.value(row), row)).collect();
    order.sort_unstable();
    let edges: Vec<NetworkEdge> = order
        .iter()
        .map(|(_, row)| NetworkEdge {
            source: sources.value(*row) as usize,
            target: targets.value(*row) as usize,
            is_directed: columns[3].as_boolean().value(*row),
            length: match (by_latency, latencies.is_valid(*row)) {
                (true, true) => latencies.value(*row),
                (true, false) => 0.0,
                (false, _) => 1.0,
            },
        })
        .collect();
    let node = |ends: &Int32Array, row: usize| ends.is_valid(row).then(|| ends.value(row) as usize);
    let demands: Vec<Demand> = (0..ids.len())
        .filter(|row| ids.is_null(*row))
        .map(|row| Demand {
            slice: columns[5].as_primitive::<Int64Type>().value(row),
            source: node(sources, row),
            target: node(targets, row),
            messages: columns[6].as_primitive::<Int64Type>().value(row),
            volume: columns[7].as_primitive::<Float64Type>().value(row),
        })
        .collect();
    let ends = edges.iter().flat_map(|edge| [edge.source, edge.target]);
    let nodes = ends.chain(demands.iter().flat_map(|demand| [demand.source, demand.target]).flatten()).max();
    let loads = route(nodes.map_or(0, |last| last + 1), &edges, &demands);
    let ends = |load: &Load| {
        let lane = load.lane?;
        let (source, target) = (edges[lane.edge].source as i32, edges[lane.edge].target as i32);
        Some(if lane.direction == EdgeDirection::Forward { (source, target) } else { (target, source) })
    };
    Ok(vec![
        Arc::new(loads.iter().map(|load| load.lane.map(|lane| order[lane.edge].0)).collect::<Int32Array>()),
        Arc::new(loads.iter().map(|load| ends(load).map(|(source, _)| source)).collect::<Int32Array>()),
        Arc::new(loads.iter().map(|load| ends(load).map(|(_, target)| target)).collect::<Int32Array>()),
        Arc::new(Int64Array::from_iter_values(loads.iter().map(|load| load.slice))),
        Arc::new(Int64Array::from_iter_values(loads.iter().map(|load| load.messages))),
        Arc::new(Float64Array::from_iter_values(loads.iter().map(|load| load.volume))),
    ])
}
