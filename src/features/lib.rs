//! No code: see `Cargo.toml` beside this file.
