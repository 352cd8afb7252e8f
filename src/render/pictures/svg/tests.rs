//! Tests of `svg`.

use super::*;

#[test]
fn large_pictures_lose_their_titles_first() {
    let mut picture = Picture::new(200.0, 100.0, "many");
    for _ in 0..9_000 {
        picture.rectangle(123.45, 123.45, 123.45, 123.45).fill(Color::TEXT).title("a very long title".repeat(10));
    }
    let text = to_svg(&picture);
    assert!(text.len() < MAX_BYTES && text.contains("<title>a very long title"), "{}", text.len());
    for _ in 0..9_000 {
        picture.rectangle(123.45, 123.45, 123.45, 123.45).fill(Color::TEXT).title("a very long title".repeat(10));
    }
    let text = to_svg(&picture);
    assert!(text.len() < MAX_BYTES && !text.contains("<title>a very"), "{}", text.len());
}

#[test]
fn shapes_are_written_in_order_and_text_is_escaped() {
    let mut picture = Picture::new(20.0, 10.0, "a < b");
    picture.rectangle(1.0, 2.0, 3.456, 4.0).fill(Color::new(255, 0, 0)).opacity(0.5).title("x & y\u{1}");
    picture.line((0.0, 0.0), (5.0, 5.0)).stroke(Color::QUIET, 2.0);
    picture.text(3.0, 4.0, 9.0, TextAnchor::End, "\"q\"");
    let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\" \
            font-family=\"DejaVu Sans, Verdana, Geneva, sans-serif\" role=\"img\">\n<title>a &lt; b</title>\n\
            <rect width=\"20\" height=\"10\" fill=\"#fff\"/>\n\
            <rect x=\"1\" y=\"2\" width=\"3.46\" height=\"4\" fill=\"#ff0000\" opacity=\"0.5\"><title>x &amp; y </title></rect>\n\
            <path d=\"M0 0L5 5\" fill=\"none\" stroke=\"#787878\" stroke-width=\"2\"/>\n\
            <text x=\"3\" y=\"4\" font-size=\"9\" fill=\"#222222\" text-anchor=\"end\">&quot;q&quot;</text>\n</svg>\n";
    assert_eq!(to_svg(&picture), expected);
}
