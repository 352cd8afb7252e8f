//! The filters of Pajé in SQL: reduction, repositioning and zoom. Grouping and selection are joins and
//! WHERE; the cookbook shows them.
//!
//! What they share: states as rows of containers and ticks, and containers lifted to a depth of the tree.
//!
//! ```text
//!  relation ─► container_id, type, value, start_tick, end_tick ─► [lifted] ─► aggregate ─► unnest
//! ```

pub mod active_intervals;
pub mod activity_sweep;
pub mod column_mix;
pub mod column_pixels;
pub mod concurrency;
pub mod container_lanes;
pub mod lane;
pub mod row_members;
pub mod timeline;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, TableReference, plan_err};
use datafusion::functions::math::expr_fn::round;
use datafusion::functions_aggregate::min_max::max_udaf;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition, lit, when,
};
use datafusion::prelude::{cast, col};

use super::calls::call::Call;
use super::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};
use super::calls::scanned_schemas::schemas;
use super::calls::window::TimeWindow;
use super::plans::lineage::ticks_of;
use super::time::tick_seconds;
use crate::catalog::{ALL_TRACES, type_name};

const START: ConstantParameter = ConstantParameter {
    name: "start",
    kind: ConstantKind::Moment,
    default: DefaultValue::Absent,
    accepts: Accepts::Finite,
    doc: "Start of the window in seconds; that of the trace when NULL.",
};

const STOP: ConstantParameter = ConstantParameter {
    name: "stop",
    kind: ConstantKind::Moment,
    default: DefaultValue::Absent,
    accepts: Accepts::Finite,
    doc: "End of the window in seconds; that of the trace when NULL.",
};

const TYPE: ConstantParameter = ConstantParameter {
    name: "type",
    kind: ConstantKind::Text,
    default: DefaultValue::Absent,
    accepts: Accepts::TypeName,
    doc: "Only states of this type.",
};

const DEPTH: ConstantParameter = ConstantParameter {
    name: "depth",
    kind: ConstantKind::BigInt,
    default: DefaultValue::Absent,
    accepts: Accepts::Between(0.0, i32::MAX as f64),
    doc: "Depth of the container tree; 0 is a root. A container above it stands for itself.",
};

/// The column of a relation with that name.
fn column(relation: &LogicalPlan, name: &str) -> Option<(Expr, DataType)> {
    let (qualifier, field) = relation.schema().qualified_field_with_unqualified_name(name).ok()?;
    Some((Expr::Column(Column::new(qualifier.cloned(), field.name())), field.data_type().clone()))
}

/// What a column must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberType {
    WholeNumbers,
    Numbers,
}

fn required(call: &Call<'_>, relation: &LogicalPlan, name: &str, holds: NumberType) -> Result<(Expr, DataType)> {
    let function = call.definition.name;
    let Some((expression, kind)) = column(relation, name) else {
        return plan_err!(
            "{function}: its relation has no column {name}; it needs container_id, start_time and end_time"
        );
    };
    let (fits, wanted) = match holds {
        NumberType::WholeNumbers => (kind.is_integer(), "whole numbers"),
        NumberType::Numbers => (kind.is_numeric(), "numbers"),
    };
    if !fits {
        return plan_err!("{function}: {name} of its relation must hold {wanted}, got {}", type_name(&kind));
    }
    Ok((expression, kind))
}

/// A column as text; NULL when the relation has none of that name.
fn text(relation: &LogicalPlan, name: &str) -> Expr {
    match column(relation, name) {
        Some((expression, DataType::Utf8View)) => expression,
        Some((expression, _)) => cast(expression, DataType::Utf8View),
        None => lit(ScalarValue::Utf8View(None)),
    }
}

/// A column of seconds.
struct TimeExpression {
    /// Its ticks: the stored ones when the relation has them, else the nearest.
    ticks: Expr,
    /// What a filter compares so that row groups are pruned: ticks when they are stored, else seconds.
    filtered: TimeFilterColumn,
}

enum TimeFilterColumn {
    Ticks(Expr),
    Seconds(Expr),
}

