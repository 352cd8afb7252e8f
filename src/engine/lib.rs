//! The engine: SQL over a store, on DataFusion.
//!
//! ```text
//!  store ──► catalog ──► functions ──► optimizer ──► session
//!            tables      SQL→plans     plans→plans   text→rows
//! ```

pub mod catalog;
pub mod completion;
pub mod functions;
pub mod optimizer;
pub mod remote;
mod session;

pub use session::{
    CancelFlag, ColumnInfo, Engine, EngineOptions, Files, QueryControl, QueryNotes, QueryScope, ResultKind, RowCounter,
    Statement, StatementResult, TableInfo, counted, register_plan_functions, too_long_text,
};
