//! Which container of one run is compared with which of the other, and how many have a partner.

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, internal_datafusion_err, plan_err};
use datafusion::functions_aggregate::expr_fn::count_distinct;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit, when};
use datafusion::prelude::{cast, col};

use super::compared_run::{ComparedRun, MatchBy, prefixed};
use super::run_diff_match::RunDiffMatch;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, NO_RELATION, OutputColumn, RelationParameter,
};

pub(super) const LEFT: ConstantParameter = ConstantParameter {
    name: "left",
    kind: ConstantKind::Text,
    default: DefaultValue::Absent,
    accepts: Accepts::Anything,
    doc: "Name of the baseline; the current trace when absent.",
};
pub(super) const RIGHT: ConstantParameter =
    ConstantParameter { name: "right", doc: "Name of the other run; the current trace when absent.", ..LEFT };
pub(super) const BY: ConstantParameter = ConstantParameter {
    name: "by",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("path"),
    accepts: Accepts::OneOf(&["path", "name", "position"]),
    doc: "How containers are matched: by path, by name, or the n-th of a type with the n-th.",
};
pub(super) const DEPTH: ConstantParameter = ConstantParameter {
    name: "depth",
    kind: ConstantKind::BigInt,
    default: DefaultValue::Absent,
    accepts: Accepts::Between(0.0, i32::MAX as f64),
    doc: "Depth of the containers that are compared; without it, those that have the states.",
};
pub(super) const MAPPING: RelationParameter = RelationParameter {
    name: "mapping",
    default: Some(NO_RELATION),
    doc: "Which containers are compared: pairs of left_path and right_path. Without it, by decides.",
};
pub(super) const MATCHED: OutputColumn = OutputColumn {
    name: "matched",
    kind: "BIGINT",
    doc: "How many containers with states have a partner: the same in every row.",
};
pub(super) const LEFT_CONTAINERS: OutputColumn =
    OutputColumn { name: "left_containers", kind: "BIGINT", doc: "How many containers of the baseline have states." };
pub(super) const RIGHT_CONTAINERS: OutputColumn =
    OutputColumn { name: "right_containers", kind: "BIGINT", doc: "How many containers of the other run have states." };

/// How a call matches containers.
pub(super) fn match_by(call: &Call<'_>) -> Result<MatchBy> {
    let by = call.text(BY.name).and_then(MatchBy::of);
    by.ok_or_else(|| internal_datafusion_err!("{} has no by", call.definition.name))
}

/// The pairs of paths that a call gives; `None` when it gives none.
pub(super) fn mapping_of(call: &Call<'_>) -> Result<Option<LogicalPlan>> {
    let relation = call.relation(0)?;
    let find = |name: &str| relation.schema().qualified_field_with_unqualified_name(name).ok().map(Column::from);
    if let (Some(left), Some(right)) = (find("left_path"), find("right_path")) {
        let text = |column: Column, name: &str| cast(Expr::Column(column), DataType::Utf8View).alias(name);
        let pairs = vec![text(left, "mapped_left"), text(right, "mapped_right")];
        return Ok(Some(LogicalPlanBuilder::from(relation).project(pairs)?.distinct()?.build()?));
    }
    if relation.schema().fields().is_empty() {
        return Ok(None);
    }
    let known: Vec<&str> = relation.schema().fields().iter().map(|field| field.name().as_str()).collect();
    plan_err!(
        "{}: mapping must have the columns left_path and right_path; it has {}",
        call.definition.name,
        known.join(", ")
    )
}

/// Two runs whose containers are matched.
pub(super) struct RunPairs<'r, 'a, 'b> {
    /// The SQL function, for messages.
    pub(super) function: &'static str,
    pub(super) left: &'r ComparedRun<'a, 'b>,
    pub(super) right: &'r ComparedRun<'a, 'b>,
    pub(super) by: MatchBy,
    /// Pairs of paths, which come before `by`.
    pub(super) mapping: Option<LogicalPlan>,
}

