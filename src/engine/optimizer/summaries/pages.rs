//! A row group of which only some pages are seen.
//!
//! ```text
//!  column with a dictionary   [ dictionary | 0 | 1 | 2 | 3 ]  ─►  [ dictionary | . | 1 | 2 ]     rows of pages 1 and 2
//!  column without             [ 0 | 1 | 2 | 3 ]               ─►      [ 1 | 2 ]
//! ```
//! The offset index tells readers where the pages are: they look at no others. All columns must have pages of the same rows.

use datafusion::parquet::file::metadata::{
    ColumnChunkMetaData, ColumnChunkMetaDataBuilder, ParquetMetaData, RowGroupMetaData,
};
use datafusion::parquet::file::page_index::column_index::{ColumnIndexMetaData, PrimitiveColumnIndex};
use datafusion::parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};

use ocellus_kernels::slices::CutBands;

/// The row group with the pages that may have rows in bands, by the columns of times, and where these pages are; `None` when
/// all of it is seen.
pub(super) fn cut(
    footer: &ParquetMetaData,
    number: usize,
    times: &[&str],
    cut: &CutBands,
) -> Option<(RowGroupMetaData, Vec<OffsetIndexMetaData>)> {
    let group = footer.row_groups().get(number)?;
    let offsets = footer.offset_index()?.get(number)?;
    let values = footer.column_index()?.get(number)?;
    let begins = ticks(group, values, times.first()?)?;
    let ends = ticks(group, values, times.last()?)?;
    let first_rows = first_rows(group, offsets)?;
    if begins.min_values().len() != first_rows.len() || ends.max_values().len() != first_rows.len() {
        return None;
    }
    let is_seen = |page: &usize| match (begins.min_value(*page), ends.max_value(*page)) {
        (Some(first), Some(last)) => cut.touches(*first, *last),
        _ => true,
    };
    let seen: Vec<usize> = (0..first_rows.len()).filter(is_seen).collect();
    if seen.len() == first_rows.len() || seen.is_empty() {
        return None;
    }
    let end_of = |page: usize| first_rows.get(page + 1).copied().unwrap_or(group.num_rows());
    let lengths: Vec<i64> = seen.iter().map(|page| end_of(*page) - first_rows[*page]).collect();
    let rows = lengths.iter().sum();
    let mut columns = vec![];
    let mut places = vec![];
    for (column, offsets) in group.columns().iter().zip(offsets) {
        let mut first_row_index = 0;
        let mut pages = vec![];
        for (page, length) in seen.iter().zip(&lengths) {
            let location = offsets.page_locations().get(*page)?;
            pages.push(PageLocation { first_row_index, ..location.clone() });
            first_row_index += length;
        }
        columns.push(of_pages(column, &pages, rows)?);
        places.push(OffsetIndexMetaData { page_locations: pages, unencoded_byte_array_data_bytes: None });
    }
    let group = group.clone().into_builder().set_num_rows(rows).set_column_metadata(columns).build().ok()?;
    Some((group, places))
}

/// The ticks of the pages of a column.
fn ticks<'a>(
    group: &RowGroupMetaData,
    values: &'a [ColumnIndexMetaData],
    name: &str,
) -> Option<&'a PrimitiveColumnIndex<i64>> {
    let place = group.columns().iter().position(|column| column.column_path().string() == name)?;
    match values.get(place)? {
        ColumnIndexMetaData::INT64(ticks) => Some(ticks),
        _ => None,
    }
}

/// By page: its first row; `None` when columns differ in that.
fn first_rows(group: &RowGroupMetaData, offsets: &[OffsetIndexMetaData]) -> Option<Vec<i64>> {
    let of = |pages: &OffsetIndexMetaData| -> Vec<i64> {
        pages.page_locations().iter().map(|page| page.first_row_index).collect()
    };
    let first = of(offsets.first()?);
    (offsets.len() == group.num_columns() && offsets.iter().all(|pages| of(pages) == first)).then_some(first)
}

/// A column of some of its pages.
fn of_pages(column: &ColumnChunkMetaData, pages: &[PageLocation], rows: i64) -> Option<ColumnChunkMetaData> {
    let (first, last) = (pages.first()?, pages.last()?);
    let begin = column.dictionary_page_offset().unwrap_or(first.offset);
    let bytes = last.offset + i64::from(last.compressed_page_size) - begin;
    unindexed(column)
        .set_num_values(rows)
        .set_data_page_offset(first.offset)
        .set_total_compressed_size(bytes)
        .build()
        .ok()
}

/// A row group that does not say where indexes of its pages are: whoever read them would see pages that are left out.
pub(super) fn without_indexes(group: &RowGroupMetaData) -> RowGroupMetaData {
    let columns = group.columns().iter().map(|column| unindexed(column).build()).collect::<Result<Vec<_>, _>>();
    let built = columns.and_then(|columns| group.clone().into_builder().set_column_metadata(columns).build());
    built.unwrap_or_else(|_| group.clone())
}

fn unindexed(column: &ColumnChunkMetaData) -> ColumnChunkMetaDataBuilder {
    column
        .clone()
        .into_builder()
        .set_column_index_offset(None)
        .set_column_index_length(None)
        .set_offset_index_offset(None)
        .set_offset_index_length(None)
}
