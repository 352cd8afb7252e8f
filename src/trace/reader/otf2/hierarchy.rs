//! The system tree, location groups and locations become containers and their types.
//!
//! ```text
//! machine ─► node ─► … ─► process ─► thread        types by class, one for each path of classes
//! ```

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::container_names::ArchiveNames;
use super::definitions::{ArchiveDefinitions, UNDEFINED};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::{EventWriter, ExtraValue, NameHandle, PLAIN_NAME};

/// A container and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypedContainer {
    pub container: NameHandle,
    pub type_: NameHandle,
}

/// The containers of the definitions, by id.
#[derive(Debug, Default)]
pub(super) struct ContainerTree {
    nodes: BTreeMap<u32, TypedContainer>,
    groups: BTreeMap<u32, TypedContainer>,
    locations: BTreeMap<u64, TypedContainer>,
    /// Type by parent type and name.
    types: HashMap<(NameHandle, String), NameHandle>,
}

/// One container to be made.
struct ContainerPlan {
    alias: String,
    name: String,
    /// What the archive calls it.
    plain: String,
    class: String,
    parent: Option<TypedContainer>,
}

impl ContainerTree {
    /// Creates all containers at the beginning of the trace.
    pub fn emit(definitions: &ArchiveDefinitions, tick: i64, writer: &mut EventWriter<'_>) -> Result<ContainerTree> {
        let mut hierarchy = ContainerTree::default();
        let names = ArchiveNames::of(definitions);
        for id in definitions.nodes.keys() {
            hierarchy.node(*id, definitions, &names, tick, writer)?;
        }
        for (id, group) in &definitions.location_groups {
            let class = match group.kind {
                2 => "accelerator",
                _ => "process",
            };
            let parent = hierarchy.nodes.get(&group.node).copied();
            if parent.is_none() && group.node != UNDEFINED {
                undefined(writer, "location group", u64::from(*id), "system tree node", u64::from(group.node))?;
            }
            let (name, plain) = names.group(*id);
            let plan = ContainerPlan { alias: format!("g{id}"), name, plain, class: class.to_string(), parent };
            let place = hierarchy.create(plan, tick, writer)?;
            hierarchy.groups.insert(*id, place);
        }
        for (id, location) in &definitions.locations {
            let class = match location.kind {
                2 => "stream",
                3 => "metric",
                _ => "thread",
            };
            let parent = hierarchy.groups.get(&location.group).copied();
            if parent.is_none() {
                undefined(writer, "location", *id, "location group", u64::from(location.group))?;
            }
            let (name, plain) = names.location(*id);
            let plan = ContainerPlan { alias: format!("l{id}"), name, plain, class: class.to_string(), parent };
            let place = hierarchy.create(plan, tick, writer)?;
            hierarchy.locations.insert(*id, place);
        }
        Ok(hierarchy)
    }

    pub fn location(&self, id: u64) -> Option<TypedContainer> {
        self.locations.get(&id).copied()
    }

    pub fn group(&self, id: u64) -> Option<TypedContainer> {
        self.groups.get(&u32::try_from(id).ok()?).copied()
    }

    pub fn node_of(&self, id: u64) -> Option<TypedContainer> {
        self.nodes.get(&u32::try_from(id).ok()?).copied()
    }

    /// A node, its ancestors first; a node that is its own ancestor stands at the top.
    fn node(
        &mut self,
        id: u32,
        definitions: &ArchiveDefinitions,
        names: &ArchiveNames,
        tick: i64,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let (mut path, mut seen) = (vec![], HashSet::new());
        let mut next = id;
        while let Some(node) = definitions.nodes.get(&next) {
            if self.nodes.contains_key(&next) || !seen.insert(next) {
                break;
            }
            path.push((next, node));
            next = node.parent;
        }
        for (id, node) in path.into_iter().rev() {
            let parent = self.nodes.get(&node.parent).copied();
            if parent.is_none() && node.parent != UNDEFINED {
                undefined(writer, "system tree node", u64::from(id), "parent", u64::from(node.parent))?;
            }
            let class = definitions.name_of(node.class, "class", u64::from(node.class));
            let (name, plain) = names.node(id);
            let plan = ContainerPlan { alias: format!("n{id}"), name, plain, class, parent };
            let place = self.create(plan, tick, writer)?;
            self.nodes.insert(id, place);
        }
        Ok(())
    }

    fn create(&mut self, plan: ContainerPlan, tick: i64, writer: &mut EventWriter<'_>) -> Result<TypedContainer> {
        let root = writer.root();
        let parent = plan.parent.unwrap_or(TypedContainer { container: root, type_: root });
        let type_ = self.type_of(parent.type_, &plan.class, writer)?;
        let container = writer.intern(&plan.alias);
        let fields = [(writer.container_text(PLAIN_NAME), ExtraValue::Text(&plan.plain))];
        writer.create_container(tick, container, &plan.name, type_, parent.container, &fields)?;
        Ok(TypedContainer { container, type_ })
    }

    fn type_of(&mut self, parent: NameHandle, class: &str, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let key = (parent, class.to_string());
        if let Some(type_) = self.types.get(&key) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("T{}", self.types.len() + 1));
        writer.define_type(TypeKind::Container, type_, parent, class, None)?;
        self.types.insert(key, type_);
        Ok(type_)
    }
}

/// Reports a definition that names another which is not there.
pub(super) fn undefined(writer: &mut EventWriter<'_>, kind: &str, id: u64, other: &str, other_id: u64) -> Result<()> {
    writer.fault(Code::UndefinedReference, format!("{kind} {id} names {other} {other_id}, which is not defined"))
}
