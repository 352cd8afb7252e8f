//! Finds containers by what a user calls them: a name, a path, an alias or an id.
//!
//! ```text
//!  container ─► its range of preorder, unfolded: 5, 6, 7, … ─► semi-join ◄─ containers, on preorder
//! ```

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, internal_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::functions_nested::expr_fn::range;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, scalar_subquery};
use datafusion::prelude::{cast, col};

use crate::functions::calls::call::{Call, Constant};

/// Some containers: their ids in a column [`CHOSEN`], and the range of preorder of each one's subtree,
/// both ends included, in [`FIRST`] and [`LAST`].
pub(crate) struct ChosenContainers(pub(crate) LogicalPlan);

pub(crate) const CHOSEN: &str = "chosen_id";
pub(crate) const FIRST: &str = "first_place";
pub(crate) const LAST: &str = "last_place";

const PLACE: &str = "place";

/// The containers that a constant of a call means.
///
/// A number is an id. A text is a name, path or alias, of one container or of several; when no
/// container has it and it is a number, it is an id.
pub(crate) fn containers_of(call: &Call<'_>, constant: &str) -> Result<ChosenContainers> {
    match call.constant(constant) {
        Some(Constant::BigInt(id)) => chosen(call, col("container_id").eq(lit(*id))),
        Some(Constant::Text(name)) => named(call, name),
        _ => internal_err!("{} has no {constant}", call.definition.name),
    }
}

fn named(call: &Call<'_>, name: &str) -> Result<ChosenContainers> {
    let has_name = col("name").eq(lit(name)).or(col("path").eq(lit(name))).or(col("alias").eq(lit(name)));
    let Ok(id) = name.parse::<i32>() else {
        return chosen(call, has_name);
    };
    let namesakes = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(has_name.clone())?
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("namesakes")])?
        .build()?;
    let nobody_has_name = scalar_subquery(Arc::new(namesakes)).eq(lit(0_i64));
    let has_id = col("container_id").eq(lit(id)).and(nobody_has_name);
    let ChosenContainers(by_name) = chosen(call, has_name)?;
    let ChosenContainers(by_id) = chosen(call, has_id)?;
    Ok(ChosenContainers(LogicalPlanBuilder::from(by_name).union(by_id)?.build()?))
}

fn chosen(call: &Call<'_>, condition: Expr) -> Result<ChosenContainers> {
    let containers = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(condition)?
        .project(
            [("container_id", CHOSEN), ("preorder", FIRST), ("last_descendant", LAST)]
                .map(|(from, to)| col(from).alias(to)),
        )?
        .build()?;
    Ok(ChosenContainers(containers))
}

/// The containers that a constant of a call means and all below them, each once, with the columns of `containers`.
pub(crate) fn subtrees_of(call: &Call<'_>, constant: &str) -> Result<LogicalPlan> {
    let ChosenContainers(roots) = containers_of(call, constant)?;
    let places = range(col(FIRST), col(LAST) + lit(1), lit(1));
    let keys = (vec![Column::from_name(PLACE)], vec![Column::from_name("preorder")]);
    LogicalPlanBuilder::from(roots)
        .project(vec![places.alias(PLACE)])?
        .unnest_column(PLACE)?
        .project(vec![cast(col(PLACE), DataType::Int32).alias(PLACE)])?
        .join(call.table("containers")?, JoinType::RightSemi, keys, None)?
        .build()
}
