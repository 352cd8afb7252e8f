//! `subtree(root)`: a container and all that lie below it.
//!
//! One walk in preorder: a container lies in the subtree of the chosen ones that came before it when
//! the farthest `last_descendant` of these reaches it.
//!
//! ```text
//!  preorder          0  1  2  3  4  5  6      chosen: 1 and 5
//!  last_descendant   6  3  2  3  4  6  6
//!  reach             .  3  3  3  3  6  6      running maximum over the chosen
//!  inside               *  *  *     *  *      reach >= preorder
//! ```
//! So the cost is that of a sort, however many containers are chosen and however they nest.

use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions_aggregate::min_max::max_udaf;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition, when,
};
use datafusion::prelude::col;

use super::CONTAINERS;
use crate::functions::call::Call;
use crate::functions::containers::{CHOSEN, Chosen, containers_of};
use crate::functions::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, TableFunction,
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "subtree",
        family: "tree",
        form: Form::Table,
        description: "Gives a container and all containers below it.",
        notes: "The root is given by name, path, alias or id. A text is a name, path or alias; when no container has \
                it and it is a number, it is an id. When several containers share a name, the subtrees of all \
                are given, each container once. A container that does not exist gives no rows. Fields that a \
                trace adds to its containers follow as further columns. Reads the current trace; write \
                lu.subtree('rank 1') for another. Rows come in no order; ORDER BY preorder walks the tree.",
        relations: &[],
        constants: &[ConstantParameter {
            name: "root",
            kind: ConstantKind::TextOrBigInt,
            default: DefaultValue::Required,
            accepts: Accepts::Anything,
            doc: "Name, path, alias or id of the topmost container.",
        }],
        columns: CONTAINERS,
        examples: &["SELECT name, type, depth FROM subtree('C2') ORDER BY preorder"],
    },
    plan,
};

const REACH: &str = "reach";
const REACHED: &str = "reached";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let containers = call.table("containers")?;
    let shown: Vec<Expr> = containers.schema().columns().into_iter().map(Expr::Column).collect();
    let Chosen(roots) = containers_of(&call, "root")?;
    let keys = (vec![Column::from_name("container_id")], vec![Column::from_name(CHOSEN)]);
    let reach = when(col(CHOSEN).is_not_null(), col("last_descendant")).end()?;
    let marked = shown.iter().cloned().chain([reach.alias(REACH)]);
    LogicalPlanBuilder::from(containers)
        .join(roots, JoinType::Left, keys, None)?
        .project(marked)?
        .window(vec![farthest_so_far()?.alias(REACHED)])?
        .filter(col(REACHED).gt_eq(col("preorder")))?
        .project(shown)?
        .build()
}

/// The largest reach of the containers up to each one, in preorder.
fn farthest_so_far() -> Result<Expr> {
    let frame = WindowFrame::new_bounds(
        WindowFrameUnits::Rows,
        WindowFrameBound::Preceding(ScalarValue::UInt64(None)),
        WindowFrameBound::CurrentRow,
    );
    let largest = WindowFunction::new(WindowFunctionDefinition::AggregateUDF(max_udaf()), vec![col(REACH)]);
    Expr::from(largest).order_by(vec![col("preorder").sort(true, false)]).window_frame(frame).build()
}
