//! Communication: phases of messages, communities of containers, and how both change.

pub mod comm_communities;
pub mod comm_curve;
pub mod comm_flows;
pub mod comm_patterns;
pub mod comm_phases;
pub mod community_tree;
pub mod phase_tree;
