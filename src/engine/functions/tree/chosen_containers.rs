//! Finds containers by what a user calls them: a name, a path, an alias or an id.

use std::sync::Arc;

use datafusion::common::{Result, internal_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit, scalar_subquery};
use datafusion::prelude::col;

use crate::functions::calls::call::{Call, Constant};

/// Some containers: their ids in a column [`CHOSEN`], and the range of preorder of each one's subtree,
/// both ends included, in [`FIRST`] and [`LAST`].
pub(crate) struct Chosen(pub(crate) LogicalPlan);

pub(crate) const CHOSEN: &str = "chosen_id";
pub(crate) const FIRST: &str = "first_place";
pub(crate) const LAST: &str = "last_place";

/// The containers that a constant of a call means.
///
/// A number is an id. A text is a name, path or alias, of one container or of several; when no
/// container has it and it is a number, it is an id.
pub(crate) fn containers_of(call: &Call<'_>, constant: &str) -> Result<Chosen> {
    match call.constant(constant) {
        Some(Constant::BigInt(id)) => chosen(call, col("container_id").eq(lit(*id))),
        Some(Constant::Text(name)) => named(call, name),
        _ => internal_err!("{} has no {constant}", call.definition.name),
    }
}

fn named(call: &Call<'_>, name: &str) -> Result<Chosen> {
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
    let Chosen(by_name) = chosen(call, has_name)?;
    let Chosen(by_id) = chosen(call, has_id)?;
    Ok(Chosen(LogicalPlanBuilder::from(by_name).union(by_id)?.build()?))
}

fn chosen(call: &Call<'_>, condition: Expr) -> Result<Chosen> {
    let containers = LogicalPlanBuilder::from(call.table("containers")?)
        .filter(condition)?
        .project(
            [("container_id", CHOSEN), ("preorder", FIRST), ("last_descendant", LAST)]
                .map(|(from, to)| col(from).alias(to)),
        )?
        .build()?;
    Ok(Chosen(containers))
}
