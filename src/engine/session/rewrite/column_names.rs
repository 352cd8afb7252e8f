//! Names of columns: an expression without an alias is called as it is written, and no two columns of a SELECT
//! have the same name.
//!
//! ```text
//! SELECT count(*), sum(duration), count(*)   ─►   count(*) AS "count(*)", sum(duration) AS "sum(duration)",
//!                                                 count(*) AS "count(*)_1"
//! ```
//! Names are given to the query itself, CTEs, queries in FROM, those that are an argument of a table function, and
//! those with several columns in expressions: `EXISTS (SELECT 1, 1)`. A union has the names of its first part. The
//! columns of `*` are not known here: see `column_scope`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ocellus_planning::Rewriter;
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, Statement,
    TableFactor, TableWithJoins,
};

/// Names the columns of a statement.
pub(super) fn assign(statement: &mut Statement) {
    name_statement(statement);
    // Texts of expressions are names by now, so what is in them may change.
    ocellus_planning::rewrite(statement, &mut QueriesOfRows);
}

/// Names the columns of queries in expressions that may have several: elsewhere they have one, without a name.
struct QueriesOfRows;

impl Rewriter for QueriesOfRows {
    fn enter_expression(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Exists { subquery, .. } => name_query(subquery),
            Expr::InSubquery { expr, subquery, .. } if matches!(expr.as_ref(), Expr::Tuple(_)) => name_query(subquery),
            _ => {}
        }
    }
}

fn name_statement(statement: &mut Statement) {
    match statement {
        Statement::Query(query) => name_query(query),
        Statement::Explain { statement, .. } | Statement::Prepare { statement, .. } => name_statement(statement),
        Statement::CreateView(view) => name_query(&mut view.query),
        Statement::CreateTable(table) => {
            if let Some(query) = &mut table.query {
                name_query(query);
            }
        }
        _ => {}
    }
}

fn name_query(query: &mut Query) {
    for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
        name_query(&mut cte.query);
    }
    name_body(&mut query.body);
    if let (SetExpr::Select(select), Some(order)) = (query.body.as_ref(), &mut query.order_by)
        && select.distinct.is_some()
    {
        order_by_names(&select.projection, order);
    }
}

/// `SELECT DISTINCT f(x) … ORDER BY f(x)` orders by the column that has a name now: there is no other.
pub(in crate::session) fn order_by_names(items: &[SelectItem], order: &mut OrderBy) {
    let OrderByKind::Expressions(expressions) = &mut order.kind else { return };
    for ordered in expressions {
        let named = items.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } if is_same(expr, &ordered.expr) => Some(alias.clone()),
            _ => None,
        });
        if let Some(name) = named {
            ordered.expr = Expr::Identifier(name);
        }
    }
}

fn is_same(left: &Expr, right: &Expr) -> bool {
    match (left, right) {
        (Expr::CompoundIdentifier(left), Expr::CompoundIdentifier(right)) => {
            left.iter().map(normal).eq(right.iter().map(normal))
        }
        _ => left == right,
    }
}

fn name_body(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => name_select(select),
        SetExpr::Query(query) => name_query(query),
        SetExpr::SetOperation { left, right, .. } => {
            name_body(left);
            name_body(right);
        }
        _ => {}
    }
}

fn name_select(select: &mut Select) {
    select.from.iter_mut().for_each(name_tables);
    // Beside `*`, whose columns are not known here, equal names are left for later.
    let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    let has_star = select.projection.iter().any(is_star);
    let mut names = NamesInUse::default();
    for item in &mut select.projection {
        let Some(name) = name_of(item) else { continue };
        let given = match has_star {
            true => name.text(),
            false => names.claim(&name),
        };
        if let Some(name) = given {
            set_name(item, name);
        }
    }
}

fn name_tables(tables: &mut TableWithJoins) {
    name_table(&mut tables.relation);
    tables.joins.iter_mut().for_each(|join| name_table(&mut join.relation));
}

