//! Which file of a crate imports what from which other file of it.
//!
//! A name counts as imported from the file that defines it, through any number of re-exports. A module that re-exports
//! what its own children define imports nothing by that; it does when its code uses the name. `mod x;` and `use x;` of
//! a module are no imports: what is then taken from `x` is.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::{Crate, ModuleId, Visibility};

/// From a file to another: the names that it takes.
pub type Imports = BTreeMap<(String, String), BTreeSet<String>>;

/// The names that are being looked up, each in its module: a name that leads back to itself means nothing.
type Pending = Vec<(ModuleId, String)>;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Module(ModuleId),
    /// Something that the module defines, by its name there.
    Item(ModuleId, String),
    /// Of another crate, or unknown.
    Outside,
}

/// All imports between files of a crate.
pub fn imports(tree: &Crate) -> Imports {
    let mut found = Imports::new();
    for (id, module) in tree.modules.iter().enumerate() {
        let mut add = |owner: ModuleId, name: &str| {
            let file = &tree.modules[owner].file;
            if *file != module.file {
                let names = found.entry((module.file.clone(), file.clone())).or_default();
                names.insert(name.to_string());
            }
        };
        for item in &module.uses {
            let target = tree.resolve(id, &item.path, &mut vec![]);
            let is_reexport = item.visibility == Visibility::Public && tree.is_inside(&target, id);
            let is_used = item.name.as_ref().is_some_and(|name| module.names.contains(name));
            match &target {
                _ if is_reexport && !is_used => {}
                Target::Item(owner, name) => add(*owner, name),
                Target::Module(owner) if item.name.is_none() => add(*owner, "*"),
                Target::Module(_) | Target::Outside => {}
            }
        }
        for path in &module.paths {
            if let Target::Item(owner, name) = tree.resolve(id, path, &mut vec![]) {
                add(owner, &name);
            }
        }
    }
    found
}

impl Crate {
    /// Follows a path from a module.
    fn resolve(&self, from: ModuleId, path: &[String], pending: &mut Pending) -> Target {
        let Some((first, mut rest)) = path.split_first() else { return Target::Outside };
        let mut current = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => match self.modules[from].parent {
                Some(parent) => parent,
                None => return Target::Outside,
            },
            name => match self.lookup(from, name, pending) {
                Some(Target::Module(module)) => module,
                Some(target) => return target,
                None => return Target::Outside,
            },
        };
        while let Some((name, tail)) = rest.split_first() {
            rest = tail;
            if name == "super" {
                current = self.modules[current].parent.unwrap_or(current);
                continue;
            }
            match self.lookup(current, name, pending) {
                Some(Target::Module(module)) => current = module,
                Some(target) => return target,
                // An item that a macro defines.
                None => return Target::Item(current, name.clone()),
            }
        }
        Target::Module(current)
    }

    /// What a name means in a module; `None` when nothing there is called so.
    fn lookup(&self, id: ModuleId, name: &str, pending: &mut Pending) -> Option<Target> {
        let module = &self.modules[id];
        if let Some(child) = module.children.get(name) {
            return Some(Target::Module(*child));
        }
        if module.items.contains(name) {
            return Some(Target::Item(id, name.to_string()));
        }
        if pending.iter().any(|(other, what)| *other == id && what == name) {
            return None;
        }
        pending.push((id, name.to_string()));
        let found = self.lookup_imported(id, name, pending);
        pending.pop();
        found
    }

    /// What a name means that a module has by `use`.
    fn lookup_imported(&self, id: ModuleId, name: &str, pending: &mut Pending) -> Option<Target> {
        let uses = &self.modules[id].uses;
        let mut is_named = false;
        for item in uses.iter().filter(|item| item.name.as_deref() == Some(name)) {
            is_named = true;
            let target = self.resolve(id, &item.path, pending);
            if target != Target::Outside {
                return Some(target);
            }
        }
        if is_named {
            return Some(Target::Outside);
        }
        for item in uses.iter().filter(|item| item.name.is_none()) {
            if let Target::Module(other) = self.resolve(id, &item.path, pending)
                && other != id
                && let Some(target) = self.lookup(other, name, pending)
            {
                return Some(target);
            }
        }
        None
    }

    /// Whether a target belongs to a module below another.
    fn is_inside(&self, target: &Target, ancestor: ModuleId) -> bool {
        let (Target::Module(module) | Target::Item(module, _)) = target else { return false };
        let above = |id: &ModuleId| self.modules[*id].parent;
        std::iter::successors(above(module), above).any(|id| id == ancestor)
    }
}
