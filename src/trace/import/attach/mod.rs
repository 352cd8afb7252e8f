//! Attaches descriptions of machines to a trace of a store: its network, and organizations of machines.
//!
//! In: files, and how containers find their machines. Out: the tables `topology_nodes`, `topology_edges`,
//! `hierarchy_nodes` and `container_machines` of the trace, committed together.

mod formats;
mod machines;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow::array::AsArray;

pub use machines::MachineMap;

use self::formats::{Hierarchy, Topology, read_hierarchy, read_topology};
use crate::error::{Error, Result};
use crate::store::{NewTable, Store, TraceEntry, trace_name_of};

/// What to attach.
#[derive(Debug, Clone)]
pub struct AttachOptions {
    /// Name of the trace; may be left out when the store has one.
    pub trace: Option<String>,
    /// A DOT file.
    pub topology: Option<PathBuf>,
    /// A property list, JSON or YAML file. Its name without the ending is that of the hierarchy.
    pub hierarchy: Option<PathBuf>,
    /// How containers find their machines.
    pub map: MachineMap,
}

/// What was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachSummary {
    /// Name of the trace.
    pub trace: String,
    /// Nodes of the network.
    pub nodes: usize,
    /// Edges of the network.
    pub edges: usize,
    /// Name of the hierarchy.
    pub hierarchy: Option<String>,
    /// Containers that have a machine, and leaves that have none.
    pub matched: usize,
    /// Leaves that have no machine.
    pub unmatched: usize,
}

/// Reads a DOT file and keeps nothing of it.
pub fn check_topology(path: &Path) -> Result<()> {
    read_topology(path).map(drop)
}

/// Reads a property list, JSON or YAML file of machines and keeps nothing of it.
pub fn check_hierarchy(path: &Path) -> Result<()> {
    read_hierarchy(path).map(drop)
}

/// Reads the files, matches containers with machines and commits the tables.
pub fn attach(store: &Store, options: &AttachOptions) -> Result<AttachSummary> {
    let topology = options.topology.as_deref().map(read_topology).transpose()?;
    let hierarchy = match &options.hierarchy {
        None => None,
        Some(path) => Some((hierarchy_name(path), read_hierarchy(path)?)),
    };
    let trace = trace_of(store, options.trace.as_deref())?;
    let mut summary = AttachSummary {
        trace: trace.clone(),
        nodes: topology.as_ref().map_or(0, |topology| topology.nodes.len()),
        edges: topology.as_ref().map_or(0, |topology| topology.edges.len()),
        hierarchy: hierarchy.as_ref().map(|(name, _)| name.clone()),
        matched: 0,
        unmatched: 0,
    };
    store.attach(&trace, |entry| {
        let (tables, matched, unmatched) = tables_of(store, entry, topology, hierarchy, &options.map)?;
        (summary.matched, summary.unmatched) = (matched, unmatched);
        Ok(tables)
    })?;
    Ok(summary)
}

/// The name of a hierarchy: that of its file, as the name of a trace would be made.
fn hierarchy_name(path: &Path) -> String {
    let stem = path.file_stem().map(PathBuf::from).unwrap_or_default();
    trace_name_of(&stem)
}

fn trace_of(store: &Store, name: Option<&str>) -> Result<String> {
    let manifest = store.manifest()?;
    match (name, manifest.traces.as_slice()) {
        (Some(name), _) => Ok(name.to_string()),
        (None, [only]) => Ok(only.name.clone()),
        (None, traces) => {
            let names: Vec<&str> = traces.iter().map(|trace| trace.name.as_str()).collect();
            Err(Error::Usage(format!("which trace? give --trace, one of: {}", names.join(", "))))
        }
    }
}

fn tables_of(
    store: &Store,
    entry: &TraceEntry,
    topology: Option<Topology>,
    hierarchy: Option<(String, Hierarchy)>,
    map: &MachineMap,
) -> Result<(Vec<NewTable>, usize, usize)> {
    let mut made = vec![];
    let mut machines: BTreeSet<String> = BTreeSet::new();
    match &topology {
        Some(topology) => {
            machines.extend(topology.nodes.iter().map(|node| node.name.clone()));
            made.extend([tables::topology_nodes(topology), tables::topology_edges(topology)]);
        }
        None => machines.extend(names_in(store, entry, "topology_nodes")?),
    }
    if let Some((name, hierarchy)) = &hierarchy {
        machines.extend(hierarchy.nodes.iter().map(|node| node.name.clone()));
        let others = store.read_table(entry, "hierarchy_nodes")?;
        made.push(tables::hierarchy_nodes(name, hierarchy, others.as_ref())?);
    }
    machines.extend(names_in(store, entry, "hierarchy_nodes")?);
    let containers = machines::TraceContainers::read(store, entry)?;
    let found = containers.machines(map, &machines);
    let unmatched = containers.unmatched(&found);
    let matched = found.iter().flatten().count();
    made.push(tables::container_machines(&containers, &found));
    let known = store.read_table(entry, "diagnostics")?;
    made.push(tables::diagnostics(known.as_ref(), &unmatched)?);
    Ok((made, matched, unmatched.len()))
}

/// The column `name` of a stored table.
fn names_in(store: &Store, entry: &TraceEntry, table: &str) -> Result<Vec<String>> {
    let rows = store.read_table(entry, table)?;
    let names =
        rows.as_ref().and_then(|rows| rows.column_by_name("name")).and_then(|column| column.as_string_opt::<i32>());
    Ok(names.map_or(vec![], |names| names.iter().flatten().map(str::to_string).collect()))
}
