//! Tables of SQLite databases, read without SQLite: whole tables in the order of their rows, and nothing else.
//!
//! ```text
//! file ─► pages ─► schema (sqlite_master) ─► scan of a table ─► record
//! ```
//! Memory: the pages from the root of a table to its leaf, and one row. What is damaged costs its page or its row.

pub(super) mod database;
pub(super) mod record;
mod schema;
