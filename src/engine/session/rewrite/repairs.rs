//! Repairs what the parser reads wrongly, and says in other words what the planner does not know.
//!
//! | written | read as |
//! |---|---|
//! | `a IS DISTINCT FROM b AND c` | `(a IS DISTINCT FROM b) AND c`: the parser takes `b AND c` for one operand |
//! | `(a, b) IN (SELECT x, y …)` | `EXISTS (SELECT … WHERE x = a AND y = b)`, or NULL where a comparison is unknown |
//! | `FETCH FIRST n ROWS ONLY` | `LIMIT n` |
//! | `DISTINCT ON (a, a)` | `DISTINCT ON (a)` |
//! | `ORDER BY ALL` | `ORDER BY 1, 2, …` |
//! | `2 ^ 3` | refused: it is 8 in PostgreSQL, and 1 to the planner |
//! | `x SIMILAR TO 'a%'` | a match of the whole text: [`patterns`] |
//! | `a SEMI JOIN b`, `a FULL JOIN b USING (k)` | see [`joins`] |
//! | `a JOIN b USING (k) WHERE k > 5` | `… WHERE a.k > 5`: [`shared_in_where`] |

mod joins;
mod patterns;
mod shared_in_where;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Write;

use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use ocellus_planning::Rewriter;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, Ident, LimitClause, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr,
    Statement as Ast, TableFactor, UnaryOperator, Value,
};
use sqlparser::dialect::Dialect;
use sqlparser::parser::Parser;

use joins::NamedSides;

/// Changes a statement to what was meant.
pub(super) fn repair(ast: &mut Ast, dialect: &dyn Dialect) -> Result<()> {
    let mut repairs = Repairs { dialect, error: None, queries: vec![] };
    ocellus_planning::rewrite(ast, &mut repairs);
    repairs.error.map_or(Ok(()), Err)
}

struct Repairs<'a> {
    dialect: &'a dyn Dialect,
    /// What cannot be said in other words.
    error: Option<DataFusionError>,
    /// The queries that we are in.
    queries: Vec<NamedSides>,
}

impl Repairs<'_> {
    fn fail(&mut self, error: DataFusionError) {
        self.error.get_or_insert(error);
    }

    fn parsed(&mut self, text: &str, place: &mut Expr) {
        let parsed = Parser::new(self.dialect).try_with_sql(text).and_then(|mut parser| parser.parse_expr());
        match parsed {
            Ok(expression) => *place = expression,
            Err(error) => self.fail(DataFusionError::SQL(Box::new(error), None)),
        }
    }
}

impl Rewriter for Repairs<'_> {
    fn enter_query(&mut self, query: &mut Query) {
        self.queries.push(NamedSides::default());
        if let Err(error) = fetch_is_limit(query).and_then(|()| order_by_all(query)) {
            self.fail(error);
        }
        // Where NULL and false are the same, a row is in a query when an equal one exists.
        if let SetExpr::Select(select) = query.body.as_mut()
            && let Some(condition) = &mut select.selection
        {
            self.rows_that_exist(condition);
        }
    }

    fn leave_query(&mut self, _query: &mut Query) {
        let Some(ended) = self.queries.pop() else { return };
        if let Some(error) = ended.error() {
            self.fail(error);
        }
        if let Some(around) = self.queries.last_mut() {
            around.take(ended);
        }
    }

    fn leave_select(&mut self, select: &mut Select) {
        if let Some(Distinct::On(keys)) = &mut select.distinct {
            let mut known = HashSet::new();
            keys.retain(|key| known.insert(ocellus_planning::copy_expression(key)));
        }
        shared_in_where::qualify(select);
        if let Some(query) = self.queries.last_mut() {
            query.read(select);
        }
    }

    fn leave_table(&mut self, _table: &mut TableFactor) {}

    fn enter_expression(&mut self, expression: &mut Expr) {
        if let Err(error) = patterns::repair(expression) {
            self.fail(error);
        }
        if let Expr::BinaryOp { op: BinaryOperator::BitwiseXor, .. } = expression {
            self.fail(plan_datafusion_err!(
                "the operator ^ is not supported, since it means different things; write power(a, b), or (a | b) - (a & b) for exclusive or"
            ));
        }
        if let (Expr::CompoundIdentifier(names), Some(query)) = (&*expression, self.queries.last_mut()) {
            query.qualified.extend(names.last().map(|name| name.value.to_lowercase()));
        }
        let Expr::InSubquery { expr, subquery, negated } = &*expression else { return };
        let Expr::Tuple(values) = expr.as_ref() else { return };
        let equal = equalities(values);
        let not = if *negated { "NOT " } else { "" };
        let text = format!(
            "{not}CASE WHEN {} THEN true WHEN {} THEN NULL ELSE false END",
            exists(subquery, values.len(), &equal),
            exists(subquery, values.len(), &format!("({equal}) IS NULL"))
        );
        self.parsed(&text, expression);
    }

    fn leave_expression(&mut self, expression: &mut Expr) {
        reassociate(expression);
    }
}

impl Repairs<'_> {
    fn rows_that_exist(&mut self, condition: &mut Expr) {
        match condition {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.rows_that_exist(left);
                self.rows_that_exist(right);
            }
            Expr::Nested(inner) => self.rows_that_exist(inner),
            Expr::InSubquery { expr, subquery, negated: false } => {
                if let Expr::Tuple(values) = expr.as_ref() {
                    let text = exists(subquery, values.len(), &equalities(values));
                    self.parsed(&text, condition);
                }
            }
            _ => {}
        }
    }
}

fn exists(query: &Query, columns: usize, condition: &str) -> String {
    let names: Vec<String> = (0..columns).map(column_of_row).collect();
    format!("EXISTS (SELECT 1 FROM ({query}) AS __row({}) WHERE {condition})", names.join(", "))
}

