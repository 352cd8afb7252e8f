//! Tests of `file_checks`, on files that the store's own writer wrote.

use std::fs;
use std::io::Write;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use tempfile::TempDir;

use super::super::arrow_file::{create_file, finish_file};
use super::*;

/// Rows that do not compress: four blocks and a piece.
const ROWS: i64 = 7200;

fn written() -> (TempDir, FileEntry, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.parquet");
    let numbers = (0..ROWS).map(|row| row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64));
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
    let batch = RecordBatch::try_from_iter([("number", column)]).expect("a batch");
    let mut writer = create_file(&path, &batch.schema()).expect("a file");
    writer.write(&batch).expect("rows");
    let entry = finish_file(writer, &path, "a.parquet".to_string(), ROWS as u64).expect("a file");
    let content = fs::read(&path).expect("a file");
    (folder, entry, content)
}

fn footer(entry: &FileEntry, content: &[u8]) -> Result<CheckedFooter> {
    let range = entry.footer_range().expect("a footer");
    CheckedFooter::read("a.parquet", entry, &Bytes::copy_from_slice(&content[range.start as usize..range.end as usize]))
}

fn slice<'a>(content: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    &content[range.start as usize..range.end as usize]
}

#[test]
fn every_block_has_its_checksum() {
    let (folder, entry, content) = written();
    entry.check_file(folder.path()).expect("as it was written");
    entry.check_content("a.parquet", &content).expect("as it was written");
    let footer = footer(&entry, &content).expect("a footer");
    assert!(key_values(footer.metadata()).all(|pair| pair.key != BLOCK_CHECKSUMS));
    let blocks = footer.checks().blocks.as_ref().expect("checksums");
    assert_eq!(blocks.data, entry.footer_range().expect("a footer").start);
    assert!(blocks.data > 4 * BLOCK && blocks.data < 5 * BLOCK, "{}", blocks.data);
    // Worked out from the content, without the writer.
    let expected: Vec<u64> = content[..blocks.data as usize].chunks(BLOCK as usize).map(XxHash3_64::oneshot).collect();
    assert_eq!(blocks.checksums, expected);
}

#[test]
fn ranges_are_widened_to_blocks_that_are_not_known_yet() {
    let (_folder, entry, content) = written();
    let footer = footer(&entry, &content).expect("a footer");
    let checks = footer.checks();
    let data = entry.footer_range().expect("a footer").start;
    assert_eq!(checks.covering(&(5..6)), 0..BLOCK);
    assert_eq!(checks.covering(&(BLOCK..BLOCK + 1)), BLOCK..2 * BLOCK);
    assert_eq!(checks.covering(&(BLOCK - 1..BLOCK + 1)), 0..2 * BLOCK);
    assert_eq!(checks.covering(&(0..BLOCK)), 0..BLOCK);
    assert_eq!(checks.covering(&(data - 1..data)), 4 * BLOCK..data);
    assert_eq!(checks.covering(&(data - 1..data + 1)), 4 * BLOCK..entry.bytes);
    assert_eq!(checks.covering(&(data + 7..entry.bytes - 3)), data..entry.bytes);
    assert_eq!(checks.covering(&(7..7)), 7..7);
    checks.check(0, slice(&content, &(0..BLOCK))).expect("the first block");
    assert_eq!(checks.covering(&(5..6)), 5..6, "it is not read again for its checksum");
    assert_eq!(checks.covering(&(BLOCK - 1..BLOCK + 1)), BLOCK - 1..2 * BLOCK);
    checks.check(BLOCK - 1, slice(&content, &(BLOCK - 1..2 * BLOCK))).expect("a known piece and a block");
    assert!(checks.check(2 * BLOCK, slice(&content, &(2 * BLOCK..2 * BLOCK + 9))).is_err(), "a piece proves nothing");
    let all = 0..entry.bytes;
    checks.check(0, slice(&content, &all)).expect("the whole file");
}

#[test]
fn every_flipped_byte_is_seen() {
    let (_folder, entry, mut content) = written();
    let right = footer(&entry, &content).expect("a footer");
    let data = entry.footer_range().expect("a footer").start;
    // A step that is prime to the size of a block.
    for byte in (0..data as usize).step_by(13).chain(data as usize..content.len()) {
        let range = right.checks().covering(&(byte as u64..byte as u64 + 1));
        content[byte] ^= 1 << (byte % 8);
        // A block that is wrong is never taken for one that was right.
        assert!(right.checks().check(range.start, slice(&content, &range)).is_err(), "byte {byte}");
        assert!((byte as u64) < data || footer(&entry, &content).is_err(), "byte {byte}");
        assert!(byte % 1000 != 0 || entry.check_content("a.parquet", &content).is_err(), "byte {byte}");
        content[byte] ^= 1 << (byte % 8);
    }
    right.checks().check(0, &content).expect("as it was written");
}

#[test]
fn sizes_rows_and_footers_are_those_of_the_manifest() {
    let (folder, entry, content) = written();
    let words = |result: Result<()>| result.expect_err("damaged").to_string();
    assert!(words(entry.check_size("a", 1)).starts_with("a is damaged: it has 1 bytes, the manifest says "));
    let other = FileEntry { rows: 1, ..entry.clone() };
    assert!(words(footer(&other, &content).map(|_| ())).contains("it has 7200 rows, the manifest says 1"));
    let mut file = fs::File::options().append(true).open(folder.path().join("a.parquet")).expect("a file");
    file.write_all(b"x").expect("a byte more");
    assert!(words(entry.check_file(folder.path())).contains("bytes, the manifest says"));
    let old = FileEntry { footer: None, ..entry };
    assert_eq!(old.footer_range(), None);
}

#[test]
fn checksums_that_are_not_about_this_file_are_refused() {
    for text in [
        "",
        ":",
        "16384",
        "16384:",
        "1:0000000000000000",
        "16384:000000000000000",
        "16384:00000000000000zz",
        "16384:0000000000000000é",
    ] {
        assert!(BlockChecksums::parse(text, 5, "").is_none(), "{text}");
    }
    assert!(BlockChecksums::parse("16384:00000000000000ff", 5, "").is_some());
    assert!(BlockChecksums::parse("16384:00000000000000ff", BLOCK + 1, "").is_none());
    assert!(BlockChecksums::parse("16384:00000000000000ff", u64::MAX, "").is_none());
}
