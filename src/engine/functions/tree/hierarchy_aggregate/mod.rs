//! `hierarchy_aggregate(relation, …)`: measures of containers, aggregated to all their ancestors.
//!
//! ```text
//!  relation ─► aggregate per container and keys        where the aggregate can be put together again
//!           ─► join container_ancestors: one row per container and ancestor
//!           ─► aggregate per ancestor and keys
//!           ─► join containers: name, type and depth of the ancestor
//! ```
//! Common aggregates by texts take a shorter way up the container tree when memory has no limit:
//! [`subtree_cells`] replaces the steps before the last.
//! With an attached hierarchy, its nodes above the machine of a container are the ancestors.

mod aggregate_steps;
mod measured_relation;
mod subtree_cells;

pub(crate) use subtree_cells::SUBTREE_FUNCTIONS;

use datafusion::common::{Column, Result, TableReference, internal_err, plan_datafusion_err};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use self::aggregate_steps::AggregateSteps;
use self::measured_relation::{CONTAINER_ID, MEASURED, MeasuredRelation, from};
pub(crate) use self::subtree_cells::subtree_cells;
use super::{MOST_DEPTH, trace_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::tree::attached_tree::{self, HIERARCHY};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "hierarchy_aggregate",
        family: "tree",
        form: Form::Table,
        description: "Aggregates measures of containers to all their ancestors.",
        notes: "Every container whose subtree has rows gives one row for each combination of the other columns of \
                the relation: all but container_id, container and the measures. So a measure that is not named is \
                a column to group by: name it, or leave it out of the relation. The aggregate of a container is \
                over the rows of its whole subtree, its own included: avg is the mean of rows, not of means. \
                Any aggregate of one argument will do, also one that the program registered. NULL is treated as the \
                aggregate does. Rows whose container_id is NULL or no container of the trace are omitted. The \
                containers are those of the trace that the relation reads. depth => k omits what lies deeper: \
                containers at depth k stand for their subtrees, and leaves above stay. sum, count, min, max, avg and \
                the boolean and bitwise aggregates are computed per container first and cost little more than a \
                GROUP BY; the rest see every row once per ancestor. Row order is unspecified.",
        relations: &[RelationParameter {
            name: "relation",
            default: None,
            doc: "A table, a view or a query in parentheses with a column container_id and the measures.",
        }],
        constants: &[
            ConstantParameter {
                name: "measure",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("seconds"),
                accepts: Accepts::Anything,
                doc: "The columns to aggregate, separated by commas.",
            },
            ConstantParameter {
                name: "agg",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("sum"),
                accepts: Accepts::Anything,
                doc: "Name of an aggregate function of one argument: sum, min, max, avg, count, median, …",
            },
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, MOST_DEPTH),
                doc: "Depth at which the tree is cut; NULL for the whole tree.",
            },
            HIERARCHY,
        ],
        columns: &[
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "container_type", kind: "TEXT", doc: "Name of its container type." },
            OutputColumn {
                name: "depth",
                kind: "INTEGER",
                doc: "Distance from the root; 0 for a root. The other columns of the relation come next.",
            },
            OutputColumn {
                name: "seconds",
                kind: "DOUBLE",
                doc: "The measures, with the names and in the order that were given; their type is that of the aggregate.",
            },
        ],
        examples: &["SELECT container, value, seconds FROM hierarchy_aggregate((SELECT container_id, value, \
             least(end_time, 11) - greatest(start_time, 2) AS seconds FROM states WHERE start_time < 11 AND end_time > 2)) \
             ORDER BY container_id, value"],
    },
    plan,
};

const ANCESTORS: &str = "ancestors";
const TOTALS: &str = "totals";
const NODES: &str = "nodes";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let trace = trace_of(&relation, &call)?;
    let (Some(measures), Some(name)) = (call.text("measure"), call.text("agg")) else {
        return internal_err!("hierarchy_aggregate has no measure or no agg");
    };
    let shape = MeasuredRelation::of(relation, measures)?;
    let aggregate = call.aggregates.find(name).map_err(|suggestion| {
        plan_datafusion_err!("hierarchy_aggregate: agg must be an aggregate function, got '{name}'{suggestion}")
    })?;
    let pieces = AggregateSteps::of(&aggregate, &shape)?;
    let has_short_way = call.limits.memory.is_none() && call.text(HIERARCHY.name).is_none();
    let totals = match &pieces.cells {
        Some(cells) if has_short_way => {
            subtree_cells::rolled_up(&shape, cells, of_trace(&call, &trace, "containers")?)?
        }
        _ => per_ancestor(pieces.per_container(&shape)?, &shape, &pieces, ancestors(&call, &trace)?)?,
    };
    let totals = LogicalPlanBuilder::from(totals).alias(TOTALS)?.build()?;
    with_container(totals, &shape, &pieces, nodes(&call, &trace)?)
}

