//! How large a statement becomes when each reference to a name of a WITH clause is replaced by its query, and each
//! star by columns.
//!
//! `WITH a AS (…), b AS (SELECT * FROM a, a x), c AS (SELECT * FROM b, b x) …` doubles with each name: before it is
//! planned, the relations and joins of each name are added up over its references. `SELECT *, * FROM (SELECT *, * …)`
//! doubles its columns: they are added up over the stars, as if each table had [`COLUMNS_OF_A_TABLE`]. And `CUBE` has a
//! set of groups for each choice of its keys.

#[cfg(test)]
mod tests;

use datafusion::common::{Result, plan_err};
use ocellus_planning::Rewriter;
use sqlparser::ast::{
    Expr, FunctionArguments, GroupByExpr, Query, Select, SelectItem, SetExpr, Statement as Ast, TableFactor,
};

use super::rewrite::normal;

/// Relations of a statement.
const MOST_RELATIONS: u64 = 2_000;
/// Joins among them.
const MOST_JOINS: u64 = 500;

/// Columns of one SELECT: the time to plan them grows with their square.
const MOST_COLUMNS: u64 = 5_000;

/// Columns that a star is taken for, of a relation that is no query.
const COLUMNS_OF_A_TABLE: u64 = 20;

/// Sets of groups of one SELECT: each row is counted once for each of them.
const MOST_GROUPING_SETS: u64 = 4_096;

/// Window functions of a statement: each may sort the rows anew, and the time to plan them grows with their square.
const MOST_WINDOWS: usize = 300;

/// Values of one IN list, or arguments of one call.
const LONGEST_LIST: usize = 50_000;

/// Names of WITH clauses.
const MOST_NAMES: usize = 500;

/// What a query reads, names of WITH clauses replaced.
#[derive(Debug, Default, Clone, Copy)]
struct Expansion {
    relations: u64,
    joins: u64,
    /// Columns of its rows.
    columns: u64,
}

impl Expansion {
    fn add(&mut self, other: Expansion) {
        self.relations = self.relations.saturating_add(other.relations);
        self.joins = self.joins.saturating_add(other.joins);
    }
}

/// A query that is being read.
#[derive(Debug, Default)]
struct OpenQuery {
    expansion: Expansion,
    /// Names of its WITH clause whose query was not read yet, the next one last.
    to_come: Vec<String>,
    known: Vec<(String, Expansion)>,
    /// Columns of all relations in FROM of the current SELECT, and of the widest of them.
    columns_in_from: u64,
    widest_in_from: u64,
}

#[derive(Debug, Default)]
struct Expander {
    open: Vec<OpenQuery>,
    largest: Expansion,
    /// How many names there are in all.
    names: usize,
    /// Columns of the query that was left last.
    last_columns: u64,
    /// The most sets of groups of a SELECT.
    grouping_sets: u64,
    /// Window functions of the statement.
    windows: usize,
    /// Values of the longest list.
    list: usize,
}

/// Refuses a statement that would become too large.
pub(super) fn check(ast: &mut Ast) -> Result<()> {
    let mut expander = Expander::default();
    ocellus_planning::rewrite(ast, &mut expander);
    if expander.names > MOST_NAMES {
        return plan_err!(
            "the statement has {} names in WITH clauses; at most {MOST_NAMES} are allowed; write intermediate results \
             to tables",
            expander.names
        );
    }
    let Expansion { relations, joins, columns } = expander.largest;
    if columns > MOST_COLUMNS {
        return plan_err!(
            "the statement has about {columns} columns in one SELECT; at most {MOST_COLUMNS} are allowed; make rows of \
             them"
        );
    }
    if expander.list > LONGEST_LIST {
        return plan_err!(
            "the statement has {} values in one list; at most {LONGEST_LIST} are allowed in IN and in a call; use VALUES \
             or a table",
            expander.list
        );
    }
    if expander.grouping_sets > MOST_GROUPING_SETS {
        return plan_err!(
            "the statement has {} sets of groups in one GROUP BY; at most {MOST_GROUPING_SETS} are allowed; use ROLLUP \
             or fewer keys",
            expander.grouping_sets
        );
    }
    if expander.windows > MOST_WINDOWS {
        return plan_err!(
            "the statement has {} window functions; at most {MOST_WINDOWS} are allowed; compute them in several \
             statements",
            expander.windows
        );
    }
    if relations > MOST_RELATIONS {
        return plan_err!(
            "the statement reads {relations} relations when its WITH clauses are put in; at most {MOST_RELATIONS} are \
             allowed; write intermediate results to tables"
        );
    }
    if joins > MOST_JOINS {
        return plan_err!(
            "the statement has {joins} joins when its WITH clauses are put in; at most {MOST_JOINS} are allowed; write \
             intermediate results to tables"
        );
    }
    Ok(())
}

