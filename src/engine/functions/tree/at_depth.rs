//! `at_depth(depth)`: the containers of one level of the tree.

use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use super::CONTAINERS;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "at_depth",
        family: "tree",
        form: Form::Table,
        description: "Returns the containers at one depth of the tree.",
        notes: "Roots are at depth 0. A depth that the tree does not reach is an error. Fields that a trace adds to \
                its containers follow as further columns. Reads the current trace; write lu.at_depth(1) for \
                another. Row order is unspecified.",
        relations: &[],
        constants: &[ConstantParameter {
            name: "depth",
            kind: ConstantKind::BigInt,
            default: DefaultValue::Required,
            accepts: Accepts::TreeDepth,
            doc: "Distance from the root.",
        }],
        columns: CONTAINERS,
        examples: &["SELECT name, path FROM at_depth(2) ORDER BY preorder"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let Some(depth) = call.big_int("depth") else {
        return internal_err!("at_depth has no depth");
    };
    LogicalPlanBuilder::from(call.table("containers")?).filter(col("depth").eq(lit(depth)))?.build()
}
