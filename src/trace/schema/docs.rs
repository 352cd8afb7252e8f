//! The generated page of the tables, `schemas/README.md`.

use std::fmt::Write;

use super::{ColumnSource, ColumnType, Table, tables};

/// Renders every table with its columns as Markdown.
pub fn markdown() -> String {
    let mut page = String::from("# Tables\n\nGenerated from `schemas/*.toml`; do not edit.\n");
    for table in tables() {
        page.push('\n');
        page.push_str(&table_markdown(table));
    }
    page
}

/// Renders a table with its columns as Markdown.
pub fn table_markdown(table: &Table) -> String {
    let mut page = format!("## {}\n\n{}\n\n", table.name, table.doc);
    page.push_str("| column | type | unit | null | refers to | meaning |\n|---|---|---|---|---|---|\n");
    for column in &table.columns {
        let computed = match &column.source {
            ColumnSource::Stored => "",
            _ => " Computed from the ticks.",
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {}{computed} |",
            column.name,
            kind_name(column.kind),
            column.unit.as_deref().unwrap_or(""),
            if column.nullable { "yes" } else { "" },
            column.reference.as_deref().unwrap_or(""),
            column.doc,
        );
    }
    page
}

fn kind_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Integer => "INTEGER",
        ColumnType::BigInt => "BIGINT",
        ColumnType::UBigInt => "BIGINT UNSIGNED",
        ColumnType::Double => "DOUBLE",
        ColumnType::Text => "TEXT",
        ColumnType::Boolean => "BOOLEAN",
        ColumnType::Timestamp => "TIMESTAMP",
    }
}
