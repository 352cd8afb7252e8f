//! The file `metadata` of a trace: TSDL as text or in packets, or CTF 2's JSON.
//!
//! ```text
//! packet = magic:u32 uuid[16] checksum:u32 content:u32 size:u32 compression encryption checksum-scheme major minor:u8 text
//! ```
//! The magic tells the order of bytes; sizes are in bits. In: bytes. Out: the classes of the trace.

#[cfg(test)]
mod tests;

use super::classes::TraceClass;
use super::{json_metadata, references, tsdl};

/// The first number of a packet of metadata.
const MAGIC: u32 = 0x75d1_1d57;
/// Bytes of a packet before its text.
const HEADER: usize = 37;

/// Whether a file begins as metadata do.
pub(in crate::reader) fn is_metadata(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let is_json = matches!(text, [0x1e, rest @ ..] if rest.trim_ascii_start().first() == Some(&b'{'));
    is_packet(head).is_some() || text.starts_with(b"/* CTF 1.") || is_json
}

/// Whether a packet of metadata starts here, and whether its numbers are big-endian.
fn is_packet(bytes: &[u8]) -> Option<bool> {
    let magic = *bytes.first_chunk()?;
    match MAGIC {
        magic_number if u32::from_be_bytes(magic) == magic_number => Some(true),
        magic_number if u32::from_le_bytes(magic) == magic_number => Some(false),
        _ => None,
    }
}

/// Reads metadata.
pub(super) fn read(bytes: &[u8]) -> TraceClass {
    let (text, damage) = match is_packet(bytes) {
        Some(is_big) => unpacked(bytes, is_big),
        None => (bytes.to_vec(), None),
    };
    let text = String::from_utf8_lossy(&text);
    let mut trace = if text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).starts_with('\x1e') {
        json_metadata::read(&text)
    } else {
        tsdl::read(&text)
    };
    trace.faults.extend(damage);
    references::connect(&mut trace);
    trace
}

/// The text of all packets, and what is wrong with them.
fn unpacked(bytes: &[u8], is_big: bool) -> (Vec<u8>, Option<String>) {
    let (mut text, mut rest) = (vec![], bytes);
    while !rest.is_empty() {
        let number = |at: usize| {
            let bytes = *rest.get(at..)?.first_chunk()?;
            Some(if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
        };
        let sizes = (number(24), number(28));
        let (Some(content), Some(size)) = sizes else {
            return (text, Some("the metadata end within the header of a packet".to_string()));
        };
        let (content, size) = (content as usize / 8, size as usize / 8);
        let is_sound = is_packet(rest) == Some(is_big) && content >= HEADER && size >= content;
        let Some(part) = rest.get(HEADER..content).filter(|_| is_sound) else {
            return (text, Some("the metadata hold something that is no packet".to_string()));
        };
        text.extend_from_slice(part);
        rest = rest.get(size..).unwrap_or(&[]);
    }
    (text, None)
}
