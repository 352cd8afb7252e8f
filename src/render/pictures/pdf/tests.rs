//! Tests of `pdf`: files are read back by hand.

use std::collections::BTreeMap;
use std::io::Read;

use super::*;
use crate::color::Color;
use crate::pictures::picture::{PathStep, TextAnchor};

/// The bytes from a place on, as text.
fn text_at(file: &[u8], place: usize) -> String {
    String::from_utf8_lossy(&file[place..]).into_owned()
}

/// The objects of a file by the table of places, which must lead to each of them.
fn objects(file: &[u8]) -> Vec<Vec<u8>> {
    assert!(file.starts_with(b"%PDF-1.7\n") && file.ends_with(b"%%EOF\n"));
    let tail = text_at(file, file.len() - 60);
    let place: usize =
        tail.split("startxref\n").nth(1).expect("a place").lines().next().expect("a line").parse().expect("a number");
    let table = text_at(file, place);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("xref"));
    let count: usize = lines.next().expect("a count").strip_prefix("0 ").expect("from 0").parse().expect("a number");
    assert_eq!(lines.next(), Some("0000000000 65535 f "));
    let starts: Vec<usize> = lines.by_ref().take(count - 1).map(|line| line[..10].parse().expect("a place")).collect();
    assert_eq!(lines.next(), Some("trailer"));
    assert!(lines.next().expect("a trailer").starts_with(&format!("<</Size {count} /Root 1 0 R")));
    let ends = starts.iter().skip(1).copied().chain([place]);
    let pieces = starts.iter().zip(ends).enumerate().map(|(index, (start, end))| {
        let head = format!("{} 0 obj\n", index + 1);
        let piece = &file[*start..end];
        assert!(piece.starts_with(head.as_bytes()) && piece.ends_with(b"\nendobj\n"), "object {}", index + 1);
        piece[head.len()..piece.len() - 8].to_vec()
    });
    pieces.collect()
}

/// The unpacked data of a stream, whose length its dictionary must say.
fn stream(object: &[u8]) -> String {
    let text = String::from_utf8_lossy(object);
    let start = object.windows(8).position(|window| window == b"\nstream\n").expect("a stream") + 8;
    let length: usize =
        text.split("/Length ").nth(1).expect("a length").split(' ').next().expect("a word").parse().expect("a number");
    assert_eq!(&object[start + length..], b"\nendstream");
    let mut out = String::new();
    flate2::read::ZlibDecoder::new(&object[start..start + length]).read_to_string(&mut out).expect("whole data");
    out
}

fn sample() -> Picture {
    let mut picture = Picture::new(320.0, 240.5, "a (picture) of é");
    picture.rectangle(10.0, 20.0, 30.0, 40.0).fill(Color::new(255, 0, 0)).opacity(0.5);
    picture.circle(100.0, 100.0, 8.0).stroke(Color::TEXT, 2.0);
    picture.path(vec![PathStep::Move(0.0, 0.0), PathStep::Line(5.0, 1e-7), PathStep::Close]).fill(Color::QUIET);
    picture.rectangle(0.0, 0.0, 1.0, 1.0);
    picture.text(50.0, 60.0, 11.0, TextAnchor::Start, "rank-0: 3 µs");
    picture.text_upwards(20.0, 90.0, 11.0, TextAnchor::Middle, "漢");
    picture
}

#[test]
fn a_file_is_one_page_of_the_size_of_the_picture() {
    let file = to_pdf(&sample()).expect("a file");
    let objects = objects(&file);
    let page = String::from_utf8_lossy(&objects[2]).into_owned();
    assert!(page.contains("/MediaBox [0 0 320 240.5]") && page.contains("/O50 <</ca 0.5 /CA 0.5>>"), "{page}");
    assert_eq!(file, to_pdf(&sample()).expect("a file"), "the same bytes again");
    // The title, as UTF-16: a, space, bracket …
    let info = String::from_utf8_lossy(objects.last().expect("objects")).into_owned();
    assert!(info.starts_with("<</Title <FEFF006100200028") && info.contains("00E9>"), "{info}");
}

#[test]
fn shapes_are_painted_in_order_with_their_paint() {
    let content = stream(&objects(&to_pdf(&sample()).expect("a file"))[3]);
    let lines: Vec<&str> = content.lines().collect();
    assert_eq!(lines[0], "1 0 0 -1 0 240.5 cm");
    assert_eq!(lines[1], "1 1 1 rg 0 0 320 240.5 re f");
    assert_eq!(lines[2], "q /O50 gs 1 0 0 rg 10 20 30 40 re f Q");
    assert!(
        lines[3].starts_with("0.133 0.133 0.133 RG 2 w 108 100 m 108 104.418 104.418 108 100 108 c"),
        "{}",
        lines[3]
    );
    assert!(lines[3].ends_with("h S"));
    // No exponents: 1e-7 is 0. What has no paint is not written.
    assert_eq!(lines[4], "0.471 0.471 0.471 rg 0 0 m 5 0 l h f");
    assert_eq!(lines.len(), 7);
}

/// What a reader of the file copies is what was written.
#[test]
fn text_can_be_read_back() {
    let objects = objects(&to_pdf(&sample()).expect("a file"));
    let content = stream(&objects[3]);
    let table = stream(objects.iter().rfind(|object| object.starts_with(b"<</Length")).expect("letters"));
    let entries = table.split("endcodespacerange").nth(1).expect("entries");
    let letters: BTreeMap<&str, char> = entries
        .lines()
        .filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <"))
        .map(|(glyph, code)| (glyph, char::from_u32(u32::from_str_radix(code, 16).expect("digits")).expect("a sign")))
        .collect();
    let read: Vec<String> = content
        .lines()
        .filter_map(|line| line.split_once(" Tm <")?.1.strip_suffix("> Tj ET"))
        .map(|digits| (0..digits.len() / 4).map(|at| letters[&digits[4 * at..4 * at + 4]]).collect())
        .collect();
    // What the font lacks is shown as a box, and read as one.
    assert_eq!(read, ["rank-0: 3 µs", "\u{FFFD}"]);
    assert!(content.contains("BT /F 11 Tf 1 0 0 -1 50 60 Tm"), "{content}");
    assert!(content.contains("BT /F 11 Tf 0 -1 -1 0 20 "), "{content}");
}
