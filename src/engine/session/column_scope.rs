//! The columns that FROM makes visible: `*` beside other columns, and the column that the sides of a join share.
//!
//! ```text
//! SELECT *, v FROM t                                 ─►  SELECT t.k, t.v, t.v AS v_1 FROM t
//! SELECT k FROM a FULL JOIN b USING (k) WHERE k > 1  ─►  SELECT coalesce(a.k, b.k) AS k FROM a FULL JOIN b ON a.k = b.k
//!                                                        WHERE coalesce(a.k, b.k) > 1
//! ```
//! Names alone do not say what `*` is, so the planner is asked for the columns of FROM, from the innermost query
//! outwards, with the CTEs that are in scope. Where it cannot say, as for a derived table that refers to a query
//! around it, the SELECT stays as it is. Only those are asked about that have `*` beside something or over several
//! relations, or a join with USING or NATURAL.

mod aliases;
mod names;
mod question;
mod visible;

use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::sql::parser::{CopyToSource, Statement as SqlStatement};
use ocellus_planning::Rewriter;
use sqlparser::ast::{Query, SetExpr, Statement as Ast};

use question::{ScopeFrame, needs_columns, selects};
use visible::{FromColumn, VisibleColumns};

/// Writes out what `*` and shared columns of a statement are.
pub(super) async fn resolve(state: &SessionState, statement: &mut SqlStatement) -> Result<()> {
    match statement {
        SqlStatement::Statement(ast) => resolve_ast(state, ast).await,
        SqlStatement::Explain(explain) => Box::pin(resolve(state, &mut explain.statement)).await,
        SqlStatement::CopyTo(copy) => {
            let CopyToSource::Query(query) = &mut copy.source else { return Ok(()) };
            let mut ast = Ast::Query(ocellus_planning::copy_query(query));
            resolve_ast(state, &mut ast).await?;
            if let Ast::Query(resolved) = ast {
                *query = resolved;
            }
            Ok(())
        }
        SqlStatement::CreateExternalTable(_) | SqlStatement::Reset(_) => Ok(()),
    }
}

async fn resolve_ast(state: &SessionState, ast: &mut Ast) -> Result<()> {
    ocellus_planning::rewrite(ast, &mut aliases::DistinctAliases);
    let mut first = 0;
    loop {
        let mut finder = SelectFinder { first, seen: 0, frames: vec![], found: None };
        ocellus_planning::rewrite(ast, &mut finder);
        let Some(ColumnQuestion { select, queries, within }) = finder.found else { return Ok(()) };
        for query in queries {
            let Some(columns) = answer(state, query).await else { continue };
            let inner = answers(state, within).await;
            ocellus_planning::rewrite(ast, &mut ColumnWriter { select, seen: 0, columns, inner });
            break;
        }
        first = select + 1;
    }
}

/// The columns of a query. What is wrong with it is said when the whole statement is planned.
async fn answer(state: &SessionState, query: Query) -> Option<Vec<FromColumn>> {
    let plan =
        ocellus_planning::plan(state, SqlStatement::Statement(Box::new(Ast::Query(Box::new(query))))).await.ok()?;
    Some(plan.schema().iter().map(|(table, field)| (table.cloned(), field.name().clone())).collect())
}

/// The columns of all these queries, if all have an answer.
async fn answers(state: &SessionState, queries: Option<Vec<Query>>) -> Option<Vec<FromColumn>> {
    let mut columns = vec![];
    for query in queries? {
        columns.extend(answer(state, query).await?);
    }
    Some(columns)
}

/// What to ask about a SELECT.
struct ColumnQuestion {
    /// Its number among those of the statement, inner ones first.
    select: usize,
    /// Queries for the columns of its FROM: the first that can be planned answers.
    queries: Vec<Query>,
    /// Queries for the columns of the SELECTs in its expressions.
    within: Option<Vec<Query>>,
}

/// Finds the next SELECT to ask about.
struct SelectFinder {
    first: usize,
    seen: usize,
    /// The queries that we are in.
    frames: Vec<ScopeFrame>,
    found: Option<ColumnQuestion>,
}

impl Rewriter for SelectFinder {
    fn enter_query(&mut self, query: &mut Query) {
        if let Some(around) = self.frames.last_mut() {
            around.children += 1;
        }
        self.frames.push(ScopeFrame::of(query));
    }

    fn leave_query(&mut self, query: &mut Query) {
        self.frames.pop();
        let found: Vec<bool> = selects(&mut query.body).into_iter().map(|select| needs_columns(select)).collect();
        for (index, needed) in found.into_iter().enumerate() {
            if needed && self.found.is_none() && self.seen >= self.first {
                let queries = question::ask(query, index, &self.frames);
                let within = question::ask_within(query, index, &self.frames);
                self.found = Some(ColumnQuestion { select: self.seen, queries, within });
            }
            self.seen += 1;
        }
    }
}

/// Writes the columns into the SELECT that they were asked for.
struct ColumnWriter {
    select: usize,
    seen: usize,
    columns: Vec<FromColumn>,
    /// The columns of the SELECTs in its expressions, if they are known.
    inner: Option<Vec<FromColumn>>,
}

impl Rewriter for ColumnWriter {
    fn leave_query(&mut self, query: &mut Query) {
        let count = selects(&mut query.body).len();
        if (self.seen..self.seen + count).contains(&self.select) {
            let mut written = ocellus_planning::copy_query(query);
            if self.write(&mut written, self.select - self.seen).is_some() {
                *query = *written;
            }
        }
        self.seen += count;
    }
}

impl ColumnWriter {
    /// `None`: there is nothing to write, or more than we know.
    fn write(&self, query: &mut Query, index: usize) -> Option<()> {
        let is_single = matches!(query.body.as_ref(), SetExpr::Select(_));
        let mut order = query.order_by.take();
        let select = selects(&mut query.body).into_iter().nth(index)?;
        question::name_relations(&mut select.from);
        let visible = VisibleColumns::read(&mut select.from, &self.columns)?.with_inner(self.inner.as_deref());
        names::write(select, order.as_mut().filter(|_| is_single), &visible)?;
        query.order_by = order;
        Some(())
    }
}
