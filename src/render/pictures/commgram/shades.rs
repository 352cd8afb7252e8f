//! The colors of flows.

use crate::color::Color;

/// Colors of flows, from the smallest to the largest.
pub(super) const SHADES: [Color; 3] = [Color::new(140, 190, 222), Color::new(244, 160, 90), Color::new(140, 16, 32)];

/// The color of a flow, from 0 to 1.
pub(super) fn shade(share: f64) -> Color {
    if share < 0.5 { SHADES[0].toward(SHADES[1], 2.0 * share) } else { SHADES[1].toward(SHADES[2], 2.0 * share - 1.0) }
}
