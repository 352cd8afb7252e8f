//! The types, and the columns beyond those of every trace, that a DUMPI trace is told with.

use hashbrown::HashMap;

use crate::error::Result;
use crate::model::{FieldKind, Table, TypeKind};
use crate::reader::{Collectives, Field, Further, Story, Word};

/// What is known of a rank before it is told.
pub(super) struct RankFacts {
    pub file: String,
    pub host: String,
    pub counters: Vec<String>,
    pub addresses: HashMap<u64, String>,
}

/// The types of the trace.
pub(super) struct Types {
    pub root: Word,
    pub application: Word,
    pub host: Word,
    pub rank: Word,
    pub thread: Word,
    pub call: Word,
    pub thread_call: Word,
    pub code: Word,
    pub link: Word,
    pub collective: Word,
}

/// The further fields of its tables.
pub(super) struct Columns {
    pub cpu_time: Field,
    pub bytes: Field,
    pub tag: Field,
    pub communicator: Field,
    pub operation: Field,
    pub event_bytes: Field,
    pub event_communicator: Field,
}

/// Tells the types.
pub(super) fn define_types(story: &mut Story<'_>, ranks: &[RankFacts]) -> Result<Types> {
    let root = story.root();
    let mut word = |name: &str| story.word(name);
    let types = Types {
        root,
        application: word("Application"),
        host: word("Host"),
        rank: word("Rank"),
        thread: word("Thread"),
        call: word("MPI"),
        thread_call: word("MPI of a thread"),
        code: word("Function"),
        link: word("Communication"),
        collective: word("Collective"),
    };
    let has_hosts = ranks.iter().any(|rank| !rank.host.is_empty());
    story.define_type(TypeKind::Container, types.application, root, "Application", None)?;
    let above = if has_hosts { types.host } else { types.application };
    if has_hosts {
        story.define_type(TypeKind::Container, types.host, types.application, "Host", None)?;
    }
    story.define_type(TypeKind::Container, types.rank, above, "Rank", None)?;
    story.define_type(TypeKind::Container, types.thread, types.rank, "Thread", None)?;
    story.define_type(TypeKind::State, types.call, types.rank, "MPI", None)?;
    story.define_type(TypeKind::State, types.thread_call, types.thread, "MPI", None)?;
    story.define_type(TypeKind::State, types.code, types.rank, "Function", None)?;
    story.define_type(TypeKind::Event, types.collective, types.rank, "Collective", None)?;
    story.define_link_type(types.link, types.application, (types.rank, types.rank), "Communication")?;
    Ok(types)
}

/// Names the further fields; those of events only when there are events.
pub(super) fn define_columns(story: &mut Story<'_>, collectives: Collectives) -> Columns {
    let mut field = |table, name, kind, further| story.field(table, name, kind, further);
    let on_events = if collectives == Collectives::Events { Table::Events } else { Table::Links };
    Columns {
        cpu_time: field(Table::States, "cpu_time", FieldKind::Double, Further::Column),
        bytes: field(Table::Links, "bytes", FieldKind::Int, Further::Volume),
        tag: field(Table::Links, "tag", FieldKind::Int, Further::Column),
        communicator: field(Table::Links, "communicator", FieldKind::Int, Further::Column),
        operation: field(Table::Links, "operation", FieldKind::Text, Further::Column),
        event_bytes: field(on_events, "bytes", FieldKind::Int, Further::Column),
        event_communicator: field(on_events, "communicator", FieldKind::Int, Further::Column),
    }
}
