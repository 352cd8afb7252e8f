//! Writes the columns of FROM into a SELECT: what `*` is, with distinct names, and what the shared columns are.

use std::collections::BTreeSet;

use sqlparser::ast::{
    Distinct, ExcludeSelectItem, Expr, GroupByExpr, Ident, NamedWindowExpr, OrderBy, OrderByKind, Select, SelectItem,
    SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
};

use super::question::replaces;
use super::visible::{VisibleColumn, VisibleColumns};
use crate::session::distinct_names::numbered;
use crate::session::rewrite::{normal, order_by_names};

/// `None`: it can stay as it is, or has what we do not know.
pub(super) fn write(select: &mut Select, mut order: Option<&mut OrderBy>, visible: &VisibleColumns) -> Option<()> {
    let mut items = vec![];
    let given = aliases(&select.projection);
    let has_replaced = select.projection.iter().any(replaces);
    for item in std::mem::take(&mut select.projection) {
        match item {
            SelectItem::Wildcard(options) => items.extend(star(&visible.columns, options, visible)?),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(table), options) => {
                items.extend(star(visible.of_relation(&table)?, options, visible)?);
            }
            SelectItem::QualifiedWildcard(..) => return None,
            item => items.push(with_shared(item, visible)),
        }
    }
    let names: Vec<String> = items.iter().map(shown).collect();
    let distinct = numbered(names.iter().map(String::as_str));
    if distinct.is_none() && !visible.has_shared && !has_replaced {
        return None;
    }
    let output: BTreeSet<String> = names.iter().cloned().collect();
    for ((item, old), new) in items.iter_mut().zip(&names).zip(distinct.unwrap_or_else(|| names.clone())) {
        if *old != new {
            let ordered = order.as_deref_mut().filter(|_| given.contains(old));
            rename(item, &new, ordered);
        }
    }
    select.projection = items;
    replace_in_clauses(select, visible, &given);
    if let Some(order) = order {
        if let OrderByKind::Expressions(expressions) = &mut order.kind {
            expressions.iter_mut().for_each(|ordered| visible.replace(&mut ordered.expr, &output));
        }
        if select.distinct.is_some() {
            order_by_names(&select.projection, order);
        }
    }
    Some(())
}

/// The columns of `*`, with what is written behind it.
fn star(
    columns: &[VisibleColumn],
    options: WildcardAdditionalOptions,
    visible: &VisibleColumns,
) -> Option<Vec<SelectItem>> {
    let WildcardAdditionalOptions { opt_ilike, opt_exclude, opt_except, opt_replace, opt_rename, .. } = options;
    if opt_ilike.is_some() || opt_rename.is_some() {
        return None;
    }
    let mut left_out: Vec<String> = match opt_exclude {
        Some(ExcludeSelectItem::Single(name)) => vec![normal(name.0.last()?.as_ident()?)],
        Some(ExcludeSelectItem::Multiple(names)) => {
            let names: Option<Vec<String>> = names.iter().map(|name| name.0.last()?.as_ident().map(normal)).collect();
            names?
        }
        None => vec![],
    };
    if let Some(except) = opt_except {
        left_out.push(normal(&except.first_element));
        left_out.extend(except.additional_elements.iter().map(normal));
    }
    let mut replaced = opt_replace.map_or_else(Vec::new, |replace| replace.items);
    let is_known = |name: &String| columns.iter().any(|column| column.name == *name);
    if !left_out.iter().all(is_known) {
        return None;
    }
    // A column that is not there is named, so that the planner reports it.
    let missing = replaced.iter().filter(|element| !is_known(&normal(&element.column_name)));
    let mut items: Vec<SelectItem> =
        missing.map(|element| SelectItem::UnnamedExpr(Expr::Identifier(element.column_name.clone()))).collect();
    for column in columns.iter().filter(|column| !left_out.contains(&column.name)) {
        let new = replaced.iter_mut().find(|element| normal(&element.column_name) == column.name);
        let expr = match new {
            Some(element) => {
                visible.replace(&mut element.expr, &BTreeSet::new());
                element.expr.clone()
            }
            None => column.value.clone(),
        };
        items.push(match is_called(&expr, &column.name) {
            true => SelectItem::UnnamedExpr(expr),
            false => SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', column.name.clone()) },
        });
    }
    Some(items)
}