fn name_table(table: &mut TableFactor) {
    match table {
        TableFactor::Derived { subquery, .. } => name_query(subquery),
        TableFactor::NestedJoin { table_with_joins, .. } => name_tables(table_with_joins),
        TableFactor::Pivot { table, .. } | TableFactor::Unpivot { table, .. } => name_table(table),
        TableFactor::Table { args: Some(arguments), .. } => arguments.args.iter_mut().for_each(name_argument),
        TableFactor::Function { args, .. } => args.iter_mut().for_each(name_argument),
        _ => {}
    }
}

fn name_argument(argument: &mut FunctionArg) {
    let value = match argument {
        FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg) => arg,
    };
    if let FunctionArgExpr::Expr(expression) = value {
        name_relation(expression);
    }
}

fn name_relation(expression: &mut Expr) {
    match expression {
        Expr::Nested(inner) => name_relation(inner),
        Expr::Subquery(query) => name_query(query),
        _ => {}
    }
}

/// What an item of a SELECT is called.
#[derive(Debug, PartialEq, Eq)]
enum ItemName {
    /// A column: its name without the table.
    Column(String),
    /// The alias that it has.
    Alias(String),
    /// An expression: its text.
    Text(String),
}

impl ItemName {
    fn shown(&self) -> &str {
        match self {
            ItemName::Column(name) | ItemName::Alias(name) | ItemName::Text(name) => name,
        }
    }

    /// The name of what has none of its own.
    fn text(&self) -> Option<String> {
        match self {
            ItemName::Text(name) => Some(name.clone()),
            ItemName::Column(_) | ItemName::Alias(_) => None,
        }
    }
}

/// The names of the items so far, each with the number that was put behind it last.
#[derive(Debug, Default)]
struct NamesInUse(BTreeMap<String, u32>);

impl NamesInUse {
    /// Takes a name. `Some`: the item must be given this one; `None`: it has its name already.
    fn claim(&mut self, name: &ItemName) -> Option<String> {
        let shown = name.shown();
        if let Some(last) = self.0.get(shown) {
            return Some(self.another(shown, *last));
        }
        self.0.insert(shown.to_string(), 0);
        name.text()
    }

    /// A name that is not in use: the next free number behind the given one.
    fn another(&mut self, name: &str, last: u32) -> String {
        let numbered = (last + 1..).map(|number| (number, format!("{name}_{number}")));
        let free = numbered.into_iter().find(|(_, name)| !self.0.contains_key(name));
        let (number, free) = free.unwrap_or_else(|| (last, name.to_string()));
        self.0.insert(name.to_string(), number);
        self.0.insert(free.clone(), 0);
        free
    }
}

fn name_of(item: &SelectItem) -> Option<ItemName> {
    let expression = match item {
        SelectItem::UnnamedExpr(expression) => expression,
        SelectItem::ExprWithAlias { alias, .. } => return Some(ItemName::Alias(normal(alias))),
        _ => return None,
    };
    let mut column = expression;
    while let Expr::Nested(inner) = column {
        column = inner;
    }
    Some(match column {
        Expr::Identifier(name) => ItemName::Column(normal(name)),
        Expr::CompoundIdentifier(names) => ItemName::Column(names.last().map(normal).unwrap_or_default()),
        _ => ItemName::Text(expression.to_string()),
    })
}

fn set_name(item: &mut SelectItem, name: String) {
    let alias = Ident::with_quote('"', name);
    match item {
        SelectItem::UnnamedExpr(expression) => {
            let expr = std::mem::replace(expression, Expr::Identifier(Ident::new("")));
            *item = SelectItem::ExprWithAlias { expr, alias };
        }
        SelectItem::ExprWithAlias { alias: present, .. } => *present = alias,
        _ => {}
    }
}

/// A name as DataFusion sees it.
pub(in crate::session) fn normal(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}
