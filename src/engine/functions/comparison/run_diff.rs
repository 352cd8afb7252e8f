//! `run_diff(left, right, slices, depth)`: two traces compared, state by state.
//!
//! ```text
//!  state_slices(left.state_segments)  ─► add up by path ─► share of the slice ─┐
//!                                                                              ├─► full join ─► difference
//!  state_slices(right.state_segments) ─► add up by path ─► share of the slice ─┘
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, TableReference, internal_datafusion_err, plan_datafusion_err};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::SLICES;
use crate::functions::slices::state_slices;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "run_diff",
        family: "comparison",
        form: Form::Table,
        description: "Compares two traces of the store: how much of the time each container was in each state.",
        notes: "Each trace is cut into the same number of slices, so that a run of 10 seconds and one of 20 are \
                compared tenth by tenth with slices => 10. Containers are matched by path. Time is that of the \
                innermost state (state_segments), and a share is of the length of the slice, so that a run that is \
                as a whole slower has the same shares. With depth, times are added up to the containers at \
                that depth (or to those above it that hold none so deep), and a share is the mean of the containers \
                with states of the type below: so runs with different numbers of processes can be compared. A state \
                that one run lacks counts there with zero. What neither run has gives no row. Rows come in no order.",
        relations: &[],
        constants: &[
            trace("left", "Name of the trace that is compared with."),
            trace("right", "Name of the trace that is compared."),
            SLICES,
            ConstantParameter {
                name: "depth",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, i32::MAX as f64),
                doc: "Depth of the containers that are compared; without it, those that have the states.",
            },
        ],
        columns: &[
            OutputColumn { name: "slice", kind: "BIGINT", doc: "Number of the slice in both traces, from 0." },
            OutputColumn { name: "path", kind: "TEXT", doc: "Path of the container in both traces." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the state." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Name of the state." },
            OutputColumn {
                name: "left_seconds",
                kind: "DOUBLE",
                doc: "Time in the state, in the slice of the left trace.",
            },
            OutputColumn {
                name: "right_seconds",
                kind: "DOUBLE",
                doc: "Time in the state, in the slice of the right trace.",
            },
            OutputColumn { name: "left_share", kind: "DOUBLE", doc: "Which part of the left slice that is." },
            OutputColumn { name: "right_share", kind: "DOUBLE", doc: "Which part of the right slice that is." },
            OutputColumn { name: "difference", kind: "DOUBLE", doc: "right_share - left_share." },
        ],
        examples: &[
            "SELECT path, value, left_seconds, right_seconds, right_share FROM run_diff('nested', 'nested_again') \
             ORDER BY path, value",
        ],
    },
    plan,
};

const fn trace(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::Text,
        default: DefaultValue::Required,
        accepts: Accepts::Anything,
        doc,
    }
}

/// What rows of the two traces are matched by.
const KEYS: [&str; 4] = ["slice", "path", "type", "value"];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let left = ComparedRun::new(&call, "left")?.shares()?;
    let right = ComparedRun::new(&call, "right")?.shares()?;
    let either = |name: &str| coalesce(vec![col(prefixed("left", name)), col(prefixed("right", name))]).alias(name);
    let measure = |side: &str, name: &str| coalesce(vec![col(prefixed(side, name)), lit(0.0)]);
    let mut shown: Vec<Expr> = KEYS.iter().map(|name| either(name)).collect();
    for name in ["seconds", "share"] {
        for side in ["left", "right"] {
            shown.push(measure(side, name).alias(prefixed(side, name)));
        }
    }
    shown.push((measure("right", "share") - measure("left", "share")).alias("difference"));
    let keys = |side: &str| KEYS.iter().map(|name| prefixed(side, name)).collect::<Vec<String>>();
    LogicalPlanBuilder::from(left)
        .join(right, JoinType::Full, (keys("left"), keys("right")), None)?
        .project(shown)?
        .build()
}

fn prefixed(side: &str, name: &str) -> String {
    format!("{side}_{name}")
}

