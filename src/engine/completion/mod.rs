//! Completion of SQL that is being typed, in the shell and in the page.
//!
//! In: the text around the cursor, and the names of an engine. Out: what could stand there.

mod candidates;
mod keywords;
mod names;
mod scanner;
mod sql_context;

pub use candidates::{sql_candidates, starting_with, table_candidates};
pub use keywords::is_keyword;
pub use names::CompletionNames;
pub use scanner::{SqlScanner, Token, TokenKind, is_blank};
