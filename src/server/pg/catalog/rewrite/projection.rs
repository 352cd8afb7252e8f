//! Names of columns: PostgreSQL names a column after its function, and allows a name twice.

use sqlparser::ast::{Expr, Ident, Select, SelectItem, SelectItemQualifiedWildcardKind};

use super::super::functions::FUNCTIONS;
use super::names::last;
use super::raw_sql::{raw, raw_text};

/// Gives columns without a name the one that PostgreSQL would, and equal ones different names.
pub(super) fn name_columns(select: &mut Select) {
    drop_repeated(select);
    let mut taken: Vec<String> = vec![];
    for (item, place) in select.projection.iter_mut().zip(1..) {
        let SelectItem::UnnamedExpr(expression) = item else { continue };
        let called = call(expression);
        let name = called.clone().unwrap_or_else(|| expression.to_string());
        let is_taken = taken.contains(&name);
        taken.push(name.clone());
        let alias = match (called, is_taken) {
            (Some(name), false) => name,
            (Some(name), true) => format!("{name}_{place}"),
            (None, true) => format!("column{place}"),
            (None, false) => continue,
        };
        let expr = std::mem::replace(expression, raw(""));
        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', alias) };
    }
}

/// The name of a function of the catalogs.
fn call(expression: &Expr) -> Option<String> {
    let name = match expression {
        Expr::Function(function) => last(&function.name),
        expression => raw_text(expression)?.strip_suffix("()")?.trim_matches('"').to_string(),
    };
    FUNCTIONS.iter().any(|entry| entry.name == name).then_some(name)
}

/// `c.oid, c.*` says a column twice, which DataFusion refuses.
fn drop_repeated(select: &mut Select) {
    let wild = select.projection.iter().filter_map(|item| match item {
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => Some(name.to_string()),
        _ => None,
    });
    let wild: Vec<String> = wild.collect();
    select.projection.retain(|item| match item {
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => match parts.as_slice() {
            [table, _] => !wild.contains(&table.to_string()),
            _ => true,
        },
        _ => true,
    });
}
