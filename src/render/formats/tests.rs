//! Tests of `formats`.

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

#[test]
fn a_broken_pipe_is_recognised_through_every_library() {
    let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
    let errors = [
        arrow_failed(ArrowError::IoError("x".to_string(), broken())),
        parquet_failed(ParquetError::External(Box::new(broken()))),
    ];
    for error in errors {
        let Error::Io { source, .. } = error else { panic!("an I/O error") };
        assert_eq!(source.kind(), io::ErrorKind::BrokenPipe);
    }
}
