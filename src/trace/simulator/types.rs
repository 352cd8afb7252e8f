//! The type tree: definitions of types and of their values.

use super::context::{Context, LostEvent};
use super::slots::Slots;
use crate::diagnostics::{Code, quote};
use crate::model::{NameId, OwnedExtras, TypeId, TypeKind, TypeRow, ValueId, ValueRow, World};

/// What a name stands for.
#[derive(Debug, Clone, Default)]
struct TypeEntry {
    alias: Option<TypeId>,
    named: Vec<TypeId>,
}

/// Resolves names of types and values.
#[derive(Debug, Default)]
pub(super) struct TypeTracker {
    entries: Vec<TypeEntry>,
    /// By name: the type, where there is only one that it can be.
    quick: Vec<Option<TypeId>>,
    /// By type and name.
    value_names: Slots,
    /// By type and alias, or name where it is nobody's alias.
    value_words: Slots,
}

/// A parent in the type tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParentType {
    Root,
    Type(TypeId),
}

impl TypeTracker {
    fn entry(&mut self, name: NameId) -> &mut TypeEntry {
        let index = name.0 as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, TypeEntry::default());
            self.quick.resize(index + 1, None);
        }
        &mut self.entries[index]
    }

    /// A type of some kind by alias or name. Of several types of one name, the one that `holder`
    /// holds is taken, else the first.
    #[inline(always)]
    pub fn resolve(&self, world: &World, name: NameId, kind: TypeKind, holder: Option<TypeId>) -> Option<TypeId> {
        match self.quick.get(name.0 as usize) {
            Some(Some(found)) if world.types[found.0 as usize].kind == kind => Some(*found),
            _ => self.resolve_slowly(world, name, kind, holder),
        }
    }

    fn resolve_slowly(&self, world: &World, name: NameId, kind: TypeKind, holder: Option<TypeId>) -> Option<TypeId> {
        let entry = self.entries.get(name.0 as usize)?;
        let has_kind = |id: &&TypeId| world.types[id.0 as usize].kind == kind;
        if let Some(found) = entry.alias.iter().find(has_kind) {
            return Some(*found);
        }
        let held = entry
            .named
            .iter()
            .filter(has_kind)
            .find(|id| holder.is_some() && world.types[id.0 as usize].parent == holder);
        held.or_else(|| entry.named.iter().find(has_kind)).copied()
    }

    /// Resolves, or reports that the line is lost.
    #[inline(always)]
    pub fn require(
        &self,
        world: &World,
        context: &mut Context<'_>,
        name: NameId,
        kind: TypeKind,
        holder: Option<TypeId>,
    ) -> Result<TypeId, LostEvent> {
        match self.resolve(world, name, kind, holder) {
            Some(found) => Ok(found),
            None => Err(self.report_unknown(world, context, name, kind)),
        }
    }

    #[cold]
    fn report_unknown(&self, world: &World, context: &mut Context<'_>, name: NameId, kind: TypeKind) -> LostEvent {
        let text = quote(world.names.text(name).as_bytes());
        let other = self.entries.get(name.0 as usize).and_then(|e| e.alias.or(e.named.first().copied()));
        let message = match other {
            Some(other) => format!(
                "{text} is a {} type, and a {} type is needed",
                world.types[other.0 as usize].kind.name(),
                kind.name()
            ),
            None => format!("no {} type {text} was defined before", kind.name()),
        };
        context.lose(Code::UnknownType, message)
    }

    /// A container type, or the root for `0` and `/`.
    pub fn require_parent(
        &self,
        world: &World,
        context: &mut Context<'_>,
        name: NameId,
    ) -> Result<ParentType, LostEvent> {
        let is_alias = self.entries.get(name.0 as usize).is_some_and(|entry| entry.alias.is_some());
        if !is_alias && is_root_name(world.names.text(name)) {
            return Ok(ParentType::Root);
        }
        self.require(world, context, name, TypeKind::Container, None).map(ParentType::Type)
    }

    /// Adds a type, unless there is one of that alias, or without alias one of that name in the same
    /// place.
    pub fn define(&mut self, world: &mut World, context: &mut Context<'_>, row: TypeRow) -> TypeId {
        let (name, alias) = (row.name, row.alias);
        let known = match alias {
            Some(alias) => self.entry(alias).alias,
            None => self.entry(name).named.iter().copied().find(|id| {
                let other = &world.types[id.0 as usize];
                other.kind == row.kind && other.parent == row.parent && other.alias.is_none()
            }),
        };
        if let Some(known) = known {
            let text = quote(world.names.text(alias.unwrap_or(name)).as_bytes());
            context.warn(Code::RedefinedType, format!("the type {text} is defined again; the first one is kept"));
            return known;
        }
        let id = TypeId(world.types.len() as u32);
        world.types.push(row);
        if let Some(alias) = alias {
            self.entry(alias).alias = Some(id);
        }
        self.entry(name).named.push(id);
        for touched in [Some(name), alias].into_iter().flatten() {
            self.refresh(touched);
        }
        id
    }

    fn refresh(&mut self, name: NameId) {
        let entry = &self.entries[name.0 as usize];
        self.quick[name.0 as usize] = match (entry.alias, entry.named.as_slice()) {
            (Some(alias), _) => Some(alias),
            (None, [only]) => Some(*only),
            _ => None,
        };
    }

    /// Adds a value to a type; an alias of a known value is one more way to say it.
    pub fn define_value(
        &mut self,
        world: &mut World,
        type_: TypeId,
        name: NameId,
        alias: Option<NameId>,
        color: Option<NameId>,
        extras: OwnedExtras,
    ) -> ValueId {
        let known = self.value_names.get(type_.0, name.0).map(ValueId);
        let id = known.unwrap_or_else(|| {
            let id = ValueId(world.values.len() as u32);
            world.values.push(ValueRow { type_, name, alias, color, extras });
            self.value_names.insert(type_.0, name.0, id.0);
            if self.value_words.get(type_.0, name.0).is_none() {
                self.value_words.insert(type_.0, name.0, id.0);
            }
            id
        });
        if let Some(alias) = alias {
            self.value_words.insert(type_.0, alias.0, id.0);
        }
        let row = &mut world.values[id.0 as usize];
        row.alias = row.alias.or(alias);
        row.color = row.color.or(color);
        id
    }

    /// The value of a type by alias or name; one that was never declared is created.
    #[inline(always)]
    pub fn value(&mut self, world: &mut World, context: &mut Context<'_>, type_: TypeId, name: NameId) -> ValueId {
        if let Some(found) = self.value_words.get(type_.0, name.0) {
            return ValueId(found);
        }
        self.create_value(world, context, type_, name)
    }

    #[cold]
    fn create_value(&mut self, world: &mut World, context: &mut Context<'_>, type_: TypeId, name: NameId) -> ValueId {
        let type_name = quote(world.type_name(type_).as_bytes());
        context.note(Code::UndeclaredValue, u64::from(type_.0), || {
            format!("values of {type_name} that no DefineEntityValue declares; they were created")
        });
        self.define_value(world, type_, name, None, None, OwnedExtras::NONE)
    }
}

/// How Pajé writes the nameless top of both trees.
pub(super) fn is_root_name(text: &str) -> bool {
    text == "0" || text == "/"
}
