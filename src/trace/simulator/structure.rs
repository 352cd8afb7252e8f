//! Events that change the type tree and the container tree.

use super::Simulator;
use super::checks::mismatch;
use super::context::{Context, EventFailure, EventPosition, LostEvent};
use super::types::ParentType;
use crate::diagnostics::Code;
use crate::model::{ContainerRow, EventKind, OwnedExtras, RowSink, Symbol, TypeKind, TypeRow};

impl Simulator {
    /// Events that change the two trees.
    #[cold]
    pub(super) fn structure(
        &mut self,
        scene: EventPosition<'_>,
        extras: OwnedExtras,
        sink: &mut impl RowSink,
    ) -> Result<(), EventFailure> {
        let event = scene.event;
        let mut context = Context { diagnostics: &mut self.diagnostics, scene, backwards: &mut self.backwards };
        let name_of = |symbol: Symbol| self.names[symbol.0 as usize];
        let optional = |symbol: Symbol| symbol.is_some().then(|| name_of(symbol));
        let world = &mut self.world;
        match event.kind {
            EventKind::CreateContainer => {
                let parent = self.containers.require(world, &mut context, name_of(event.container))?;
                let type_ = self.types.require(world, &mut context, name_of(event.type_), TypeKind::Container, None)?;
                let (name, alias) = (name_of(event.value), optional(event.other));
                let holder = world.containers.get(parent.0 as usize).map(|row| row.type_);
                if world.types[type_.0 as usize].parent != holder {
                    mismatch(world, &mut context, type_, holder);
                }
                let row = ContainerRow { name, alias, type_, parent, start: event.tick, end: None, extras };
                self.containers.create(world, &mut context, row)?;
            }
            EventKind::DestroyContainer => {
                self.types.require(world, &mut context, name_of(event.type_), TypeKind::Container, None)?;
                let container = self.containers.require(world, &mut context, name_of(event.container))?;
                if container.is_root() {
                    let message = "the root of the tree cannot be destroyed".to_string();
                    return Err(context.lose(Code::UnknownContainer, message).into());
                }
                world.containers[container.0 as usize].extras.add_missing(extras);
                for doomed in self.containers.destroy(world, container, event.tick) {
                    if self.states.is_after(doomed, event.tick) || self.variables.is_after(doomed, event.tick) {
                        self.backwards += 1;
                    }
                    self.states.end_container(world, sink, doomed, event.tick)?;
                    self.variables.end_container(world, sink, doomed, event.tick)?;
                }
            }
            EventKind::DefineEntityValue => {
                let type_name = name_of(event.type_);
                let kinds = [TypeKind::State, TypeKind::Event, TypeKind::Link, TypeKind::Variable];
                let found = kinds.iter().find_map(|kind| self.types.resolve(world, type_name, *kind, None));
                let type_ = match found {
                    Some(type_) => type_,
                    None => self.types.require(world, &mut context, type_name, TypeKind::State, None)?,
                };
                let (name, alias, color) = (name_of(event.value), optional(event.other), optional(event.container));
                self.types.define_value(world, type_, name, alias, color, extras);
            }
            kind => {
                let row = self.type_row(kind, scene, extras)?;
                let mut context = Context { diagnostics: &mut self.diagnostics, scene, backwards: &mut self.backwards };
                self.types.define(&mut self.world, &mut context, row);
            }
        }
        Ok(())
    }

    fn type_row(
        &mut self,
        kind: EventKind,
        scene: EventPosition<'_>,
        extras: OwnedExtras,
    ) -> Result<TypeRow, LostEvent> {
        let event = scene.event;
        let (name, alias, color) =
            (self.name(event.value), self.optional_name(event.other), self.optional_name(event.container));
        let parent_name = self.name(event.type_);
        let ends = match kind {
            EventKind::DefineLinkType => {
                let (source, target) = event.end_types();
                Some((self.name(source), self.name(target)))
            }
            _ => None,
        };
        let mut context = Context { diagnostics: &mut self.diagnostics, scene, backwards: &mut self.backwards };
        let mut parent_of = |name| match self.types.require_parent(&self.world, &mut context, name)? {
            ParentType::Root => Ok(None),
            ParentType::Type(id) => Ok(Some(id)),
        };
        let parent = parent_of(parent_name)?;
        let (source, target) = match ends {
            Some((source, target)) => (parent_of(source)?, parent_of(target)?),
            None => (None, None),
        };
        let kind = match kind {
            EventKind::DefineStateType => TypeKind::State,
            EventKind::DefineEventType => TypeKind::Event,
            EventKind::DefineVariableType => TypeKind::Variable,
            EventKind::DefineLinkType => TypeKind::Link,
            _ => TypeKind::Container,
        };
        Ok(TypeRow { kind, name, alias, parent, source, target, color, extras })
    }
}
