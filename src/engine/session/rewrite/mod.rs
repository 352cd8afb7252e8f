//! Changes of a statement between its text and its plan.
//!
//! In: a statement as the parser read it. Out: one that DataFusion plans as the user meant it. The order
//! matters, and this file is where it is written:
//!
//! 1. `column_names`: columns without a name are called as they are written. It sees the text of the user, so
//!    it comes before everything that changes expressions.
//! 2. `function_spellings`: functions that other databases call differently.
//! 3. [`column_scope`](super::column_scope), between the two functions here: what `*` and shared columns are.
//! 4. `calls`: what stands at a call and would be ignored.
//! 5. `repairs`: what the parser reads wrongly, and what the planner does not know.

mod calls;
mod column_names;
mod function_spellings;
mod repairs;

use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::sql::parser::{CopyToSource, Statement as SqlStatement};
use sqlparser::ast::Statement as Ast;
use sqlparser::dialect::Dialect;

pub(super) use column_names::{normal, order_by_names};
pub(super) use function_spellings::SPELLINGS;

/// Calls the columns of a statement as they are written.
pub(super) fn name(statement: &mut SqlStatement) {
    let name = |ast: &mut Ast| {
        column_names::assign(ast);
        function_spellings::translate(ast);
        Ok(())
    };
    // Naming does not fail.
    let _ = change(statement, &name);
}

/// Changes a statement to what was meant.
pub(super) fn repair(statement: &mut SqlStatement, state: &SessionState, dialect: &dyn Dialect) -> Result<()> {
    change(statement, &|ast| {
        calls::check(ast, state)?;
        repairs::repair(ast, dialect)
    })
}

/// The same, of a statement that was made here.
pub(super) fn repair_ast(ast: &mut Ast, dialect: &dyn Dialect) -> Result<()> {
    repairs::repair(ast, dialect)
}

/// Changes the part of a statement that SQL knows, if there is one.
pub(super) fn change(statement: &mut SqlStatement, how: &dyn Fn(&mut Ast) -> Result<()>) -> Result<()> {
    match statement {
        SqlStatement::Statement(statement) => how(statement),
        SqlStatement::Explain(explain) => change(&mut explain.statement, how),
        SqlStatement::CopyTo(copy) => {
            let CopyToSource::Query(query) = &mut copy.source else { return Ok(()) };
            let mut statement = Ast::Query(ocellus_planning::copy_query(query));
            how(&mut statement)?;
            if let Ast::Query(changed) = statement {
                *query = changed;
            }
            Ok(())
        }
        SqlStatement::CreateExternalTable(_) | SqlStatement::Reset(_) => Ok(()),
    }
}
