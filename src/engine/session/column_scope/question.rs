//! The query that finds the columns of a FROM: `WITH … SELECT * FROM a CROSS JOIN b`. How relations are joined does
//! not change which columns they have, and without conditions nothing refers to the queries around.

use ocellus_planning::Rewriter;
use sqlparser::ast::{
    Cte, Expr, Ident, Join, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, Statement as Ast,
    TableAlias, TableFactor, TableWithJoins, Value, With,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::session::rewrite::repair_ast;

/// A query that we are in: its CTEs, and which of its inner queries is being looked at.
pub(super) struct ScopeFrame {
    with: Option<With>,
    /// How many inner queries were entered: CTEs come first.
    pub(super) children: usize,
}

impl ScopeFrame {
    pub(super) fn of(query: &Query) -> ScopeFrame {
        let with = query.with.as_ref().and_then(|_| ocellus_planning::copy_query(query).with);
        ScopeFrame { with, children: 0 }
    }

    /// The CTEs that the inner query can name. That of itself is among them if it is recursive and asked for.
    fn known(&self, recursion: Recursion) -> &[Cte] {
        let Some(with) = &self.with else { return &[] };
        let inner = self.children.saturating_sub(1);
        let itself = usize::from(with.recursive && recursion == Recursion::Included);
        &with.cte_tables[..(inner + itself).min(with.cte_tables.len())]
    }
}

/// Whether the CTE that a query belongs to is in its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recursion {
    Left,
    Included,
}

/// Whether a SELECT must know its columns.
pub(super) fn needs_columns(select: &Select) -> bool {
    let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    let relations: usize = select.from.iter().map(count).sum();
    let has_star = select.projection.iter().any(is_star);
    select.exclude.is_none()
        && relations > 0
        && (select.from.iter().any(shares)
            || select.projection.iter().any(replaces)
            || (has_star && (relations > 1 || select.projection.len() > 1)))
}

/// Whether an item is `* REPLACE (…)`: a column in it that is not there would be ignored.
pub(super) fn replaces(item: &SelectItem) -> bool {
    match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => options.opt_replace.is_some(),
        _ => false,
    }
}

/// How many relations there are, those of nested joins one by one.
pub(super) fn count(tables: &TableWithJoins) -> usize {
    let of = |table: &TableFactor| match table {
        TableFactor::NestedJoin { table_with_joins, alias: None } => count(table_with_joins),
        _ => 1,
    };
    of(&tables.relation) + tables.joins.iter().map(|join| of(&join.relation)).sum::<usize>()
}

fn shares(tables: &TableWithJoins) -> bool {
    let of = |table: &TableFactor| match table {
        TableFactor::NestedJoin { table_with_joins, alias: None } => shares(table_with_joins),
        _ => false,
    };
    let is_shared = |join: &Join| {
        let text = constraint(&join.join_operator);
        matches!(text, Some(JoinConstraint::Using(_) | JoinConstraint::Natural)) || of(&join.relation)
    };
    of(&tables.relation) || tables.joins.iter().any(is_shared)
}

fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator::*;
    match operator {
        Join(on) | Inner(on) | Left(on) | LeftOuter(on) | Right(on) | RightOuter(on) | FullOuter(on)
        | CrossJoin(on) | Semi(on) | LeftSemi(on) | RightSemi(on) | Anti(on) | LeftAnti(on) | RightAnti(on) => Some(on),
        _ => None,
    }
}

/// Gives derived tables without a name one, where there are several relations: their columns are told apart by it.
pub(super) fn name_relations(from: &mut [TableWithJoins]) {
    if from.iter().map(count).sum::<usize>() > 1 {
        let mut number = 0;
        from.iter_mut().for_each(|tables| name_tables(tables, &mut number));
    }
}

