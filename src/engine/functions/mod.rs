//! SQL functions made for traces, one file each, grouped by family.
//!
//! A table function is sugar for a plan: its call is checked against its [`Definition`] and replaced
//! by stock nodes of DataFusion. [`registry`] lists them all; `tests/sql` mirrors this folder.
//! How a call is read: `calls`. What plans of several families share: `plans`.

mod calls;
pub mod catalog;
pub mod communication;
pub mod comparison;
pub mod filters;
pub mod inspection;
pub mod intervals;
pub mod layout;
mod pages;
pub mod partition;
mod planner;
pub(crate) mod plans;
pub mod registry;
pub mod slices;
pub mod states;
#[cfg(test)]
mod tests;
pub mod time;
pub mod tree;
mod views;

pub use calls::call::{Aggregates, Call, Constant, QueryLimits, SchemaChoice, SchemaTables};
pub use calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter, View,
};
pub use calls::sql_function::{AggregateFunction, ScalarFunction, TableFunction, WindowFunction};
pub use calls::trace_span::TraceSpan;
pub use calls::window::TimeWindow;
pub use pages::pages;
pub use planner::FunctionPlanner;
pub use plans::table_kernel::TableKernel;
