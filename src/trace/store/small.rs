//! The tables that describe a trace: containers, types, values, diagnostics. Written once, at the end.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema};

use super::arrow_file::{create_file, finish_file};
use super::manifest::TableEntry;
use super::table_rows::{extra_column, widen};
use super::tree;
use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::model::{ContainerId, NameId, OwnedData, OwnedExtras, StoredTable, TypeId, World};
use crate::schema::{self, Column, ColumnSource, ColumnType, ExtraColumn};

/// Rows of a batch on their way into the file.
const BATCH: usize = 64 << 10;

/// Writes a table whose cells are asked for one by one.
fn write(
    folder: &Path,
    world: &World,
    table: StoredTable,
    rows: usize,
    extras_of: &dyn Fn(usize) -> OwnedExtras,
    cells: &dyn Fn(&str, std::ops::Range<usize>) -> Option<ArrayRef>,
) -> Result<TableEntry> {
    let (fields, extras) = extra_columns(world, table, rows, extras_of);
    let definition =
        schema::table(table.name()).ok_or_else(|| Error::Internal(format!("no schema for {}", table.name())))?;
    let columns: Vec<Column> =
        definition.columns_with(&extras).into_iter().filter(|column| column.source == ColumnSource::Stored).collect();
    let arrow_schema = Arc::new(Schema::new(columns.iter().map(arrow_field).collect::<Vec<_>>()));
    let name = format!("{}.parquet", table.name());
    let path = folder.join(&name);
    let mut writer = create_file(&path, &arrow_schema)?;
    let mut at = 0;
    while at < rows {
        let range = at..(at + BATCH).min(rows);
        let mut arrays = vec![];
        for column in &columns {
            let extra = extras.iter().position(|extra| extra.name == column.name);
            arrays.push(match extra {
                Some(extra) => extra_array(extras[extra].kind, fields[extra], range.clone(), extras_of),
                None => cells(&column.name, range.clone())
                    .ok_or_else(|| Error::Internal(format!("nothing fills {}.{}", table.name(), column.name)))?,
            });
        }
        writer.write(&RecordBatch::try_new(arrow_schema.clone(), arrays)?)?;
        at = range.end;
    }
    let file = finish_file(writer, &path, name, rows as u64)?;
    Ok(TableEntry {
        name: table.name().to_string(),
        rows: rows as u64,
        extra_columns: extras,
        files: vec![file],
        bands: None,
    })
}

fn extra_columns(
    world: &World,
    table: StoredTable,
    rows: usize,
    extras_of: &dyn Fn(usize) -> OwnedExtras,
) -> (Vec<u32>, Vec<ExtraColumn>) {
    let fields: Vec<u32> = (0..world.extra_fields.len() as u32)
        .filter(|field| world.extra_fields[*field as usize].table == table)
        .collect();
    let mut extras: Vec<ExtraColumn> = fields.iter().map(|field| extra_column(world, *field)).collect();
    if fields.is_empty() {
        return (fields, extras);
    }
    for row in 0..rows {
        for extra in extras_of(row).iter() {
            if let Some(column) = fields.iter().position(|field| *field == extra.field) {
                extras[column].kind = widen(extras[column].kind, &extra.data);
            }
        }
    }
    (fields, extras)
}

fn extra_array(
    kind: ColumnType,
    field: u32,
    rows: std::ops::Range<usize>,
    extras_of: &dyn Fn(usize) -> OwnedExtras,
) -> ArrayRef {
    let values: Vec<Option<OwnedData>> = rows
        .map(|row| extras_of(row).iter().find(|extra| extra.field == field).map(|extra| extra.data.clone()))
        .collect();
    let values = values.iter().map(Option::as_ref);
    match kind {
        ColumnType::BigInt => Arc::new(Int64Array::from_iter(values.map(|data| match data {
            Some(OwnedData::Int(value)) => Some(*value),
            _ => None,
        }))),
        ColumnType::UBigInt => Arc::new(UInt64Array::from_iter(values.map(|data| match data {
            Some(OwnedData::UInt(value)) => Some(*value),
            _ => None,
        }))),
        ColumnType::Double => Arc::new(Float64Array::from_iter(values.map(|data| data.map(as_double)))),
        _ => Arc::new(StringArray::from_iter(values.map(|data| data.map(as_text)))),
    }
}

fn as_double(data: &OwnedData) -> f64 {
    match data {
        OwnedData::Int(value) => *value as f64,
        OwnedData::UInt(value) => *value as f64,
        OwnedData::Double(value) => *value,
        OwnedData::Text(text) => text.parse().unwrap_or(f64::NAN),
    }
}

fn as_text(data: &OwnedData) -> String {
    match data {
        OwnedData::Int(value) => value.to_string(),
        OwnedData::UInt(value) => format!("{value:#x}"),
        OwnedData::Double(value) => value.to_string(),
        OwnedData::Text(text) => text.to_string(),
    }
}

