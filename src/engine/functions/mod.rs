//! SQL functions made for traces, one file each, grouped by family.
//!
//! A table function is sugar for a plan: its call is checked against its [`Definition`] and replaced
//! by stock nodes of DataFusion. [`registry`] lists them all; `tests/sql` mirrors this folder.
//! How a call is read: `calls`. What plans of several families share: `plans`.

mod calls;
pub(crate) mod catalog;
pub(crate) mod communication;
pub(crate) mod comparison;
pub(crate) mod files;
pub(crate) mod filters;
pub(crate) mod findings;
pub(crate) mod inspection;
pub(crate) mod intervals;
pub(crate) mod layout;
mod pages;
pub(crate) mod partition;
mod planner;
pub(crate) mod plans;
pub mod registry;
pub(crate) mod slices;
pub(crate) mod states;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod tree;
mod views;

pub use calls::call::Files;
pub use calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, NO_RELATION, OutputColumn,
    RelationParameter, View,
};
pub(crate) use calls::pivot::{pivot_column, pivot_filter};
pub use calls::sql_function::TableFunction;
pub(crate) use calls::text_planner::{GIVEN_CATALOG, GIVEN_SCHEMA, TextPlanner};
pub(crate) use calls::trace_span::TraceSpan;
pub use pages::{function_index, function_page, pages};
pub(crate) use planner::FunctionPlanner;
pub(crate) use plans::sql_type_name::sql_type_name;
