//! The simulator on the smallest of worlds.
