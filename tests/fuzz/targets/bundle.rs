//! Traces of several files as one input: the files in a fixed order, with a mark between them.
//!
//! ```text
//! run.meta  MARK  run-0000.bin  MARK  run-0001.bin        a part that is empty is a file that is missing
//! ```

use super::Sandbox;

const MARK: &[u8] = b"\n--8<--\n";

/// One input of several files.
pub fn join(parts: &[Vec<u8>]) -> Vec<u8> {
    parts.join(MARK)
}

/// Writes the files of an input; there may be fewer parts than names, and what is left over belongs to the last.
pub fn put(sandbox: &mut Sandbox, names: &[&str], input: &[u8]) {
    let mut rest = Some(input);
    for (number, name) in names.iter().enumerate() {
        let part = match rest {
            Some(bytes) if number + 1 < names.len() => match find(bytes) {
                Some(end) => {
                    rest = Some(&bytes[end + MARK.len()..]);
                    Some(&bytes[..end])
                }
                None => rest.take(),
            },
            _ => rest.take(),
        };
        sandbox.put(name, part.filter(|part| !part.is_empty()));
    }
}

fn find(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MARK.len()).position(|window| window == MARK)
}
