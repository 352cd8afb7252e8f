//! What is collected while the packets are read: records to be sorted by time, tracks, names and columns.
//!
//! In: what packets hold, with their times. Out: everything the emitter needs.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::open_entities::FlowEvents;
use super::tracks::TrackTable;
use crate::error::Result;
use crate::model::WordTable;
use crate::reader::chrome::arguments::Arguments;
use crate::reader::chrome::record::{ChromeRecord, RecordSorter};

/// What a record is.
pub(super) mod phase {
    pub const BEGIN: u8 = b'B';
    pub const END: u8 = b'E';
    pub const COMPLETE: u8 = b'X';
    pub const INSTANT: u8 = b'i';
    pub const COUNTER: u8 = b'C';
    /// The state of a track that has one at a time; without a name, none.
    pub const SET_STATE: u8 = b'=';
    pub const FLOW: u8 = b'f';
    pub const ASYNC_BEGIN: u8 = b'b';
    pub const ASYNC_END: u8 = b'e';
    pub const ASYNC_STEP: u8 = b'n';
    /// A CPU goes from one thread to another.
    pub const SWITCH: u8 = b'w';
    /// A thread can run.
    pub const WAKING: u8 = b'k';
    /// A state of a type of its own begins or ends; the category is the type.
    pub const PUSH: u8 = b'(';
    pub const POP: u8 = b')';
    /// A container with a role is created or destroyed, see [`super::track_role`].
    pub const CREATE: u8 = b'+';
    pub const DESTROY: u8 = b'-';
    /// One end of a link that has a role.
    pub const LINK: u8 = b'l';
}

/// Where and when something happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordSite {
    pub tick: i64,
    pub track: u32,
    /// Offset of the packet.
    pub byte: u64,
}

/// Collects the content of packets.
pub(super) struct Collector {
    pub sorter: RecordSorter,
    pub tracks: TrackTable,
    pub names: WordTable,
    pub arguments: Arguments,
    /// By id: the events of the flow.
    pub flows: HashMap<u64, FlowEvents>,
    /// What is left out, by its name.
    pub ignored: BTreeMap<String, u64>,
    /// The thread that a CPU runs, by machine and CPU; `None` for no thread.
    pub running: HashMap<(u32, u32), Option<u32>>,
    /// Switches that only say who runs next.
    pub first_switches: u64,
    /// The first switch of each CPU, by machine and CPU.
    pub first_switch_ticks: HashMap<(u32, u32), i64>,
    /// Wakings in lists on CPUs of which it is not known who runs there.
    pub first_wakings: u64,
    /// Packed arguments of the record at hand.
    pub packed: Vec<u8>,
}

impl Collector {
    pub fn new(sorted_in_memory: usize) -> Collector {
        let mut names = WordTable::default();
        names.number(b"");
        Collector {
            sorter: RecordSorter::new(sorted_in_memory),
            tracks: TrackTable::default(),
            names,
            arguments: Arguments::default(),
            flows: HashMap::new(),
            ignored: BTreeMap::new(),
            running: HashMap::new(),
            first_switches: 0,
            first_switch_ticks: HashMap::new(),
            first_wakings: 0,
            packed: vec![],
        }
    }

    /// Keeps a record.
    pub fn push(&mut self, site: RecordSite, phase: u8, name: u32, category: u32) -> Result<()> {
        self.push_with(site, phase, (name, category), 0, &[], site.tick)
    }

    /// Keeps a record with the arguments that were packed.
    pub fn push_with(
        &mut self,
        site: RecordSite,
        phase: u8,
        (name, category): (u32, u32),
        mode: u8,
        id: &[u8],
        end: i64,
    ) -> Result<()> {
        self.tracks.observe(site.track);
        let RecordSite { tick: start, track: thread, byte } = site;
        let arguments = &self.packed;
        self.sorter.push(&ChromeRecord { start, end, byte, thread, name, category, phase, mode, id, arguments })?;
        self.packed.clear();
        Ok(())
    }

    /// Keeps the value of a variable.
    pub fn push_counter(&mut self, site: RecordSite, name: u32, value: f64) -> Result<()> {
        self.packed.clear();
        self.packed.extend_from_slice(&value.to_le_bytes());
        self.push(site, phase::COUNTER, name, 0)
    }

    /// Keeps that an event belongs to a flow; `mode` is 1 when the flow ends there.
    pub fn push_flow(&mut self, site: RecordSite, name: u32, id: u64, mode: u8) -> Result<()> {
        self.flows.entry(id).or_default().left += 1;
        let packed = std::mem::take(&mut self.packed);
        self.push_with(site, phase::FLOW, (name, 0), mode, &id.to_le_bytes(), site.tick)?;
        self.packed = packed;
        Ok(())
    }

    /// Counts what is left out.
    pub fn ignore(&mut self, what: &str) {
        match self.ignored.get_mut(what) {
            Some(count) => *count += 1,
            None => {
                self.ignored.insert(what.to_string(), 1);
            }
        }
    }
}
