//! What the simulator has finished: rows for the tables, and the world they refer to.

use hashbrown::HashSet;

use super::kinds::TypeKind;
use super::shared_text::{RecentTexts, SharedText};
use super::{Extra, ExtraData, NameId, NameInterner};
use crate::error::Result;

/// A container, by the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerId(pub u32);

impl ContainerId {
    /// The nameless top of the tree, which Pajé writes `0`; it is not a row of `containers`.
    pub const ROOT: ContainerId = ContainerId(u32::MAX);

    /// Whether it is the nameless top of the tree.
    pub fn is_root(self) -> bool {
        self == ContainerId::ROOT
    }
}

/// A type, by the order of definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A value of a type, by the order of first mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A row of `types`.
#[derive(Debug, Clone)]
pub struct TypeRow {
    /// What it is the type of.
    pub kind: TypeKind,
    /// Its name.
    pub name: NameId,
    /// Its alias in the trace.
    pub alias: Option<NameId>,
    /// `None` at the top of the tree.
    pub parent: Option<TypeId>,
    /// Of a link type: the type of containers where links start.
    pub source: Option<TypeId>,
    /// Of a link type: the type of containers where links end.
    pub target: Option<TypeId>,
    /// Its color, as the trace writes it.
    pub color: Option<NameId>,
    /// Its extra fields.
    pub extras: OwnedExtras,
}

/// A row of `entity_values`.
#[derive(Debug, Clone)]
pub struct ValueRow {
    /// The type that it is a value of.
    pub type_: TypeId,
    /// Its name.
    pub name: NameId,
    /// Its alias in the trace.
    pub alias: Option<NameId>,
    /// Its color, as the trace writes it.
    pub color: Option<NameId>,
    /// Its extra fields.
    pub extras: OwnedExtras,
}

/// A row of `containers`.
#[derive(Debug, Clone)]
pub struct ContainerRow {
    /// Its name.
    pub name: NameId,
    /// Its alias in the trace.
    pub alias: Option<NameId>,
    /// Its type.
    pub type_: TypeId,
    /// The container that it is in.
    pub parent: ContainerId,
    /// When it is created.
    pub start: i64,
    /// `None` while it lives.
    pub end: Option<i64>,
    /// Its extra fields.
    pub extras: OwnedExtras,
}

/// An extra field that outlives its batch.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedExtra {
    /// Place among the extra fields of the trace.
    pub field: u32,
    /// The value.
    pub data: OwnedData,
}

impl OwnedExtra {
    /// Copies an extra field out of its batch; a text that came a moment ago is shared.
    #[inline]
    pub fn copy_from(batch: &super::EventBatch, extra: &Extra, recent: &mut RecentTexts) -> OwnedExtra {
        let data = match extra.data {
            ExtraData::Int(value) => OwnedData::Int(value),
            ExtraData::UInt(value) => OwnedData::UInt(value),
            ExtraData::Double(value) => OwnedData::Double(value),
            ExtraData::Text(span) => OwnedData::Text(recent.share(batch.bytes(span))),
        };
        OwnedExtra { field: extra.field, data }
    }
}

/// The value of an [`OwnedExtra`].
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedData {
    /// A whole number.
    Int(i64),
    /// A whole number beyond the range of `i64`.
    UInt(u64),
    /// A number.
    Double(f64),
    /// Text.
    Text(SharedText),
}

/// A row of `states` or `state_segments`.
#[derive(Debug, Clone, Copy)]
pub struct StateRow {
    /// The container that is in it.
    pub container: ContainerId,
    /// Its type.
    pub type_: TypeId,
    /// Its value.
    pub value: ValueId,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// How many states it is nested in.
    pub depth: u32,
    /// Whether states were pushed onto it, so that its segments are rows of their own.
    pub is_cut: bool,
}

/// A row of `events`.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    /// The container where it happens.
    pub container: ContainerId,
    /// Its type.
    pub type_: TypeId,
    /// Its value.
    pub value: ValueId,
    /// When it happens.
    pub tick: i64,
}

