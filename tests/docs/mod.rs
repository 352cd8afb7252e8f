//! The documentation: `README.md`, `docs/` and the other Markdown pages of the repository.
//!
//! Every example is run, every link is followed, and the index of functions is compared with the registry.

mod commands;
mod examples;
mod functions_page;
mod library;
mod links;
mod markdown;
