//! Operators as bytes and back.
