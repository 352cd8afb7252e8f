//! Tests of `format`.

use super::*;

#[test]
fn formats_are_found_by_content() {
    let of = |head: &[u8]| TraceFormat::detect(head, "x").ok();
    assert_eq!(of(b"# x\n%EventDef A 1\n"), Some(TraceFormat::Paje));
    assert_eq!(of(b"1 2 3\n"), Some(TraceFormat::Paje));
    assert_eq!(of(b"\xff\xaa\xddDUMPI\0\0"), Some(TraceFormat::Dumpi));
    assert_eq!(of(b"hostname=a\nnumprocs=2\nfileprefix=b\n"), Some(TraceFormat::Dumpi));
    assert_eq!(of(b"\x03BOTF2\0\x03"), Some(TraceFormat::Otf2));
    for json in [" {\"traceEvents\": []}", "[", "[ {\"ph\":1}", "\u{feff}{}"] {
        assert_eq!(of(json.as_bytes()), Some(TraceFormat::Chrome), "{json}");
    }
    assert_eq!(of(b"#Paraver (1/2/03 at 4:05):1:0:1:1(1:1)\n"), Some(TraceFormat::Paraver));
    assert_eq!(of(b"/* CTF 1.8 */\ntrace {\n"), Some(TraceFormat::Ctf));
    assert_eq!(of(b"\x1e{\"type\":\"preamble\""), Some(TraceFormat::Ctf));
    assert_eq!(of(b"\x0a\x04\x40\x05\x50\x01\x0a\x00"), Some(TraceFormat::Perfetto));
    assert_eq!(of(b"{ x\n[1]\n"), Some(TraceFormat::Paje));
    assert_eq!(
        of(b"MPI_Init entering at walltime 1.0, cputime 0.1 seconds in thread 0.\n"),
        Some(TraceFormat::DumpiText)
    );
    let png = TraceFormat::detect(b"\x89PNG\r\n\x1a\n...", "a.trace").expect_err("a picture").to_string();
    assert!(png.contains("a PNG picture") && png.contains("dumpi-text"), "{png}");
    assert!(of(b"\0\0\0\0").is_none());
}

#[test]
fn names_are_read_back() {
    for format in TraceFormat::ALL.iter().copied() {
        assert_eq!(format.name().parse(), Ok(format));
    }
    let error = "unheard-of".parse::<TraceFormat>().expect_err("not read");
    assert!(error.contains("dumpi-text") && error.contains("unheard-of"), "{error}");
}
