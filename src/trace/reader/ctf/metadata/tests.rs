//! Metadata as text, in packets, and as JSON.

use super::*;

fn packet(text: &[u8]) -> Vec<u8> {
    let bits = (HEADER + text.len()) as u32 * 8;
    let sizes = [bits.to_le_bytes(), (bits + 16).to_le_bytes()].concat();
    [&MAGIC.to_le_bytes()[..], &[0; 20], &sizes, &[0; 5], text, &[0, 0]].concat()
}

#[test]
fn packets_are_joined() {
    let bytes = [packet(b"env { host"), packet(b"name = \"n\"; };")].concat();
    assert!(is_metadata(&bytes));
    assert_eq!(read(&bytes).environment["hostname"], "n");
    let cut = read(&bytes[..bytes.len() - 20]);
    assert!(!cut.faults.is_empty());
}

#[test]
fn metadata_are_recognized() {
    assert!(is_metadata(b"/* CTF 1.8 */\ntrace {"));
    assert!(is_metadata(b"\x1e{\"type\":\"preamble\""));
    assert!(!is_metadata(b"%EventDef") && !is_metadata(b"{\"traceEvents\":[") && !is_metadata(b""));
}
