//! Functions of states and their nesting.

pub mod call_paths;
pub mod state_path;
