//! Findings of small matrices built by hand.
