//! What each name of a FROM is, relation by relation and join by join.
//!
//! ```text
//! a(k, x) FULL JOIN b(k, y) USING (k)   ─►   k: coalesce(a.k, b.k), x: a.x, y: b.y, and ON a.k = b.k
//! ```
//! A column that the sides share is that of the left side, of the right side in a RIGHT JOIN, and that of whichever
//! has one in a FULL JOIN. It keeps the place that it has on the left.

use std::collections::BTreeSet;

use datafusion::common::TableReference;
use ocellus_planning::Rewriter;
use sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, TableFactor, TableWithJoins,
    Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::question::count;
use crate::session::rewrite::normal;

/// A column of FROM: the relation that has it, and its name.
pub(super) type FromColumn = (Option<TableReference>, String);

/// A column that a name without its table can mean.
#[derive(Debug, Clone)]
pub(super) struct VisibleColumn {
    pub(super) name: String,
    pub(super) value: Expr,
    /// Whether the sides of a join share it.
    pub(super) is_shared: bool,
}

/// The columns of a FROM.
pub(super) struct VisibleColumns {
    /// Those of `*`.
    pub(super) columns: Vec<VisibleColumn>,
    relations: Vec<FromRelation>,
    /// Whether a join shared columns, and was written with ON.
    pub(super) has_shared: bool,
    /// Names that subqueries have of their own; `None` when they are not known.
    inner: Option<BTreeSet<String>>,
}

struct FromRelation {
    name: Vec<String>,
    columns: Vec<VisibleColumn>,
}

impl VisibleColumns {
    /// Reads a FROM whose relations have these columns, and writes USING and NATURAL as ON.
    pub(super) fn read(from: &mut [TableWithJoins], columns: &[FromColumn]) -> Option<VisibleColumns> {
        let relations = relations_of(columns, from.iter().map(count).sum())?;
        let mut reader = FromReader { next: 0, relations: &relations, has_shared: false };
        let mut columns = vec![];
        for tables in from {
            columns.extend(reader.tables(tables)?);
        }
        let has_shared = reader.has_shared;
        Some(VisibleColumns { columns, relations, has_shared, inner: None })
    }

    /// The same with the columns of all subqueries. One that has a relation of the same name hides ours.
    pub(super) fn with_inner(self, columns: Option<&[FromColumn]>) -> VisibleColumns {
        let is_hidden = |(table, _): &FromColumn| self.relations.iter().any(|own| own.name == parts(table));
        let known = columns.filter(|columns| !columns.iter().any(is_hidden));
        let inner = known.map(|columns| columns.iter().map(|(_, name)| name.clone()).collect());
        VisibleColumns { inner, ..self }
    }

    /// The columns of `t.*`.
    pub(super) fn of_relation(&self, written: &ObjectName) -> Option<&[VisibleColumn]> {
        let written: Option<Vec<String>> = written.0.iter().map(|part| part.as_ident().map(normal)).collect();
        let written = written?;
        let is_meant = |relation: &&FromRelation| !relation.name.is_empty() && relation.name.ends_with(&written);
        let mut meant = self.relations.iter().filter(is_meant);
        let (found, other) = (meant.next()?, meant.next());
        other.is_none().then_some(&found.columns)
    }

    /// What a name without its table means, if the sides of a join share it.
    pub(super) fn shared(&self, name: &str) -> Option<&Expr> {
        let mut named = self.columns.iter().filter(|column| column.name == name);
        let (found, other) = (named.next()?, named.next());
        (other.is_none() && found.is_shared).then_some(&found.value)
    }

    /// Replaces names of shared columns by their values, but for names that mean something else.
    pub(super) fn replace(&self, expression: &mut Expr, others: &BTreeSet<String>) {
        if self.has_shared {
            ocellus_planning::rewrite_expression(expression, &mut SharedValues { visible: self, others, depth: 0 });
        }
    }
}

struct SharedValues<'a> {
    visible: &'a VisibleColumns,
    others: &'a BTreeSet<String>,
    /// Subqueries around: names in them may be their own.
    depth: usize,
}

impl Rewriter for SharedValues<'_> {
    fn enter_query(&mut self, _query: &mut Query) {
        self.depth += 1;
    }

    fn leave_query(&mut self, _query: &mut Query) {
        self.depth -= 1;
    }

    fn leave_expression(&mut self, expression: &mut Expr) {
        let Expr::Identifier(name) = &*expression else { return };
        let name = normal(name);
        let inner = &self.visible.inner;
        let is_own = self.depth == 0 || inner.as_ref().is_some_and(|inner| !inner.contains(&name));
        if is_own
            && !self.others.contains(&name)
            && let Some(value) = self.visible.shared(&name)
        {
            *expression = value.clone();
        }
    }
}

/// Columns by the relations that have them, which follow each other as in FROM.
fn relations_of(columns: &[FromColumn], count: usize) -> Option<Vec<FromRelation>> {
    let mut relations: Vec<(&Option<TableReference>, FromRelation)> = vec![];
    for (table, name) in columns {
        let column = VisibleColumn { name: name.clone(), value: column(table, name), is_shared: false };
        match relations.last_mut() {
            Some((known, relation)) if *known == table || count == 1 => relation.columns.push(column),
            _ => relations.push((table, FromRelation { name: parts(table), columns: vec![column] })),
        }
    }
    (relations.len() == count).then(|| relations.into_iter().map(|(_, relation)| relation).collect())
}

