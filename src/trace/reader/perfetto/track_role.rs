//! What a track stands for in a trace that was converted from another format.
//!
//! Perfetto has tracks, but no types of containers and of what they hold. `ocellus convert` says them in the
//! description of a track, as JSON:
//!
//! ```text
//! {"container_type":"Process","start":0,"end":9000,"state_type":"State"}     a container, its states on the track itself
//! {"event_type":"Signal"}                                                    events of the container above
//! {"link_type":"Message","link_container":1}                                 ends of links at the container above
//! ```
//! In: a description. Out: the role, or that it is something else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The role of a track. Times are nanoseconds of the clock of the trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TrackRole {
    /// The type of the container that the track is; a track without one belongs to the container above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_type: Option<String>,
    /// When the container is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// When it is destroyed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
    /// The type of the slices on the track.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_type: Option<String>,
    /// The type of the instants on the track.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// Instants on the track are ends of links of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_type: Option<String>,
    /// The track of the container that the links belong to; none for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_container: Option<u64>,
    /// Extra fields of the container.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

impl TrackRole {
    /// The role that a description says.
    pub fn read(description: &str) -> Option<TrackRole> {
        let role: TrackRole = serde_json::from_str(description).ok()?;
        let types = [&role.container_type, &role.state_type, &role.event_type, &role.link_type];
        types.iter().any(|type_| type_.is_some()).then_some(role)
    }

    /// The description of a track.
    pub fn description(&self) -> String {
        serde_json::json!(self).to_string()
    }
}
