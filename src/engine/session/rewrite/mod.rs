//! Changes of a statement between its text and its plan.
//!
//! In: a statement as the parser read it. Out: one that DataFusion plans as the user meant it. The order
//! matters, and this file is where it is written:
//!
//! 1. `column_names`: columns without a name are called as they are written. It sees the text of the user, so
//!    it comes before everything that changes expressions.
//! 2. `function_spellings`: functions that other databases call differently.
//! 3. `repairs`: what the parser reads wrongly, and what the planner does not know.

mod column_names;
mod function_spellings;
mod repairs;

use datafusion::common::Result;
use datafusion::sql::parser::{CopyToSource, Statement as SqlStatement};
use sqlparser::ast::Statement as Ast;
use sqlparser::dialect::Dialect;

pub(super) use function_spellings::SPELLINGS;

/// A copy of a statement, with all changes.
pub(super) fn rewritten(statement: &SqlStatement, dialect: &dyn Dialect) -> Result<SqlStatement> {
    let mut statement = ocellus_planning::copy_statement(statement);
    rewrite(&mut statement, dialect)?;
    Ok(statement)
}

fn rewrite(statement: &mut SqlStatement, dialect: &dyn Dialect) -> Result<()> {
    match statement {
        SqlStatement::Statement(statement) => rewrite_ast(statement, dialect),
        SqlStatement::Explain(explain) => rewrite(&mut explain.statement, dialect),
        SqlStatement::CopyTo(copy) => {
            let CopyToSource::Query(query) = &mut copy.source else { return Ok(()) };
            let mut statement = Ast::Query(ocellus_planning::copy_query(query));
            rewrite_ast(&mut statement, dialect)?;
            if let Ast::Query(rewritten) = statement {
                *query = rewritten;
            }
            Ok(())
        }
        SqlStatement::CreateExternalTable(_) | SqlStatement::Reset(_) => Ok(()),
    }
}

fn rewrite_ast(statement: &mut Ast, dialect: &dyn Dialect) -> Result<()> {
    column_names::assign(statement);
    function_spellings::translate(statement);
    repairs::repair(statement, dialect)
}
