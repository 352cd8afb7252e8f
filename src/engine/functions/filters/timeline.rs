//! `timeline([states], …)`: states as so many columns of a screen.
//!
//! ```text
//!  states of the window ─► [lift to a depth, or fold into rows] ─► column_mix by container and type ─► names ─► unnest
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_datafusion_err, plan_err};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::column_pixels::{PIXELS, column_pixels};
use super::row_members::row_members;
use super::{
    DEPTH, PLACE, RowSelection, STAND_IN, START, STOP, TYPE, WEIGHT, column, column_mix, containers_of, lifted,
    seconds, states, trace_key, tree_column, with_stand_ins, within_trace,
};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, NO_RELATION, OutputColumn,
    RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::unnest::unnest_lists;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "timeline",
        family: "filters",
        form: Form::Table,
        description: "Reduces the states of each container to a given number of columns, however many states there are.",
        notes: "The zoom filter of Pajé: the window from start to stop is cut into width columns of equal length (a \
                window of fewer ticks has a column per tick). What is shorter than a column is summarized into the \
                value that has most of its time, of equal ones the first by name. Columns that hold the same are \
                one row: a long state is one row, however many columns it fills. With values => 'all', a span has a row for each \
                value that occurs in it: their shares add up to covered, and what is missing to 1 is time in no state. \
                Columns without states are omitted, so a container and type have at most width spans. Only the row groups of the window are read. \
                The default relation is state_segments, where the innermost of nested states counts at each instant; \
                of overlapping states, such as those of the table states, each counts, and covered may exceed 1. A \
                state without length touches its column and adds no time to it. With depth, containers below are \
                lifted to the one at that depth, and share and covered are means over its leaves; a state of a \
                container that is no leaf counts for all leaves below it. With rows, every container that it lists is a row, and \
                every other one is folded into the nearest container above it that is listed; what has none above it is omitted. \
                The leaves of a row are those that are folded into it, itself included, so each leaf counts in one row; a state of a container that \
                is no leaf counts for the leaves of its row that are below it. A row without leaves, below which all is \
                listed, shows its own states alone. Times are counted on ticks, or on seconds \
                rounded to ticks when the relation has no ticks. With height, a column is that many pixels high, and its values share them by largest remainders (of equal ones the one \
                with more time first, then by name), so that their pixels add up to height times covered, rounded, and to one at \
                least; where one value would have them all, the second has one as well, if height is at least 4: one more where the column has room, else one of the first. Containers of different traces are told apart by a \
                column trace, which then comes first. Row order is unspecified.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("state_segments"),
                doc: "Rows with container_id, value, start_time and end_time, and type.",
            },
            RelationParameter {
                name: ROWS,
                default: Some(NO_RELATION),
                doc: "The containers that are rows of the picture: container_id, and perhaps place, a number by which they are ordered.",
            },
        ],
        constants: &[
            START,
            STOP,
            ConstantParameter {
                name: "width",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(1000),
                accepts: Accepts::Between(1.0, column_mix::MOST_COLUMNS as f64),
                doc: "How many columns.",
            },
            DEPTH,
            TYPE,
            ConstantParameter {
                name: VALUES,
                kind: ConstantKind::Text,
                default: DefaultValue::Text("mode"),
                accepts: Accepts::OneOf(&["mode", "all"]),
                doc: "mode: a row per span, with the value of most time; all: a row per span and value that occurs in it.",
            },
            ConstantParameter {
                name: HEIGHT,
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(1.0, MOST_PIXELS),
                doc: "How many pixels a column is high, for the column pixels.",
            },
        ],
        columns: &[
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "The container, or with depth or rows the one that stands for others.",
            },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the states." },
            OutputColumn { name: "first_column", kind: "INTEGER", doc: "First column of the span, counted from 0." },
            OutputColumn { name: "last_column", kind: "INTEGER", doc: "Last column of the span." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Where the first column begins." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "Where the last column ends." },
            OutputColumn {
                name: "value",
                kind: "TEXT",
                doc: "The value with most time in the span, or with values => 'all' one that occurs.",
            },
            OutputColumn { name: "share", kind: "DOUBLE", doc: "Time of that value over the length of the span." },
            OutputColumn { name: "covered", kind: "DOUBLE", doc: "Time of all values over the length of the span." },
            OutputColumn { name: "states", kind: "BIGINT", doc: "How many states touch the span." },
            OutputColumn { name: "exact", kind: "BOOLEAN", doc: "Whether one state alone fills it." },
            OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time in ticks." },
            OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time in ticks." },
            OutputColumn {
                name: PLACE,
                kind: "BIGINT",
                doc: "With rows, where the row comes, from 0: by its place, those without one last, then by the tree. Else NULL.",
            },
            OutputColumn {
                name: PIXELS,
                kind: "INTEGER",
                doc: "With height, how many of its pixels the value has. Else NULL.",
            },
        ],
        examples: &["SELECT container, first_column, last_column, value, round(share, 3) AS share, states, exact \
             FROM timeline(width => 4, type => 'State') ORDER BY container, first_column"],
    },
    plan,
};

