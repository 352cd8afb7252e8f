//! What listens on sockets, as processes of the program: servers and clusters.

#[cfg(feature = "cluster")]
#[path = "../slt/mod.rs"]
mod slt;
#[cfg(feature = "cluster")]
#[path = "../suite/mod.rs"]
mod suite;
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
mod cluster_absence;
#[cfg(feature = "cluster")]
mod cluster_doors;
#[cfg(feature = "cluster")]
mod cluster_process;
#[cfg(feature = "server")]
mod servers;
mod turns;
