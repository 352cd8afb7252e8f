//! Functions of states and their nesting.

pub mod state_path;
