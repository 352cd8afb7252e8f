//! `comm_graph([links], start, stop, depth)`: who sends to whom, at any level of the tree.
//!
//! ```text
//!  links ─► one row per pair of ends ─► ends become their ancestors at the depth
//!        ─► each pair as an edge, and as a part of its two nodes ─► sums ─► names
//! ```

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, TableReference};
use datafusion::functions::core::expr_fn::{get_field, named_struct};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use super::required_column;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::lineage::ticks_of;
use crate::functions::time::tick_seconds;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_graph",
        family: "layout",
        form: Form::Table,
        description: "Adds up messages as a graph: the containers that communicate, and the directed edges between them.",
        notes: "A row of kind edge has a source and a target; a row of kind node has no target and adds up what \
                its container sends and receives. Messages within a container of the chosen depth are an edge \
                from it to itself, and count once for its node. Only links wholly between start and stop count. \
                Links without a known source or target, and containers that do not communicate, give no row. Its \
                rows are what graph_layout reads. Reads the tree of the current trace; write lu.comm_graph() for \
                another. Row order is unspecified.",
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
                doc: "No link that starts earlier counts, in seconds; NULL for the start of the trace.",
            },
            ConstantParameter {
                name: "stop",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "No link that ends later counts, in seconds; NULL for the end of the trace.",
            },
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, 1e9),
                doc: "Deepest level to show; containers below are added to it. NULL for the ends of links as they are.",
            },
        ],
        columns: &[
            OutputColumn { name: "kind", kind: "TEXT", doc: "node or edge." },
            OutputColumn { name: "source_id", kind: "INTEGER", doc: "Container of the node, or that sends." },
            OutputColumn { name: "source", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "Container that receives; NULL for a node." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Its name; NULL for a node." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "How many links." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Sum of their volumes; NULL when none has one." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Sum of their durations." },
        ],
        examples: &[
            "SELECT kind, source, target, messages, volume FROM comm_graph(depth => 1) ORDER BY source, target",
        ],
    },
    plan,
};

const MESSAGES: &str = "messages";
const VOLUME: &str = "volume";
const TICKS: &str = "seconds";
const ENDS: [&str; 2] = ["source_id", "target_id"];
const PARTS: &str = "parts";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    graph(&call, call.relation(0)?, call.big_int("depth"))
}

/// The graph of some links at a depth; `start` and `stop` are those of the call.
pub(super) fn graph(call: &Call<'_>, links: LogicalPlan, depth: Option<i64>) -> Result<LogicalPlan> {
    let (duration, rate) = duration(call, &links)?;
    let pairs = LogicalPlanBuilder::from(inside(call, links.clone())?)
        .project(vec![
            cast(required_column(call, &links, ENDS[0])?, DataType::Int32).alias(ENDS[0]),
            cast(required_column(call, &links, ENDS[1])?, DataType::Int32).alias(ENDS[1]),
            cast(required_column(call, &links, VOLUME)?, DataType::Float64).alias(VOLUME),
            duration.alias(TICKS),
        ])?
        .aggregate(
            ENDS.map(col),
            vec![
                count(lit(1)).alias(MESSAGES),
                sum(col(VOLUME)).alias("pair_volume"),
                sum(col(TICKS)).alias("pair_seconds"),
            ],
        )?
        .project(vec![
            col(ENDS[0]),
            col(ENDS[1]),
            col(MESSAGES),
            col("pair_volume").alias(VOLUME),
            col("pair_seconds").alias(TICKS),
        ])?
        .build()?;
    let pairs = match depth {
        None => pairs,
        Some(depth) => at_depth(call, pairs, depth)?,
    };
    named(call, nodes_and_edges(pairs)?, rate)
}

/// The links wholly between start and stop, as far as those are given.
pub(super) fn inside(call: &Call<'_>, links: LogicalPlan) -> Result<LogicalPlan> {
    let bound = |name: &str| call.constant(name).and_then(|constant| constant.as_double());
    let (start, stop) = (bound("start"), bound("stop"));
    if start.is_some() || stop.is_some() {
        TimeWindow::of_call(call, &links)?;
    }
    let mut plan = LogicalPlanBuilder::from(links.clone());
    if let Some(start) = start {
        plan = plan.filter(required_column(call, &links, "start_time")?.gt_eq(lit(start)))?;
    }
    if let Some(stop) = stop {
        plan = plan.filter(required_column(call, &links, "end_time")?.lt_eq(lit(stop)))?;
    }
    plan.build()
}

/// The duration of a link in ticks, and how many make a second; in seconds when there are no ticks.
fn duration(call: &Call<'_>, links: &LogicalPlan) -> Result<(Expr, Option<i64>)> {
    if let (Some(start), Some(end)) = (ticks_of(links, "start_time"), ticks_of(links, "end_time"))
        && start.per_second == end.per_second
    {
        return Ok((Expr::Column(end.column) - Expr::Column(start.column), Some(start.per_second)));
    }
    let (start, end) = (required_column(call, links, "start_time")?, required_column(call, links, "end_time")?);
    Ok((cast(end, DataType::Float64) - cast(start, DataType::Float64), None))
}

