//! The names that rows refer to, for those who store rows while the simulator goes on and adds to its world.

#[cfg(test)]
mod tests;

use super::{ContainerId, TypeId, ValueId, World};

/// Names of containers, types and values, by id: copies, or those that came since the last copy. Names never change.
#[derive(Debug, Default)]
pub struct WorldNames {
    containers: NameList,
    types: NameList,
    values: NameList,
}

/// How many names of each kind were copied.
#[derive(Debug, Clone, Copy, Default)]
pub struct CopiedNames {
    containers: usize,
    types: usize,
    values: usize,
}

impl WorldNames {
    /// The names that a world has beyond those that were copied, which are counted.
    pub fn since(copied: &mut CopiedNames, world: &World) -> WorldNames {
        let mut new = WorldNames::default();
        for container in &world.containers[copied.containers..] {
            new.containers.push(world.names.text(container.name));
        }
        for type_ in &world.types[copied.types..] {
            new.types.push(world.names.text(type_.name));
        }
        for value in &world.values[copied.values..] {
            new.values.push(world.names.text(value.name));
        }
        *copied =
            CopiedNames { containers: world.containers.len(), types: world.types.len(), values: world.values.len() };
        new
    }

    /// Adds the names that came next.
    pub fn extend(&mut self, new: &WorldNames) {
        self.containers.extend(&new.containers);
        self.types.extend(&new.types);
        self.values.extend(&new.values);
    }

    /// The name of a container; `0` for the root.
    pub fn container_name(&self, id: ContainerId) -> &str {
        self.containers.get(id.0).unwrap_or("0")
    }

    /// The name of a type.
    pub fn type_name(&self, id: TypeId) -> &str {
        self.types.get(id.0).unwrap_or_default()
    }

    /// The name of a value.
    pub fn value_name(&self, id: ValueId) -> &str {
        self.values.get(id.0).unwrap_or_default()
    }
}

/// Names one after the other.
#[derive(Debug, Default)]
struct NameList {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl NameList {
    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    fn extend(&mut self, new: &NameList) {
        let before = self.text.len();
        self.text.push_str(&new.text);
        self.ends.extend(new.ends.iter().map(|end| before + end));
    }

    fn get(&self, place: u32) -> Option<&str> {
        let place = place as usize;
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        self.text.get(start..end)
    }
}
