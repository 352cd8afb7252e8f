//! Tests of `format`.

use super::*;

#[test]
fn every_format_is_found_by_its_name_and_by_its_extension() {
    for format in Format::value_variants() {
        assert_eq!(Format::parse(format.name()).expect("its own name"), *format);
    }
    let error = Format::parse("xml").expect_err("no such format");
    assert!(error.to_string().contains("box, csv, tsv"), "{error}");
    assert_eq!(Format::of_file(Path::new("a/b.Parquet")), Some(Format::Parquet));
    assert_eq!(Format::of_file(Path::new("a.md")), Some(Format::Markdown));
    assert_eq!(Format::of_file(Path::new("csv")), None);
}
