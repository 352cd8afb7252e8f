//! Statements that clients send to PostgreSQL's catalogs become statements that DataFusion plans.
//!
//! ```text
//! text ──► sqlparser ──► one pass, inner parts first ──► text
//! ```
//! A part that changes is written as text into the tree, which is printed at the end and parsed again: an
//! identifier without quotes is printed as it stands. What happens, each in its file:
//! - names: `pg_class` is `pg_catalog.pg_class`, functions have no schema, functions in FROM are queries
//! - casts: `::regclass`, `::oid`, `::name` and the like; operators, ANY, ESCAPE, COLLATE
//! - empty_relations: what reads a table that never has a row is known before it is asked; most of what DataFusion
//!   cannot plan (ARRAY(SELECT …), set-returning functions, correlated recursion) stands there
//! - subqueries: one that gives one value says so with an aggregate, else DataFusion refuses it
//!
//! datafusion-pg-catalog has such rules too; it replaces whole texts of some releases of some clients,
//! which this does not.

mod casts;
mod empty_relations;
mod names;
mod parameters;
mod projection;
mod raw_sql;
mod subqueries;

use std::collections::BTreeSet;

use datafusion::sql::parser::Statement as SqlStatement;
use ocellus_planning::Rewriter;
use sqlparser::ast::{Expr, Query, Select, Statement as Ast, TableFactor};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

pub(in crate::pg) use parameters::{parameter_types, type_number};

use crate::ServerError;
use ocellus_engine::Statement;

/// Words of the statements that may need a change.
const WORDS: &[&str] = &[
    "pg_",
    "information_schema",
    "current_",
    "session_user",
    "user",
    "version",
    "regclass",
    "regtype",
    "regproc",
    "oid",
    "name",
    "collate",
    "operator",
    "any",
    "all",
    "escape",
    "set_config",
    "to_reg",
    "to_timestamp",
    "public.",
    "array",
];

/// The statement as DataFusion can plan it; `None`: it can as it is.
pub(in crate::pg) fn rewrite(statement: &Statement) -> Result<Option<String>, ServerError> {
    ocellus_planning::on_deep_stack(|| rewrite_here(statement))
}

fn rewrite_here(statement: &Statement) -> Result<Option<String>, ServerError> {
    let SqlStatement::Statement(parsed) = statement.parsed() else { return Ok(None) };
    let (Ast::Query(_) | Ast::Explain { .. }) = parsed.as_ref() else { return Ok(None) };
    let text = statement.sql();
    let lower = text.to_lowercase();
    if !WORDS.iter().any(|word| lower.contains(word)) {
        return Ok(None);
    }
    // Parsed a second time rather than copied: see `ocellus_planning`.
    let Ok(mut statements) = Parser::parse_sql(&PostgreSqlDialect {}, &text) else { return Ok(None) };
    let [ast] = statements.as_mut_slice() else { return Ok(None) };
    let is_catalog = ["pg_", "information_schema"].iter().any(|word| lower.contains(word));
    let mut rewriter = CatalogRewriter { is_catalog, ..CatalogRewriter::default() };
    ocellus_planning::rewrite(ast, &mut rewriter);
    if let Ast::Query(query) = ast {
        casts::show_names(query);
    }
    let rewritten = ast.to_string();
    Ok((rewritten != text).then_some(rewritten))
}

/// Rewrites a statement in one pass, inner parts first.
#[derive(Default)]
struct CatalogRewriter {
    /// Whether the statement names catalogs at all.
    is_catalog: bool,
    /// The queries that we are in.
    queries: Vec<QueryLevel>,
    /// Names of WITH clauses.
    named: BTreeSet<String>,
    /// Those that give no rows.
    empty: BTreeSet<String>,
}

/// A query with the names of its WITH clause that are still to come.
#[derive(Default)]
struct QueryLevel {
    to_come: Vec<String>,
}

impl Rewriter for CatalogRewriter {
    fn enter_query(&mut self, query: &mut Query) {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        let mut to_come: Vec<String> = with.map(|cte| cte.alias.name.value.to_lowercase()).collect();
        self.named.extend(to_come.iter().cloned());
        to_come.reverse();
        self.queries.push(QueryLevel { to_come });
    }

    fn leave_query(&mut self, query: &mut Query) {
        self.queries.pop();
        let is_empty = empty_relations::is_empty_query(query);
        if is_empty {
            query.order_by = None;
        }
        // The queries of a WITH clause come before those that use them.
        let name = self.queries.last_mut().and_then(|level| level.to_come.pop());
        if let (true, Some(name)) = (is_empty, name) {
            self.empty.insert(name);
        }
    }

    fn leave_select(&mut self, select: &mut Select) {
        if empty_relations::is_empty(select, &self.empty) {
            empty_relations::fold(select);
        } else {
            projection::name_columns(select);
        }
    }

    fn leave_table(&mut self, table: &mut TableFactor) {
        names::qualify(table, &self.named);
    }

    fn enter_expression(&mut self, expression: &mut Expr) {
        subqueries::any_is_in(expression);
    }

    fn leave_expression(&mut self, expression: &mut Expr) {
        names::call(expression);
        casts::cast(expression);
        casts::operator(expression);
        if self.is_catalog {
            casts::any(expression);
        }
        empty_relations::decide(expression);
        subqueries::one_value(expression);
    }
}
