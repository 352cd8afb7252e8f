//! `subtree(root)`: a container and all that lie below it.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::CONTAINERS;
use super::chosen_containers::subtrees_of;
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

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    subtrees_of(&call, "root")
}
