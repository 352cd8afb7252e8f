//! Bounds on the plan that a statement becomes, with the views and WITH clauses in it.
//!
//! A plan may hold the same part many times over, by reference: `WITH a AS (…), b AS (SELECT * FROM a, a x), …` is
//! a short text whose plan, walked as a tree, has 2ⁿ parts. Every rule of the optimizer walks it as a tree.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion, TreeNodeVisitor};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Operators of a plan.
const MOST_OPERATORS: usize = 20_000;
/// Joins among them.
const MOST_JOINS: usize = 500;
/// Operators and expressions in each other.
const DEEPEST: usize = 12_000;

/// Gives a plan back if it is not too large to be optimized.
pub fn bounded(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut operators = 0;
    let mut joins = 0;
    let mut open = vec![(&plan, 0)];
    while let Some((node, outside)) = open.pop() {
        operators += 1;
        joins += usize::from(matches!(node, LogicalPlan::Join(_)));
        let depth = outside + 1 + deepest_expression(node)?;
        if operators > MOST_OPERATORS || joins > MOST_JOINS || depth > DEEPEST {
            return plan_err!(
                "the statement becomes too large with its views and WITH clauses: more than {MOST_OPERATORS} \
                 operators, {MOST_JOINS} joins, or {DEEPEST} steps in each other; write intermediate results to tables"
            );
        }
        open.extend(node.inputs().into_iter().map(|input| (input, depth)));
    }
    Ok(plan)
}

fn deepest_expression(node: &LogicalPlan) -> Result<usize> {
    let mut depth = ExpressionDepth::default();
    node.apply_expressions(|expression| expression.visit(&mut depth))?;
    Ok(depth.deepest)
}

#[derive(Debug, Default)]
struct ExpressionDepth {
    now: usize,
    deepest: usize,
}

impl TreeNodeVisitor<'_> for ExpressionDepth {
    type Node = Expr;

    fn f_down(&mut self, _expression: &Expr) -> Result<TreeNodeRecursion> {
        self.now += 1;
        self.deepest = self.deepest.max(self.now);
        Ok(TreeNodeRecursion::Continue)
    }

    fn f_up(&mut self, _expression: &Expr) -> Result<TreeNodeRecursion> {
        self.now -= 1;
        Ok(TreeNodeRecursion::Continue)
    }
}
