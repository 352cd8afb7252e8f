//! How large a statement becomes when each reference to a name of a WITH clause is replaced by its query.
//!
//! `WITH a AS (…), b AS (SELECT * FROM a, a x), c AS (SELECT * FROM b, b x) …` doubles with each name: before it is
//! planned, the relations and joins of each name are added up over its references.

#[cfg(test)]
mod tests;

use datafusion::common::{Result, plan_err};
use ocellus_planning::Rewriter;
use sqlparser::ast::{Query, Select, Statement as Ast, TableFactor};

use super::rewrite::normal;

/// Relations of a statement.
const MOST_RELATIONS: u64 = 2_000;
/// Joins among them.
const MOST_JOINS: u64 = 500;

/// Columns of one SELECT: the time to plan them grows with their square.
const MOST_COLUMNS: usize = 5_000;

/// Names of WITH clauses.
const MOST_NAMES: usize = 500;

/// What a query reads, names of WITH clauses replaced.
#[derive(Debug, Default, Clone, Copy)]
struct Expansion {
    relations: u64,
    joins: u64,
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
}

#[derive(Debug, Default)]
struct Expander {
    open: Vec<OpenQuery>,
    largest: Expansion,
    /// How many names there are in all.
    names: usize,
    /// Columns of the longest SELECT.
    columns: usize,
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
    if expander.columns > MOST_COLUMNS {
        return plan_err!(
            "the statement has {} columns in one SELECT; at most {MOST_COLUMNS} are allowed; make rows of them",
            expander.columns
        );
    }
    let Expansion { relations, joins } = expander.largest;
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

    fn leave_query(&mut self, _query: &mut Query) {
        let Some(query) = self.open.pop() else { return };
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
        self.add(Expansion { relations: 0, joins: joins as u64 });
        self.columns = self.columns.max(select.projection.len());
    }

    fn leave_table(&mut self, table: &mut TableFactor) {
        let expansion = match table {
            TableFactor::Table { name, args: None, .. } => match name.0.as_slice() {
                [part] => part.as_ident().and_then(|name| self.find(&normal(name))),
                _ => None,
            }
            .unwrap_or(Expansion { relations: 1, joins: 0 }),
            TableFactor::NestedJoin { table_with_joins, .. } => {
                Expansion { relations: 0, joins: table_with_joins.joins.len() as u64 }
            }
            TableFactor::Derived { .. } => Expansion::default(),
            _ => Expansion { relations: 1, joins: 0 },
        };
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
