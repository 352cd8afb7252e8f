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

use datafusion::common::Result;
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::col;

use super::compared_run::{ComparedRun, prefixed};
use super::run_pairs::{BY, DEPTH, LEFT, LEFT_CONTAINERS, MATCHED, RIGHT, RIGHT_CONTAINERS, RunPairs, match_by};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, column};
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
        constants: &[LEFT, RIGHT, SLICES, DEPTH, BY],
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
            MATCHED,
            LEFT_CONTAINERS,
            RIGHT_CONTAINERS,
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

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (left, right) = (ComparedRun::new(&call, "left"), ComparedRun::new(&call, "right"));
    let pairs =
        RunPairs { function: call.definition.name, left: &left, right: &right, by: match_by(&call)?, mapping: None };
    let rows = rows(&pairs)?;
    let counts = LogicalPlanBuilder::from(pairs.counts()?);
    let shown: Vec<Expr> = call.definition.columns.iter().map(|column| col(column.name)).collect();
    counts.cross_join(rows)?.project(shown)?.build()
}

/// The rows of both traces, side by side.
fn rows(pairs: &RunPairs<'_, '_, '_>) -> Result<LogicalPlan> {
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
    LogicalPlanBuilder::from(paired(pairs.left, "left", pairs.pairs()?)?)
        .join(paired(pairs.right, "right", pairs.pairs()?)?, JoinType::Full, (keys("left"), keys("right")), None)?
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