/// Whether a column has that name of itself.
fn is_called(expression: &Expr, name: &str) -> bool {
    match expression {
        Expr::Identifier(own) => normal(own) == name,
        Expr::CompoundIdentifier(names) => names.last().is_some_and(|own| normal(own) == name),
        _ => false,
    }
}

/// An item with the values of shared columns, under the name that it had.
fn with_shared(mut item: SelectItem, visible: &VisibleColumns) -> SelectItem {
    let expression = match &mut item {
        SelectItem::ExprWithAlias { expr, .. } => expr,
        SelectItem::UnnamedExpr(expr) => expr,
        _ => return item,
    };
    let mut column = &*expression;
    while let Expr::Nested(inner) = column {
        column = inner;
    }
    let name = match column {
        Expr::Identifier(name) if visible.shared(&normal(name)).is_some() => Some(normal(name)),
        _ => None,
    };
    visible.replace(expression, &BTreeSet::new());
    match (item, name) {
        (SelectItem::UnnamedExpr(expr), Some(name)) => {
            SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
        }
        (item, _) => item,
    }
}

fn shown(item: &SelectItem) -> String {
    let expression = match item {
        SelectItem::ExprWithAlias { alias, .. } => return normal(alias),
        SelectItem::UnnamedExpr(expression) => expression,
        _ => return item.to_string(),
    };
    let mut column = expression;
    while let Expr::Nested(inner) = column {
        column = inner;
    }
    match column {
        Expr::Identifier(name) => normal(name),
        Expr::CompoundIdentifier(names) => names.last().map(normal).unwrap_or_default(),
        _ => expression.to_string(),
    }
}

/// Names that a SELECT gives to something else than the column of that name.
fn aliases(items: &[SelectItem]) -> BTreeSet<String> {
    let given = items.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if !is_called(expr, &normal(alias)) => Some(normal(alias)),
        _ => None,
    });
    given.collect()
}

/// Gives an item another name, in ORDER BY too, which means the item that was given the name before the column that
/// has it.
fn rename(item: &mut SelectItem, name: &str, order: Option<&mut OrderBy>) {
    let alias = Ident::with_quote('"', name);
    match item {
        SelectItem::UnnamedExpr(expression) => {
            let expr = std::mem::replace(expression, Expr::Identifier(alias.clone()));
            *item = SelectItem::ExprWithAlias { expr, alias };
        }
        SelectItem::ExprWithAlias { alias: old, .. } => {
            let old = std::mem::replace(old, alias.clone());
            let Some(OrderByKind::Expressions(expressions)) = order.map(|order| &mut order.kind) else { return };
            for ordered in expressions {
                if matches!(&ordered.expr, Expr::Identifier(name) if normal(name) == normal(&old)) {
                    ordered.expr = Expr::Identifier(alias.clone());
                }
            }
        }
        _ => {}
    }
}

fn replace_in_clauses(select: &mut Select, visible: &VisibleColumns, given: &BTreeSet<String>) {
    let nothing = BTreeSet::new();
    if let Some(condition) = &mut select.selection {
        visible.replace(condition, &nothing);
    }
    if let Some(Distinct::On(expressions)) = &mut select.distinct {
        expressions.iter_mut().for_each(|expression| visible.replace(expression, given));
    }
    if let GroupByExpr::Expressions(expressions, _) = &mut select.group_by {
        expressions.iter_mut().for_each(|expression| visible.replace(expression, given));
    }
    for condition in [&mut select.having, &mut select.qualify].into_iter().flatten() {
        visible.replace(condition, given);
    }
    for window in &mut select.named_window {
        let NamedWindowExpr::WindowSpec(window) = &mut window.1 else { continue };
        window.partition_by.iter_mut().for_each(|expression| visible.replace(expression, &nothing));
        window.order_by.iter_mut().for_each(|ordered| visible.replace(&mut ordered.expr, &nothing));
    }
}
