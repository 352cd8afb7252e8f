//! The numbers that programs give their tracks, and the tracks.

use hashbrown::HashMap;

/// Numbers in use that are found without a search.
const RECENT: usize = 256;
/// No track.
const NONE: u32 = u32::MAX;

/// Tracks by the numbers of programs.
#[derive(Debug)]
pub(super) struct TrackNumbers {
    tracks: HashMap<u64, u32>,
    /// A number and its track, by the hash of the number.
    recent: Box<[(u64, u32); RECENT]>,
}

impl Default for TrackNumbers {
    fn default() -> TrackNumbers {
        TrackNumbers { tracks: HashMap::new(), recent: Box::new([(0, NONE); RECENT]) }
    }
}

impl TrackNumbers {
    pub fn get(&self, number: u64) -> Option<u32> {
        self.tracks.get(&number).copied()
    }

    /// As [`TrackNumbers::get`], and remembers it.
    #[inline]
    pub fn find(&mut self, number: u64) -> Option<u32> {
        let recent = &mut self.recent[place_of(number)];
        if recent.0 != number || recent.1 == NONE {
            *recent = (number, *self.tracks.get(&number)?);
        }
        Some(recent.1)
    }

    pub fn insert(&mut self, number: u64, track: u32) {
        self.tracks.insert(number, track);
        self.recent[place_of(number)] = (number, track);
    }
}

#[inline(always)]
fn place_of(number: u64) -> usize {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}
