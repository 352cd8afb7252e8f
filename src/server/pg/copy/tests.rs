//! Copies, worked out by hand from the documents of PostgreSQL.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, FieldRef};

use super::super::commands::PgCommand;
use super::super::script::split_script;
use super::super::values::{ValueStyle, encode};
use super::*;

fn options(text: &str) -> Result<CopyOptions, PgError> {
    match PgCommand::read(&split_script(&format!("COPY t TO STDOUT {text}"))?.remove(0))? {
        PgCommand::Copy { options, .. } => Ok(options),
        other => panic!("{other:?}"),
    }
}

/// Two rows: 1 and a text with everything special; NULL and an empty text.
fn copied(text: &str) -> Vec<u8> {
    let options = options(text).expect("options");
    let columns: [(ArrayRef, DataType); 2] = [
        (Arc::new(Int64Array::from(vec![Some(1), None])), DataType::Int64),
        (Arc::new(StringArray::from(vec!["a\t\"b\",\\\n", ""])), DataType::Utf8),
    ];
    let cells: Vec<PgValueColumn> = columns
        .iter()
        .map(|(array, data_type)| {
            let field: FieldRef = Arc::new(Field::new("c", data_type.clone(), true));
            encode(array, &field, options.format(), ValueStyle::default())
        })
        .collect();
    let mut out = BytesMut::new();
    let names = ["n", "a,b"];
    options.put_start(&names, &mut out);
    (0..2).for_each(|row| options.put_row(&names, &cells, row, &mut out));
    options.put_end(&mut out);
    out.to_vec()
}

fn shown(text: &str) -> String {
    String::from_utf8(copied(text)).expect("text")
}

#[test]
fn text_is_escaped() {
    assert_eq!(shown(""), "1\ta\\t\"b\",\\\\\\n\n\\N\t\n");
    assert_eq!(shown("WITH (DELIMITER ',', NULL 'x', HEADER)"), "n,a\\,b\n1,a\\t\"b\"\\,\\\\\\n\nx,\n");
}

#[test]
fn csv_has_quotes_where_needed() {
    // NULL is nothing, so that an empty text needs quotes.
    assert_eq!(shown("(FORMAT csv)"), "1,\"a\t\"\"b\"\",\\\n\"\n,\"\"\n");
    assert_eq!(shown("CSV HEADER NULL AS 'NA'"), "n,\"a,b\"\n1,\"a\t\"\"b\"\",\\\n\"\nNA,\n");
    assert_eq!(shown("(FORMAT csv, QUOTE '''', FORCE_QUOTE *)"), "'1','a\t\"b\",\\\n'\n,''\n");
}

#[test]
fn binary_has_a_signature_and_an_end() {
    let rows: [&[u8]; 7] = [
        b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0",
        b"\0\x02\0\0\0\x08\0\0\0\0\0\0\0\x01",
        b"\0\0\0\x08a\t\"b\",\\\n",
        b"\0\x02",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\xff\xff",
    ];
    assert_eq!(copied("(FORMAT binary)"), rows.concat());
    assert_eq!(copied("BINARY"), rows.concat());
}

#[test]
fn wrong_options_are_refused() {
    for wrong in [
        "(FORMAT x)",
        "(DELIMITER 'ab')",
        "(QUOTE 'x')",
        "(FORMAT csv, QUOTE ',')",
        "(DELIMITER 'a')",
        "(x 1)",
        "XML",
        "(ENCODING 'latin1')",
    ] {
        assert!(options(wrong).is_err(), "{wrong}");
    }
}
