//! Tests of `format`.

use super::*;

#[test]
fn every_format_is_found_by_its_name_and_by_its_extension() {
    for format in ResultFormat::value_variants() {
        assert_eq!(ResultFormat::parse(format.name()).expect("its own name"), *format);
    }
    let error = ResultFormat::parse("xml").expect_err("no such format");
    assert!(error.to_string().contains("box, csv, tsv"), "{error}");
    assert_eq!(ResultFormat::of_file(Path::new("a/b.Parquet")), Some(ResultFormat::Parquet));
    assert_eq!(ResultFormat::of_file(Path::new("a.md")), Some(ResultFormat::Markdown));
    assert_eq!(ResultFormat::of_file(Path::new("csv")), None);
}
