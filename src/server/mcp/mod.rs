//! Tools for assistants: the Model Context Protocol, over standard input and output and at `/mcp` of HTTP.
//!
//! ```text
//! stdin, stdout ─► bounded_transport ─┐            ┌─► tools ─► session ─► rows ─► answer: limits of rows and bytes
//!                                     ├─► handler ─┼─► resources: schemas, pages of functions, cookbook
//! /mcp ──────────► endpoint ──────────┘            └─► prompts
//! ```
//! Only this module knows the library of the protocol. Everything only reads, in the slots and limits of all queries.

mod answer;
mod assistant;
mod bounded_transport;
mod client_presence;
mod cookbook;
mod endpoint;
mod exact_json;
mod handler;
mod prompts;
mod resources;
mod standard_streams;
#[cfg(test)]
mod tests;
mod tools;

pub(super) use endpoint::McpEndpoint;
pub use standard_streams::serve_assistant;
