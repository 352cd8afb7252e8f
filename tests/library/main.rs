//! The library from outside: traces go in, rows, pictures and files come out.

#[path = "../support/mod.rs"]
mod support;

#[path = "../docs/mod.rs"]
mod docs;

mod accounting;
mod activities;
mod commgram;
mod dashboards;
mod deep_statements;
mod draw_options;
mod dump;
mod dumpi;
mod fault;
mod filters;
mod overview;
mod pictures;
mod real_traces;
mod robustness;
mod slices;
mod throttled;
mod timeline;
mod tree;
