//! Communication: phases of messages, communities of containers, how both change, who waits for whom, and what if not.

pub mod comm_communities;
pub mod comm_curve;
pub mod comm_flows;
pub mod comm_in_flight;
pub(crate) mod comm_messages;
pub mod comm_patterns;
pub mod comm_phases;
mod comm_sweeps;
pub(crate) mod comm_waits;
pub mod community_tree;
pub mod critical_path;
mod path_log;
mod path_rows;
mod path_steps;
pub mod phase_tree;
pub mod pop_efficiency;
pub mod replay;
mod replay_inputs;
pub mod replay_leading;
mod replay_rows;
pub mod replay_savings;
mod replay_savings_sweep;
mod replay_scenario;
mod replay_sweep;
pub mod wait_states;
mod wait_sweep;
