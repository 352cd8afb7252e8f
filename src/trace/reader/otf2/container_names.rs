//! What the containers of an archive are called.
//!
//! Score-P calls the first thread of every process `Master thread`. Where the name of a location repeats below
//! different processes, all locations are called by their process first, as their users say it:
//!
//! ```text
//! MPI Rank 3 / Master thread                 rank 3            the only thread of its rank
//! MPI Rank 3 / Master thread, OMP thread 1   rank 3 thread 0, rank 3 thread 1
//! MPI Rank 3 / CUDA[0:7]                     rank 3 CUDA[0:7]
//! a.out      / Master thread                 a.out Master thread       no ranks are known
//! ```
//! Processes and nodes keep their names unless those repeat: then `rank 3 NAME` or `PARENT NAME`. A process never has
//! the name of a location: then it is `rank 3 process`. What is still alike is numbered.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{ArchiveDefinitions, GroupKind, MPI, UNDEFINED};
use crate::reader::distinct_names::{number, repeated};

/// The kinds of locations that are no threads: streams of accelerators and metrics.
const STREAM: u8 = 2;
const METRIC: u8 = 3;
/// The kind of location groups that are no processes.
const ACCELERATOR: u8 = 2;

/// A shown name and the plain one.
type NamePair = (String, String);

/// The names of nodes, location groups and locations, by id.
#[derive(Debug, Default)]
pub(super) struct ArchiveNames {
    nodes: BTreeMap<u32, NamePair>,
    groups: BTreeMap<u32, NamePair>,
    locations: BTreeMap<u64, NamePair>,
}

impl ArchiveNames {
    /// The names of all containers of an archive.
    pub fn of(definitions: &ArchiveDefinitions) -> ArchiveNames {
        let twice = |name: String| (name.clone(), name);
        let mut names = ArchiveNames::default();
        for (id, node) in &definitions.nodes {
            names.nodes.insert(*id, twice(definitions.name_of(node.name, "node", u64::from(*id))));
        }
        for (id, group) in &definitions.location_groups {
            names.groups.insert(*id, twice(definitions.name_of(group.name, "group", u64::from(*id))));
        }
        for (id, location) in &definitions.locations {
            names.locations.insert(*id, twice(definitions.name_of(location.name, "location", *id)));
        }
        let ranks = ranks_of_groups(definitions);
        names.distinguish_nodes(definitions);
        names.distinguish_groups(definitions, &ranks);
        names.distinguish_locations(definitions, &ranks);
        names
    }

    /// The shown and the plain name of a node.
    pub fn node(&self, id: u32) -> NamePair {
        self.nodes.get(&id).cloned().unwrap_or_default()
    }

    /// The shown and the plain name of a location group.
    pub fn group(&self, id: u32) -> NamePair {
        self.groups.get(&id).cloned().unwrap_or_default()
    }

    /// The shown and the plain name of a location.
    pub fn location(&self, id: u64) -> NamePair {
        self.locations.get(&id).cloned().unwrap_or_default()
    }

    fn distinguish_nodes(&mut self, definitions: &ArchiveDefinitions) {
        let alike = repeated(self.nodes.values().map(|(_, plain)| plain.clone()));
        let parents: BTreeMap<u32, String> = self.nodes.iter().map(|(id, (_, plain))| (*id, plain.clone())).collect();
        for (id, (shown, plain)) in &mut self.nodes {
            let parent = definitions.nodes.get(id).map_or(UNDEFINED, |node| node.parent);
            if let Some(parent) = parents.get(&parent).filter(|_| alike.contains(plain)) {
                *shown = format!("{parent} {plain}");
            }
        }
        number(self.nodes.values_mut().map(|(shown, _)| shown));
    }

    fn distinguish_groups(&mut self, definitions: &ArchiveDefinitions, ranks: &BTreeMap<u32, usize>) {
        let alike = repeated(self.groups.values().map(|(_, plain)| plain.clone()));
        for (id, (shown, plain)) in &mut self.groups {
            let node = definitions.location_groups.get(id).and_then(|group| self.nodes.get(&group.node));
            if alike.contains(plain) {
                match (ranks.get(id), node) {
                    (Some(rank), _) => *shown = format!("rank {rank} {plain}"),
                    (None, Some((node, _))) => *shown = format!("{node} {plain}"),
                    (None, None) => {}
                }
            }
        }
        number(self.groups.values_mut().map(|(shown, _)| shown));
    }