impl Rewriter for Expander {
    fn enter_query(&mut self, query: &mut Query) {
        let names = query.with.iter().flat_map(|with| &with.cte_tables).map(|cte| normal(&cte.alias.name));
        let mut to_come: Vec<String> = names.collect();
        to_come.reverse();
        self.names += to_come.len();
        self.open.push(OpenQuery { to_come, ..OpenQuery::default() });
    }

    fn leave_query(&mut self, query: &mut Query) {
        let width = match query.body.as_ref() {
            SetExpr::Values(values) => values.rows.first().map_or(0, |row| row.content.len() as u64),
            _ => 0,
        };
        let Some(mut query) = self.open.pop() else { return };
        query.expansion.columns = query.expansion.columns.max(width);
        self.last_columns = query.expansion.columns;
        self.largest.relations = self.largest.relations.max(query.expansion.relations);
        self.largest.joins = self.largest.joins.max(query.expansion.joins);
        let Some(around) = self.open.last_mut() else { return };
        // The queries of a WITH clause are read before those that use them.
        match around.to_come.pop() {
            Some(name) => around.known.push((name, query.expansion)),
            None => around.expansion.add(query.expansion),
        }
    }

    fn leave_select(&mut self, select: &mut Select) {
        let joins = select.from.iter().map(|table| 1 + table.joins.len()).sum::<usize>().saturating_sub(1);
        self.add(Expansion { joins: joins as u64, ..Expansion::default() });
        self.grouping_sets = self.grouping_sets.max(grouping_sets(&select.group_by));
        let Some(query) = self.open.last_mut() else { return };
        let columns = select.projection.iter().map(|item| match item {
            SelectItem::Wildcard(_) => query.columns_in_from,
            SelectItem::QualifiedWildcard(..) => query.widest_in_from,
            _ => 1,
        });
        let columns = columns.fold(0, u64::saturating_add);
        query.expansion.columns = query.expansion.columns.max(columns);
        (query.columns_in_from, query.widest_in_from) = (0, 0);
        self.largest.columns = self.largest.columns.max(columns);
    }

    fn enter_expression(&mut self, expression: &mut Expr) {
        let list = match expression {
            Expr::InList { list, .. } => list.len(),
            Expr::Function(call) => {
                self.windows += usize::from(call.over.is_some());
                match &call.args {
                    FunctionArguments::List(arguments) => arguments.args.len(),
                    _ => 0,
                }
            }
            _ => 0,
        };
        self.list = self.list.max(list);
    }

    fn leave_table(&mut self, table: &mut TableFactor) {
        let table_alone = Expansion { relations: 1, joins: 0, columns: COLUMNS_OF_A_TABLE };
        let expansion = match table {
            TableFactor::Table { name, args: None, .. } => match name.0.as_slice() {
                [part] => part.as_ident().and_then(|name| self.find(&normal(name))),
                _ => None,
            }
            .unwrap_or(table_alone),
            TableFactor::NestedJoin { table_with_joins, .. } => {
                Expansion { joins: table_with_joins.joins.len() as u64, ..Expansion::default() }
            }
            TableFactor::Derived { .. } => Expansion { columns: self.last_columns, ..Expansion::default() },
            _ => table_alone,
        };
        if let Some(query) = self.open.last_mut() {
            query.columns_in_from = query.columns_in_from.saturating_add(expansion.columns);
            query.widest_in_from = query.widest_in_from.max(expansion.columns);
        }
        self.add(expansion);
    }
}

impl Expander {
    fn find(&self, name: &str) -> Option<Expansion> {
        let known = self.open.iter().rev().flat_map(|query| query.known.iter().rev());
        let (_, expansion) = known.into_iter().find(|(known, _)| known == name)?;
        // A query that reads nothing, such as SELECT 1, is there as often as its name.
        Some(Expansion { relations: expansion.relations.max(1), ..*expansion })
    }

    fn add(&mut self, expansion: Expansion) {
        if let Some(query) = self.open.last_mut() {
            query.expansion.add(expansion);
        }
    }
}

/// How many sets of groups a GROUP BY has: each of its items multiplies them.
fn grouping_sets(group_by: &GroupByExpr) -> u64 {
    let GroupByExpr::Expressions(keys, _) = group_by else { return 1 };
    let sets = keys.iter().map(|key| match key {
        Expr::Rollup(keys) => keys.len() as u64 + 1,
        Expr::Cube(keys) => 1u64.checked_shl(u32::try_from(keys.len()).unwrap_or(u32::MAX)).unwrap_or(u64::MAX),
        Expr::GroupingSets(sets) => sets.len() as u64,
        _ => 1,
    });
    sets.fold(1, u64::saturating_mul)
}
