//! What the simulator has finished: rows for the tables, and the world they refer to.

use super::kinds::TypeKind;
use super::{Extra, NameId, NameInterner};
use crate::error::Result;

/// A container, by the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerId(pub u32);

impl ContainerId {
    /// The nameless top of the tree, which Pajé writes `0`; it is not a row of `containers`.
    pub const ROOT: ContainerId = ContainerId(u32::MAX);

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
    pub kind: TypeKind,
    pub name: NameId,
    pub alias: Option<NameId>,
    /// `None` at the top of the tree.
    pub parent: Option<TypeId>,
    pub source: Option<TypeId>,
    pub target: Option<TypeId>,
    pub color: Option<NameId>,
    pub extras: OwnedExtras,
}

/// A row of `entity_values`.
#[derive(Debug, Clone)]
pub struct ValueRow {
    pub type_: TypeId,
    pub name: NameId,
    pub alias: Option<NameId>,
    pub color: Option<NameId>,
    pub extras: OwnedExtras,
}

/// A row of `containers`.
#[derive(Debug, Clone)]
pub struct ContainerRow {
    pub name: NameId,
    pub alias: Option<NameId>,
    pub type_: TypeId,
    pub parent: ContainerId,
    pub start: i64,
    /// `None` while it lives.
    pub end: Option<i64>,
    pub extras: OwnedExtras,
}

/// A further field that outlives its batch.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedExtra {
    pub field: u32,
    pub data: OwnedData,
}

/// The value of an [`OwnedExtra`].
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedData {
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(String),
}

/// A row of `states` or `state_segments`.
#[derive(Debug, Clone, Copy)]
pub struct StateRow {
    pub container: ContainerId,
    pub type_: TypeId,
    pub value: ValueId,
    pub start: i64,
    pub end: i64,
    pub depth: u32,
    /// Whether states were pushed onto it, so that its segments are rows of their own.
    pub is_cut: bool,
}

/// A row of `events`.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    pub container: ContainerId,
    pub type_: TypeId,
    pub value: ValueId,
    pub tick: i64,
}

/// A row of `variables`.
#[derive(Debug, Clone, Copy)]
pub struct VariableRow {
    pub container: ContainerId,
    pub type_: TypeId,
    pub value: f64,
    pub start: i64,
    pub end: i64,
}

/// A row of `links`.
#[derive(Debug, Clone, Copy)]
pub struct LinkRow<'a> {
    /// May be the root.
    pub container: ContainerId,
    pub type_: TypeId,
    pub value: ValueId,
    /// Valid UTF-8.
    pub key: &'a [u8],
    pub source: ContainerId,
    pub target: ContainerId,
    pub start: i64,
    pub end: i64,
    pub volume: Option<f64>,
}

/// What the rows refer to: the simulator's tables of names, types, values and containers.
#[derive(Debug, Default)]
pub struct World {
    pub names: NameInterner,
    pub types: Vec<TypeRow>,
    pub values: Vec<ValueRow>,
    pub containers: Vec<ContainerRow>,
    pub extra_fields: super::Extras,
}

impl World {
    pub fn container_name(&self, id: ContainerId) -> &str {
        match self.containers.get(id.0 as usize) {
            Some(container) => self.names.text(container.name),
            None => "0",
        }
    }

    pub fn type_name(&self, id: TypeId) -> &str {
        self.names.text(self.types[id.0 as usize].name)
    }

    pub fn value_name(&self, id: ValueId) -> &str {
        self.names.text(self.values[id.0 as usize].name)
    }
}

/// Takes the rows as they are finished, each with its further fields.
///
/// Rows come in the order in which they end.
pub trait RowSink {
    fn state(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()>;
    fn segment(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()>;
    fn event(&mut self, world: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()>;
    fn variable(&mut self, world: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()>;
    fn link(&mut self, world: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()>;
}

/// The further fields of an entity; most entities have none.
#[derive(Debug, Clone, Default)]
pub struct OwnedExtras(Option<Box<[OwnedExtra]>>);

impl OwnedExtras {
    pub const NONE: OwnedExtras = OwnedExtras(None);

    /// Copies further fields out of their batch.
    pub fn copy_from(batch: &super::EventBatch, extras: &[Extra]) -> OwnedExtras {
        use super::ExtraData;
        let copy = |extra: &Extra| OwnedExtra {
            field: extra.field,
            data: match extra.data {
                ExtraData::Int(value) => OwnedData::Int(value),
                ExtraData::UInt(value) => OwnedData::UInt(value),
                ExtraData::Double(value) => OwnedData::Double(value),
                ExtraData::Text(span) => OwnedData::Text(batch.text(span).to_string()),
            },
        };
        OwnedExtras((!extras.is_empty()).then(|| extras.iter().map(copy).collect()))
    }

    /// Adds the fields that are not there yet.
    #[inline(always)]
    pub fn add_missing(&mut self, more: OwnedExtras) {
        if let Some(more) = more.0 {
            self.add(more);
        }
    }

    fn add(&mut self, more: Box<[OwnedExtra]>) {
        let Some(known) = self.0.take() else {
            self.0 = Some(more);
            return;
        };
        let mut all = known.into_vec();
        for extra in more.into_vec() {
            if all.iter().all(|other| other.field != extra.field) {
                all.push(extra);
            }
        }
        self.0 = Some(all.into_boxed_slice());
    }
}

impl std::ops::Deref for OwnedExtras {
    type Target = [OwnedExtra];

    #[inline(always)]
    fn deref(&self) -> &[OwnedExtra] {
        self.0.as_deref().unwrap_or(&[])
    }
}