fn parts(table: &Option<TableReference>) -> Vec<String> {
    table.as_ref().map(|table| table.to_vec()).unwrap_or_default()
}

fn column(table: &Option<TableReference>, name: &str) -> Expr {
    let quoted = |name: String| Ident::with_quote('"', name);
    let mut names: Vec<Ident> = parts(table).into_iter().map(quoted).collect();
    let name = quoted(name.to_string());
    match names.is_empty() {
        true => Expr::Identifier(name),
        false => {
            names.push(name);
            Expr::CompoundIdentifier(names)
        }
    }
}

/// Which side a shared column is of, and which sides there are after a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptSide {
    Left,
    Right,
    Either,
    OnlyLeft,
    OnlyRight,
}

struct FromReader<'a> {
    next: usize,
    relations: &'a [FromRelation],
    has_shared: bool,
}

impl FromReader<'_> {
    fn tables(&mut self, tables: &mut TableWithJoins) -> Option<Vec<VisibleColumn>> {
        let mut columns = self.table(&mut tables.relation)?;
        for join in &mut tables.joins {
            let right = self.table(&mut join.relation)?;
            columns = self.joined(join, columns, right)?;
        }
        Some(columns)
    }

    fn table(&mut self, table: &mut TableFactor) -> Option<Vec<VisibleColumn>> {
        if let TableFactor::NestedJoin { table_with_joins, alias: None } = table {
            return self.tables(table_with_joins);
        }
        let relation = self.relations.get(self.next)?;
        self.next += 1;
        Some(relation.columns.clone())
    }

    fn joined(
        &mut self,
        join: &mut Join,
        left: Vec<VisibleColumn>,
        right: Vec<VisibleColumn>,
    ) -> Option<Vec<VisibleColumn>> {
        let (on, kept) = sides(&mut join.join_operator)?;
        let names: Option<Vec<String>> = match &*on {
            JoinConstraint::Using(columns) => {
                columns.iter().map(|column| column.0.last()?.as_ident().map(normal)).collect()
            }
            JoinConstraint::Natural => {
                let in_right = |name: &String| right.iter().any(|column| column.name == *name);
                Some(left.iter().map(|column| column.name.clone()).filter(in_right).collect())
            }
            JoinConstraint::None => return Some(together(left, right, kept)),
            JoinConstraint::On(_) => None,
        };
        if let JoinConstraint::On(condition) = on {
            // Whatever is kept, a condition sees both sides.
            let columns = together(left.clone(), right.clone(), KeptSide::Either);
            let both = VisibleColumns { columns, relations: vec![], has_shared: self.has_shared, inner: None };
            both.replace(condition, &BTreeSet::new());
            return Some(together(left, right, kept));
        }
        let names = names?;
        self.has_shared = true;
        let mut condition: Option<Expr> = None;
        let mut merged = left;
        for name in &names {
            let other = only(&right, name)?.value.clone();
            only(&merged, name)?;
            let own = merged.iter_mut().find(|column| column.name == *name)?;
            let equal = binary(own.value.clone(), BinaryOperator::Eq, other.clone());
            condition = Some(match condition {
                Some(before) => binary(before, BinaryOperator::And, equal),
                None => equal,
            });
            own.is_shared = true;
            match kept {
                KeptSide::Right => own.value = other,
                KeptSide::Either => own.value = coalesce(&own.value, &other)?,
                KeptSide::Left | KeptSide::OnlyLeft | KeptSide::OnlyRight => {}
            }
        }
        *on = JoinConstraint::On(condition.unwrap_or_else(|| Expr::value(Value::Boolean(true))));
        let rest = match kept {
            KeptSide::OnlyRight => right,
            _ => right.into_iter().filter(|column| !names.contains(&column.name)).collect(),
        };
        Some(together(merged, rest, kept))
    }
}

fn together(left: Vec<VisibleColumn>, right: Vec<VisibleColumn>, kept: KeptSide) -> Vec<VisibleColumn> {
    match kept {
        KeptSide::OnlyLeft => left,
        KeptSide::OnlyRight => right,
        KeptSide::Left | KeptSide::Right | KeptSide::Either => left.into_iter().chain(right).collect(),
    }
}

fn only<'a>(columns: &'a [VisibleColumn], name: &str) -> Option<&'a VisibleColumn> {
    let mut named = columns.iter().filter(|column| column.name == name);
    let (found, other) = (named.next()?, named.next());
    other.is_none().then_some(found)
}

fn sides(operator: &mut JoinOperator) -> Option<(&mut JoinConstraint, KeptSide)> {
    use JoinOperator::*;
    match operator {
        Join(on) | Inner(on) | Left(on) | LeftOuter(on) | CrossJoin(on) => Some((on, KeptSide::Left)),
        Right(on) | RightOuter(on) => Some((on, KeptSide::Right)),
        FullOuter(on) => Some((on, KeptSide::Either)),
        Semi(on) | LeftSemi(on) | Anti(on) | LeftAnti(on) => Some((on, KeptSide::OnlyLeft)),
        RightSemi(on) | RightAnti(on) => Some((on, KeptSide::OnlyRight)),
        _ => None,
    }
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn coalesce(left: &Expr, right: &Expr) -> Option<Expr> {
    let text = format!("coalesce({left}, {right})");
    Parser::new(&GenericDialect {}).try_with_sql(&text).ok()?.parse_expr().ok()
}
