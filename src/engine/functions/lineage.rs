//! Where the columns of a relation come from.
//!
//! In: the plan of a relation argument. Out: the traces that it reads, and the stored ticks behind a
//! column of seconds, when the relation still carries them.

use std::collections::BTreeSet;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::time::tick_seconds::TickSeconds;

/// The schemas of all tables that a plan scans: the names of traces, for tables of a store.
pub(super) fn schemas(plan: &LogicalPlan) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Some(schema) = scan.table_name.schema()
        {
            found.insert(schema.to_string());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

/// Ticks behind a column of seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    /// The column of ticks, among those of the relation.
    pub(super) column: Column,
    pub(super) per_second: i64,
}

/// The column of a relation that holds the ticks of its column `seconds`.
///
/// `None` when `seconds` was computed, or when the ticks were left behind: then seconds are all there is.
pub(super) fn ticks_of(plan: &LogicalPlan, seconds: &str) -> Option<Ticks> {
    let origin = Origin::of_name(plan, seconds)?;
    let (stored, per_second) = origin.stored_ticks()?;
    let stored = Origin { node: origin.node, expression: Expr::Column(stored) }.follow();
    let is_stored = |name: &str| {
        Origin::of_name(plan, name)
            .is_some_and(|other| std::ptr::eq(other.node, stored.node) && other.expression == stored.expression)
    };
    let (qualifier, field) = plan.schema().iter().find(|(_, field)| is_stored(field.name()))?;
    Some(Ticks { column: Column::new(qualifier.cloned(), field.name()), per_second })
}

/// The expression that a column is, over the columns of a node below.
struct Origin<'a> {
    node: &'a LogicalPlan,
    expression: Expr,
}

impl<'a> Origin<'a> {
    fn of_name(plan: &'a LogicalPlan, name: &str) -> Option<Origin<'a>> {
        let (qualifier, field) = plan.schema().qualified_field_with_unqualified_name(name).ok()?;
        let column = Column::new(qualifier.cloned(), field.name());
        Some(Origin { node: plan, expression: Expr::Column(column) }.follow())
    }

    /// Follows a column down through nodes that keep their rows as they are.
    fn follow(self) -> Origin<'a> {
        let Expr::Column(column) = &self.expression else {
            return self;
        };
        let below = match self.node {
            LogicalPlan::Projection(projection) => projected(self.node, column, &projection.expr)
                .map(|expression| Origin { node: &projection.input, expression }),
            LogicalPlan::SubqueryAlias(alias) => place(self.node, column).map(|place| Origin {
                node: &alias.input,
                expression: Expr::Column(Column::from(alias.input.schema().qualified_field(place))),
            }),
            LogicalPlan::Filter(filter) => Some(Origin { node: &filter.input, expression: self.expression.clone() }),
            LogicalPlan::Sort(sort) => Some(Origin { node: &sort.input, expression: self.expression.clone() }),
            LogicalPlan::Limit(limit) => Some(Origin { node: &limit.input, expression: self.expression.clone() }),
            _ => None,
        };
        match below {
            Some(below) => below.follow(),
            None => self,
        }
    }

    /// `tick_seconds(column, constant)`: the column and the constant.
    fn stored_ticks(&self) -> Option<(Column, i64)> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = &self.expression else {
            return None;
        };
        func.inner().downcast_ref::<TickSeconds>()?;
        match args.as_slice() {
            [Expr::Column(ticks), Expr::Literal(ScalarValue::Int64(Some(rate)), _)] => Some((ticks.clone(), *rate)),
            _ => None,
        }
    }
}

fn place(node: &LogicalPlan, column: &Column) -> Option<usize> {
    node.schema().maybe_index_of_column(column)
}

/// The expression of a projection that gives a column, without its name.
fn projected(node: &LogicalPlan, column: &Column, expressions: &[Expr]) -> Option<Expr> {
    let mut expression = expressions.get(place(node, column)?)?;
    // Not by `unalias_nested`, which keeps aliases that carry documentation.
    while let Expr::Alias(alias) = expression {
        expression = &alias.expr;
    }
    Some(expression.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use arrow::datatypes::{DataType, Field, Schema};
    use datafusion::common::metadata::FieldMetadata;
    use datafusion::logical_expr::{LogicalPlanBuilder, lit, table_scan};
    use datafusion::prelude::col;

    use super::*;
    use crate::functions::time::tick_seconds;

    fn stored() -> LogicalPlanBuilder {
        let ticks = Schema::new(vec![Field::new("start_tick", DataType::Int64, false)]);
        table_scan(Some("t.states"), &ticks, None).expect("a scan")
    }

    /// A table as the catalog makes it: documented columns, seconds beside their ticks.
    fn shown(stored: LogicalPlanBuilder) -> LogicalPlanBuilder {
        let doc = FieldMetadata::from(HashMap::from([("comment".to_string(), "When.".to_string())]));
        let seconds = (tick_seconds::FUNCTION.make)().call(vec![col("start_tick"), lit(1000_i64)]);
        let seconds = seconds.alias_with_metadata("start_time", Some(doc));
        stored.project(vec![seconds, col("start_tick")]).expect("a projection")
    }

    fn ticks(plan: LogicalPlanBuilder) -> Option<(String, i64)> {
        let plan = plan.build().expect("a plan");
        ticks_of(&plan, "start_time").map(|ticks| (ticks.column.name, ticks.per_second))
    }

    #[test]
    fn ticks_are_found_behind_documented_seconds() {
        let expected = Some(("start_tick".to_string(), 1000));
        assert_eq!(ticks(shown(stored())), expected);
        assert_eq!(ticks(shown(stored()).alias("s").expect("an alias")), expected);
        let below = stored().project(vec![col("start_tick")]).expect("a projection");
        assert_eq!(ticks(shown(below)), expected);
        let renamed =
            shown(stored()).project(vec![col("start_time"), col("start_tick").alias("t")]).expect("a projection");
        assert_eq!(ticks(renamed), Some(("t".to_string(), 1000)));
        let some = shown(stored()).filter(col("start_time").gt(lit(1.0))).expect("a filter");
        assert_eq!(ticks(some), expected);
    }

    #[test]
    fn ticks_that_were_left_behind_or_changed_are_not_found() {
        let left = shown(stored()).project(vec![col("start_time")]).expect("a projection");
        assert_eq!(ticks(left), None);
        let moved = (col("start_time") + lit(1.0)).alias("start_time");
        let moved = shown(stored()).project(vec![moved, col("start_tick")]).expect("a projection");
        assert_eq!(ticks(moved), None);
        let other = (col("start_tick") + lit(1_i64)).alias("start_tick");
        let other = shown(stored()).project(vec![col("start_time"), other]).expect("a projection");
        assert_eq!(ticks(other), None);
    }

    #[test]
    fn traces_are_those_that_are_scanned() {
        let plan = shown(stored()).build().expect("a plan");
        assert_eq!(schemas(&plan).expect("no error"), BTreeSet::from(["t".to_string()]));
    }
}
