//! The names that completion offers: schemas, tables, columns and functions of the engine.

use std::collections::BTreeMap;

use crate::functions::Form;
use crate::session::Engine;

/// The names that completion offers.
#[derive(Debug, Default)]
pub struct CompletionNames {
    /// All schemas.
    pub schemas: Vec<String>,
    /// Tables and views, by schema.
    pub tables: BTreeMap<String, Vec<String>>,
    /// Columns, by table of the current schema.
    pub columns: BTreeMap<String, Vec<String>>,
    /// All functions.
    pub functions: Vec<String>,
    /// The functions for FROM.
    pub table_functions: Vec<String>,
    /// The names of arguments, by function.
    pub arguments: BTreeMap<String, Vec<String>>,
    /// The columns that functions for FROM give, by function.
    pub function_columns: BTreeMap<String, Vec<String>>,
    /// The schema that unqualified names mean.
    pub current_schema: String,
}

impl CompletionNames {
    /// Asks the engine; what cannot be listed is left out, since completion is a courtesy.
    pub async fn of(engine: &Engine) -> CompletionNames {
        let mut names = CompletionNames {
            schemas: engine.schemas(),
            functions: engine.function_names(),
            table_functions: table_functions(engine),
            current_schema: engine.current_schema(),
            ..CompletionNames::default()
        };
        for definition in engine.functions().filter(|definition| definition.form == Form::Table) {
            let arguments = definition.parameter_names().map(str::to_string).collect();
            names.arguments.insert(definition.name.to_string(), arguments);
            let columns = definition.columns.iter().map(|column| column.name.to_string()).collect();
            names.function_columns.insert(definition.name.to_string(), columns);
        }
        for schema in &names.schemas {
            names.tables.insert(schema.clone(), engine.table_names(schema));
        }
        for table in engine.tables(&names.current_schema).await.unwrap_or_default() {
            let columns = table.columns.into_iter().map(|column| column.name).collect();
            names.columns.insert(table.name, columns);
        }
        names
    }
}

fn table_functions(engine: &Engine) -> Vec<String> {
    let ours = engine.functions().filter(|definition| definition.form == Form::Table);
    let ours = ours.map(|definition| definition.name.to_string());
    ours.chain(engine.context().state().table_functions().keys().cloned()).collect()
}
