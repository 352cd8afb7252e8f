//! Values as text: one rule for every text format.
//!
//! Doubles print as the shortest text that reads back as the same number, times as ISO 8601, lists as
//! `[1, NULL, 3]`. Whether a top-level value is NULL is told apart, because each format shows it in
//! its own way.

#[cfg(test)]
mod tests;

use arrow::array::{Array, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::errors::arrow_failed;
use ocellus_engine::catalog;
use ocellus_trace::error::Result;

/// NULL inside of a list or a struct, where nothing could mean anything.
const NESTED: FormatOptions<'static> = FormatOptions::new().with_null("NULL");

/// The values of a batch as text.
pub struct CellTexts<'a> {
    columns: Vec<(Option<NullBuffer>, ArrayFormatter<'a>)>,
}

impl<'a> CellTexts<'a> {
    /// Prepares the formatter of every column.
    pub fn new(batch: &'a RecordBatch) -> Result<CellTexts<'a>> {
        let columns = batch
            .columns()
            .iter()
            .map(|array| {
                // Logical: a dictionary can point at a NULL, and a Null array has no bitmap.
                let nulls = array.logical_nulls();
                Ok((nulls, ArrayFormatter::try_new(array.as_ref(), &NESTED).map_err(arrow_failed)?))
            })
            .collect::<Result<_>>()?;
        Ok(CellTexts { columns })
    }

    /// Puts the text of a value into `text`; false when it is NULL, and `text` stays empty.
    pub fn read(&self, row: usize, column: usize, text: &mut String) -> Result<bool> {
        text.clear();
        let (nulls, formatter) = &self.columns[column];
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(false);
        }
        formatter.value(row).write(text).map_err(arrow_failed)?;
        Ok(true)
    }
}

/// Whether values of a type are numbers, which line up on the right.
pub fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        other => other.is_numeric(),
    }
}

/// The SQL name of a type, as the type row of a box shows it.
pub fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item) => {
            format!("{}[]", type_name(item.data_type()))
        }
        DataType::FixedSizeList(item, size) => format!("{}[{size}]", type_name(item.data_type())),
        DataType::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{} {}", field.name(), type_name(field.data_type()))).collect();
            format!("struct({})", fields.join(", "))
        }
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => format!("decimal({precision},{scale})"),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "blob".to_string()
        }
        DataType::Time32(_) | DataType::Time64(_) => "time".to_string(),
        DataType::Interval(_) | DataType::Duration(_) => "interval".to_string(),
        DataType::Map(_, _) => "map".to_string(),
        DataType::RunEndEncoded(_, values) => type_name(values.data_type()),
        other => catalog::type_name(other).to_lowercase(),
    }
}
