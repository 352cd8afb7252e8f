//! Ticks above a node, and the columns that must be shown for them.

use std::sync::Arc;

use datafusion::common::alias::AliasGenerator;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, Projection};

use super::forms::TickForm;

/// Ticks above a projection, to which is added what they are made of.
pub(super) fn carried(form: TickForm, shown: &mut Vec<Expr>, names: &AliasGenerator) -> TickForm {
    if !is_plain(&form.ticks) {
        let name = names.next(PREFIX);
        shown.push(form.ticks.alias(&name));
        return TickForm { ticks: Expr::Column(Column::from_name(name)), ..form };
    }
    with_columns(form, |column| shown_column(column, shown, names))
}

/// How names of columns begin that would otherwise be taken.
pub(super) const PREFIX: &str = "__ticks";

/// Expressions of more parts are computed where they are.
const MOST_PARTS: usize = 32;

/// Whether an expression can be computed above as well as below: it is cheap, and NULL where a column is.
pub(super) fn is_plain(ticks: &Expr) -> bool {
    let mut has_column = false;
    let mut is_plain = true;
    let mut parts = 0;
    let visited = ticks.apply(|part| {
        match part {
            Expr::Column(_) => has_column = true,
            Expr::Literal(ScalarValue::Int64(Some(_)) | ScalarValue::Decimal128(Some(_), _, _), _) => {}
            Expr::Negative(_) | Expr::Cast(_) => {}
            Expr::BinaryExpr(binary) if matches!(binary.op, Operator::Plus | Operator::Minus | Operator::Multiply) => {}
            _ => is_plain = false,
        }
        parts += 1;
        is_plain &= parts <= MOST_PARTS;
        Ok(if is_plain { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    });
    visited.is_ok() && is_plain && has_column
}

/// The same with other columns.
pub(super) fn with_columns(form: TickForm, mut other: impl FnMut(Column) -> Column) -> TickForm {
    let TickForm { ticks, width, scale } = form;
    let ticks = ticks.transform(|part| {
        Ok(match part {
            Expr::Column(column) => Transformed::yes(Expr::Column(other(column))),
            part => Transformed::no(part),
        })
    });
    let ticks = ticks.expect("renaming columns does not fail").data;
    TickForm { ticks, width, scale }
}

/// The columns of an expression, each once, in their order.
pub(super) fn columns_of(ticks: &Expr) -> Vec<Column> {
    let mut columns = vec![];
    let visited = ticks.apply(|part| {
        if let Expr::Column(column) = part
            && !columns.contains(column)
        {
            columns.push(column.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    visited.expect("looking does not fail");
    columns
}

/// A column of the input as one of a projection, which is extended if it does not show it. Names stay what they are, unless
/// they are taken.
fn shown_column(column: Column, shown: &mut Vec<Expr>, names: &AliasGenerator) -> Column {
    for expression in shown.iter() {
        match expression {
            Expr::Column(same) if *same == column => return column,
            Expr::Alias(alias) if matches!(&*alias.expr, Expr::Column(same) if *same == column) => {
                return Column::new(alias.relation.clone(), &alias.name);
            }
            _ => {}
        }
    }
    let is_taken = shown.iter().any(|expression| expression.qualified_name().1 == column.name);
    if !is_taken {
        shown.push(Expr::Column(column.clone()));
        return column;
    }
    let name = names.next(PREFIX);
    shown.push(Expr::Column(column).alias(&name));
    Column::from_name(name)
}

/// The same plan, with new names for those columns of the ticks whose names are taken.
pub(super) fn renamed(
    form: TickForm,
    plan: LogicalPlan,
    names: &AliasGenerator,
    is_taken: impl Fn(&Column) -> bool,
) -> Result<(TickForm, LogicalPlan)> {
    let taken: Vec<Column> = columns_of(&form.ticks).into_iter().filter(is_taken).collect();
    if taken.is_empty() {
        return Ok((form, plan));
    }
    let others: Vec<String> = taken.iter().map(|_| names.next(PREFIX)).collect();
    let mut shown: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    shown.extend(taken.iter().zip(&others).map(|(column, name)| Expr::Column(column.clone()).alias(name)));
    let form = with_columns(form, |column| match taken.iter().position(|other| *other == column) {
        Some(place) => Column::from_name(&others[place]),
        None => column,
    });
    Ok((form, LogicalPlan::Projection(Projection::try_new(shown, Arc::new(plan))?)))
}