fn name_tables(tables: &mut TableWithJoins, number: &mut usize) {
    let relations = std::iter::once(&mut tables.relation).chain(tables.joins.iter_mut().map(|join| &mut join.relation));
    for relation in relations {
        match relation {
            TableFactor::Derived { alias: alias @ None, .. } => {
                let name = Ident::with_quote('"', format!("__unnamed_{number}"));
                *alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
                *number += 1;
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => name_tables(table_with_joins, number),
            _ => {}
        }
    }
}

/// The queries that may answer what the columns of the index-th SELECT are.
pub(super) fn ask(query: &Query, index: usize, around: &[ScopeFrame]) -> Vec<Query> {
    let with = |recursion| {
        let mut copy = ocellus_planning::copy_query(query);
        let select = selects(&mut copy.body).into_iter().nth(index)?;
        let from = std::mem::take(&mut select.from);
        columns_of(from, scope(copy.with, around, recursion))
    };
    [Recursion::Left, Recursion::Included].into_iter().filter_map(with).collect()
}

/// The same for the SELECTs in the expressions of that one: names that they do not have are those of the outer query.
/// `None`: one of them cannot be asked about.
pub(super) fn ask_within(query: &Query, index: usize, around: &[ScopeFrame]) -> Option<Vec<Query>> {
    let mut copy = ocellus_planning::copy_query(query);
    let select = selects(&mut copy.body).into_iter().nth(index)?;
    if !select.from.iter().any(shares) {
        return Some(vec![]);
    }
    select.from.clear();
    let with = copy.with.take();
    let mut found = InnerFroms::default();
    ocellus_planning::rewrite(&mut Ast::Query(copy), &mut found);
    let asked = |from| columns_of(from, scope(with.clone(), around, Recursion::Left));
    found.0.into_iter().map(asked).collect()
}

/// What the SELECTs of a query read from.
#[derive(Default)]
struct InnerFroms(Vec<Vec<TableWithJoins>>);

impl Rewriter for InnerFroms {
    fn leave_select(&mut self, select: &mut Select) {
        if !select.from.is_empty() {
            self.0.push(select.from.clone());
        }
    }
}

fn columns_of(mut from: Vec<TableWithJoins>, with: Option<With>) -> Option<Query> {
    name_relations(&mut from);
    from.iter_mut().for_each(without_conditions);
    let mut asked = select_all(from)?;
    asked.with = with;
    let mut ast = Ast::Query(asked);
    repair_ast(&mut ast, &GenericDialect {}).ok()?;
    match ast {
        Ast::Query(query) => Some(*query),
        _ => None,
    }
}

/// `SELECT * FROM …`.
pub(super) fn select_all(from: Vec<TableWithJoins>) -> Option<Box<Query>> {
    let mut query = Parser::new(&GenericDialect {}).try_with_sql("SELECT *").ok()?.parse_query().ok()?;
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    select.from = from;
    Some(query)
}

fn without_conditions(tables: &mut TableWithJoins) {
    nested_without_conditions(&mut tables.relation);
    for join in &mut tables.joins {
        nested_without_conditions(&mut join.relation);
        if constraint(&join.join_operator).is_some() {
            let always = Expr::value(Value::Boolean(true));
            join.join_operator = JoinOperator::Inner(JoinConstraint::On(always));
        }
    }
}

fn nested_without_conditions(table: &mut TableFactor) {
    if let TableFactor::NestedJoin { table_with_joins, .. } = table {
        without_conditions(table_with_joins);
    }
}

/// The CTEs that a query can name: its own ones and those of the queries around it, of which the inner ones hide the
/// outer ones.
fn scope(own: Option<With>, around: &[ScopeFrame], recursion: Recursion) -> Option<With> {
    let outer = around.iter().flat_map(|frame| frame.known(recursion)).cloned();
    let mut with = match own {
        Some(with) => with,
        None => {
            around.iter().rev().find_map(|frame| frame.with.clone()).map(|with| With { cte_tables: vec![], ..with })?
        }
    };
    with.recursive |= around.iter().any(|frame| frame.with.as_ref().is_some_and(|with| with.recursive));
    let mut known: Vec<Cte> = vec![];
    for cte in outer.chain(std::mem::take(&mut with.cte_tables)) {
        known.retain(|hidden| hidden.alias.name.value != cte.alias.name.value);
        known.push(cte);
    }
    with.cte_tables = known;
    (!with.cte_tables.is_empty()).then_some(with)
}

/// The SELECTs of a query, not those of queries within.
pub(super) fn selects(body: &mut SetExpr) -> Vec<&mut Select> {
    match body {
        SetExpr::Select(select) => vec![select.as_mut()],
        SetExpr::SetOperation { left, right, .. } => {
            let mut found = selects(left);
            found.extend(selects(right));
            found
        }
        _ => vec![],
    }
}
