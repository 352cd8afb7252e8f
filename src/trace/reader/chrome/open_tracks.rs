//! The tracks of asynchronous events: those in use, and those that the next id can take over.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::tracks::Track;

/// A track in use.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenTrack {
    pub(super) track: Track,
    pub(super) number: usize,
    /// Process and name: the tracks that it is one of.
    pub(super) family: (usize, u32),
    pub(super) depth: usize,
}

/// The tracks of asynchronous events.
#[derive(Debug, Default)]
pub(super) struct Asynchronous {
    pub(super) open: HashMap<Vec<u8>, OpenTrack>,
    /// Tracks that nobody uses, by number.
    pub(super) free: HashMap<(usize, u32), BTreeMap<usize, Track>>,
    /// How many tracks there are.
    pub(super) counts: HashMap<(usize, u32), usize>,
}
