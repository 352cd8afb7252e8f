//! Changes of syntax trees, part by part: sqlparser's visitor, which would be compiled anew for every use
//! of it, is compiled here once.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Select, Statement, TableFactor, VisitMut, VisitorMut};

/// What is done to the parts of a statement, by default nothing: inner parts are left before outer ones.
pub trait Rewriter {
    /// Before the parts of a query.
    fn enter_query(&mut self, _query: &mut Query) {}
    /// After the parts of a query.
    fn leave_query(&mut self, _query: &mut Query) {}
    /// After the parts of a SELECT.
    fn leave_select(&mut self, _select: &mut Select) {}
    /// After the parts of a relation in FROM.
    fn leave_table(&mut self, _table: &mut TableFactor) {}
    /// Before the parts of an expression.
    fn enter_expression(&mut self, _expression: &mut Expr) {}
    /// After the parts of an expression.
    fn leave_expression(&mut self, _expression: &mut Expr) {}
}

/// Walks a rewriter through a statement.
pub fn rewrite(statement: &mut Statement, rewriter: &mut dyn Rewriter) {
    let _ = statement.visit(&mut RewriteVisitor(rewriter));
}

/// Walks a rewriter through an expression.
pub fn rewrite_expression(expression: &mut Expr, rewriter: &mut dyn Rewriter) {
    let _ = expression.visit(&mut RewriteVisitor(rewriter));
}

struct RewriteVisitor<'a>(&'a mut dyn Rewriter);

impl VisitorMut for RewriteVisitor<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.0.enter_query(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.0.leave_query(query);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        self.0.leave_select(select);
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<()> {
        self.0.leave_table(table);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<()> {
        self.0.enter_expression(expression);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<()> {
        self.0.leave_expression(expression);
        ControlFlow::Continue(())
    }
}
