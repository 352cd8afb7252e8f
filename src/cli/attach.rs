//! `ocellus attach`: the network and the machines behind a trace.

use super::arguments::AttachArguments;
use super::outcome::Outcome;
use super::sizes::counted;
use super::store::report_warnings;
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::attach::{AttachOptions, MachineMap, attach};
use ocellus_trace::store::Store;

/// Runs the command.
pub fn run(arguments: &AttachArguments) -> Result<Outcome> {
    if arguments.topology.is_none() && arguments.hierarchy.is_none() && arguments.map == "name" {
        return Err(Error::Usage("nothing to attach: give --topology, --hierarchy or --map".to_string()));
    }
    let options = AttachOptions {
        trace: arguments.trace.clone(),
        topology: arguments.topology.clone(),
        hierarchy: arguments.hierarchy.clone(),
        map: MachineMap::parse(&arguments.map)?,
    };
    let store = Store::open(&arguments.store)?;
    let summary = attach(&store, &options)?;
    report_warnings(&store);
    if arguments.topology.is_some() {
        let (nodes, edges) = (counted(summary.nodes as u64, "node"), counted(summary.edges as u64, "edge"));
        note(&format!("attached a network of {nodes} and {edges} to {}", summary.trace));
    }
    if let Some(name) = &summary.hierarchy {
        note(&format!("attached the hierarchy {name} to {}", summary.trace));
    }
    let matched = counted(summary.matched as u64, "container");
    note(&format!("{matched} with a machine, {} without", counted(summary.unmatched as u64, "leaf container")));
    Ok(Outcome::Done)
}