impl TimeExpression {
    fn of(call: &Call<'_>, relation: &LogicalPlan, window: &TimeWindow, seconds: &str) -> Result<TimeExpression> {
        let per_second = window.resolution.ticks_per_second();
        let stored = ticks_of(relation, seconds).filter(|ticks| ticks.per_second == per_second);
        if let Some(ticks) = stored {
            let ticks = Expr::Column(ticks.column);
            return Ok(TimeExpression { ticks: ticks.clone(), filtered: TimeFilterColumn::Ticks(ticks) });
        }
        let (seconds, kind) = required(call, relation, seconds, NumberType::Numbers)?;
        // A cast that does nothing would hide the ticks from the optimizer.
        let seconds = if kind == DataType::Float64 { seconds } else { cast(seconds, DataType::Float64) };
        let ticks = cast(round(vec![seconds.clone() * lit(per_second as f64)]), DataType::Int64);
        Ok(TimeExpression { ticks, filtered: TimeFilterColumn::Seconds(seconds) })
    }

    /// Not later than a tick, or only a little.
    fn is_until(&self, tick: i64, window: &TimeWindow) -> Expr {
        match &self.filtered {
            TimeFilterColumn::Ticks(ticks) => ticks.clone().lt_eq(lit(tick)),
            TimeFilterColumn::Seconds(seconds) => {
                seconds.clone().lt_eq(lit(window.resolution.seconds(tick.saturating_add(1))))
            }
        }
    }

    /// Not earlier than a tick, or only a little.
    fn is_from(&self, tick: i64, window: &TimeWindow) -> Expr {
        match &self.filtered {
            TimeFilterColumn::Ticks(ticks) => ticks.clone().gt_eq(lit(tick)),
            TimeFilterColumn::Seconds(seconds) => {
                seconds.clone().gt_eq(lit(window.resolution.seconds(tick.saturating_sub(1))))
            }
        }
    }
}

/// `tick_seconds(ticks, ticks_per_second)`.
fn seconds(ticks: Expr, window: &TimeWindow) -> Expr {
    (tick_seconds::FUNCTION.make)().call(vec![ticks, lit(window.resolution.ticks_per_second())])
}

/// Which rows of a relation are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowSelection {
    All,
    /// Those that touch the window, and perhaps some right beside it.
    Window,
}

/// The column trace of a relation as text, if it has one. Containers of different traces have the same ids, so a
/// relation that reads several must tell them apart.
fn trace_column(call: &Call<'_>, relation: &LogicalPlan) -> Result<Vec<Expr>> {
    let traces = traces_of(call, relation)?;
    match (column(relation, TRACE), traces.as_slice()) {
        (Some(_), _) => Ok(vec![text(relation, TRACE).alias(TRACE)]),
        (None, [one, other, ..]) => plan_err!(
            "{}: its relation reads several traces ({one}, {other}), whose containers have the same ids; \
             give one at a time, or keep the column trace of all_traces",
            call.definition.name
        ),
        (None, _) => Ok(vec![]),
    }
}

/// The traces that a relation reads.
fn traces_of(call: &Call<'_>, relation: &LogicalPlan) -> Result<Vec<String>> {
    let mut traces = schemas(relation)?;
    traces.retain(|name| call.tables.spans.contains_key(name));
    Ok(traces.into_iter().collect())
}

/// The trace of some rows, if they tell it.
fn trace_key(rows: &LogicalPlanBuilder) -> Vec<Expr> {
    let has_trace = rows.schema().has_column_with_unqualified_name(TRACE);
    if has_trace { vec![col(TRACE)] } else { vec![] }
}

/// The rows of a relation as container_id, type, value, start_tick and end_tick, of the type and value that
/// the call asks for.
fn states(
    call: &Call<'_>,
    relation: &LogicalPlan,
    window: &TimeWindow,
    span: RowSelection,
) -> Result<LogicalPlanBuilder> {
    let (container, _) = required(call, relation, "container_id", NumberType::WholeNumbers)?;
    let start = TimeExpression::of(call, relation, window, "start_time")?;
    let end = TimeExpression::of(call, relation, window, "end_time")?;
    let mut rows = LogicalPlanBuilder::from(relation.clone());
    if span == RowSelection::Window {
        let touches = start.is_until(window.stop_tick, window).and(end.is_from(window.start_tick, window));
        rows = rows.filter(touches)?;
    }
    let mut shown = trace_column(call, relation)?;
    shown.extend([
        container.alias("container_id"),
        text(relation, "type").alias("type"),
        text(relation, "value").alias("value"),
        start.ticks.alias("start_tick"),
        end.ticks.alias("end_tick"),
    ]);
    rows = rows.project(shown)?;
    for name in ["type", "value"] {
        let Some(wanted) = call.text(name) else {
            continue;
        };
        if column(relation, name).is_none() {
            return plan_err!("{}: {name} is given, but its relation has no column {name}", call.definition.name);
        }
        rows = rows.filter(col(name).eq(lit(ScalarValue::Utf8View(Some(wanted.to_string())))))?;
    }
    Ok(rows)
}

