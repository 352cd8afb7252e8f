//! `PIVOT`: values of a column become columns.
//!
//! ```text
//! FROM t PIVOT ( aggregate [AS name] { ',' aggregate [AS name] } FOR column IN ( value [AS name] { ',' value … } ) )
//! ```
//! It is an aggregation: each value and each aggregate are a column `aggregate FILTER (WHERE column = value)`,
//! and rows are grouped by all columns that neither the aggregates nor `column` mention. A column is called as
//! its value, or `value_name` when the aggregate has a name or is one of several.

use datafusion::common::{Column, DFSchemaRef, Result, not_impl_err, plan_err};
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlannerContext, RelationPlanning};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use sqlparser::ast::{
    BinaryOperator, Expr as SqlExpr, ExprWithAlias, PivotValueSource, TableFactor, Value, ValueWithSpan,
};

/// Plans a relation with PIVOT; UNPIVOT and forms that are not supported are refused, others come back.
pub(crate) fn plan(relation: TableFactor, context: &mut dyn RelationPlannerContext) -> Result<RelationPlanning> {
    let (table, aggregates, columns, source, alias) = match relation {
        TableFactor::Pivot { default_on_null: Some(_), .. } => {
            return not_impl_err!("PIVOT with DEFAULT ON NULL; use coalesce() on its columns");
        }
        TableFactor::Pivot { table, aggregate_functions, value_column, value_source, alias, .. } => {
            (table, aggregate_functions, value_column, value_source, alias)
        }
        TableFactor::Unpivot { .. } => {
            return not_impl_err!("UNPIVOT; write one SELECT per column, joined by UNION ALL");
        }
        other => return Ok(RelationPlanning::Original(Box::new(other))),
    };
    let PivotValueSource::List(values) = source else {
        return not_impl_err!("PIVOT over values that a query finds; write them: FOR column IN ('a', 'b')");
    };
    let [column] = columns.as_slice() else {
        return not_impl_err!("PIVOT over several columns; join them to one first: a || ',' || b");
    };
    let input = context.plan(*table)?;
    let schema = DFSchemaRef::clone(input.schema());
    let mut mentioned: Vec<Column> = column_refs(&context.sql_to_expr(copy(column), &schema)?);
    let mut shown = vec![];
    for value in &values {
        for aggregate in &aggregates {
            let filtered = pivot_filter(&aggregate.expr, column, &value.expr)?;
            // `count(*)` comes with a name of its own.
            let expression = context.sql_to_expr(filtered, &schema)?.unalias();
            if !matches!(expression, Expr::AggregateFunction(_)) {
                return plan_err!("PIVOT takes aggregate functions such as sum(x), got {}", aggregate.expr);
            }
            mentioned.extend(column_refs(&context.sql_to_expr(copy(&aggregate.expr), &schema)?));
            let alias = value.alias.as_ref().map(|alias| context.normalize_ident(alias.clone()));
            shown.push(expression.alias(pivot_column(&value.expr, alias, aggregate, aggregates.len())));
        }
    }
    let groups = schema.columns().into_iter().filter(|column| !mentioned.contains(column)).map(Expr::Column);
    let plan = LogicalPlanBuilder::from(input).aggregate(groups, shown)?.build()?;
    Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias))))
}

fn copy(expression: &SqlExpr) -> SqlExpr {
    ocellus_planning::copy_expression(expression)
}

fn column_refs(expression: &Expr) -> Vec<Column> {
    expression.column_refs().into_iter().cloned().collect()
}

/// The aggregate over the rows of one value; NULL is a value as any other.
pub(crate) fn pivot_filter(aggregate: &SqlExpr, column: &SqlExpr, value: &SqlExpr) -> Result<SqlExpr> {
    let SqlExpr::Function(mut function) = copy(aggregate) else {
        return plan_err!("PIVOT takes aggregate functions such as sum(x), got {aggregate}");
    };
    let is_value = SqlExpr::IsNotDistinctFrom(Box::new(copy(column)), Box::new(copy(value)));
    function.filter = Some(Box::new(match function.filter.take() {
        None => is_value,
        Some(filter) => SqlExpr::BinaryOp {
            left: Box::new(SqlExpr::Nested(filter)),
            op: BinaryOperator::And,
            right: Box::new(SqlExpr::Nested(Box::new(is_value))),
        },
    }));
    Ok(SqlExpr::Function(function))
}

/// The name of the column of a value, which may have an alias, and of one of several aggregates.
pub(crate) fn pivot_column(
    value: &SqlExpr,
    alias: Option<String>,
    aggregate: &ExprWithAlias,
    aggregates: usize,
) -> String {
    let name = match (alias, value) {
        (Some(alias), _) => alias,
        (None, SqlExpr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. })) => text.clone(),
        (None, expression) => expression.to_string(),
    };
    match &aggregate.alias {
        Some(alias) => format!("{name}_{}", alias.value),
        None if aggregates > 1 => format!("{name}_{}", aggregate.expr),
        None => name,
    }
}