fn column_of_row(index: usize) -> String {
    format!("__row_{index}")
}

fn equalities(values: &[Expr]) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        let and = if index > 0 { " AND " } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "{and}__row.{} = ({value})", column_of_row(index));
    }
    text
}

/// `FETCH FIRST n ROWS ONLY` is the standard's word for `LIMIT n`.
fn fetch_is_limit(query: &mut Query) -> Result<()> {
    let Some(fetch) = query.fetch.take() else { return Ok(()) };
    if fetch.with_ties || fetch.percent {
        return Err(plan_datafusion_err!(
            "FETCH WITH TIES and PERCENT are not supported; compare rank() or percent_rank() OVER (ORDER BY …) in a subquery"
        ));
    }
    let count = fetch.quantity.unwrap_or_else(|| Expr::value(Value::Number("1".to_string(), false)));
    match &mut query.limit_clause {
        None => {
            query.limit_clause = Some(LimitClause::LimitOffset { limit: Some(count), offset: None, limit_by: vec![] });
            Ok(())
        }
        Some(LimitClause::LimitOffset { limit: limit @ None, .. }) => {
            *limit = Some(count);
            Ok(())
        }
        Some(_) => Err(plan_datafusion_err!("LIMIT and FETCH in one query; write one of them")),
    }
}

/// `ORDER BY ALL` orders by every column, from the first to the last.
fn order_by_all(query: &mut Query) -> Result<()> {
    let Some(OrderByKind::Expressions(expressions)) = query.order_by.as_mut().map(|order| &mut order.kind) else {
        return Ok(());
    };
    let [ordered] = expressions.as_slice() else { return Ok(()) };
    let is_all = |name: &Ident| name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all");
    if !matches!(&ordered.expr, Expr::Identifier(name) if is_all(name)) {
        return Ok(());
    }
    let Some(columns) = count_columns(&query.body) else {
        return Err(plan_datafusion_err!("ORDER BY ALL beside * is not supported; name the columns to order by"));
    };
    let ordered = ordered.clone();
    let number = |column: usize| Expr::value(Value::Number(column.to_string(), false));
    *expressions = (1..=columns).map(|column| OrderByExpr { expr: number(column), ..ordered.clone() }).collect();
    Ok(())
}

/// How many columns a query has; `None` where only the planner knows.
fn count_columns(body: &SetExpr) -> Option<usize> {
    match body {
        SetExpr::Select(select) => {
            let is_star =
                |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
            (!select.projection.iter().any(is_star)).then_some(select.projection.len())
        }
        SetExpr::Query(query) => count_columns(&query.body),
        SetExpr::SetOperation { left, .. } => count_columns(left),
        _ => None,
    }
}

/// How tightly an operator holds its operands, of those that hold less tightly than a comparison.
fn binding(expression: &Expr) -> Option<u8> {
    match expression {
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => Some(1),
        Expr::BinaryOp { op: BinaryOperator::And, .. } => Some(2),
        Expr::UnaryOp { op: UnaryOperator::Not, .. } => Some(3),
        Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => Some(4),
        Expr::IsNull(_) | Expr::IsNotNull(_) => Some(4),
        Expr::IsTrue(_) | Expr::IsNotTrue(_) | Expr::IsFalse(_) | Expr::IsNotFalse(_) => Some(4),
        Expr::IsUnknown(_) | Expr::IsNotUnknown(_) => Some(4),
        _ => None,
    }
}

/// The last operand of an operator: what follows it in the text may have been taken for a part of it.
fn last_operand(expression: &mut Expr) -> Option<&mut Box<Expr>> {
    match expression {
        Expr::BinaryOp { op: BinaryOperator::And, right, .. } => Some(right),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Some(expr),
        Expr::IsDistinctFrom(_, right) | Expr::IsNotDistinctFrom(_, right) => Some(right),
        _ => None,
    }
}

fn first_operand(expression: &mut Expr) -> Option<&mut Box<Expr>> {
    match expression {
        Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, left, .. } => Some(left),
        Expr::IsDistinctFrom(left, _) | Expr::IsNotDistinctFrom(left, _) => Some(left),
        Expr::IsNull(left)
        | Expr::IsNotNull(left)
        | Expr::IsTrue(left)
        | Expr::IsNotTrue(left)
        | Expr::IsFalse(left)
        | Expr::IsNotFalse(left)
        | Expr::IsUnknown(left)
        | Expr::IsNotUnknown(left) => Some(left),
        _ => None,
    }
}

/// Puts the looser operator above the tighter one. What stands in parentheses is one operand, and no parser but one
/// with this fault leaves a looser operator without them below a tighter one.
///
/// ```text
///  IS DISTINCT FROM          AND
///   a      AND         ─►     IS DISTINCT FROM   c
///         b    c               a       b
/// ```
fn reassociate(expression: &mut Expr) {
    let Some(own) = binding(expression) else { return };
    let Some(last) = last_operand(expression) else { return };
    let looser = binding(last).is_some_and(|other| other <= own) && first_operand(last).is_some();
    if !looser {
        return;
    }
    let nothing = || Box::new(Expr::value(Value::Null));
    let mut above = std::mem::replace(last, nothing());
    let Some(first) = first_operand(&mut above) else { return };
    std::mem::swap(last, first);
    let below = std::mem::replace(expression, *nothing());
    **first = below;
    reassociate(first);
    if matches!(first.as_ref(), Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..)) {
        // The text of the tree is read again by the same parser.
        let inner = std::mem::replace(first, nothing());
        **first = Expr::Nested(inner);
    }
    *expression = *above;
}
