//! The column that the sides of `a JOIN b USING (k)` share, in WHERE: the planner knows `k` in SELECT and GROUP BY, but
//! finds it ambiguous here. Of inner and left joins it is that of the leftmost table.
//!
//! Only where all joins share it: beside `a JOIN b USING (k) JOIN c ON …`, `k` might be a column of `c` too.

use ocellus_planning::Rewriter;
use sqlparser::ast::{Expr, Ident, JoinConstraint, JoinOperator, Query, Select, TableFactor};

/// Says of which table the shared columns in WHERE are.
pub(super) fn qualify(select: &mut Select) {
    let ([tables], Some(condition)) = (select.from.as_slice(), &mut select.selection) else { return };
    let Some(table) = name_of(&tables.relation) else { return };
    let mut shared: Option<Vec<String>> = None;
    for join in &tables.joins {
        let Some(columns) = shared_by(&join.join_operator) else { return };
        shared = Some(match shared {
            None => columns,
            Some(before) => before.into_iter().filter(|column| columns.contains(column)).collect(),
        });
    }
    let Some(shared) = shared else { return };
    ocellus_planning::rewrite_expression(condition, &mut WhereQualifier { table, shared, depth: 0 });
}

struct WhereQualifier {
    table: Vec<Ident>,
    shared: Vec<String>,
    /// Subqueries around: names in them may be their own.
    depth: usize,
}

impl Rewriter for WhereQualifier {
    fn enter_query(&mut self, _query: &mut Query) {
        self.depth += 1;
    }

    fn leave_query(&mut self, _query: &mut Query) {
        self.depth -= 1;
    }

    fn leave_expression(&mut self, expression: &mut Expr) {
        let Expr::Identifier(name) = &*expression else { return };
        if self.depth == 0 && self.shared.contains(&normal(name)) {
            let names = self.table.iter().chain([name]).cloned().collect();
            *expression = Expr::CompoundIdentifier(names);
        }
    }
}

/// The name by which columns of a table can be asked for.
fn name_of(table: &TableFactor) -> Option<Vec<Ident>> {
    match table {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(vec![alias.name.clone()])
        }
        TableFactor::Table { name, args: None, .. } => name.0.iter().map(|part| part.as_ident().cloned()).collect(),
        _ => None,
    }
}

/// The columns of USING, of a join that keeps no rows of its right side alone.
fn shared_by(operator: &JoinOperator) -> Option<Vec<String>> {
    let (JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::Left(on) | JoinOperator::LeftOuter(on)) =
        operator
    else {
        return None;
    };
    let JoinConstraint::Using(columns) = on else { return None };
    columns.iter().map(|column| column.0.last()?.as_ident().map(normal)).collect()
}

/// A name as DataFusion sees it.
fn normal(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}