/// One of the two traces.
struct ComparedRun<'a, 'b> {
    call: &'a Call<'b>,
    side: &'a str,
    trace: &'a str,
}

impl<'a, 'b> ComparedRun<'a, 'b> {
    fn new(call: &'a Call<'b>, side: &'a str) -> Result<ComparedRun<'a, 'b>> {
        let trace = call.text(side).ok_or_else(|| internal_datafusion_err!("run_diff has no {side}"))?;
        Ok(ComparedRun { call, side, trace })
    }

    fn table(&self, name: &str) -> Result<LogicalPlan> {
        let reference = TableReference::partial(self.trace, name);
        self.call
            .tables
            .find(&reference)
            .map_err(|error| plan_datafusion_err!("run_diff: {}: {}", self.side, error.message()))
    }

    /// One row per slice, path, type and value, with its seconds and share; columns are prefixed.
    fn shares(&self) -> Result<LogicalPlan> {
        let side = |name: &str| prefixed(self.side, name);
        let holders = LogicalPlanBuilder::from(self.holders()?)
            .aggregate(
                vec![col("path").alias("held_path"), col("type").alias("held_type")],
                vec![count(lit(1)).alias("containers")],
            )?
            .build()?;
        LogicalPlanBuilder::from(self.slices()?)
            .join(self.paths()?, JoinType::Inner, (vec!["container_id"], vec!["owner_id"]), None)?
            .aggregate(KEYS.map(col), vec![sum(col("seconds")).alias("seconds"), sum(col("share")).alias("share")])?
            .join(holders, JoinType::Inner, (vec!["path", "type"], vec!["held_path", "held_type"]), None)?
            .project(
                KEYS.iter()
                    .map(|name| col(*name).alias(side(name)))
                    .chain([
                        col("seconds").alias(side("seconds")),
                        (col("share") / cast(col("containers"), DataType::Float64)).alias(side("share")),
                    ])
                    .collect::<Vec<Expr>>(),
            )?
            .build()
    }

    /// `state_slices(TRACE.state_segments, slices => …)`
    fn slices(&self) -> Result<LogicalPlan> {
        let function = &state_slices::FUNCTION;
        let slices = self.call.constant(SLICES.name).cloned();
        let constants = function.definition.constants.iter().map(|constant| match constant.default {
            _ if constant.name == SLICES.name => slices.clone(),
            DefaultValue::Boolean(value) => Some(Constant::Boolean(value)),
            _ => None,
        });
        (function.plan)(Call {
            definition: &function.definition,
            relations: vec![self.table("state_segments")?],
            constants: constants.collect(),
            tables: self.call.tables.clone(),
            aggregates: self.call.aggregates,
            limits: self.call.limits,
            definitions: self.call.definitions,
        })
    }

    /// The path and type of every container with states.
    fn holders(&self) -> Result<LogicalPlan> {
        LogicalPlanBuilder::from(self.table("state_segments")?)
            .aggregate([col("container_id"), col("type")], Vec::<Expr>::new())?
            .join(self.paths()?, JoinType::Inner, (vec!["container_id"], vec!["owner_id"]), None)?
            .project([col("path"), col("type")])?
            .build()
    }

    /// Every container as `owner_id`, with the path that its times are added up to.
    fn paths(&self) -> Result<LogicalPlan> {
        let containers = LogicalPlanBuilder::from(self.table("containers")?);
        let Some(depth) = self.call.big_int("depth") else {
            return containers.project([col("container_id").alias("owner_id"), col("path")])?.build();
        };
        let is_shallow = col("distance").eq(lit(0)).and(col("ancestor_depth").lt(lit(depth)));
        LogicalPlanBuilder::from(self.table("container_ancestors")?)
            .filter(col("ancestor_depth").eq(lit(depth)).or(is_shallow))?
            .project([col("container_id").alias("owner_id"), col("ancestor_id")])?
            .join(containers.build()?, JoinType::Inner, (vec!["ancestor_id"], vec!["container_id"]), None)?
            .project([col("owner_id"), col("path")])?
            .build()
    }
}
