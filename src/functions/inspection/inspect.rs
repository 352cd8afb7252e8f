//! `inspect(container, time)`: what was going on in one container at an instant.

use datafusion::common::{Result, internal_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit, scalar_subquery};
use datafusion::prelude::col;
use std::sync::Arc;

use super::{CHOSEN, COLUMNS, Chosen, at_instant};
use crate::functions::call::{Call, Constant};
use crate::functions::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, TableFunction,
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "inspect",
        family: "inspection",
        form: Form::Table,
        description: "Shows what was going on in one container at an instant.",
        notes: "The container is given by name, path, alias or id. A text is a name, path or alias; when no \
                container has it and it is a number, it is an id. When several containers share a name, all \
                are shown, and container_id tells them apart. Links are shown when they start, end or are \
                held there. Containers below it are not shown. A container that does not exist gives no \
                rows. Intervals are half-open. Reads the current trace; write lu.inspect('rank 1', 1.5) for \
                another. Rows come in no order.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "container",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "Name, path, alias or id of the container.",
            },
            ConstantParameter {
                name: "time",
                kind: ConstantKind::Double,
                default: DefaultValue::Required,
                accepts: Accepts::Finite,
                doc: "The instant, in seconds.",
            },
        ],
        columns: COLUMNS,
        examples: &["SELECT kind, type, value, start_time, end_time FROM inspect('Thread 1', time => 2.4)"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let chosen = match call.constant("container") {
        Some(Constant::BigInt(id)) => chosen(&call, col("container_id").eq(lit(*id)))?,
        Some(Constant::Text(name)) => named(&call, name)?,
        _ => return internal_err!("inspect has no container"),
    };
    at_instant(&call, call.double("time")?, Some(&chosen))
}

/// The containers with that name, path or alias; when there is none, the one with that id.
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
        .project(vec![col("container_id").alias(CHOSEN)])?
        .build()?;
    Ok(Chosen(containers))
}