const HEIGHT: &str = "height";
const MOST_PIXELS: f64 = 10_000.0;
const ROWS: &str = "rows";
const SPANS: &str = "spans";
const VALUES: &str = "values";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &relation)?;
    let width = call.big_int("width").ok_or_else(|| internal_datafusion_err!("timeline has no width"))?;
    let containers = containers_of(&call, &relation)?;
    if column(&relation, "value").is_none() {
        return plan_err!(
            "timeline: its relation has no column value; it needs container_id, value, start_time and end_time"
        );
    }
    let mut rows = states(&call, &relation, &window, RowSelection::Window)?;
    // An instant at the very end of the window belongs to it when nothing comes later.
    if !window.reaches_end {
        rows = rows.filter(col("start_tick").lt(lit(window.stop_tick)))?;
    }
    let mix = |weight: Expr| {
        let constants = [window.start_tick, window.stop_tick, width].map(lit);
        let arguments = [col("start_tick"), col("end_tick"), col("value"), weight].into_iter().chain(constants);
        let function = match call.text(VALUES) {
            Some("all") => column_mix::column_values(),
            _ => (column_mix::FUNCTION.make)(),
        };
        function.call(arguments.collect()).alias(SPANS)
    };
    let mut keys = trace_key(&rows);
    keys.push(col("type"));
    let listed = call.relation(1)?;
    let has_rows = !listed.schema().fields().is_empty();
    let groups = match call.big_int("depth") {
        Some(_) if has_rows => return plan_err!("timeline: depth and rows both say what is a row; give one of them"),
        None if has_rows => {
            keys.extend(["row_id", "row_leaves", PLACE].map(col));
            let members = LogicalPlanBuilder::from(row_members(&call, containers.clone(), &listed)?);
            let is_member = col("member_id").eq(col("container_id"));
            let rows = members.join_on(rows.build()?, JoinType::Inner, Some(is_member))?;
            let groups = rows.aggregate(keys, vec![mix(col(WEIGHT))])?;
            with_row_names(groups, containers)?
        }
        None => {
            keys.push(col("container_id"));
            let groups = rows.aggregate(keys, vec![mix(lit(1_i64))])?;
            with_names(groups, containers)?
        }
        Some(depth) => {
            keys.push(col(STAND_IN));
            let rows = lifted(rows, containers.clone(), depth)?;
            let groups = rows.aggregate(keys, vec![mix(col(WEIGHT))])?;
            without_place(with_stand_ins(groups, containers)?)?
        }
    };
    shown(groups, &window, call.big_int(HEIGHT))
}

/// Adds the name of each container, and counts it as one leaf.
fn with_names(groups: LogicalPlanBuilder, containers: LogicalPlan) -> Result<LogicalPlanBuilder> {
    let is_named = within_trace(col("container_id").eq(col("named_id")), &containers);
    let mut named = tree_column(&containers);
    named.extend([col("container_id").alias("named_id"), col("name").alias("container")]);
    let containers = LogicalPlanBuilder::from(containers).project(named)?.build()?;
    let mut shown = trace_key(&groups);
    shown.extend([col("container_id"), col("container"), lit(1_i32).alias("leaves"), col("type"), col(SPANS)]);
    without_place(groups.join_on(containers, JoinType::Left, Some(is_named))?.project(shown)?)
}

/// Groups of rows that nobody listed.
fn without_place(groups: LogicalPlanBuilder) -> Result<LogicalPlanBuilder> {
    let mut shown: Vec<Expr> = groups.schema().columns().into_iter().map(Expr::Column).collect();
    shown.push(lit(ScalarValue::Int64(None)).alias(PLACE));
    groups.project(shown)
}

/// Adds the name of each row.
fn with_row_names(groups: LogicalPlanBuilder, containers: LogicalPlan) -> Result<LogicalPlanBuilder> {
    let named = vec![col("container_id").alias("named_id"), col("name").alias("container")];
    let containers = LogicalPlanBuilder::from(containers).project(named)?.build()?;
    let mut shown = trace_key(&groups);
    shown.extend([
        col("row_id").alias("container_id"),
        col("container"),
        col("row_leaves").alias("leaves"),
        col("type"),
        col(PLACE),
        col(SPANS),
    ]);
    groups.join_on(containers, JoinType::Inner, Some(col("row_id").eq(col("named_id"))))?.project(shown)
}

fn shown(groups: LogicalPlanBuilder, window: &TimeWindow, height: Option<i64>) -> Result<LogicalPlan> {
    let of_span = |name: &str| get_field(col(SPANS), name);
    let per_leaf = |name: &str| of_span(name) / cast(col("leaves"), DataType::Float64);
    let (start, end) = (of_span("start_tick"), of_span("end_tick"));
    let mut shown = trace_key(&groups);
    shown.extend([
        col("container_id"),
        col("container"),
        col("type"),
        of_span("first_column").alias("first_column"),
        of_span("last_column").alias("last_column"),
        seconds(start.clone(), window).alias("start_time"),
        seconds(end.clone(), window).alias("end_time"),
        of_span("value").alias("value"),
        per_leaf("amount").alias("share"),
        per_leaf("covered").alias("covered"),
        of_span("states").alias("states"),
        of_span("alone").eq(cast(col("leaves"), DataType::Int64)).alias("exact"),
        start.alias("start_tick"),
        end.alias("end_tick"),
        col(PLACE),
        height.map_or(lit(ScalarValue::Int32(None)), |_| of_span(PIXELS)).alias(PIXELS),
    ]);
    let groups = match height {
        Some(height) => with_pixels(groups, height)?,
        None => groups,
    };
    unnest_lists(groups, SPANS, &["type"])?.project(shown)?.build()
}

/// Spans with the pixels of their values.
fn with_pixels(groups: LogicalPlanBuilder, height: i64) -> Result<LogicalPlanBuilder> {
    let mut shown: Vec<Expr> = groups.schema().columns().into_iter().map(Expr::Column).collect();
    shown.retain(|column| column.qualified_name().1 != SPANS);
    let leaves = cast(col("leaves"), DataType::Float64);
    shown.push(column_pixels().call(vec![col(SPANS), leaves, lit(height)]).alias(SPANS));
    groups.project(shown)
}
