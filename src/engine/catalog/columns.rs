//! Columns of the schemas as Arrow fields and as expressions over stored columns.
//!
//! In: [`ocellus_trace::schema`] columns. Out: fields that carry their documentation, and the projection that
//! turns stored ticks into the seconds that SQL shows.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::common::metadata::FieldMetadata;
use datafusion::common::{Column as ColumnName, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit};
use datafusion::prelude::cast;

use ocellus_trace::schema::{Column, ColumnSource, ColumnType, ExtraColumn};

/// Key of the metadata of a field that holds its documentation.
pub const COMMENT: &str = "comment";

/// The stored column that tells which states lie in pieces in `state_segments`.
pub const IS_CUT: &str = "is_cut";

/// The Arrow type of a column.
pub(super) fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int32,
        ColumnType::BigInt => DataType::Int64,
        ColumnType::UBigInt => DataType::UInt64,
        ColumnType::Double => DataType::Float64,
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, Some(Arc::from("UTC"))),
    }
}

/// The SQL name of a type, as documentation and the shell show it; Arrow's own name for the rest.
pub fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Int8 => "TINYINT".to_string(),
        DataType::Int16 => "SMALLINT".to_string(),
        DataType::Int32 => "INTEGER".to_string(),
        DataType::Int64 => "BIGINT".to_string(),
        DataType::UInt8 => "TINYINT UNSIGNED".to_string(),
        DataType::UInt16 => "SMALLINT UNSIGNED".to_string(),
        DataType::UInt32 => "INTEGER UNSIGNED".to_string(),
        DataType::UInt64 => "BIGINT UNSIGNED".to_string(),
        DataType::Float32 => "REAL".to_string(),
        DataType::Float64 => "DOUBLE".to_string(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "TEXT".to_string(),
        DataType::Boolean => "BOOLEAN".to_string(),
        DataType::Date32 | DataType::Date64 => "DATE".to_string(),
        DataType::Timestamp(_, _) => "TIMESTAMP".to_string(),
        DataType::Dictionary(_, values) => type_name(values),
        DataType::List(item) | DataType::LargeList(item) => format!("{}[]", type_name(item.data_type())),
        DataType::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{} {}", field.name(), type_name(field.data_type()))).collect();
            format!("STRUCT({})", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// The schema of the Parquet files of a table: its stored columns in SQL order.
pub(super) fn stored_schema(table: &str, columns: &[Column]) -> SchemaRef {
    let mut fields: Vec<Field> = columns
        .iter()
        .filter(|column| column.source == ColumnSource::Stored)
        .map(|column| {
            let metadata = HashMap::from([(COMMENT.to_string(), column.doc.clone())]);
            Field::new(&column.name, data_type(column.kind), column.nullable).with_metadata(metadata)
        })
        .collect();
    if table == "states" {
        fields.push(Field::new(IS_CUT, DataType::Boolean, false));
    }
    Arc::new(Schema::new(fields))
}

/// The column of a plan with that name, whatever its qualifier.
pub(super) fn column_of(plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let field = plan.schema().qualified_field_with_unqualified_name(name)?;
    Ok(Expr::Column(ColumnName::from(field)))
}

/// Gives an expression its name and its documentation.
pub fn documented(expr: Expr, name: &str, doc: &str) -> Expr {
    let metadata = BTreeMap::from([(COMMENT.to_string(), doc.to_string())]);
    expr.alias_with_metadata(name, Some(FieldMetadata::from(metadata)))
}

/// Projects stored columns to the columns that SQL shows.
pub(super) fn show(
    stored: LogicalPlan,
    columns: &[Column],
    tick_seconds: &ScalarUDF,
    ticks_per_second: i64,
) -> Result<LogicalPlan> {
    let seconds = |ticks: Expr| tick_seconds.call(vec![ticks, lit(ticks_per_second)]);
    let mut shown = Vec::with_capacity(columns.len());
    for column in columns {
        shown.push(match &column.source {
            ColumnSource::Stored => column_of(&stored, &column.name)?,
            ColumnSource::Seconds(tick) => documented(seconds(column_of(&stored, tick)?), &column.name, &column.doc),
            ColumnSource::SecondsBetween { from, to } => {
                let ticks = column_of(&stored, to)? - column_of(&stored, from)?;
                documented(seconds(ticks), &column.name, &column.doc)
            }
        });
    }
    LogicalPlanBuilder::from(stored).project(shown)?.build()
}

/// Projects a plan to columns by name: casts where the type differs, NULL where one is missing.
pub(super) fn conform(plan: LogicalPlan, columns: &[Column], leading: Vec<Expr>) -> Result<LogicalPlan> {
    let mut shown = leading;
    for column in columns {
        let wanted = data_type(column.kind);
        let found = plan.schema().qualified_field_with_unqualified_name(&column.name);
        shown.push(match found {
            Ok((_, field)) if field.data_type() == &wanted => column_of(&plan, &column.name)?,
            Ok(_) => documented(cast(column_of(&plan, &column.name)?, wanted), &column.name, &column.doc),
            Err(_) => {
                let null = datafusion::common::ScalarValue::try_from(&wanted)?;
                documented(lit(null), &column.name, &column.doc)
            }
        });
    }
    LogicalPlanBuilder::from(plan).project(shown)?.build()
}

/// The extra columns of several tables joined by name, in the order of first appearance.
///
/// Whole and broken numbers meet as DOUBLE; any other two kinds meet as TEXT.
pub(super) fn join_extras<'a>(tables: impl IntoIterator<Item = &'a [ExtraColumn]>) -> Vec<ExtraColumn> {
    let mut joined: Vec<ExtraColumn> = vec![];
    for extra in tables.into_iter().flatten() {
        match joined.iter_mut().find(|known| known.name == extra.name) {
            Some(known) => known.kind = common_kind(known.kind, extra.kind),
            None => joined.push(extra.clone()),
        }
    }
    joined
}

fn common_kind(one: ColumnType, other: ColumnType) -> ColumnType {
    match (one, other) {
        _ if one == other => one,
        (ColumnType::BigInt, ColumnType::Double) | (ColumnType::Double, ColumnType::BigInt) => ColumnType::Double,
        _ => ColumnType::Text,
    }
}
