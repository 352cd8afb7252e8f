//! Where the columns of phases stand: all as wide, some with room for names at their left.

use super::super::frame::PictureArea;

/// The columns of all phases.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseColumns {
    /// Left edge of each column, after the room for names.
    pub lefts: Vec<f64>,
    /// Width of a column.
    pub width: f64,
}

impl PhaseColumns {
    /// Columns side by side in an area, with the given rooms before them.
    pub fn new(area: &PictureArea, gutters: &[f64]) -> PhaseColumns {
        let width = (area.width - gutters.iter().sum::<f64>()) / gutters.len().max(1) as f64;
        let mut x = area.x;
        let mut lefts = Vec::with_capacity(gutters.len());
        for gutter in gutters {
            lefts.push(x + gutter);
            x += gutter + width;
        }
        PhaseColumns { lefts, width }
    }

    /// The middle between a column and the one before it; of the first, its left edge.
    pub fn border(&self, place: usize) -> f64 {
        match place.checked_sub(1) {
            None => self.lefts[place],
            Some(before) => f64::midpoint(self.lefts[before] + self.width, self.lefts[place]),
        }
    }
}
