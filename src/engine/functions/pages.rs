//! The generated pages: `sql/functions/*.md`, one per function and view, and an index.

use std::fmt::Write;

use super::calls::definition::{Accepts, DefaultValue, Definition, Form};
use super::registry;

/// File names and contents of all pages.
pub fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = registry::definitions()
        .map(|definition| (format!("{}.md", definition.name), function_page(definition)))
        .collect();
    pages.push(("README.md".to_string(), function_index()));
    pages
}

/// All functions and views in a table.
pub fn function_index() -> String {
    let mut text = String::from("# Functions and views\n\nGenerated from their definitions; do not edit.\n\n");
    text.push_str("| name | family | kind | what it does |\n|---|---|---|---|\n");
    for definition in registry::definitions() {
        let name = definition.name;
        let kind = definition.form.name();
        let _ = writeln!(text, "| [{name}]({name}.md) | {} | {kind} | {} |", definition.family, definition.description);
    }
    text
}

/// The page of a function or view.
pub fn function_page(definition: &Definition) -> String {
    let mut text = format!("# {}\n\nGenerated from its definition; do not edit.\n\n", definition.name);
    let _ = writeln!(text, "{}\n", definition.description);
    let _ = writeln!(text, "`{}` ({}, {})\n", definition.signature(), definition.form.name(), definition.family);
    let _ = writeln!(text, "{}", definition.notes);
    if definition.parameter_names().next().is_some() {
        text.push_str(&parameters(definition));
    }
    let heading = match definition.form {
        Form::Scalar | Form::Aggregate | Form::Window => "Result",
        Form::Table | Form::View => "Columns",
    };
    let _ = write!(text, "\n## {heading}\n\n| name | type | meaning |\n|---|---|---|\n");
    for column in definition.columns {
        let _ = writeln!(text, "| {} | {} | {} |", column.name, column.kind, column.doc);
    }
    text.push_str("\n## Examples\n");
    for example in definition.examples {
        let _ = write!(text, "\n```sql\n{example};\n```\n");
    }
    text
}

fn parameters(definition: &Definition) -> String {
    let mut text =
        String::from("\n## Arguments\n\n| name | type | default | accepts | meaning |\n|---|---|---|---|---|\n");
    for relation in definition.relations {
        let default = relation.default.unwrap_or("required");
        let _ = writeln!(text, "| {} | RELATION | {default} | | {} |", relation.name, relation.doc);
    }
    for constant in definition.constants {
        let accepts = match constant.accepts {
            Accepts::Anything => String::new(),
            accepts => accepts.to_string(),
        };
        let default = match constant.default {
            DefaultValue::Required => "required".to_string(),
            default => cell(&default.to_string()),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {default} | {accepts} | {} |",
            constant.name,
            constant.kind.name(),
            constant.doc
        );
    }
    text
}

/// A value within a table of Markdown: a bar would end its cell.
fn cell(value: &str) -> String {
    match value.contains('|') {
        true => format!("`{}`", value.replace('|', "\\|")),
        false => value.to_string(),
    }
}
