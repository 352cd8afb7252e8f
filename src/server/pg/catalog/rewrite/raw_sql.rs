//! Pieces of SQL as text in the tree: an identifier without quotes is printed as it stands.

use sqlparser::ast::{Expr, Ident};

/// A piece of SQL in the tree.
pub(super) fn raw(text: impl Into<String>) -> Expr {
    Expr::Identifier(Ident::new(text))
}

/// The text of a piece of SQL, or of a name without quotes.
pub(super) fn raw_text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Identifier(ident) if ident.quote_style.is_none() => Some(&ident.value),
        _ => None,
    }
}
