//! What is open while records are emitted: containers of asynchronous events, flows, and what threads do.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::containers::TrackContainer;
use crate::reader::{ExtraFieldId, NameHandle};

/// A container in use.
#[derive(Debug, Clone, Copy)]
pub(super) struct AsyncTrack {
    pub container: TrackContainer,
    pub number: usize,
    /// Process and name: the containers that it is one of.
    pub family: (u32, u32),
    pub depth: usize,
}

/// The containers of asynchronous events.
#[derive(Debug, Default)]
pub(super) struct AsyncTracks {
    pub open: HashMap<Vec<u8>, AsyncTrack>,
    /// Containers that nobody uses, by number.
    pub free: HashMap<(u32, u32), BTreeMap<usize, TrackContainer>>,
    pub counts: HashMap<(u32, u32), usize>,
    /// How many containers have a name.
    pub names: HashMap<String, usize>,
}

/// What the links of flows are.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowLinks {
    pub type_: NameHandle,
    pub value: NameHandle,
    pub source_slice: ExtraFieldId,
    pub target_slice: ExtraFieldId,
}

/// The flows of a trace.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// By id: how many events are to come.
    pub left: HashMap<u64, u32>,
    /// By id: the number of the link that is open.
    pub open: HashMap<u64, u64>,
    pub count: u64,
    pub links: Option<FlowLinks>,
}

impl Flows {
    pub fn new(left: HashMap<u64, u32>) -> Flows {
        Flows { left, ..Flows::default() }
    }
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadActivity {
    Running,
    Runnable,
    Other,
}

/// What the threads do.
#[derive(Debug, Default)]
pub(super) struct Scheduling {
    pub threads: HashMap<u32, ThreadActivity>,
}