/// A row of `variables`.
#[derive(Debug, Clone, Copy)]
pub struct VariableRow {
    /// The container that it belongs to.
    pub container: ContainerId,
    /// Its type.
    pub type_: TypeId,
    /// Its value.
    pub value: f64,
    /// When the value starts.
    pub start: i64,
    /// When the value ends.
    pub end: i64,
}

/// A row of `links`.
#[derive(Debug, Clone, Copy)]
pub struct LinkRow<'a> {
    /// May be the root.
    pub container: ContainerId,
    /// Its type.
    pub type_: TypeId,
    /// Its value.
    pub value: ValueId,
    /// Valid UTF-8.
    pub key: &'a [u8],
    /// The container where it starts.
    pub source: ContainerId,
    /// The container where it ends.
    pub target: ContainerId,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// Its size; `None` when not known.
    pub volume: Option<f64>,
}

/// What the rows refer to: the simulator's tables of names, types, values and containers.
#[derive(Debug, Default)]
pub struct World {
    /// All names.
    pub names: NameInterner,
    /// All types, by id.
    pub types: Vec<TypeRow>,
    /// All values, by id.
    pub values: Vec<ValueRow>,
    /// All containers, by id.
    pub containers: Vec<ContainerRow>,
    /// The extra fields of the trace.
    pub extra_fields: super::Extras,
}

impl World {
    /// The name of a container; `0` for the root.
    pub fn container_name(&self, id: ContainerId) -> &str {
        match self.containers.get(id.0 as usize) {
            Some(container) => self.names.text(container.name),
            None => "0",
        }
    }

    /// The name of a type.
    pub fn type_name(&self, id: TypeId) -> &str {
        self.names.text(self.types[id.0 as usize].name)
    }

    /// The name of a value.
    pub fn value_name(&self, id: ValueId) -> &str {
        self.names.text(self.values[id.0 as usize].name)
    }
}

/// Takes the rows as they are finished, each with its extra fields.
///
/// Rows come in the order in which they end.
pub trait RowSink {
    /// Takes a finished state.
    fn state(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()>;
    /// Takes a segment of a state that others were pushed onto.
    fn segment(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()>;
    /// Takes an event.
    fn event(&mut self, world: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()>;
    /// Takes an interval of constant value of a variable.
    fn variable(&mut self, world: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()>;
    /// Takes a link whose both ends are known.
    fn link(&mut self, world: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()>;
}

/// From so many fields on, those of one name are found by a table and not one by one.
const MANY_EXTRAS: usize = 16;

/// The extra fields of an entity; most entities have none.
#[derive(Debug, Clone, Default)]
pub struct OwnedExtras(Vec<OwnedExtra>);

impl OwnedExtras {
    /// No extra fields.
    pub const NONE: OwnedExtras = OwnedExtras(Vec::new());

    /// Copies extra fields out of their batch; texts that came a moment ago are shared.
    #[inline]
    pub fn copy_from(batch: &super::EventBatch, extras: &[Extra], recent: &mut RecentTexts) -> OwnedExtras {
        OwnedExtras(extras.iter().map(|extra| OwnedExtra::copy_from(batch, extra, recent)).collect())
    }

    /// Adds the fields that are not there yet.
    pub fn add_missing(&mut self, more: OwnedExtras) {
        add_missing(&mut self.0, 0, more.0.into_iter());
    }
}

/// Adds to the fields from a place on those that are not among them; all where there is none.
pub fn add_missing(all: &mut Vec<OwnedExtra>, start: usize, more: impl ExactSizeIterator<Item = OwnedExtra>) {
    let known = all.len() - start;
    if known == 0 {
        all.extend(more);
    } else if known + more.len() < MANY_EXTRAS {
        for extra in more {
            if all[start..].iter().all(|known| known.field != extra.field) {
                all.push(extra);
            }
        }
    } else {
        let mut fields: HashSet<u32> = all[start..].iter().map(|extra| extra.field).collect();
        all.extend(more.filter(|extra| fields.insert(extra.field)));
    }
}

impl std::ops::Deref for OwnedExtras {
    type Target = [OwnedExtra];

    #[inline(always)]
    fn deref(&self) -> &[OwnedExtra] {
        &self.0
    }
}
