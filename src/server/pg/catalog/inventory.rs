//! What a snapshot of the store holds, as clients of PostgreSQL see it: schemas, relations, functions.
//!
//! Read from the manifest and from the definitions, once per snapshot: no table or view is planned.
//! Numbers of objects come from their names, so that they outlive a new import and a restart.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::datasource::MemTable;

use super::routines::{Routine, routines};
use super::system;
use super::types;
use super::{INFORMATION_SCHEMA, PG_CATALOG};
use ocellus_engine::catalog::{ALL_TRACES, Catalog, UNDECIDED};
use ocellus_engine::functions::registry;
use ocellus_trace::schema;
use ocellus_trace::store::TraceEntry;

/// Where the numbers of our objects start, as those of a user's objects in PostgreSQL.
const FIRST_NUMBER: i32 = 16384;

pub(super) struct Inventory {
    pub(super) schemas: Vec<SchemaEntry>,
    pub(super) relations: Vec<Relation>,
    pub(super) routines: Vec<Routine>,
    by_name: HashMap<(String, String), usize>,
    by_number: HashMap<i32, usize>,
    /// Tables that were asked for before, with the database that they name.
    tables: Mutex<BTreeMap<String, (String, Arc<MemTable>)>>,
}

pub(super) struct SchemaEntry {
    pub(super) number: i32,
    pub(super) name: String,
    pub(super) doc: String,
}

/// A table or view.
pub(super) struct Relation {
    pub(super) number: i32,
    /// Number of its schema.
    pub(super) schema: i32,
    pub(super) schema_name: String,
    pub(super) name: String,
    pub(super) kind: RelationKind,
    pub(super) doc: String,
    pub(super) rows: i64,
    pub(super) columns: Arc<[ColumnEntry]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RelationKind {
    Table,
    /// A view with its query.
    View(&'static str),
    /// Of the catalogues.
    System,
}

#[derive(Debug, Clone)]
pub(super) struct ColumnEntry {
    pub(super) name: String,
    /// Number of its type.
    pub(super) kind: i32,
    pub(super) is_nullable: bool,
    pub(super) doc: String,
}

impl Relation {
    /// The letter of pg_class.
    pub(super) fn letter(&self) -> &'static str {
        match self.kind {
            RelationKind::View(_) => "v",
            RelationKind::System if self.schema == INFORMATION_SCHEMA => "v",
            _ => "r",
        }
    }

    pub(super) fn definition(&self) -> Option<&'static str> {
        match self.kind {
            RelationKind::View(query) => Some(query),
            _ => None,
        }
    }
}

impl Inventory {
    /// The inventory of a snapshot; the last one is kept for the next session.
    pub(super) fn of(catalog: &Catalog) -> Arc<Inventory> {
        static LAST: Mutex<Option<(u64, Arc<Inventory>)>> = Mutex::new(None);
        // Replaced in one step, so the lock is whole after any panic.
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((number, inventory)) if *number == catalog.number() => Arc::clone(inventory),
            _ => {
                let inventory = Arc::new(Inventory::read(catalog));
                *last = Some((catalog.number(), Arc::clone(&inventory)));
                inventory
            }
        }
    }

    fn read(catalog: &Catalog) -> Inventory {
        let mut reader = Reader::default();
        reader.add_system();
        for trace in catalog.traces() {
            let doc = format!("The trace {}, read from {}.", trace.name, trace.source);
            let schema = reader.add_schema(&trace.name, doc);
            reader.add_tables(catalog, schema, Some(trace));
            reader.add_views(schema, &trace.name);
        }
        let schema =
            reader.add_schema(ALL_TRACES, "The tables of all traces, with the name of the trace first.".to_string());
        reader.add_tables(catalog, schema, None);
        let public = reader.add_schema(UNDECIDED, "Functions; they are called without a schema.".to_string());
        reader.routines = routines(public, &mut reader.numbers);
        reader.finish()
    }

    pub(super) fn relation(&self, schema: &str, name: &str) -> Option<&Relation> {
        let place = self.by_name.get(&(schema.to_string(), name.to_string()))?;
        self.relations.get(*place)
    }

    pub(super) fn relation_numbered(&self, number: i32) -> Option<&Relation> {
        self.relations.get(*self.by_number.get(&number)?)
    }

    pub(super) fn routine_numbered(&self, number: i32) -> Option<&Routine> {
        self.routines.iter().find(|routine| routine.number == number)
    }

    pub(super) fn schema_name(&self, number: i32) -> Option<&str> {
        self.schemas.iter().find(|schema| schema.number == number).map(|schema| schema.name.as_str())
    }

    /// A table of the catalogues, made when it is first asked for. One that names the database is kept for the
    /// last database that was asked for: most clients of a server say the same.
    pub(super) fn table(
        &self,
        key: &str,
        database: &str,
        make: impl FnOnce() -> Result<Vec<RecordBatch>>,
    ) -> Result<Arc<dyn TableProvider>> {
        let tables = || self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, table)) = tables().get(key)
            && of == database
        {
            return Ok(Arc::clone(table) as _);
        }
        let table = in_memory(make()?)?;
        tables().insert(key.to_string(), (database.to_string(), Arc::clone(&table)));
        Ok(table)
    }
}

