//! The names that a trace has: its types, their values, and its containers.
//!
//! Arguments that name one are checked against them. They are read from the small tables of the store when they are first
//! asked for, and kept. A store in object storage cannot be read while a query is planned; there nothing is known.

use std::path::PathBuf;
use std::sync::OnceLock;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int32Type;
use hashbrown::HashSet;

use ocellus_trace::store::{Store, TraceEntry};

/// A type of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeName {
    /// container, state, event, variable or link.
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// A value of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueName {
    /// Name of the type.
    pub(crate) type_name: String,
    pub(crate) name: String,
}

/// What the containers of a trace are called.
#[derive(Debug, Default)]
pub(crate) struct ContainerWords {
    /// In the order of their ids.
    pub(crate) names: Vec<String>,
    /// Names, paths and aliases.
    pub(crate) words: HashSet<String>,
    /// The largest depth; `None` when there is no container.
    pub(crate) deepest: Option<i32>,
}

/// The names of one trace.
#[derive(Debug)]
pub(crate) struct TraceNames {
    /// Folder of the store; `None` when it is elsewhere.
    root: Option<PathBuf>,
    entry: TraceEntry,
    types: OnceLock<Option<Vec<TypeName>>>,
    values: OnceLock<Option<Vec<ValueName>>>,
    containers: OnceLock<Option<ContainerWords>>,
}

impl TraceNames {
    /// The names of a trace in a store; nothing is read yet.
    pub(crate) fn new(root: Option<PathBuf>, entry: TraceEntry) -> TraceNames {
        let (types, values, containers) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        TraceNames { root, entry, types, values, containers }
    }

    /// The types; `None` when they cannot be read here.
    pub(crate) fn types(&self) -> Option<&[TypeName]> {
        let read = || {
            let rows = self.read("types")?;
            let (kinds, names) = (texts(&rows, "kind")?, texts(&rows, "name")?);
            Some(kinds.into_iter().zip(names).map(|(kind, name)| TypeName { kind, name }).collect())
        };
        self.types.get_or_init(read).as_deref()
    }

    /// The values of all types; `None` when they cannot be read here.
    pub(crate) fn values(&self) -> Option<&[ValueName]> {
        let read = || {
            let rows = self.read("entity_values")?;
            let (types, names) = (texts(&rows, "type")?, texts(&rows, "name")?);
            Some(types.into_iter().zip(names).map(|(type_name, name)| ValueName { type_name, name }).collect())
        };
        self.values.get_or_init(read).as_deref()
    }

    /// How many rows a table has; as many as can be when that is not known.
    pub(crate) fn rows(&self, table: &str) -> u64 {
        self.entry.shown_rows(table).unwrap_or(u64::MAX)
    }

    /// What containers are called; `None` when that cannot be read here.
    pub(crate) fn containers(&self) -> Option<&ContainerWords> {
        let read = || {
            let rows = self.read("containers")?;
            let names = texts(&rows, "name")?;
            let mut words: HashSet<String> = names.iter().cloned().collect();
            words.extend(texts(&rows, "path")?);
            words.extend(texts(&rows, "alias")?);
            let deepest = rows.column_by_name("depth")?.as_primitive_opt::<Int32Type>()?.iter().flatten().max();
            Some(ContainerWords { names, words, deepest })
        };
        self.containers.get_or_init(read).as_ref()
    }

    /// The rows of a small table. A table without rows has no columns, and is not checked.
    fn read(&self, table: &str) -> Option<RecordBatch> {
        let store = Store::open(self.root.as_ref()?).ok()?;
        // A trace that another program dropped meanwhile fails in the query itself, which says so.
        store.read_table(&self.entry, table).ok().flatten()
    }
}

/// The texts of a column; NULL is left out.
fn texts(rows: &RecordBatch, column: &str) -> Option<Vec<String>> {
    let texts = rows.column_by_name(column)?.as_string_opt::<i32>()?;
    Some(texts.iter().flatten().map(str::to_string).collect())
}
