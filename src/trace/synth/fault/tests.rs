//! Tests of planted faults.
