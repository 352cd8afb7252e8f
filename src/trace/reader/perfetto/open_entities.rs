//! What is open while records are emitted: containers of asynchronous events, flows, and what threads do.

use std::collections::BTreeMap;
use std::ops::Range;

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

/// The events of a flow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FlowEvents {
    /// Those that are to come.
    pub left: u32,
    /// Those that flows of the older kind leave; with one, all others are its targets.
    pub sources: u32,
}

/// The flows of a trace.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// By id: what is to come.
    pub events: HashMap<u64, FlowEvents>,
    /// By id: the numbers of the links that are open.
    pub open: HashMap<u64, Range<u64>>,
    pub count: u64,
    pub links: Option<FlowLinks>,
}

impl Flows {
    pub fn new(events: HashMap<u64, FlowEvents>) -> Flows {
        Flows { events, ..Flows::default() }
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
