//! Tests of `read_csv`.

use super::*;

#[test]
fn the_delimiter_is_the_most_frequent_outside_quotes() {
    for (line, expected) in [
        ("a,b,c", b','),
        ("a;b;c,d", b';'),
        ("a\tb", b'\t'),
        ("\"x;y;z\",b", b','),
        ("a|b", b'|'),
        ("alone", b','),
        ("a;b,c", b','),
    ] {
        assert_eq!(delimiter_of(line.as_bytes()), expected, "{line}");
    }
}

#[test]
fn a_header_has_no_values() {
    for (line, expected) in [
        ("machine,cores", Header::Present),
        ("machine,16", Header::Absent),
        ("a,a", Header::Absent),
        ("a,,b", Header::Absent),
        ("-1.5e3,x", Header::Absent),
        ("\"a, b\",c", Header::Present),
    ] {
        assert_eq!(header_of(line.as_bytes(), b','), Ok(expected), "{line}");
    }
}

#[test]
fn types_of_files_meet() {
    let columns = |kinds: &[DataType]| -> Vec<(String, DataType)> {
        kinds.iter().enumerate().map(|(index, kind)| (format!("c{index}"), kind.clone())).collect()
    };
    let one = columns(&[DataType::Int64, DataType::Int64, DataType::Null, DataType::Boolean]);
    let other = columns(&[DataType::Int64, DataType::Float64, DataType::Date32, DataType::Int64]);
    let both = columns(&[DataType::Int64, DataType::Float64, DataType::Date32, DataType::Utf8]);
    assert_eq!(merged(one.clone(), other, 3), Some(both));
    assert_eq!(merged(one.clone(), columns(&[DataType::Int64]), 3), None);
    assert_eq!(merged(vec![], one.clone(), 3), Some(one));
}

#[test]
fn cells_decide_the_types_and_an_empty_file_has_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let layout = CsvLayout { delimiter: b';', header: Header::Present };
    std::fs::write(&path, "n;x;t;u\n1;;a;\n;2.5;\"b;c\";\n").expect("a file");
    let schema = schema_of(std::slice::from_ref(&path), layout).expect("a schema");
    let types: Vec<&DataType> = schema.fields().iter().map(|field| field.data_type()).collect();
    assert_eq!(types, [&DataType::Int64, &DataType::Float64, &DataType::Utf8, &DataType::Utf8]);
    std::fs::write(&path, "").expect("a file");
    assert!(schema_of(&[path], layout).is_err_and(|reason| reason.starts_with("there is nothing in ")));
}
