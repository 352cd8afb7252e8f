//! Tests of `schema`.

use super::*;

#[test]
fn every_schema_parses_and_its_references_exist() {
    for source in SOURCES {
        parse(source).expect("a valid schema");
    }
    for column in tables().iter().flat_map(|table| &table.columns) {
        if let Some((table_name, column_name)) = column.reference.as_deref().and_then(|r| r.split_once('.')) {
            let target = table(table_name).and_then(|table| table.column(column_name));
            assert!(target.is_some(), "{} refers to nothing", column.name);
        }
    }
}

#[test]
fn ticks_come_last_and_exist_for_every_computed_column() {
    for table in tables() {
        for column in &table.columns {
            let ticks: Vec<&String> = match &column.source {
                ColumnSource::Stored => vec![],
                ColumnSource::Seconds(tick) => vec![tick],
                ColumnSource::SecondsBetween { from, to } => vec![from, to],
            };
            for tick in ticks {
                assert!(table.column(tick).is_some(), "{}.{tick}", table.name);
            }
        }
        let is_tick = |column: &Column| column.unit.as_deref() == Some("ticks");
        let first = table.columns.iter().position(is_tick).unwrap_or(table.columns.len());
        assert!(table.columns[first..].iter().all(is_tick), "{}", table.name);
    }
}
