//! Equal columns: DataFusion wants every column of a response to have a name of its own, PostgreSQL does
//! not. `SELECT 1, 1` becomes `SELECT 1 AS "?column?", 1 AS "?column? 1"`.

#[cfg(test)]
mod tests;

use sqlparser::ast::{Expr, Ident, SelectItem, SetExpr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

/// What PostgreSQL calls a column that has no name.
const NAMELESS: &str = "?column?";

/// The text with a name for every expression of its result that has none. `None`: there is none.
pub(super) fn with_names(text: &str) -> Option<String> {
    let mut statements = Parser::parse_sql(&PostgreSqlDialect {}, text).ok()?;
    let Statement::Query(query) = statements.first_mut()? else { return None };
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    let items = std::mem::take(&mut select.projection);
    let mut nameless = 0;
    for item in items {
        select.projection.push(match item {
            SelectItem::UnnamedExpr(expr) if !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) => {
                let name = if nameless == 0 { NAMELESS.to_string() } else { format!("{NAMELESS} {nameless}") };
                nameless += 1;
                SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
            }
            other => other,
        });
    }
    (nameless > 0).then(|| statements[0].to_string())
}

/// The name that a client sees.
pub(super) fn shown(name: &str) -> &str {
    match name.strip_prefix(NAMELESS) {
        Some(number) if number.trim_start().bytes().all(|byte| byte.is_ascii_digit()) => NAMELESS,
        _ => name,
    }
}
