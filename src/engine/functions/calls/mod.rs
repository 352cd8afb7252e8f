//! The reading of a call: what a function accepts, what it was given, and which traces and times that means.
//!
//! ```text
//!  arguments of a call ─► bound to the definition ─► relations planned, constants evaluated ─► Call
//! ```

pub(crate) mod argument_error;
pub(crate) mod arguments;
pub(crate) mod call;
pub(crate) mod constants;
pub(crate) mod definition;
mod known_names;
pub(super) mod pivot;
mod relations;
pub(crate) mod sample;
pub(crate) mod scanned_schemas;
pub(crate) mod sql_function;
pub(crate) mod stored_columns;
pub(crate) mod text_planner;
pub(crate) mod trace_span;
pub(crate) mod window;
