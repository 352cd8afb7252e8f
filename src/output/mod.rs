//! Files and folders that commands write: each appears under its name when it is whole and on disk.
//!
//! ```text
//!  create ─► write ─► sync ─► rename, or exchange with the old one ─► sync the folder that holds it
//! ```
//! Until then it has a name such as `.ocellus-4711-0.partial` beside its place, and its writer holds a lock on it.
//! A failure removes it. A killed program leaves it without a lock, and the next command that writes into the same
//! folder removes it.
//!
//! A symbolic link stays a link: what it points to is written. What is neither a regular file nor a folder (a device,
//! a pipe) is never replaced: it is written to.

mod file;
mod folder;
mod partial_name;
mod paths;
mod renames;
#[cfg(test)]
mod tests;

pub use file::OutputFile;
pub use folder::OutputFolder;