    fn distinguish_locations(&mut self, definitions: &ArchiveDefinitions, ranks: &BTreeMap<u32, usize>) {
        if !self.repeat_across_groups(definitions) {
            number(self.locations.values_mut().map(|(shown, _)| shown));
            return;
        }
        let is_thread = |kind: u8| !matches!(kind, STREAM | METRIC);
        let mut threads: BTreeMap<u32, usize> = BTreeMap::new();
        for location in definitions.locations.values().filter(|location| is_thread(location.kind)) {
            *threads.entry(location.group).or_default() += 1;
        }
        for (id, (shown, plain)) in &mut self.locations {
            let Some(location) = definitions.locations.get(id) else { continue };
            let is_only = threads.get(&location.group) == Some(&1);
            *shown = match (ranks.get(&location.group), self.groups.get(&location.group)) {
                (Some(rank), _) if is_thread(location.kind) => match thread_number(plain) {
                    _ if is_only => format!("rank {rank}"),
                    Some(thread) => format!("rank {rank} thread {thread}"),
                    None => format!("rank {rank} {plain}"),
                },
                (Some(rank), _) => format!("rank {rank} {plain}"),
                (None, Some((group, _))) => format!("{group} {plain}"),
                (None, None) => plain.clone(),
            };
        }
        self.keep_kinds_of_threads(definitions, ranks);
        number(self.locations.values_mut().map(|(shown, _)| shown));
        self.yield_to_locations(definitions, ranks);
    }

    /// Whether the name of a location repeats below different processes.
    fn repeat_across_groups(&self, definitions: &ArchiveDefinitions) -> bool {
        let group = |id: &u64| definitions.locations.get(id).map(|location| location.group);
        let places: BTreeSet<(&str, Option<u32>)> =
            self.locations.iter().map(|(id, (_, plain))| (plain.as_str(), group(id))).collect();
        !repeated(places.into_iter().map(|(plain, _)| plain)).is_empty()
    }

    /// Threads that `rank 0 thread 1` would confuse (one of OpenMP, one of Pthreads) are called in full.
    fn keep_kinds_of_threads(&mut self, definitions: &ArchiveDefinitions, ranks: &BTreeMap<u32, usize>) {
        let alike = repeated(self.locations.values().map(|(shown, _)| shown.clone()));
        for (id, (shown, plain)) in &mut self.locations {
            let rank = definitions.locations.get(id).and_then(|location| ranks.get(&location.group));
            if let Some(rank) = rank.filter(|_| alike.contains(shown)) {
                *shown = format!("rank {rank} {plain}");
            }
        }
    }

    /// Calls processes `rank 3 process` where a location has the name of one.
    fn yield_to_locations(&mut self, definitions: &ArchiveDefinitions, ranks: &BTreeMap<u32, usize>) {
        let shown: BTreeSet<&str> = self.locations.values().map(|(shown, _)| shown.as_str()).collect();
        if !self.groups.values().any(|(group, _)| shown.contains(group.as_str())) {
            return;
        }
        for (id, (shown, _)) in &mut self.groups {
            let is_process = definitions.location_groups.get(id).is_some_and(|group| group.kind != ACCELERATOR);
            if let Some(rank) = ranks.get(id).filter(|_| is_process) {
                *shown = format!("rank {rank} process");
            }
        }
        number(self.groups.values_mut().map(|(shown, _)| shown));
    }
}

/// The number that a thread has by its name: `Master thread` and `main thread` are 0, `OMP thread 3` is 3.
fn thread_number(plain: &str) -> Option<u64> {
    let words: Vec<&str> = plain.split_whitespace().collect();
    match words.as_slice() {
        [first, thread]
            if thread.eq_ignore_ascii_case("thread")
                && (first.eq_ignore_ascii_case("master") || first.eq_ignore_ascii_case("main")) =>
        {
            Some(0)
        }
        [.., thread, number] if thread.eq_ignore_ascii_case("thread") => number.parse().ok(),
        _ => None,
    }
}

/// The rank of each process, and of the accelerators that it made: by the locations that communicate, of MPI if it
/// is among them.
fn ranks_of_groups(definitions: &ArchiveDefinitions) -> BTreeMap<u32, usize> {
    let communicate = || definitions.groups.values().filter(|group| group.kind == GroupKind::CommLocations);
    let Some(world) = communicate().find(|group| group.paradigm == MPI).or_else(|| communicate().next()) else {
        return BTreeMap::new();
    };
    let mut ranks = BTreeMap::new();
    for (rank, location) in world.members.iter().enumerate() {
        if let Some(location) = definitions.locations.get(location) {
            ranks.entry(location.group).or_insert(rank);
        }
    }
    for (id, group) in &definitions.location_groups {
        let maker = group.creator.and_then(|creator| ranks.get(&creator).copied());
        if let (Some(rank), false) = (maker, ranks.contains_key(id)) {
            ranks.insert(*id, rank);
        }
    }
    ranks
}
