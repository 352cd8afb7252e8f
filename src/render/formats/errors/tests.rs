//! Tests of `errors`.

use super::*;

#[test]
fn a_broken_pipe_is_recognized_through_every_library() {
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
