//! The program: parse, run, print the error, exit code.

use std::process::ExitCode;

/// Counts what is allocated, for the limits of servers.
#[cfg(feature = "server")]
#[global_allocator]
static ALLOCATOR: ocellus::server::CountingAllocator = ocellus::server::CountingAllocator;

fn main() -> ExitCode {
    ExitCode::from(ocellus::cli::main())
}
