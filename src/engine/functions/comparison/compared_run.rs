//! One of the two traces that are compared: its containers, and the time that each spends in each state.

use arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, TableReference, plan_datafusion_err};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::definition::DefaultValue;
use crate::functions::slices::slice_plan::{SLICES, START, STOP};
use crate::functions::slices::state_slices;

/// How containers of two traces are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchBy {
    Path,
    Name,
    Position,
}

impl MatchBy {
    pub(super) const ALL: [MatchBy; 3] = [MatchBy::Path, MatchBy::Name, MatchBy::Position];

    /// The name in SQL.
    pub(super) fn name(self) -> &'static str {
        match self {
            MatchBy::Path => "path",
            MatchBy::Name => "name",
            MatchBy::Position => "position",
        }
    }

    pub(super) fn of(name: &str) -> Option<MatchBy> {
        MatchBy::ALL.into_iter().find(|by| by.name() == name)
    }

    /// The column that must be equal; containers that share its value are told apart by their order in the tree.
    fn column(self) -> &'static str {
        match self {
            MatchBy::Path => "path",
            MatchBy::Name => "name",
            MatchBy::Position => "type",
        }
    }
}

/// The name of a column of one side.
pub(super) fn prefixed(side: &str, name: &str) -> String {
    format!("{side}_{name}")
}

/// One of the two traces.
pub(super) struct ComparedRun<'a, 'b> {
    call: &'a Call<'b>,
    side: &'a str,
    pub(super) trace: &'a str,
    slices: Option<i64>,
    /// When the slices begin and end, in seconds; the whole trace when absent.
    window: Option<[f64; 2]>,
}

impl<'a, 'b> ComparedRun<'a, 'b> {
    pub(super) fn new(call: &'a Call<'b>, side: &'a str) -> ComparedRun<'a, 'b> {
        let trace = call.text(side).unwrap_or(&call.tables.schema);
        ComparedRun { call, side, trace, slices: call.big_int(SLICES.name), window: None }
    }

    /// The same run, cut into that many slices of a window.
    pub(super) fn cut(self, slices: i64, window: Option<[f64; 2]>) -> ComparedRun<'a, 'b> {
        ComparedRun { slices: Some(slices), window, ..self }
    }

    /// When the trace starts and ends, in seconds.
    pub(super) fn span(&self) -> Result<[f64; 2]> {
        // Says which names there are.
        self.table("containers")?;
        let span = self.call.tables.spans.get(self.trace);
        let span = span.ok_or_else(|| self.error(&format!("{} is no trace", self.trace)))?;
        Ok([span.start_tick, span.end_tick].map(|tick| span.resolution.seconds(tick)))
    }

    fn error(&self, message: &str) -> DataFusionError {
        plan_datafusion_err!("{}: {}: {message}", self.call.definition.name, self.side)
    }

    fn prefixed(&self, name: &str) -> String {
        prefixed(self.side, name)
    }

    fn table(&self, name: &str) -> Result<LogicalPlan> {
        let reference = TableReference::partial(self.trace, name);
        self.call.tables.find(&reference).map_err(|error| self.error(&error.message()))
    }

    /// Every container: id, path, and what it is matched by: key and number. Columns are prefixed.
    pub(super) fn members(&self, by: MatchBy) -> Result<LogicalPlan> {
        let number = row_number()
            .partition_by(vec![col(by.column())])
            .order_by(vec![col("preorder").sort(true, false)])
            .build()?
            .alias("number");
        LogicalPlanBuilder::from(self.table("containers")?)
            .project([col("container_id"), col("path"), col("name"), col("type"), col("preorder")])?
            .window([number])?
            .project([
                col("container_id").alias(self.prefixed("id")),
                col("path").alias(self.prefixed("path")),
                col(by.column()).alias(self.prefixed("key")),
                col("number").alias(self.prefixed("number")),
            ])?
            .build()
    }

    /// The containers that are compared: those with states, or those that hold them at the depth. Prefixed.
    pub(super) fn compared(&self) -> Result<LogicalPlan> {
        LogicalPlanBuilder::from(self.holders()?)
            .project([col("holder_id").alias(self.prefixed("holder"))])?
            .distinct()?
            .build()
    }

    /// One row per slice, container, type and value, with its seconds and share; columns are prefixed.
    pub(super) fn shares(&self) -> Result<LogicalPlan> {
        const KEYS: [&str; 4] = ["slice", "holder_id", "type", "value"];
        let holders = LogicalPlanBuilder::from(self.holders()?)
            .project([col("holder_id").alias("held_id"), col("type").alias("held_type"), col("containers")])?
            .build()?;
        LogicalPlanBuilder::from(self.slices()?)
            .join(self.owners()?, JoinType::Inner, (vec!["container_id"], vec!["owner_id"]), None)?
            .aggregate(KEYS.map(col), vec![sum(col("seconds")).alias("seconds"), sum(col("share")).alias("share")])?
            .join(holders, JoinType::Inner, (vec!["holder_id", "type"], vec!["held_id", "held_type"]), None)?
            .project(
                KEYS.iter()
                    .map(|name| col(*name).alias(self.prefixed(name)))
                    .chain([
                        col("seconds").alias(self.prefixed("seconds")),
                        (col("share") / cast(col("containers"), DataType::Float64)).alias(self.prefixed("share")),
                    ])
                    .collect::<Vec<Expr>>(),
            )?
            .build()
    }

    /// `state_slices(TRACE.state_segments, slices => …)`
    fn slices(&self) -> Result<LogicalPlan> {
        let function = &state_slices::FUNCTION;
        let constants = function.definition.constants.iter().map(|constant| match constant.default {
            _ if constant.name == SLICES.name => self.slices.map(Constant::BigInt),
            _ if constant.name == START.name => self.window.map(|[start, _]| Constant::Double(start)),
            _ if constant.name == STOP.name => self.window.map(|[_, stop]| Constant::Double(stop)),
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

    /// Every container that times are added up to, by type of states, with the number of containers that have them.
    fn holders(&self) -> Result<LogicalPlan> {
        LogicalPlanBuilder::from(self.table("state_segments")?)
            .aggregate([col("container_id"), col("type")], Vec::<Expr>::new())?
            .join(self.owners()?, JoinType::Inner, (vec!["container_id"], vec!["owner_id"]), None)?
            .aggregate([col("holder_id"), col("type")], vec![count(lit(1)).alias("containers")])?
            .build()
    }

    /// Every container as `owner_id`, with the container that its times are added up to.
    fn owners(&self) -> Result<LogicalPlan> {
        let Some(depth) = self.call.big_int("depth") else {
            return LogicalPlanBuilder::from(self.table("containers")?)
                .project([col("container_id").alias("owner_id"), col("container_id").alias("holder_id")])?
                .build();
        };
        let is_shallow = col("distance").eq(lit(0)).and(col("ancestor_depth").lt(lit(depth)));
        LogicalPlanBuilder::from(self.table("container_ancestors")?)
            .filter(col("ancestor_depth").eq(lit(depth)).or(is_shallow))?
            .project([col("container_id").alias("owner_id"), col("ancestor_id").alias("holder_id")])?
            .build()
    }
}
