//! `subtree(root)`: a container and all that lie below it.
//!
//! ```text
//!  root ─► its range of preorder, unfolded: 5, 6, 7, … ─► semi-join ◄─ containers, on preorder
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result};
use datafusion::functions_nested::expr_fn::range;
use datafusion::logical_expr::{JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::CONTAINERS;
use super::chosen_containers::{ChosenContainers, FIRST, LAST, containers_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "subtree",
        family: "tree",
        form: Form::Table,
        description: "Returns a container and all containers below it.",
        notes: "The root is given by name, path, alias or id. A text is a name, path or alias; when no container has \
                it and it is a number, it is an id. When several containers share a name, the subtrees of all \
                are given, each container once. A container that does not exist is an error. Fields that a \
                trace adds to its containers follow as further columns. Reads the current trace; write \
                lu.subtree('rank 1') for another. Row order is unspecified; ORDER BY preorder walks the tree.",
        relations: &[],
        constants: &[ConstantParameter {
            name: "root",
            kind: ConstantKind::TextOrBigInt,
            default: DefaultValue::Required,
            accepts: Accepts::ContainerName,
            doc: "Name, path, alias or id of the topmost container.",
        }],
        columns: CONTAINERS,
        examples: &["SELECT name, type, depth FROM subtree('C2') ORDER BY preorder"],
    },
    plan,
};

const PLACE: &str = "place";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let ChosenContainers(roots) = containers_of(&call, "root")?;
    let places = range(col(FIRST), col(LAST) + lit(1), lit(1));
    let keys = (vec![Column::from_name(PLACE)], vec![Column::from_name("preorder")]);
    LogicalPlanBuilder::from(roots)
        .project(vec![places.alias(PLACE)])?
        .unnest_column(PLACE)?
        .project(vec![cast(col(PLACE), DataType::Int32).alias(PLACE)])?
        .join(call.table("containers")?, JoinType::RightSemi, keys, None)?
        .build()
}