impl RunPairs<'_, '_, '_> {
    /// The containers of both traces, each beside its partner: left_id and left_path, right_id and right_path.
    pub(super) fn pairs(&self) -> Result<LogicalPlan> {
        match &self.mapping {
            Some(mapping) => self.mapped(mapping.clone()),
            None => self.pairs_by(self.by),
        }
    }

    /// Every container of either run beside each of those that a mapping gives it.
    fn mapped(&self, mapping: LogicalPlan) -> Result<LogicalPlan> {
        let own = |run: &ComparedRun<'_, '_>, side: &str| {
            let path = prefixed(side, "path");
            let text = cast(col(&path), DataType::Utf8View).alias(path);
            LogicalPlanBuilder::from(run.members(MatchBy::Path)?).project([col(prefixed(side, "id")), text])?.build()
        };
        LogicalPlanBuilder::from(own(self.left, "left")?)
            .join(mapping, JoinType::Left, (vec!["left_path"], vec!["mapped_left"]), None)?
            .join(own(self.right, "right")?, JoinType::Full, (vec!["mapped_right"], vec!["right_path"]), None)?
            .project([col("left_id"), col("left_path"), col("right_id"), col("right_path")])?
            .build()
    }

    fn pairs_by(&self, by: MatchBy) -> Result<LogicalPlan> {
        let keys = |side: &str| ["key", "number"].map(|name| prefixed(side, name)).to_vec();
        LogicalPlanBuilder::from(self.left.members(by)?)
            .join(self.right.members(by)?, JoinType::Full, (keys("left"), keys("right")), None)?
            .project([col("left_id"), col("left_path"), col("right_id"), col("right_path")])?
            .build()
    }

    /// One row: how many containers match, how many there are, and how many of each run have no partner. Fails when there are some and none match.
    pub(super) fn counts(&self) -> Result<LogicalPlan> {
        let mut counts = LogicalPlanBuilder::from(self.counts_of(self.pairs()?, CHOSEN)?);
        for other in MatchBy::ALL {
            counts = counts.cross_join(self.counts_of(self.pairs_by(other)?, other.name())?)?;
        }
        let by = if self.mapping.is_some() { "mapping" } else { self.by.name() };
        let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
        let mut arguments = vec![text(self.function), text(self.left.trace), text(self.right.trace), text(by)];
        arguments.extend(["left", "right", "matched"].map(|what| col(count_name(what, CHOSEN))));
        arguments.extend(MatchBy::ALL.map(|by| col(count_name("matched", by.name()))));
        // A filter cannot be left out, whichever columns are read.
        counts
            .filter(ScalarUDF::from(RunDiffMatch::default()).call(arguments))?
            .project([
                col(count_name("matched", CHOSEN)).alias(MATCHED.name),
                col(count_name("left", CHOSEN)).alias(LEFT_CONTAINERS.name),
                col(count_name("right", CHOSEN)).alias(RIGHT_CONTAINERS.name),
                col(count_name("left_alone", CHOSEN)).alias("left_alone"),
                col(count_name("right_alone", CHOSEN)).alias("right_alone"),
            ])?
            .build()
    }

    /// One row: how many containers some pairs match.
    fn counts_of(&self, pairs: LogicalPlan, name: &str) -> Result<LogicalPlan> {
        let is_compared = col("left_holder").is_not_null().or(col("right_holder").is_not_null());
        let is_pair = col("left_id").is_not_null().and(col("right_id").is_not_null());
        let matched = when(is_compared.and(is_pair), col("left_id")).end()?;
        let left_alone = when(col("right_id").is_null(), col("left_holder")).end()?;
        let right_alone = when(col("left_id").is_null(), col("right_holder")).end()?;
        LogicalPlanBuilder::from(pairs)
            .join(self.left.compared()?, JoinType::Left, (vec!["left_id"], vec!["left_holder"]), None)?
            .join(self.right.compared()?, JoinType::Left, (vec!["right_id"], vec!["right_holder"]), None)?
            .aggregate(
                Vec::<Expr>::new(),
                vec![
                    count_distinct(matched).alias(count_name("matched", name)),
                    count_distinct(col("left_holder")).alias(count_name("left", name)),
                    count_distinct(col("right_holder")).alias(count_name("right", name)),
                    count_distinct(left_alone).alias(count_name("left_alone", name)),
                    count_distinct(right_alone).alias(count_name("right_alone", name)),
                ],
            )?
            .build()
    }
}

/// The way that the call takes.
const CHOSEN: &str = "choice";

fn count_name(what: &str, by: &str) -> String {
    format!("{what}_by_{by}")
}
