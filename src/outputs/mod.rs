//! What a user sees: result formats, pictures, the command line and the shell.
//!
//! ```text
//!  cli ──► shell ──► formats
//! ```
//! In: an [`crate::engine`] or a store. Out: text and files. Nothing below this layer prints.

pub mod cli;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod formats;
pub mod gltf;
pub mod pictures;
pub mod remote;
pub mod report;
#[cfg(feature = "server")]
pub mod server;
pub mod shell;
pub mod stop;