fn of_trace(call: &Call<'_>, trace: &str, table: &str) -> Result<LogicalPlan> {
    call.tables.find(&TableReference::partial(trace, table))
}

/// The containers of the trace, or the nodes of the hierarchy that the call names.
fn containers(call: &Call<'_>, trace: &str) -> Result<LogicalPlan> {
    let Some(hierarchy) = call.text(HIERARCHY.name) else {
        return of_trace(call, trace, "containers");
    };
    LogicalPlanBuilder::from(attached_tree::nodes(call, trace, hierarchy)?)
        .project(vec![col("node_id").alias(CONTAINER_ID), col("name"), col("type"), col("depth")])?
        .build()
}

/// Containers and their ancestors down to the depth that the call asks for.
fn ancestors(call: &Call<'_>, trace: &str) -> Result<LogicalPlan> {
    let all = match call.text(HIERARCHY.name) {
        None => of_trace(call, trace, "container_ancestors")?,
        Some(hierarchy) => machine_ancestors(call, trace, hierarchy)?,
    };
    let all = LogicalPlanBuilder::from(all).alias(ANCESTORS)?;
    match call.big_int("depth") {
        Some(depth) => all.filter(col("ancestor_depth").lt_eq(lit(depth)))?.build(),
        None => all.build(),
    }
}

/// Containers or nodes down to the depth that the call asks for.
fn nodes(call: &Call<'_>, trace: &str) -> Result<LogicalPlan> {
    let all = LogicalPlanBuilder::from(containers(call, trace)?).alias(NODES)?;
    match call.big_int("depth") {
        Some(depth) => all.filter(from(NODES, "depth").lt_eq(lit(depth)))?.build(),
        None => all.build(),
    }
}

/// Containers and the nodes of a hierarchy at and above their machines.
fn machine_ancestors(call: &Call<'_>, trace: &str, hierarchy: &str) -> Result<LogicalPlan> {
    let lines = attached_tree::ancestors(call, trace, hierarchy)?;
    LogicalPlanBuilder::from(attached_tree::residents(call, trace)?)
        .join(lines, JoinType::Inner, (vec!["machine"], vec!["line_of"]), None)?
        .project(vec![col("resident_id").alias(CONTAINER_ID), col("ancestor_id"), col("ancestor_depth")])?
        .build()
}

fn per_ancestor(
    rows: LogicalPlan,
    shape: &MeasuredRelation,
    pieces: &AggregateSteps,
    ancestors: LogicalPlan,
) -> Result<LogicalPlan> {
    let own = Column::new(Some(MEASURED), CONTAINER_ID);
    let below = Column::new(Some(ANCESTORS), CONTAINER_ID);
    let ancestor = Expr::Column(Column::new(Some(ANCESTORS), "ancestor_id"));
    let mut kept = vec![ancestor.alias(CONTAINER_ID)];
    kept.extend(shape.keys.iter().chain(&pieces.columns).map(|name| from(MEASURED, name)));
    let mut groups = vec![Expr::Column(Column::new_unqualified(CONTAINER_ID))];
    groups.extend(shape.keys.iter().map(|name| from(MEASURED, name)));
    LogicalPlanBuilder::from(rows)
        .join(ancestors, JoinType::Inner, (vec![own], vec![below]), None)?
        .project(kept)?
        .aggregate(groups, pieces.merged.clone())?
        .build()
}

fn with_container(
    totals: LogicalPlan,
    shape: &MeasuredRelation,
    pieces: &AggregateSteps,
    nodes: LogicalPlan,
) -> Result<LogicalPlan> {
    let keys = (vec![Column::new(Some(TOTALS), CONTAINER_ID)], vec![Column::new(Some(NODES), CONTAINER_ID)]);
    let mut shown = vec![
        from(NODES, CONTAINER_ID),
        from(NODES, "name").alias("container"),
        from(NODES, "type").alias("container_type"),
        from(NODES, "depth"),
    ];
    shown.extend(shape.keys.iter().map(|name| from(TOTALS, name)));
    shown.extend(pieces.finished(TOTALS).into_iter().zip(&shape.measures).map(|(value, name)| value.alias(name)));
    LogicalPlanBuilder::from(totals).join(nodes, JoinType::Inner, keys, None)?.project(shown)?.build()
}
