//! The generated page of the tables, `schemas/README.md`.

use std::fmt::Write;

use super::{Kind, Source, tables};

/// Renders every table with its columns as Markdown.
pub fn markdown() -> String {
    let mut page = String::from("# Tables\n\nGenerated from `schemas/*.toml`; do not edit.\n");
    for table in tables() {
        let _ = write!(page, "\n## {}\n\n{}\n\n", table.name, table.doc);
        page.push_str("| column | type | unit | null | refers to | meaning |\n|---|---|---|---|---|---|\n");
        for column in &table.columns {
            let computed = match &column.source {
                Source::Stored => "",
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
    }
    page
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "INTEGER",
        Kind::BigInt => "BIGINT",
        Kind::UBigInt => "BIGINT UNSIGNED",
        Kind::Double => "DOUBLE",
        Kind::Text => "TEXT",
        Kind::Boolean => "BOOLEAN",
        Kind::Timestamp => "TIMESTAMP",
    }
}