/// Replaces both ends of pairs by their ancestors at a depth.
fn at_depth(call: &Call<'_>, pairs: LogicalPlan, depth: i64) -> Result<LogicalPlan> {
    let mut plan = LogicalPlanBuilder::from(pairs);
    for end in ENDS {
        let others = ENDS.into_iter().filter(|other| *other != end).chain([MESSAGES, VOLUME, TICKS]).map(col);
        let shown: Vec<Expr> = others.chain([col("shown_id").alias(end)]).collect();
        plan =
            plan.join(shown_at(call, depth)?, JoinType::Inner, (vec![end], vec!["below_id"]), None)?.project(shown)?;
    }
    plan.build()
}

/// Pairs of `below_id` and `shown_id`: every container with the one that stands for it at a depth.
fn shown_at(call: &Call<'_>, depth: i64) -> Result<LogicalPlan> {
    let at_level = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(col("depth").eq(lit(depth)))?
        .project(vec![col("container_id").alias("shown_id")])?
        .build()?;
    let above = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(col("depth").lt(lit(depth)))?
        .project(vec![col("container_id").alias("below_id"), col("container_id").alias("shown_id")])?
        .build()?;
    LogicalPlanBuilder::from(call.table("container_ancestors")?)
        .project(vec![col("container_id").alias("below_id"), col("ancestor_id")])?
        .join(at_level, JoinType::Inner, (vec!["ancestor_id"], vec!["shown_id"]), None)?
        .project(vec![col("below_id"), col("shown_id")])?
        .union(above)?
        .build()
}

/// Adds each pair to its edge and to its two nodes.
fn nodes_and_edges(pairs: LogicalPlan) -> Result<LogicalPlan> {
    let part = |source: Expr, target: Expr| named_struct(vec![lit(ENDS[0]), source, lit(ENDS[1]), target]);
    let nobody = || lit(ScalarValue::Int32(None));
    let edge = || part(col(ENDS[0]), col(ENDS[1]));
    let (from, to) = (part(col(ENDS[0]), nobody()), part(col(ENDS[1]), nobody()));
    let parts = when(col(ENDS[0]).eq(col(ENDS[1])), make_array(vec![edge(), from.clone()]))
        .otherwise(make_array(vec![edge(), from, to]))?;
    LogicalPlanBuilder::from(pairs)
        .filter(col(ENDS[0]).is_not_null().and(col(ENDS[1]).is_not_null()))?
        .project(vec![parts.alias(PARTS), col(MESSAGES), col(VOLUME), col(TICKS)])?
        .unnest_column(PARTS)?
        .project(vec![
            get_field(col(PARTS), ENDS[0]).alias(ENDS[0]),
            get_field(col(PARTS), ENDS[1]).alias(ENDS[1]),
            col(MESSAGES),
            col(VOLUME),
            col(TICKS),
        ])?
        .aggregate(
            ENDS.map(col),
            vec![
                sum(col(MESSAGES)).alias("all_messages"),
                sum(col(VOLUME)).alias("all_volume"),
                sum(col(TICKS)).alias("all_seconds"),
            ],
        )?
        .build()
}

/// The columns of the answer, with names of containers.
fn named(call: &Call<'_>, graph: LogicalPlan, rate: Option<i64>) -> Result<LogicalPlan> {
    let names = |alias: &str| {
        LogicalPlanBuilder::from(call.table("containers")?)
            .project(vec![col("container_id"), col("name")])?
            .alias(alias)?
            .build()
    };
    let of = |alias: &str, name: &str| Expr::Column(Column::new(Some(TableReference::bare(alias)), name));
    let kind = when(col(ENDS[1]).is_null(), text("node")).otherwise(text("edge"))?;
    let seconds = match rate {
        Some(rate) => Arc::new((tick_seconds::FUNCTION.make)()).call(vec![col("all_seconds"), lit(rate)]),
        None => col("all_seconds"),
    };
    LogicalPlanBuilder::from(graph)
        .join_on(names("sources")?, JoinType::Inner, [col(ENDS[0]).eq(of("sources", "container_id"))])?
        .join_on(names("targets")?, JoinType::Left, [col(ENDS[1]).eq(of("targets", "container_id"))])?
        .project(vec![
            kind.alias("kind"),
            col(ENDS[0]),
            of("sources", "name").alias("source"),
            col(ENDS[1]),
            of("targets", "name").alias("target"),
            col("all_messages").alias(MESSAGES),
            col("all_volume").alias(VOLUME),
            seconds.alias(TICKS),
        ])?
        .build()
}

fn text(text: &str) -> Expr {
    lit(ScalarValue::Utf8View(Some(text.to_string())))
}
