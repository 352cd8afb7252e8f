//! The types, and the columns beyond those of every trace, of a DUMPI trace.

use hashbrown::HashMap;

use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::{Collectives, EventWriter, ExtraFieldId, ExtraRole, NameHandle};

/// What is known of a rank before its events are emitted.
pub(super) struct RankFacts {
    pub file: String,
    pub host: String,
    pub counters: Vec<String>,
    pub addresses: HashMap<u64, String>,
}

/// The types of the trace.
pub(super) struct DumpiTypes {
    pub root: NameHandle,
    pub application: NameHandle,
    pub host: NameHandle,
    pub rank: NameHandle,
    pub thread: NameHandle,
    pub call: NameHandle,
    pub thread_call: NameHandle,
    pub code: NameHandle,
    pub link: NameHandle,
    pub collective: NameHandle,
}

/// The extra fields of its tables.
pub(super) struct DumpiColumns {
    pub cpu_time: ExtraFieldId,
    pub bytes: ExtraFieldId,
    pub tag: ExtraFieldId,
    pub communicator: ExtraFieldId,
    pub operation: ExtraFieldId,
    pub event_bytes: ExtraFieldId,
    pub event_communicator: ExtraFieldId,
}

/// Emits the types.
pub(super) fn define_types(writer: &mut EventWriter<'_>, ranks: &[RankFacts]) -> Result<DumpiTypes> {
    let root = writer.root();
    let mut intern = |name: &str| writer.intern(name);
    let types = DumpiTypes {
        root,
        application: intern("Application"),
        host: intern("Host"),
        rank: intern("Rank"),
        thread: intern("Thread"),
        call: intern("MPI"),
        thread_call: intern("MPI of a thread"),
        code: intern("Function"),
        link: intern("Communication"),
        collective: intern("Collective"),
    };
    let has_hosts = ranks.iter().any(|rank| !rank.host.is_empty());
    writer.define_type(TypeKind::Container, types.application, root, "Application", None)?;
    let above = if has_hosts { types.host } else { types.application };
    if has_hosts {
        writer.define_type(TypeKind::Container, types.host, types.application, "Host", None)?;
    }
    writer.define_type(TypeKind::Container, types.rank, above, "Rank", None)?;
    writer.define_type(TypeKind::Container, types.thread, types.rank, "Thread", None)?;
    writer.define_type(TypeKind::State, types.call, types.rank, "MPI", None)?;
    writer.define_type(TypeKind::State, types.thread_call, types.thread, "MPI", None)?;
    writer.define_type(TypeKind::State, types.code, types.rank, "Function", None)?;
    writer.define_type(TypeKind::Event, types.collective, types.rank, "Collective", None)?;
    writer.define_link_type(types.link, types.application, (types.rank, types.rank), "Communication")?;
    Ok(types)
}

/// Declares the extra fields; those of events only when there are events.
pub(super) fn define_columns(writer: &mut EventWriter<'_>, collectives: Collectives) -> DumpiColumns {
    let mut field = |table, name, kind, role| writer.field(table, name, kind, role);
    let on_events = if collectives == Collectives::Events { StoredTable::Events } else { StoredTable::Links };
    DumpiColumns {
        cpu_time: field(StoredTable::States, "cpu_time", FieldKind::Double, ExtraRole::Column),
        bytes: field(StoredTable::Links, "bytes", FieldKind::Int, ExtraRole::Volume),
        tag: field(StoredTable::Links, "tag", FieldKind::Int, ExtraRole::Column),
        communicator: field(StoredTable::Links, "communicator", FieldKind::Int, ExtraRole::Column),
        operation: field(StoredTable::Links, "operation", FieldKind::Text, ExtraRole::Column),
        event_bytes: field(on_events, "bytes", FieldKind::Int, ExtraRole::Column),
        event_communicator: field(on_events, "communicator", FieldKind::Int, ExtraRole::Column),
    }
}
