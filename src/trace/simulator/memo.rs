//! Remembers what a pair of words means, until the trees change.
//!
//! Most events repeat a container and a type that were seen a moment ago. One look here replaces the
//! resolution of both words, the check of their types, and the search for the slot of the pair.

use crate::model::{ContainerId, NameId, TypeId, TypeKind};

const SIZE: usize = 4096;

/// What a container word and a type word mean together.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventTarget {
    pub container: ContainerId,
    pub type_: TypeId,
    pub kind: TypeKind,
    /// The slot of the pair in the tracker of its kind.
    pub slot: u32,
}

#[derive(Debug, Clone, Copy)]
struct MemoEntry {
    key: u64,
    epoch: u32,
    target: EventTarget,
}

/// The pairs in use.
#[derive(Debug)]
pub(super) struct Memo {
    entries: Box<[MemoEntry; SIZE]>,
    epoch: u32,
}

impl Default for Memo {
    fn default() -> Memo {
        let target = EventTarget { container: ContainerId::ROOT, type_: TypeId(0), kind: TypeKind::State, slot: 0 };
        Memo { entries: Box::new([MemoEntry { key: 0, epoch: 0, target }; SIZE]), epoch: 1 }
    }
}

#[inline(always)]
fn key(container: NameId, type_: NameId) -> u64 {
    u64::from(container.0) << 32 | u64::from(type_.0)
}

#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

impl Memo {
    #[inline(always)]
    pub fn get(&self, container: NameId, type_: NameId, kind: TypeKind) -> Option<EventTarget> {
        let key = key(container, type_);
        let entry = &self.entries[place(key)];
        (entry.key == key && entry.epoch == self.epoch && entry.target.kind == kind).then_some(entry.target)
    }

    pub fn set(&mut self, container: NameId, type_: NameId, target: EventTarget) {
        let key = key(container, type_);
        self.entries[place(key)] = MemoEntry { key, epoch: self.epoch, target };
    }

    /// Forgets everything: a container or a type came or went.
    pub fn forget(&mut self) {
        if self.epoch == u32::MAX {
            *self = Memo::default();
        } else {
            self.epoch += 1;
        }
    }
}
