//! The session: SQL over a store.
//!
//! In: a store and SQL text. Out: streams of rows. An engine sees the store as it was when it was
//! opened. Queries run on the caller's tokio runtime; plans can be deep, so give its threads a stack
//! of 16 MB.

mod column_scope;
mod complexity;
mod context;
mod describe;
mod distinct_names;
mod engine;
mod errors;
mod expansion;
mod from_first;
mod misplaced;
mod options;
mod pivot;
mod query_links;
mod replacement;
mod rewrite;
mod session_texts;
mod statement;
#[cfg(test)]
mod tests;
mod type_names;
mod use_trace;

pub use ocellus_planning::{CancelFlag, QueryControl, RowCounter};

pub use crate::functions::Files;
pub use complexity::too_long_text;
pub use context::register_plan_functions;
pub use describe::{ColumnInfo, TableInfo};
pub use engine::{Engine, QueryScope, ResultKind, StatementResult, counted};
pub use options::EngineOptions;
pub use query_links::QueryNotes;
pub use statement::Statement;
