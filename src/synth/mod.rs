//! Seeded trace generators: the same seed gives the same bytes on every machine.
//!
//! In: what to generate and a seed. Out: Pajé text, streamed line by line into any [`std::io::Write`].
//! Only integers are used, so no rounding of a platform can change the output.

mod containers;
mod header;
mod lines;
mod mpi;
mod perturbation;
mod random;

pub use containers::containers;
pub use mpi::{MpiOptions, mpi};
pub use perturbation::{PerturbationOptions, perturbation};
