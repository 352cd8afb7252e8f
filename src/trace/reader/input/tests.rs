//! Tests of `input`.

use super::*;
use crate::reader::TraceOrigin;
use std::io::Write;

fn lines(input: &mut TraceInput) -> Vec<u8> {
    let mut all = vec![];
    while let Some(window) = input.next_window().expect("a window") {
        assert_eq!(window.offset, all.len() as u64);
        all.extend_from_slice(window.bytes());
    }
    all
}

fn write(bytes: &[u8]) -> (tempfile::NamedTempFile, TraceOrigin) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("write");
    let origin = TraceOrigin::open(file.path()).expect("an origin");
    (file, origin)
}

#[test]
fn plain_gzip_and_zstd_give_the_same_bytes() {
    let text: Vec<u8> = (0..1_500_000).flat_map(|i| format!("line {i}\n").into_bytes()).collect();
    assert!(text.len() > 2 * WINDOW);
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    gzip.write_all(&text).expect("gzip");
    let packed = [text.clone(), gzip.finish().expect("gzip"), zstd::encode_all(&text[..], 1).expect("zstd")];
    for bytes in packed {
        let (_file, origin) = write(&bytes);
        for _ in 0..2 {
            let mut input = origin.input().expect("an input");
            assert_eq!(&input.head().expect("a head")[..7], b"line 0\n");
            assert!(lines(&mut input) == text);
        }
    }
}

#[test]
fn a_line_longer_than_a_window_is_cut() {
    let mut text = vec![b'x'; 3 * WINDOW];
    text.extend_from_slice(b"\nnext\n");
    let (_plain, plain) = write(&text);
    let (_packed, packed) = write(&zstd::encode_all(&text[..], 1).expect("zstd"));
    for origin in [plain, packed] {
        let mut input = origin.input().expect("an input");
        let first = input.next_window().expect("a window").expect("the long line");
        assert!(first.is_cut && first.offset == 0);
        let second = input.next_window().expect("a window").expect("the next line");
        assert_eq!((second.bytes(), second.offset), (&b"next\n"[..], 3 * WINDOW as u64 + 1));
        assert!(input.next_window().expect("the end").is_none());
    }
}

#[test]
fn a_damaged_stream_keeps_what_came_before() {
    let text: Vec<u8> = (0..100_000).flat_map(|i| format!("line {i}\n").into_bytes()).collect();
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    gzip.write_all(&text).expect("gzip");
    let bytes = gzip.finish().expect("gzip");
    let (_file, origin) = write(&bytes[..bytes.len() / 2]);
    let mut input = origin.input().expect("an input");
    let read = lines(&mut input);
    assert!(!read.is_empty() && text.starts_with(&read));
    assert!(input.damage.is_some());
}

#[test]
fn an_empty_file_and_a_folder_are_refused() {
    let (_file, origin) = write(b"");
    assert!(origin.input().err().expect("empty").to_string().contains("is empty"));
    let folder = tempfile::tempdir().expect("a folder");
    assert!(
        TraceOrigin::open(folder.path())
            .and_then(|origin| origin.input().map(|_| ()))
            .expect_err("a folder")
            .to_string()
            .contains("directory")
    );
}
