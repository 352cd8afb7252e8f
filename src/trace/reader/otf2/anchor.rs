//! The anchor file of an OTF2 archive: what the archive is made of.
//!
//! ```text
//! anchor = 3 order "OTF2" NUL  format:u8  trace_format:u8 major minor bugfix  event_chunk:u64 definition_chunk:u64
//!          substrate:u8 compression:u8  locations:u64 definitions:u64  machine creator description
//!          [properties:u32 (name value)* trace_id:u64]  [snapshots:u32 thumbnails:u32]  2
//! ```

use super::bytes::{ByteOrder, Malformed, ReadResult, RecordBytes};

/// Chunks are between these sizes; every writer keeps to it.
const CHUNK_SIZES: std::ops::RangeInclusive<u64> = 256 << 10..=16 << 20;

/// What an anchor file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnchorFile {
    pub event_chunk: u64,
    pub definition_chunk: u64,
    pub locations: u64,
    pub definitions: u64,
    pub machine: String,
    pub creator: String,
    pub description: String,
    pub properties: Vec<(String, String)>,
}

/// Whether a file starts as anchor files do.
pub(super) fn is_anchor(head: &[u8]) -> bool {
    head.len() >= 7 && head[0] == 3 && ByteOrder::from_mark(head[1]).is_some() && &head[2..7] == b"OTF2\0"
}

/// Reads an anchor file; the error says what is wrong with it.
pub(super) fn parse(file: &[u8]) -> Result<AnchorFile, String> {
    if !is_anchor(file) {
        return Err("is no anchor file of an OTF2 archive".to_string());
    }
    let order = ByteOrder::from_mark(file[1]).unwrap_or(ByteOrder::Little);
    let mut bytes = RecordBytes::new(&file[7..], order);
    let raw = read(&mut bytes).map_err(|Malformed| "is an OTF2 anchor file that ends too early".to_string())?;
    match raw.substrate {
        1 => (),
        2 => {
            return Err(
                "is an OTF2 archive in SION files, which ocellus does not read; rewrite it with one file per location"
                    .to_string(),
            );
        }
        other => return Err(format!("is an OTF2 archive of an unknown kind of files ({other})")),
    }
    if raw.compression != 1 {
        return Err(
            "is a compressed OTF2 archive, which the OTF2 library itself no longer reads; rewrite it uncompressed"
                .to_string(),
        );
    }
    if !CHUNK_SIZES.contains(&raw.anchor.event_chunk) || !CHUNK_SIZES.contains(&raw.anchor.definition_chunk) {
        return Err(format!(
            "is a damaged OTF2 anchor file: chunks of {} and {} bytes",
            raw.anchor.event_chunk, raw.anchor.definition_chunk
        ));
    }
    Ok(raw.anchor)
}

struct RawAnchor {
    anchor: AnchorFile,
    substrate: u8,
    compression: u8,
}

fn read(bytes: &mut RecordBytes<'_>) -> ReadResult<RawAnchor> {
    let format = bytes.u8()?;
    for _ in 0..4 {
        bytes.u8()?;
    }
    let (event_chunk, definition_chunk) = (bytes.full(8)?, bytes.full(8)?);
    let (substrate, compression) = (bytes.u8()?, bytes.u8()?);
    let (locations, definitions) = (bytes.full(8)?, bytes.full(8)?);
    let (machine, creator, description) = (bytes.text()?, bytes.text()?, bytes.text()?);
    let mut properties = vec![];
    if format > 1 {
        let count = bytes.full(4)?;
        properties = bytes.list(count, |bytes| Ok((bytes.text()?, bytes.text()?)))?;
    }
    let anchor =
        AnchorFile { event_chunk, definition_chunk, locations, definitions, machine, creator, description, properties };
    Ok(RawAnchor { anchor, substrate, compression })
}
