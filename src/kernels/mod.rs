//! Pure algorithms over slices and Arrow arrays. Nothing here knows of SQL or of the engine.

pub mod intervals;