/// The Arrow field of a column.
pub(super) fn arrow_field(column: &Column) -> Field {
    let data_type = match column.kind {
        ColumnType::Integer => DataType::Int32,
        ColumnType::BigInt | ColumnType::Timestamp => DataType::Int64,
        ColumnType::UBigInt => DataType::UInt64,
        ColumnType::Double => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Boolean => DataType::Boolean,
    };
    Field::new(&column.name, data_type, column.nullable)
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn optional_texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(values))
}

fn integers(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values.map(|value| value as i32)))
}

/// Writes `containers`.
pub(super) fn containers(folder: &Path, world: &World) -> Result<TableEntry> {
    let places = tree::places(world);
    let rows = &world.containers;
    let extras_of = |row: usize| rows[row].extras.clone();
    write(folder, world, StoredTable::Containers, rows.len(), &extras_of, &|column, range| {
        let ids = range.clone();
        let part = &rows[range.clone()];
        let places = &places[range];
        let name = |id: NameId| world.names.text(id);
        Some(match column {
            "container_id" => integers(ids.map(|id| id as u32)),
            "name" => texts(part.iter().map(|row| name(row.name))),
            "alias" => optional_texts(part.iter().map(|row| row.alias.map(name))),
            "type" => texts(part.iter().map(|row| world.type_name(row.type_))),
            "parent_id" => Arc::new(Int32Array::from_iter(
                part.iter().map(|row| (!row.parent.is_root()).then_some(row.parent.0 as i32)),
            )),
            "path" => Arc::new(StringArray::from_iter_values(ids.map(|id| tree::path(world, ContainerId(id as u32))))),
            "depth" => integers(places.iter().map(|place| place.depth)),
            "is_leaf" => Arc::new(BooleanArray::from_iter(
                places.iter().map(|place| Some(place.preorder == place.last_descendant)),
            )),
            "leaves" => integers(places.iter().map(|place| place.leaves)),
            "preorder" => integers(places.iter().map(|place| place.preorder)),
            "last_descendant" => integers(places.iter().map(|place| place.last_descendant)),
            "start_tick" => Arc::new(Int64Array::from_iter_values(part.iter().map(|row| row.start))),
            "end_tick" => Arc::new(Int64Array::from_iter_values(part.iter().map(|row| row.end.unwrap_or(row.start)))),
            _ => return None,
        })
    })
}

/// Writes `types`.
pub(super) fn types(folder: &Path, world: &World) -> Result<TableEntry> {
    let rows = &world.types;
    let extras_of = |row: usize| rows[row].extras.clone();
    write(folder, world, StoredTable::Types, rows.len(), &extras_of, &|column, range| {
        let part = &rows[range.clone()];
        let name = |id: NameId| world.names.text(id);
        let type_name = |id: TypeId| world.type_name(id);
        Some(match column {
            "type_id" => integers(range.map(|id| id as u32)),
            "kind" => texts(part.iter().map(|row| row.kind.name())),
            "name" => texts(part.iter().map(|row| name(row.name))),
            "alias" => optional_texts(part.iter().map(|row| row.alias.map(name))),
            "parent" => optional_texts(part.iter().map(|row| row.parent.map(type_name))),
            "source_type" => optional_texts(part.iter().map(|row| row.source.map(type_name))),
            "target_type" => optional_texts(part.iter().map(|row| row.target.map(type_name))),
            "color" => optional_texts(part.iter().map(|row| row.color.map(name))),
            _ => return None,
        })
    })
}

/// Writes `entity_values`.
pub(super) fn entity_values(folder: &Path, world: &World) -> Result<TableEntry> {
    let rows = &world.values;
    let extras_of = |row: usize| rows[row].extras.clone();
    write(folder, world, StoredTable::EntityValues, rows.len(), &extras_of, &|column, range| {
        let part = &rows[range];
        let name = |id: NameId| world.names.text(id);
        Some(match column {
            "type" => texts(part.iter().map(|row| world.type_name(row.type_))),
            "name" => texts(part.iter().map(|row| name(row.name))),
            "alias" => optional_texts(part.iter().map(|row| row.alias.map(name))),
            "color" => optional_texts(part.iter().map(|row| row.color.map(name))),
            _ => return None,
        })
    })
}

/// Writes `diagnostics`.
pub(super) fn diagnostics(folder: &Path, world: &World, rows: &[Diagnostic]) -> Result<TableEntry> {
    write(folder, world, StoredTable::Diagnostics, rows.len(), &|_| OwnedExtras::NONE, &|column, range| {
        let part = &rows[range];
        let numbers = |number: fn(&Diagnostic) -> u64| {
            part.iter().map(move |row| (row.place.line > 0).then(|| number(row) as i64))
        };
        Some(match column {
            "severity" => texts(part.iter().map(|row| row.code.severity().name())),
            "code" => texts(part.iter().map(|row| row.code.name())),
            "line" => Arc::new(Int64Array::from_iter(numbers(|row| row.place.line))),
            "byte" => Arc::new(Int64Array::from_iter(numbers(|row| row.place.byte))),
            "message" => texts(part.iter().map(|row| row.message.as_str())),
            "occurrences" => Arc::new(Int64Array::from_iter_values(part.iter().map(|row| row.occurrences as i64))),
            _ => return None,
        })
    })
}
