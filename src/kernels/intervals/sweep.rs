//! A sweep over two sides sorted by start, which holds only what is active.
//!
//! ```text
//!  left   [0 ──────────)        rows come from both sides in the order of their starts;
//!  right      [1 ──)            each meets the active rows of the other side with its key:
//!  left            ·   [2 ──)   those that have ended go, the rest are partners
//! ```
//! Rows are known by where they are kept: a slot, and a row in it.

use super::found::Wanted;
use super::keys::NO_KEY;

/// Where a row is kept: its slot, and its number there.
pub type RowAddress = (u32, u32);

/// What a sweep says about a row of the kept side: its partner, or that none is shown.
pub type SweepMatch = (RowAddress, Option<RowAddress>);

/// The two sides. Rows of the kept side are asked for; those of the other are their partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweptSide {
    /// The side whose rows are asked for.
    Kept,
    /// The side of the partners.
    Other,
}

/// A sweep under way.
#[derive(Debug)]
pub struct IntervalSweep {
    wanted: Wanted,
    kept: ActiveRows,
    other: ActiveRows,
}

/// The rows of a side that may still meet others, by key.
#[derive(Debug, Default)]
struct ActiveRows {
    by_key: Vec<Vec<Active>>,
    count: usize,
    /// How many there were when the last ended ones were looked for.
    count_before: usize,
}

#[derive(Debug, Clone, Copy)]
struct Active {
    end: i64,
    address: RowAddress,
    has_partner: bool,
}

impl IntervalSweep {
    /// A sweep without rows.
    pub fn new(wanted: Wanted) -> IntervalSweep {
        IntervalSweep { wanted, kept: ActiveRows::default(), other: ActiveRows::default() }
    }

    /// Takes in the next row of a side. Spans must come in the order of their starts.
    pub fn take(
        &mut self,
        side: SweptSide,
        key: u32,
        span: (i64, i64),
        address: RowAddress,
        found: &mut Vec<SweepMatch>,
    ) {
        let is_nothing = key == NO_KEY || span.0 >= span.1;
        match side {
            SweptSide::Kept if is_nothing => lonely(self.wanted, address, found),
            SweptSide::Kept => self.take_kept(key, span, address, found),
            SweptSide::Other if is_nothing => {}
            SweptSide::Other => self.take_other(key, span, address, found),
        }
    }

    fn take_kept(&mut self, key: u32, (start, end): (i64, i64), address: RowAddress, found: &mut Vec<SweepMatch>) {
        let partners = self.other.of(key);
        let before = partners.len();
        partners.retain(|partner| partner.end > start);
        let (has_partner, gone) = (!partners.is_empty(), before - partners.len());
        match self.wanted {
            Wanted::Pairs | Wanted::PairsAndLonely => {
                found.extend(partners.iter().map(|partner| (address, Some(partner.address))));
            }
            Wanted::Partnered if has_partner => found.push((address, None)),
            Wanted::Partnered | Wanted::Lonely => {}
        }
        self.other.count -= gone;
        // One partner is all that is asked of some rows.
        let is_settled = has_partner && matches!(self.wanted, Wanted::Partnered | Wanted::Lonely);
        if !is_settled {
            self.kept.add(key, Active { end, address, has_partner });
        }
    }

    fn take_other(&mut self, key: u32, (start, end): (i64, i64), address: RowAddress, found: &mut Vec<SweepMatch>) {
        let wanted = self.wanted;
        let partners = self.kept.of(key);
        let before = partners.len();
        partners.retain_mut(|partner| {
            if partner.end <= start {
                if !partner.has_partner {
                    lonely(wanted, partner.address, found);
                }
                return false;
            }
            partner.has_partner = true;
            match wanted {
                Wanted::Pairs | Wanted::PairsAndLonely => found.push((partner.address, Some(address))),
                Wanted::Partnered => found.push((partner.address, None)),
                Wanted::Lonely => {}
            }
            matches!(wanted, Wanted::Pairs | Wanted::PairsAndLonely)
        });
        let gone = before - partners.len();
        self.kept.count -= gone;
        self.other.add(key, Active { end, address, has_partner: false });
    }

    /// Lets rows go that have ended by `now`, if there may be many.
    pub fn forget(&mut self, now: i64, found: &mut Vec<SweepMatch>) {
        let wanted = self.wanted;
        self.kept.forget(now, |row| {
            if !row.has_partner {
                lonely(wanted, row.address, found);
            }
        });
        self.other.forget(now, |_| {});
    }

    /// Ends the sweep: rows that found no partner never will.
    pub fn finish(&mut self, found: &mut Vec<SweepMatch>) {
        for row in std::mem::take(&mut self.kept).by_key.into_iter().flatten() {
            if !row.has_partner {
                lonely(self.wanted, row.address, found);
            }
        }
        self.other = ActiveRows::default();
    }

    /// How many rows of a side are active.
    pub fn active(&self, side: SweptSide) -> usize {
        self.rows(side).count
    }

    /// Bytes that it holds, about.
    pub fn size(&self) -> usize {
        let of =
            |rows: &ActiveRows| 2 * rows.count * size_of::<Active>() + rows.by_key.len() * size_of::<Vec<Active>>();
        of(&self.kept) + of(&self.other)
    }

    /// Where the active rows of a side are kept; a caller may move them.
    pub fn addresses(&mut self, side: SweptSide) -> impl Iterator<Item = &mut RowAddress> {
        let rows = match side {
            SweptSide::Kept => &mut self.kept,
            SweptSide::Other => &mut self.other,
        };
        rows.by_key.iter_mut().flatten().map(|row| &mut row.address)
    }

    fn rows(&self, side: SweptSide) -> &ActiveRows {
        match side {
            SweptSide::Kept => &self.kept,
            SweptSide::Other => &self.other,
        }
    }
}

/// Says that a row has no partner, if that is asked for.
fn lonely(wanted: Wanted, address: RowAddress, found: &mut Vec<SweepMatch>) {
    if matches!(wanted, Wanted::PairsAndLonely | Wanted::Lonely) {
        found.push((address, None));
    }
}

impl ActiveRows {
    /// With fewer rows it is not worth looking for those that have ended.
    const FEW: usize = 1024;

    fn of(&mut self, key: u32) -> &mut Vec<Active> {
        let key = key as usize;
        if key >= self.by_key.len() {
            self.by_key.resize_with(key + 1, Vec::new);
        }
        &mut self.by_key[key]
    }

    fn add(&mut self, key: u32, row: Active) {
        self.of(key).push(row);
        self.count += 1;
    }

    fn forget(&mut self, now: i64, mut let_go: impl FnMut(&Active)) {
        if self.count < 2 * self.count_before + Self::FEW {
            return;
        }
        for rows in &mut self.by_key {
            rows.retain(|row| {
                let is_active = row.end > now;
                if !is_active {
                    let_go(row);
                }
                is_active
            });
        }
        self.count = self.by_key.iter().map(Vec::len).sum();
        self.count_before = self.count;
    }
}
