//! Tests of `png`.

use super::*;
use std::io::Read;

/// Reads a written file back by hand: width, height and the bytes of the pixels.
fn decode(file: &[u8]) -> (u32, u32, Vec<u8>) {
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (width, height) = (number(16), number(20));
    let length = number(33) as usize;
    let mut rows = vec![];
    flate2::read::ZlibDecoder::new(&file[41..41 + length]).read_to_end(&mut rows).expect("whole data");
    let mut pixels: Vec<u8> = vec![];
    let stride = width as usize * 3;
    for row in rows.chunks(stride + 1) {
        assert_eq!(row[0], 2);
        for (index, byte) in row[1..].iter().enumerate() {
            let above = pixels.len().checked_sub(stride).map_or(0, |at| pixels[at]);
            assert!(index < stride);
            pixels.push(byte.wrapping_add(above));
        }
    }
    (width, height, pixels)
}

#[test]
fn a_rectangle_is_painted_where_it_is() {
    let mut picture = Picture::new(4.0, 3.0, "t");
    picture.rectangle(1.0, 1.0, 2.0, 1.0).fill(Color::new(200, 10, 30));
    let (width, height, pixels) = decode(&to_png(&picture).expect("a file"));
    assert_eq!((width, height, pixels.len()), (8, 6, 8 * 6 * 3));
    let at = |x: usize, y: usize| &pixels[(y * 8 + x) * 3..(y * 8 + x) * 3 + 3];
    assert_eq!(at(2, 2), [200, 10, 30]);
    assert_eq!(at(5, 3), [200, 10, 30]);
    assert_eq!(at(1, 2), [255, 255, 255]);
    assert_eq!(at(2, 4), [255, 255, 255]);
}

#[test]
fn text_leaves_ink_and_huge_pictures_are_refused() {
    let mut picture = Picture::new(40.0, 20.0, "t");
    picture.text(2.0, 15.0, 12.0, TextAnchor::Start, "Ab");
    let (.., pixels) = decode(&to_png(&picture).expect("a file"));
    assert!(pixels.iter().any(|byte| *byte < 100));
    assert!(to_png(&Picture::new(9000.0, 10.0, "t")).is_err());
}