/// The containers of the traces that a relation reads; of several, with the trace as [`TREE`].
fn containers_of(call: &Call<'_>, relation: &LogicalPlan) -> Result<LogicalPlan> {
    let of_schema = |schema: &str| call.tables.find(&TableReference::partial(schema, "containers"));
    let mut shown =
        ["container_id", "name", "depth", "preorder", "last_descendant", "leaves", "is_leaf"].map(col).to_vec();
    let containers = match traces_of(call, relation)?.as_slice() {
        [] => call.table("containers")?,
        [trace] => of_schema(trace)?,
        _ => {
            shown.push(cast(col(TRACE), DataType::Utf8View).alias(TREE));
            of_schema(ALL_TRACES)?
        }
    };
    LogicalPlanBuilder::from(containers).project(shown)?.build()
}

/// The column of the trace that a tree is of, if there are several.
fn tree_column(containers: &LogicalPlan) -> Vec<Expr> {
    column(containers, TREE).map(|(tree, _)| tree).into_iter().collect()
}

/// A condition, and that rows and tree are of one trace if there are several.
fn within_trace(condition: Expr, containers: &LogicalPlan) -> Expr {
    tree_column(containers).into_iter().fold(condition, |condition, tree| condition.and(col(TRACE).eq(tree)))
}

const TRACE: &str = "trace";
/// The trace of a container.
const TREE: &str = "tree_trace";
/// The preorder of the container that stands for another.
const STAND_IN: &str = "stand_in";
/// How many leaves a state of a container counts for.
const WEIGHT: &str = "weight";
/// Where a row comes in a picture.
const PLACE: &str = "place";

/// Adds [`STAND_IN`] and [`WEIGHT`] to rows with a container_id.
///
/// In preorder, the ancestor at some depth is the last container of that depth so far:
/// ```text
///  preorder  0  1  2  3  4  5  6
///  depth     0  1  2  2  1  2  1
///  at 1      0  1  1  1  4  4  6      the root stands for itself
/// ```
fn lifted(rows: LogicalPlanBuilder, containers: LogicalPlan, depth: i64) -> Result<LogicalPlanBuilder> {
    let of_depth = when(col("depth").eq(lit(depth)), col("preorder")).end()?;
    let so_far = WindowFrame::new_bounds(
        WindowFrameUnits::Rows,
        WindowFrameBound::Preceding(ScalarValue::UInt64(None)),
        WindowFrameBound::CurrentRow,
    );
    let last = Expr::from(WindowFunction::new(WindowFunctionDefinition::AggregateUDF(max_udaf()), vec![of_depth]))
        .partition_by(tree_column(&containers))
        .order_by(vec![col("preorder").sort(true, false)])
        .window_frame(so_far)
        .build()?;
    let stand_in = when(col("depth").lt(lit(depth)), col("preorder")).otherwise(col("last_of_depth"))?;
    let mut shown = tree_column(&containers);
    let is_member = within_trace(col("member_id").eq(col("container_id")), &containers);
    shown.extend([
        col("container_id").alias("member_id"),
        stand_in.alias(STAND_IN),
        cast(col("leaves"), DataType::Int64).alias(WEIGHT),
    ]);
    let members = LogicalPlanBuilder::from(containers).window(vec![last.alias("last_of_depth")])?.project(shown)?;
    members.join_on(rows.build()?, JoinType::Inner, Some(is_member))
}

/// Joins groups with the containers whose preorder is [`STAND_IN`].
fn with_stand_ins(groups: LogicalPlanBuilder, containers: LogicalPlan) -> Result<LogicalPlanBuilder> {
    let is_stand_in = within_trace(col(STAND_IN).eq(col("preorder")), &containers);
    let mut shown = tree_column(&containers);
    shown.extend([col("preorder"), col("container_id"), col("name").alias("container"), col("leaves")]);
    let containers = LogicalPlanBuilder::from(containers).project(shown)?.build()?;
    groups.join_on(containers, JoinType::Inner, Some(is_stand_in))
}
