//! Keys of GROUPING SETS, ROLLUP and CUBE are computed below the groups, in a form of which nothing is known.
//!
//! ```text
//!   Aggregate: ROLLUP (a, b), sum(x)          Projection: k0 AS a, k1 AS b, sum(x)
//!     …                                  ─►     Aggregate: ROLLUP (k0, k1), sum(x)
//!                                                 Projection: *, grouping_key(a) AS k0, grouping_key(b) AS k1
//!                                                   …
//! ```
//! [`grouping_key`](crate::functions::plans::grouping_key) has the reason.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, Result, internal_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::GroupingSet;
use datafusion::logical_expr::logical_plan::Aggregate;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use datafusion::optimizer::AnalyzerRule;

use crate::functions::plans::grouping_key::hidden_key;

/// The rule; see the file's head.
#[derive(Debug)]
pub(crate) struct GroupingSetKeys;

impl AnalyzerRule for GroupingSetKeys {
    fn name(&self) -> &str {
        "grouping_set_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::Aggregate(aggregate) => match aggregate.group_expr.as_slice() {
                [Expr::GroupingSet(sets)] => {
                    let sets = sets.clone();
                    with_hidden_keys(aggregate, &sets).map(Transformed::yes)
                }
                _ => Ok(Transformed::no(LogicalPlan::Aggregate(aggregate))),
            },
            other => Ok(Transformed::no(other)),
        })
        .data()
    }
}

fn with_hidden_keys(aggregate: Aggregate, sets: &GroupingSet) -> Result<LogicalPlan> {
    let keys: Vec<Expr> = sets.distinct_expr().into_iter().cloned().collect();
    let name_of = |place: usize| format!("__grouping_key_{place}");
    let columns = aggregate.input.schema().columns().into_iter().map(Expr::Column);
    let hidden = keys.iter().enumerate().map(|(place, key)| {
        let key = key.clone().unalias();
        hidden_key(key).alias(name_of(place))
    });
    let input = Projection::try_new(columns.chain(hidden).collect(), Arc::clone(&aggregate.input))?;

    let named = |key: &Expr| {
        let place = keys.iter().position(|known| known == key);
        let place = place.ok_or_else(|| internal_datafusion_err!("a set has a key that no set has"))?;
        Ok(Expr::Column(Column::new_unqualified(name_of(place))))
    };
    let all_named = |keys: &[Expr]| keys.iter().map(named).collect::<Result<Vec<_>>>();
    let sets = match sets {
        GroupingSet::Rollup(keys) => GroupingSet::Rollup(all_named(keys)?),
        GroupingSet::Cube(keys) => GroupingSet::Cube(all_named(keys)?),
        GroupingSet::GroupingSets(sets) => {
            GroupingSet::GroupingSets(sets.iter().map(|keys| all_named(keys)).collect::<Result<_>>()?)
        }
    };
    let input = Arc::new(LogicalPlan::Projection(input));
    let groups = Aggregate::try_new(input, vec![Expr::GroupingSet(sets)], aggregate.aggr_expr)?;

    let before = aggregate.schema.iter();
    let renamed = before.zip(groups.schema.columns()).map(|((relation, field), column)| {
        match column.name == *field.name() && column.relation.as_ref() == relation {
            true => Expr::Column(column),
            false => Expr::Column(column).alias_qualified(relation.cloned(), field.name()),
        }
    });
    let renamed: Vec<Expr> = renamed.collect();
    Ok(LogicalPlan::Projection(Projection::try_new(renamed, Arc::new(LogicalPlan::Aggregate(groups)))?))
}
