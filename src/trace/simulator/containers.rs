//! Containers: creation, destruction, and who is meant by a name.
//!
//! A name is looked up as an alias first, then as the root (`0`, `/`), then as a name. Of several
//! live containers of one name the most recent one is meant, with a diagnostic.

use hashbrown::HashSet;

use super::context::{Context, LostEvent};
use super::types::is_root_name;
use crate::diagnostics::{Code, quote};
use crate::model::{ContainerId, ContainerRow, NameId, OwnedExtras, TypeId, World};

/// The live containers that a name stands for.
#[derive(Debug, Clone, Default)]
struct ContainerEntry {
    alias: Option<ContainerId>,
    /// The most recent live container of that name; older ones are behind it in `older`.
    named: Option<ContainerId>,
    /// Whether a container of that alias or name was destroyed.
    had_any: bool,
}

/// What the tracker knows of a container beyond its row.
#[derive(Debug, Clone, Copy, Default)]
struct ContainerLinks {
    first_child: Option<ContainerId>,
    next_sibling: Option<ContainerId>,
    /// The next older and the next newer live container of the same name.
    older: Option<ContainerId>,
    newer: Option<ContainerId>,
}

/// Follows the containers.
#[derive(Debug, Default)]
pub(super) struct ContainerTracker {
    entries: Vec<ContainerEntry>,
    /// By name: the container, where nobody else can be meant.
    quick: Vec<Option<ContainerId>>,
    links: Vec<ContainerLinks>,
    /// Live containers without an alias, by parent and name.
    placed: HashSet<(ContainerId, NameId)>,
    /// The container that stands for the root when something other than a link happens there.
    root_stand_in: Option<ContainerId>,
}

impl ContainerTracker {
    fn entry(&mut self, name: NameId) -> &mut ContainerEntry {
        let index = name.0 as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, ContainerEntry::default());
            self.quick.resize(index + 1, None);
        }
        &mut self.entries[index]
    }

    /// Who is meant by a name, or the report that the line is lost.
    #[inline(always)]
    pub fn require(
        &mut self,
        world: &World,
        context: &mut Context<'_>,
        name: NameId,
    ) -> Result<ContainerId, LostEvent> {
        match self.quick.get(name.0 as usize) {
            Some(Some(found)) => Ok(*found),
            _ => self.require_slowly(world, context, name),
        }
    }

    fn require_slowly(
        &mut self,
        world: &World,
        context: &mut Context<'_>,
        name: NameId,
    ) -> Result<ContainerId, LostEvent> {
        let text = world.names.text(name);
        let entry = self.entry(name).clone();
        if let Some(alias) = entry.alias {
            return Ok(alias);
        }
        if is_root_name(text) {
            return Ok(ContainerId::ROOT);
        }
        if let Some(newest) = entry.named {
            if self.links[newest.0 as usize].older.is_some() {
                context.note(Code::AmbiguousContainer, u64::from(name.0), || {
                    format!(
                        "several live containers are named {}; the most recent one was taken",
                        quote(text.as_bytes())
                    )
                });
            }
            return Ok(newest);
        }
        let text = quote(text.as_bytes());
        Err(if entry.had_any {
            context.lose(Code::DestroyedContainer, format!("the container {text} was destroyed before"))
        } else {
            context.lose(Code::UnknownContainer, format!("no container {text} was created before"))
        })
    }

    /// Creates a container.
    pub fn create(
        &mut self,
        world: &mut World,
        context: &mut Context<'_>,
        row: ContainerRow,
    ) -> Result<ContainerId, LostEvent> {
        let is_taken = match row.alias {
            Some(alias) => self.entry(alias).alias.is_some(),
            None => self.placed.contains(&(row.parent, row.name)),
        };
        if is_taken {
            let text = quote(world.names.text(row.alias.unwrap_or(row.name)).as_bytes());
            return Err(context.lose(Code::DuplicateContainer, format!("a live container {text} already exists")));
        }
        Ok(self.add(world, row))
    }

    fn add(&mut self, world: &mut World, row: ContainerRow) -> ContainerId {
        let id = ContainerId(world.containers.len() as u32);
        let (name, alias, parent) = (row.name, row.alias, row.parent);
        world.containers.push(row);
        let mut links = ContainerLinks { older: self.entry(name).named, ..ContainerLinks::default() };
        if let Some(parent) = self.links.get_mut(parent.0 as usize) {
            links.next_sibling = parent.first_child.replace(id);
        }
        if let Some(older) = links.older {
            self.links[older.0 as usize].newer = Some(id);
        }
        self.links.push(links);
        self.entry(name).named = Some(id);
        match alias {
            Some(alias) => self.entry(alias).alias = Some(id),
            None => _ = self.placed.insert((parent, name)),
        }
        for touched in [Some(name), alias].into_iter().flatten() {
            self.refresh(world, touched);
        }
        id
    }

    fn refresh(&mut self, world: &World, name: NameId) {
        let entry = &self.entries[name.0 as usize];
        self.quick[name.0 as usize] = match (entry.alias, entry.named) {
            (Some(alias), _) => Some(alias),
            (None, Some(only)) if self.links[only.0 as usize].older.is_none() => {
                (!is_root_name(world.names.text(name))).then_some(only)
            }
            _ => None,
        };
    }

    /// The container that stands for the root: states, events and variables need one.
    pub fn stand_in(
        &mut self,
        world: &mut World,
        tick: i64,
        root_type: impl FnOnce(&mut World) -> TypeId,
    ) -> ContainerId {
        if let Some(known) = self.root_stand_in {
            return known;
        }
        let type_ = root_type(world);
        let name = world.names.intern("0");
        let row = ContainerRow {
            name,
            alias: None,
            type_,
            parent: ContainerId::ROOT,
            start: tick,
            end: None,
            extras: OwnedExtras::NONE,
        };
        let id = ContainerId(world.containers.len() as u32);
        world.containers.push(row);
        self.links.push(ContainerLinks::default());
        self.root_stand_in = Some(id);
        id
    }

    /// Destroys a container and all below it; gives them back, the lowest first.
    pub fn destroy(&mut self, world: &mut World, id: ContainerId, tick: i64) -> Vec<ContainerId> {
        let mut doomed = vec![id];
        let mut next = 0;
        while next < doomed.len() {
            let mut child = self.links[doomed[next].0 as usize].first_child;
            while let Some(found) = child {
                if world.containers[found.0 as usize].end.is_none() {
                    doomed.push(found);
                }
                child = self.links[found.0 as usize].next_sibling;
            }
            next += 1;
        }
        doomed.reverse();
        for id in &doomed {
            let row = &mut world.containers[id.0 as usize];
            row.end = Some(tick.max(row.start));
            self.forget(world, *id);
        }
        doomed
    }

    fn forget(&mut self, world: &World, id: ContainerId) {
        let ContainerRow { name, alias, parent, .. } = world.containers[id.0 as usize];
        let ContainerLinks { older, newer, .. } = self.links[id.0 as usize];
        if let Some(older) = older {
            self.links[older.0 as usize].newer = newer;
        }
        if let Some(newer) = newer {
            self.links[newer.0 as usize].older = older;
        }
        let entry = self.entry(name);
        entry.had_any = true;
        if entry.named == Some(id) {
            entry.named = older;
        }
        match alias {
            Some(alias) => {
                let entry = self.entry(alias);
                entry.had_any = true;
                if entry.alias == Some(id) {
                    entry.alias = None;
                }
            }
            None => _ = self.placed.remove(&(parent, name)),
        }
        for touched in [Some(name), alias].into_iter().flatten() {
            self.refresh(world, touched);
        }
    }
}
