//! Numbers of objects, which PostgreSQL calls OIDs.

use std::collections::BTreeSet;

/// Numbers of schemas and of the database.
pub(super) const PG_CATALOG: i32 = 11;
pub(super) const INFORMATION_SCHEMA: i32 = 13000;
pub(super) const DATABASE: i32 = 16383;

/// Where the numbers of our objects start, as those of a user's objects in PostgreSQL.
const FIRST_NUMBER: i32 = 16384;

/// Assigns numbers, the same for the same names.
#[derive(Default)]
pub(super) struct Numbers {
    taken: BTreeSet<i32>,
}

impl Numbers {
    /// A number for an object: from a hash of its name, or the next one that is free.
    pub(super) fn assign(&mut self, kind: &str, schema: &str, name: &str) -> i32 {
        let mut hash: u32 = 0x811c_9dc5;
        for byte in [kind, "\0", schema, "\0", name].iter().flat_map(|part| part.bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        let mut number = FIRST_NUMBER + (hash & 0x3fff_ffff) as i32;
        while !self.taken.insert(number) {
            number += 1;
        }
        number
    }
}
