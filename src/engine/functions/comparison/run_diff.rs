//! `run_diff(left, right, slices, depth, by)`: two traces compared, state by state.
//!
//! ```text
//!  containers of left and right ─► pairs ─► how many match: none is an error ───────────────────┐
//!                                    │                                                          │
//!  state_slices(left.state_segments) ┼► add up by container ─► share of the slice ─┐            ├─► cross join
//!                                    │                                             ├► full join ┘
//!  state_slices(right.state_segments)┴► add up by container ─► share of the slice ─┘
//! ```
//! A pair is a container of each trace, or of one alone: the other is NULL, and NULL equals nothing in a join.

use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit, when};
use datafusion::prelude::col;

use super::compared_run::{ComparedRun, MatchBy, prefixed};
use super::run_diff_match::RunDiffMatch;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::SLICES;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "run_diff",
        family: "comparison",
        form: Form::Table,
        description: "Compares two traces of the store: how much of the time each container was in each state.",
        notes: "run_diff('before') compares the current trace with another. Each trace is cut into the same number of slices, so that a run of 10 seconds and one of 20 are \
                compared tenth by tenth with slices => 10. Containers are matched by path, by name, or by position: the \
                n-th of its type in the order of the tree. Of several with one path or name, the first matches the first \
                of the other trace, and so on: they are not mixed. matched says how many containers with states have \
                a partner; when none has, the query fails and says which by would match. Time is that of the \
                innermost state (state_segments), and a share is of the length of the slice, so that a run that is \
                as a whole slower has the same shares. With depth, times are added up to the containers at \
                that depth (or to those above it that hold none so deep), and a share is the mean of the containers \
                with states of the type below: so runs with different numbers of processes can be compared. A state \
                that the partner is never in counts with zero; a container without partner has NULL on the other side. \
                What neither run has gives no row. Row order is unspecified.",
        relations: &[],
        constants: &[
            trace("left", "Name of the baseline; the current trace when absent."),
            trace("right", "Name of the other run; the current trace when absent."),
            SLICES,
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, i32::MAX as f64),
                doc: "Depth of the containers that are compared; without it, those that have the states.",
            },
            ConstantParameter {
                name: "by",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("path"),
                accepts: Accepts::OneOf(&["path", "name", "position"]),
                doc: "How containers are matched: by path, by name, or the n-th of a type with the n-th.",
            },
        ],
        columns: &[
            column("slice", "BIGINT", "Slice index in both traces, from 0."),
            column(
                "path",
                "TEXT",
                "Path of the container in the baseline; in the other run where the baseline has none.",
            ),
            column("type", "TEXT", "Type of the state."),
            column("value", "TEXT", "Name of the state."),
            column("left_seconds", "DOUBLE", "Time in the state, in the slice of the baseline."),
            column("right_seconds", "DOUBLE", "Time in the state, in the slice of the other run."),
            column("left_share", "DOUBLE", "left_seconds / length of the slice of the baseline."),
            column("right_share", "DOUBLE", "right_seconds / length of the slice of the other run."),
            column("difference", "DOUBLE", "right_share - left_share; NULL for a container without partner."),
            column("right_path", "TEXT", "Path of the container in the other run; NULL where it has none."),
            column("matched", "BIGINT", "How many containers with states have a partner: the same in every row."),
            column("left_containers", "BIGINT", "How many containers of the baseline have states."),
            column("right_containers", "BIGINT", "How many containers of the other run have states."),
        ],
        examples: &[
            "SELECT path, value, left_seconds, right_seconds, right_share FROM run_diff('nested', 'nested_again') \
             ORDER BY path, value",
            "SELECT path, right_path, value, left_seconds, right_seconds, matched \
             FROM run_diff('one_rank_per_host', 'one_rank_per_host_again', by => 'name') \
             WHERE difference <> 0 ORDER BY path, value",
        ],
    },
    plan,
};

const fn trace(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter { name, kind: ConstantKind::Text, default: DefaultValue::Absent, accepts: Accepts::Anything, doc }
}

const fn column(name: &'static str, kind: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind, doc }
}

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (left, right) = (ComparedRun::new(&call, "left"), ComparedRun::new(&call, "right"));
    let by = call.text("by").and_then(MatchBy::of);
    let by = by.ok_or_else(|| internal_datafusion_err!("run_diff has no by"))?;
    let rows = rows(&left, &right, by)?;
    let counts = LogicalPlanBuilder::from(counts(&left, &right, by)?);
    let shown: Vec<Expr> = call.definition.columns.iter().map(|column| col(column.name)).collect();
    counts.cross_join(rows)?.project(shown)?.build()
}