/// A table of rows that are there.
pub(super) fn in_memory(batches: Vec<RecordBatch>) -> Result<Arc<MemTable>> {
    let schema = batches.first().map(RecordBatch::schema).unwrap_or_else(|| Arc::new(Schema::empty()));
    Ok(Arc::new(MemTable::try_new(schema, vec![batches])?))
}

/// Gives out numbers, the same for the same names.
#[derive(Default)]
pub(super) struct Numbers {
    taken: BTreeSet<i32>,
}

impl Numbers {
    /// A number for an object: from a hash of its name, or the next one that is free.
    pub(super) fn give(&mut self, kind: &str, schema: &str, name: &str) -> i32 {
        let mut hash: u32 = 0x811c_9dc5;
        for byte in [kind, "\0", schema, "\0", name].iter().flat_map(|part| part.bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        let mut number = FIRST_NUMBER + (hash & 0x3fff_ffff) as i32;
        while !self.taken.insert(number) {
            number += 1;
        }
        number
    }
}

#[derive(Default)]
struct Reader {
    numbers: Numbers,
    schemas: Vec<SchemaEntry>,
    relations: Vec<Relation>,
    routines: Vec<Routine>,
}

impl Reader {
    fn add_system(&mut self) {
        let docs = [
            (PG_CATALOG, "pg_catalog", "PostgreSQL's catalogues, for clients that ask for them."),
            (INFORMATION_SCHEMA, "information_schema", "The catalogues of the SQL standard."),
        ];
        for (number, name, doc) in docs {
            self.schemas.push(SchemaEntry { number, name: name.to_string(), doc: doc.to_string() });
            for table in system::tables(name) {
                let number =
                    system::number(&table.name).unwrap_or_else(|| self.numbers.give("table", name, &table.name));
                self.relations.push(Relation {
                    number,
                    schema: if name == "pg_catalog" { PG_CATALOG } else { INFORMATION_SCHEMA },
                    schema_name: name.to_string(),
                    name: table.name,
                    kind: RelationKind::System,
                    doc: String::new(),
                    rows: -1,
                    columns: table.columns,
                });
            }
        }
    }

    fn add_schema(&mut self, name: &str, doc: String) -> i32 {
        let number = self.numbers.give("schema", "", name);
        self.schemas.push(SchemaEntry { number, name: name.to_string(), doc });
        number
    }

    fn add_tables(&mut self, catalog: &Catalog, schema: i32, trace: Option<&TraceEntry>) {
        let schema_name = trace.map_or(ALL_TRACES, |trace| &trace.name);
        for table in schema::tables() {
            let own = catalog.columns(trace, table);
            let mut columns: Vec<ColumnEntry> = own.iter().map(stored_column).collect();
            let rows_of = |trace: &TraceEntry| trace.table(&table.name).map_or(0, |entry| entry.rows as i64);
            let rows = match trace {
                Some(trace) => rows_of(trace),
                None => {
                    columns.insert(0, text_column("trace", "Name of the trace."));
                    catalog.traces().iter().map(rows_of).sum()
                }
            };
            self.relations.push(Relation {
                number: self.numbers.give("table", schema_name, &table.name),
                schema,
                schema_name: schema_name.to_string(),
                name: table.name.clone(),
                kind: RelationKind::Table,
                doc: table.doc.clone(),
                rows,
                columns: columns.into(),
            });
        }
    }

    fn add_views(&mut self, schema: i32, schema_name: &str) {
        for view in registry::VIEWS.iter() {
            let columns = view.definition.columns.iter().map(|column| ColumnEntry {
                name: column.name.to_string(),
                kind: types::of_documentation(column.kind),
                is_nullable: true,
                doc: column.doc.to_string(),
            });
            self.relations.push(Relation {
                number: self.numbers.give("table", schema_name, view.definition.name),
                schema,
                schema_name: schema_name.to_string(),
                name: view.definition.name.to_string(),
                kind: RelationKind::View(view.sql),
                doc: view.definition.description.to_string(),
                rows: -1,
                columns: columns.collect(),
            });
        }
    }

    fn finish(self) -> Inventory {
        let named =
            |(place, relation): (usize, &Relation)| ((relation.schema_name.clone(), relation.name.clone()), place);
        Inventory {
            by_name: self.relations.iter().enumerate().map(named).collect(),
            by_number: self.relations.iter().enumerate().map(|(place, relation)| (relation.number, place)).collect(),
            schemas: self.schemas,
            relations: self.relations,
            routines: self.routines,
            tables: Mutex::default(),
        }
    }
}

fn stored_column(column: &schema::Column) -> ColumnEntry {
    ColumnEntry {
        name: column.name.clone(),
        kind: types::of_column(column.kind),
        is_nullable: column.nullable,
        doc: column.doc.clone(),
    }
}

fn text_column(name: &str, doc: &str) -> ColumnEntry {
    ColumnEntry { name: name.to_string(), kind: types::oid::TEXT, is_nullable: false, doc: doc.to_string() }
}
