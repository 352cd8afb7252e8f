//! Our functions as PostgreSQL lists functions: arguments with names, types and defaults, and results.

use super::numbers::Numbers;
use super::types::{self, TYPES, oid};
use ocellus_engine::catalog::UNDECIDED;
use ocellus_engine::functions::registry;
use ocellus_engine::functions::{ConstantKind, DefaultValue, Definition, Form, NO_RELATION};

/// A function.
pub(super) struct Routine {
    pub(super) number: i32,
    pub(super) schema: i32,
    pub(super) name: &'static str,
    /// `f`: a function, `a`: an aggregate, `w`: a window function.
    pub(super) letter: &'static str,
    pub(super) is_table: bool,
    pub(super) arguments: Vec<RoutineArgument>,
    /// Columns of a table function.
    pub(super) columns: Vec<(&'static str, i32)>,
    /// Type of the result.
    pub(super) result: i32,
    pub(super) doc: &'static str,
    pub(super) source: String,
}

pub(super) struct RoutineArgument {
    pub(super) name: &'static str,
    pub(super) kind: i32,
    /// As SQL; `None`: it must be given.
    pub(super) default: Option<String>,
}

/// All functions of the registry.
pub(super) fn routines(schema: i32, numbers: &mut Numbers) -> Vec<Routine> {
    let mut routines = vec![];
    for definition in registry::definitions() {
        let letter = match definition.form {
            Form::View => continue,
            Form::Table | Form::Scalar => "f",
            Form::Aggregate => "a",
            Form::Window => "w",
        };
        let is_table = definition.form == Form::Table;
        let columns = definition.columns.iter().map(|column| (column.name, types::of_documentation(column.kind)));
        let columns: Vec<(&'static str, i32)> = columns.collect();
        let result = match (is_table, columns.as_slice()) {
            (false, [(_, kind)]) => *kind,
            _ => oid::RECORD,
        };
        routines.push(Routine {
            number: numbers.assign("function", UNDECIDED, definition.name),
            schema,
            name: definition.name,
            letter,
            is_table,
            arguments: arguments(definition),
            columns: if is_table { columns } else { vec![] },
            result,
            doc: definition.description,
            source: definition.signature(),
        });
    }
    routines
}

fn arguments(definition: &Definition) -> Vec<RoutineArgument> {
    let relations = definition.relations.iter().map(|relation| RoutineArgument {
        name: relation.name,
        kind: oid::REGCLASS,
        default: relation.default.map(|table| match table {
            NO_RELATION => NO_RELATION.to_string(),
            table => format!("'{table}'::regclass"),
        }),
    });
    let constants = definition.constants.iter().map(|constant| RoutineArgument {
        name: constant.name,
        kind: match constant.kind {
            ConstantKind::Double | ConstantKind::Moment => oid::FLOAT8,
            ConstantKind::BigInt => oid::INT8,
            ConstantKind::Text | ConstantKind::TextOrBigInt => oid::TEXT,
            ConstantKind::Boolean => oid::BOOL,
        },
        default: match constant.default {
            DefaultValue::Required => None,
            default => Some(default.to_string()),
        },
    });
    relations.chain(constants).collect()
}

impl Routine {
    /// `slices bigint DEFAULT 30, …`
    pub(super) fn arguments(&self) -> String {
        let arguments = self.arguments.iter().map(|argument| {
            let kind = TYPES.sql_name(argument.kind, -1);
            match &argument.default {
                Some(default) => format!("{} {kind} DEFAULT {default}", argument.name),
                None => format!("{} {kind}", argument.name),
            }
        });
        arguments.collect::<Vec<_>>().join(", ")
    }

    /// `slices bigint, …`
    pub(super) fn identity(&self) -> String {
        let arguments =
            self.arguments.iter().map(|argument| format!("{} {}", argument.name, TYPES.sql_name(argument.kind, -1)));
        arguments.collect::<Vec<_>>().join(", ")
    }

    /// `TABLE(container_id integer, …)`, or the type of the value.
    pub(super) fn result(&self) -> String {
        if !self.is_table {
            return TYPES.sql_name(self.result, -1);
        }
        let columns = self.columns.iter().map(|(name, kind)| format!("{name} {}", TYPES.sql_name(*kind, -1)));
        format!("TABLE({})", columns.collect::<Vec<_>>().join(", "))
    }

    /// The statement that would define it.
    pub(super) fn definition(&self) -> String {
        format!(
            "CREATE OR REPLACE FUNCTION {UNDECIDED}.{}({})\n RETURNS {}\n LANGUAGE internal\n-- {}\n",
            self.name,
            self.arguments(),
            self.result(),
            self.doc
        )
    }
}
