//! The slice that rows lie in now: most rows lie where the one before them does.

use super::words::LONGEST;
use super::{Slicing, TickPosition};

/// Ticks that lie in one slice, which is asked for: from a tick on to nearly the end of its slice. Rows mostly come
/// in the order of time, so that the next ones lie there too.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearTicks {
    pub(super) slice: u32,
    pub(super) begin: i64,
    pub(super) end: i64,
    /// How far behind the beginning of the slice the first of them lies.
    rest: i64,
}

impl NearTicks {
    pub(super) const NOWHERE: NearTicks = NearTicks { slice: 0, begin: 0, end: 0, rest: 0 };

    #[inline]
    pub(super) fn of(slicing: &Slicing, tick: i64) -> NearTicks {
        let (first, last) = slicing.asked();
        match slicing.place(tick) {
            TickPosition::Within { slice, rest } if (first..=last).contains(&slice) && slicing.length() <= LONGEST => {
                NearTicks { slice, begin: tick, end: tick + slicing.ticks_left(rest).max(1), rest }
            }
            _ => NearTicks::NOWHERE,
        }
    }

    /// How far behind the beginning of the slice one of its ticks lies.
    #[inline]
    pub(super) fn rest_of(&self, slicing: &Slicing, tick: i64) -> i64 {
        self.rest + (tick - self.begin) * i64::from(slicing.slices())
    }

    #[inline(always)]
    pub(super) fn has(&self, tick: i64) -> bool {
        self.begin <= tick && tick < self.end
    }
}
