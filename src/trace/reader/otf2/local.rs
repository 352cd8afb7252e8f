//! The definitions of one location: how its own ids map to the global ones, and how its clock was off.

#[cfg(test)]
mod tests;

use super::bytes::{ReadResult, RecordBytes};
use super::clock::{Correction, Offset};

/// What an id counts; the numbers are those of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mapping {
    String = 0,
    Attribute = 1,
    Location = 2,
    Region = 3,
    Group = 4,
    Metric = 5,
    Comm = 6,
    Parameter = 7,
    Window = 8,
    Place = 9,
    Context = 10,
    Interrupt = 11,
    File = 12,
    Handle = 13,
    LocationGroup = 14,
}

/// One table of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
enum IdMap {
    /// Global ids in the order of the local ones.
    Dense(Vec<u64>),
    /// Pairs of local and global id, by local id; what is not there is the same in both.
    Sparse(Vec<(u64, u64)>),
}

impl IdMap {
    fn read(bytes: &mut RecordBytes<'_>) -> ReadResult<IdMap> {
        let (count, mode) = (bytes.u64()?, bytes.u8()?);
        if mode == 0 {
            return Ok(IdMap::Dense(bytes.list(count, RecordBytes::u64)?));
        }
        let mut pairs = bytes.list(count, |bytes| Ok((bytes.u64()?, bytes.u64()?)))?;
        pairs.sort_by_key(|(local, _)| *local);
        Ok(IdMap::Sparse(pairs))
    }

    fn global(&self, local: u64) -> Option<u64> {
        match self {
            IdMap::Dense(ids) => usize::try_from(local).ok().and_then(|local| ids.get(local)).copied(),
            IdMap::Sparse(pairs) => {
                let place = pairs.binary_search_by_key(&local, |(local, _)| *local).ok()?;
                Some(pairs[place].1)
            }
        }
    }
}

/// What the definition file of a location says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LocationDefinitions {
    maps: [Option<Box<IdMap>>; 15],
    pub clock: Correction,
    /// How many clock offsets are not later than the one before.
    pub bad_offsets: u64,
}

impl LocationDefinitions {
    /// Takes one record; all but the two kinds that matter are left alone.
    pub fn add(&mut self, code: u8, bytes: &mut RecordBytes<'_>) -> ReadResult<()> {
        match code {
            5 => {
                let kind = bytes.u8()?;
                let map = IdMap::read(bytes)?;
                if let Some(place) = self.maps.get_mut(usize::from(kind)) {
                    *place = Some(Box::new(map));
                }
            }
            6 => {
                let offset = Offset { time: bytes.full(8)?, offset: bytes.i64()? };
                self.bad_offsets += u64::from(self.clock.add(offset).is_err());
            }
            _ => (),
        }
        Ok(())
    }

    /// The global id of a local one.
    pub fn global(&self, mapping: Mapping, local: u64) -> u64 {
        match &self.maps[mapping as usize] {
            Some(map) => map.global(local).unwrap_or(local),
            None => local,
        }
    }
}