/// The containers of both traces, each beside its partner: left_id and left_path, right_id and right_path.
fn pairs(left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>, by: MatchBy) -> Result<LogicalPlan> {
    let keys = |side: &str| ["key", "number"].map(|name| prefixed(side, name)).to_vec();
    LogicalPlanBuilder::from(left.members(by)?)
        .join(right.members(by)?, JoinType::Full, (keys("left"), keys("right")), None)?
        .project([col("left_id"), col("left_path"), col("right_id"), col("right_path")])?
        .build()
}

/// One row: how many containers match, and how many there are. Fails when there are some and none match.
fn counts(left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>, by: MatchBy) -> Result<LogicalPlan> {
    let mut counts = LogicalPlanBuilder::from(counts_by(left, right, MatchBy::ALL[0])?);
    for other in &MatchBy::ALL[1..] {
        counts = counts.cross_join(counts_by(left, right, *other)?)?;
    }
    let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
    let mut arguments = vec![text(left.trace), text(right.trace), text(by.name())];
    arguments.extend(["left", "right"].map(|side| col(count_name(side, by))));
    arguments.extend(MatchBy::ALL.map(|by| col(count_name("matched", by))));
    // A filter cannot be left out, whichever columns are read.
    counts
        .filter(ScalarUDF::from(RunDiffMatch::default()).call(arguments))?
        .project([
            col(count_name("matched", by)).alias("matched"),
            col(count_name("left", by)).alias("left_containers"),
            col(count_name("right", by)).alias("right_containers"),
        ])?
        .build()
}

fn count_name(what: &str, by: MatchBy) -> String {
    format!("{what}_by_{}", by.name())
}

/// One row: how many containers match by one of the ways.
fn counts_by(left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>, by: MatchBy) -> Result<LogicalPlan> {
    let is_compared = col("left_holder").is_not_null().or(col("right_holder").is_not_null());
    let is_pair = col("left_id").is_not_null().and(col("right_id").is_not_null());
    let matched = when(is_compared.and(is_pair), lit(1_i64)).end()?;
    LogicalPlanBuilder::from(pairs(left, right, by)?)
        .join(left.compared()?, JoinType::Left, (vec!["left_id"], vec!["left_holder"]), None)?
        .join(right.compared()?, JoinType::Left, (vec!["right_id"], vec!["right_holder"]), None)?
        .aggregate(
            Vec::<Expr>::new(),
            vec![
                count(matched).alias(count_name("matched", by)),
                count(col("left_holder")).alias(count_name("left", by)),
                count(col("right_holder")).alias(count_name("right", by)),
            ],
        )?
        .build()
}

/// The rows of both traces, side by side.
fn rows(left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>, by: MatchBy) -> Result<LogicalPlan> {
    let keys =
        |side: &str| ["slice", "type", "value", "pair_left", "pair_right"].map(|name| prefixed(side, name)).to_vec();
    let either = |name: &str| coalesce(vec![col(prefixed("left", name)), col(prefixed("right", name))]);
    let measure = |side: &str, name: &str| {
        let is_there = either(&prefixed("pair", side)).is_not_null();
        when(is_there, coalesce(vec![col(prefixed(side, name)), lit(0.0)])).end()
    };
    let mut shown = vec![
        either("slice").alias("slice"),
        coalesce(vec![either("path_left"), either("path_right")]).alias("path"),
        either("type").alias("type"),
        either("value").alias("value"),
        (measure("right", "share")? - measure("left", "share")?).alias("difference"),
        either("path_right").alias("right_path"),
    ];
    for name in ["seconds", "share"] {
        for side in ["left", "right"] {
            shown.push(measure(side, name)?.alias(prefixed(side, name)));
        }
    }
    LogicalPlanBuilder::from(paired(left, "left", pairs(left, right, by)?)?)
        .join(paired(right, "right", pairs(left, right, by)?)?, JoinType::Full, (keys("left"), keys("right")), None)?
        .project(shown)?
        .build()
}

/// The shares of one trace with the pair of each container; columns are prefixed.
fn paired(run: &ComparedRun<'_, '_>, side: &str, pairs: LogicalPlan) -> Result<LogicalPlan> {
    let pairs = LogicalPlanBuilder::from(pairs)
        .project([
            col("left_id").alias(prefixed(side, "pair_left")),
            col("left_path").alias(prefixed(side, "path_left")),
            col("right_id").alias(prefixed(side, "pair_right")),
            col("right_path").alias(prefixed(side, "path_right")),
        ])?
        .build()?;
    let own = prefixed(side, &prefixed("pair", side));
    LogicalPlanBuilder::from(run.shares()?)
        .join(pairs, JoinType::Inner, (vec![prefixed(side, "holder_id")], vec![own]), None)?
        .build()
}
