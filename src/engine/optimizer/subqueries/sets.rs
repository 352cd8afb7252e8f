//! Subqueries that do not refer to the outer query: their values are a set, the same for every row.
//!
//! ```text
//!  x > ALL (q)   n = 0 ► true     x > greatest is false ► false   a NULL among them ► NULL   else x > greatest
//!  x > ANY (q)   n = 0 ► false    x > least is true ► true        a NULL among them ► NULL   else x > least
//!  x IN (q)      found ► true     n = 0 ► false                   a NULL, or x is ► NULL     else false
//! ```

use datafusion::common::{Column, JoinType, Result, ScalarValue, not_impl_err};
use datafusion::functions_aggregate::expr_fn::{count, max, min};
use datafusion::logical_expr::expr::SetQuantifier;
use datafusion::logical_expr::expr_fn::when;
use datafusion::logical_expr::type_coercion::binary::comparison_coercion;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr, cast, lit,
};

/// The rows and what an expression over them says.
type JoinedAnswer = (LogicalPlan, Expr);

/// Neither true nor false.
pub(super) fn unknown() -> Expr {
    lit(ScalarValue::Boolean(None))
}

fn of(relation: &str, column: &str) -> Expr {
    Expr::Column(Column::new(Some(relation), column))
}

/// The only column of a query.
pub(super) fn value_of(query: &LogicalPlan) -> Result<Expr> {
    match query.schema().columns().as_slice() {
        [column] => Ok(Expr::Column(column.clone())),
        columns => not_impl_err!("a subquery that is compared with a value has one column, got {}", columns.len()),
    }
}

/// `EXISTS (query)`
pub(super) fn exists(rows: &LogicalPlan, query: &LogicalPlan, name: &str) -> Result<JoinedAnswer> {
    let first = LogicalPlanBuilder::from(query.clone()).limit(0, Some(1))?;
    let number = first.aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("rows")])?.alias(name)?.build()?;
    let rows = LogicalPlanBuilder::from(rows.clone()).cross_join(number)?.build()?;
    Ok((rows, of(name, "rows").gt(lit(0))))
}

/// `value operator ANY|ALL (query)`, but for `= ANY` and `<> ALL`: see [`contains`].
pub(super) fn compare(
    rows: &LogicalPlan,
    query: &LogicalPlan,
    value: Expr,
    operator: Operator,
    quantifier: &SetQuantifier,
    name: &str,
) -> Result<JoinedAnswer> {
    let mut numbers = counts(query)?;
    numbers.push(min(value_of(query)?).alias("least"));
    numbers.push(max(value_of(query)?).alias("greatest"));
    let rows = with_numbers(rows, query, numbers, name)?;
    let with = |extreme: &str| binary_expr(value.clone(), operator, of(name, extreme));
    let (least, greatest) = ("least", "greatest");
    let (has_none, has_null) = (of(name, "rows").eq(lit(0)), of(name, "values").lt(of(name, "rows")));
    let is_all = matches!(quantifier, SetQuantifier::All);
    let holds = match (operator, is_all) {
        (Operator::Gt | Operator::GtEq, true) | (Operator::Lt | Operator::LtEq, false) => with(greatest),
        (Operator::Lt | Operator::LtEq, true) | (Operator::Gt | Operator::GtEq, false) => with(least),
        (Operator::Eq, true) => with(least).and(with(greatest)),
        (Operator::NotEq, false) => with(least).or(with(greatest)),
        _ => return not_impl_err!("{operator} with ANY or ALL of a subquery; use <, <=, =, <>, >= or >"),
    };
    // One value is enough: a false one of ALL, a true one of ANY.
    let is_decided = if is_all { Expr::Not(Box::new(holds.clone())) } else { holds.clone() };
    let answer =
        when(has_none, lit(is_all)).when(is_decided, lit(!is_all)).when(has_null, unknown()).otherwise(holds)?;
    Ok((rows, answer))
}

/// `value IN (query)`
pub(super) fn contains(rows: &LogicalPlan, query: &LogicalPlan, value: Expr, name: &str) -> Result<JoinedAnswer> {
    let element = value_of(query)?;
    let kinds = (value.get_type(rows.schema())?, element.get_type(query.schema())?);
    let Some(kind) = comparison_coercion(&kinds.0, &kinds.1) else {
        return not_impl_err!("a value of type {} IN a subquery of type {}", kinds.0, kinds.1);
    };
    let found = format!("{name}_found");
    let elements = LogicalPlanBuilder::from(query.clone())
        .project([cast(element, kind.clone()).alias("element")])?
        .distinct()?
        .filter(Expr::Column(Column::from_name("element")).is_not_null())?
        .alias(found.as_str())?
        .build()?;
    let is_element = cast(value.clone(), kind).eq(of(&found, "element"));
    let rows = with_numbers(rows, query, counts(query)?, name)?;
    let rows = LogicalPlanBuilder::from(rows).join_on(elements, JoinType::Left, Some(is_element))?.build()?;
    let has_null = of(name, "values").lt(of(name, "rows"));
    let has_some = of(name, "rows").gt(lit(0));
    let answer = when(of(&found, "element").is_not_null(), lit(true))
        .when(has_null.or(value.is_null().and(has_some)), unknown())
        .otherwise(lit(false))?;
    Ok((rows, answer))
}

/// How many rows a query has, and how many of them are not NULL.
fn counts(query: &LogicalPlan) -> Result<Vec<Expr>> {
    Ok(vec![count(lit(1)).alias("rows"), count(value_of(query)?).alias("values")])
}

/// The rows, each with numbers of a query.
fn with_numbers(rows: &LogicalPlan, query: &LogicalPlan, numbers: Vec<Expr>, name: &str) -> Result<LogicalPlan> {
    let one_row =
        LogicalPlanBuilder::from(query.clone()).aggregate(Vec::<Expr>::new(), numbers)?.alias(name)?.build()?;
    LogicalPlanBuilder::from(rows.clone()).cross_join(one_row)?.build()
}
