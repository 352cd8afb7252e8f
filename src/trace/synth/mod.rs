//! Seeded trace generators: the same seed gives the same bytes on every machine.
//!
//! In: what to generate and a seed. Out: Pajé text, streamed line by line into any [`std::io::Write`].
//! Only integers are used, so no rounding of a platform can change the output.

#[cfg(test)]
mod checking;
mod communication;
mod containers;
mod cosine;
mod fault;
mod header;
mod hierarchy;
mod lines;
mod mpi;
mod perturbation;
mod random;
mod stage;
mod swap;
mod throttled;

pub use communication::{CommunicationOptions, Pattern, communication};
pub use containers::containers;
pub use fault::{FaultKind, FaultOptions, FaultTruth, ProgramShape, fault};
pub use hierarchy::hierarchy;
pub use mpi::{MpiOptions, mpi};
pub use perturbation::{PerturbationOptions, perturbation};
pub use stage::HierarchyOptions;
pub use throttled::{ThrottledOptions, throttled};
