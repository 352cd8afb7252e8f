//! SQL functions made for traces, one file each, grouped by family.
//!
//! A table function is sugar for a plan: its call is checked against its [`Definition`] and replaced
//! by stock nodes of DataFusion. [`registry`] lists them all; `tests/sql` mirrors this folder.

mod accumulators;
mod arguments;
mod attached_tree;
mod build_once;
mod call;
pub mod catalogue;
mod closer_inputs;
mod coded_files;
mod coded_texts;
mod comm_messages;
mod comm_waits;
pub mod communication;
pub mod comparison;
mod constants;
mod container_groups;
mod container_merge;
mod containers;
mod definition;
pub mod filters;
pub mod inspection;
pub mod intervals;
pub mod layout;
mod lineage;
mod pages;
pub mod partition;
mod partition_aggregate;
mod partition_areas;
mod partition_cells;
mod partition_model;
mod partition_plan;
mod partition_rows;
mod partition_settings;
mod planner;
pub mod registry;
mod relations;
mod sample;
mod slice_aggregate;
mod slice_cells;
mod slice_groups;
mod slice_lists;
mod slice_names;
mod slice_plan;
mod slice_states;
mod slice_times;
mod slice_window;
pub mod slices;
pub mod states;
mod table_kernel;
#[cfg(test)]
mod tests;
pub mod time;
pub mod tree;
mod tree_input;
mod unnest;
mod views;
mod window;

pub use call::{Aggregates, Call, Constant, Limits, SchemaChoice, SchemaTables};
pub(crate) use closer_inputs::CloserInputs;
pub use coded_texts::CodedTexts;
pub use container_groups::ContainerGroups;
pub use definition::{
    Accepts, AggregateFunction, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
    RelationParameter, ScalarFunction, TableFunction, View, WindowFunction,
};
pub use pages::pages;
pub use planner::FunctionPlanner;
pub(crate) use slice_cells::{CELLS, SERIES};
pub(crate) use slice_times::{TimeColumn, from_first, time_arguments, until_last};
pub(crate) use slice_window::SliceWindow;
pub use table_kernel::TableKernel;
pub(crate) use unnest::argument_of_unkeyed;
pub use window::{TraceSpan, Window};
