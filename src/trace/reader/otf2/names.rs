//! The names of what ids stand for.

use super::definitions::ArchiveDefinitions;
use super::local::Mapping;

/// Finds names; what has none is called by its kind and number.
#[derive(Debug, Clone, Copy)]
pub(super) struct DefinitionNames<'d>(pub &'d ArchiveDefinitions);

impl DefinitionNames<'_> {
    fn named(&self, name: Option<u32>, kind: &str, id: u64) -> String {
        match name.and_then(|name| self.0.string(name)) {
            Some(text) if !text.is_empty() => text.to_string(),
            _ => format!("{kind} {id}"),
        }
    }

    pub fn region(&self, id: u32) -> String {
        self.named(self.0.regions.get(&id).map(|region| region.name), "region", u64::from(id))
    }

    pub fn member(&self, id: u32) -> String {
        self.named(self.0.members.get(&id).map(|member| member.name), "metric member", u64::from(id))
    }

    pub fn comm(&self, id: u32) -> String {
        self.named(self.0.comms.get(&id).map(|comm| comm.name), "communicator", u64::from(id))
    }

    pub fn attribute(&self, id: u32) -> String {
        self.named(self.0.attributes.get(&id).copied(), "attribute", u64::from(id))
    }

    /// The name of anything that has an id.
    pub fn of(&self, mapping: Mapping, id: u64) -> String {
        let short = u32::try_from(id).unwrap_or(u32::MAX);
        let definitions = self.0;
        match mapping {
            Mapping::String => definitions.string(short).unwrap_or_default().to_string(),
            Mapping::Region => self.region(short),
            Mapping::Comm => self.comm(short),
            Mapping::Attribute => self.attribute(short),
            Mapping::Context => {
                definitions.contexts.get(&short).map_or_else(|| format!("context {id}"), |region| self.region(*region))
            }
            Mapping::Location => {
                self.named(definitions.locations.get(&id).map(|location| location.name), "location", id)
            }
            Mapping::LocationGroup => {
                self.named(definitions.location_groups.get(&short).map(|group| group.name), "location group", id)
            }
            Mapping::Parameter => self.named(definitions.parameters.get(&short).copied(), "parameter", id),
            Mapping::Window => self.named(definitions.windows.get(&short).copied(), "window", id),
            Mapping::File => self.named(definitions.files.get(&short).copied(), "file", id),
            Mapping::Handle => match definitions.handles.get(&short) {
                Some((name, file)) => {
                    let name = definitions.string(*name).filter(|name| !name.is_empty());
                    name.map_or_else(|| self.of(Mapping::File, u64::from(*file)), str::to_string)
                }
                None => format!("handle {id}"),
            },
            Mapping::Place => match definitions.places.get(&short) {
                Some((file, line)) => format!("{}:{line}", definitions.string(*file).unwrap_or_default()),
                None => format!("place {id}"),
            },
            Mapping::Group => format!("group {id}"),
            Mapping::Metric => format!("metric {id}"),
            Mapping::Interrupt => format!("interrupt generator {id}"),
        }
    }
}
