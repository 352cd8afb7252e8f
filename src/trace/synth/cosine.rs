//! The cosine in whole numbers, so that every machine rounds it the same way.
//!
//! Numbers have [`BITS`] binary places. An angle is brought to a quarter turn, where the series of
//! the cosine needs a dozen terms.

#[cfg(test)]
mod tests;

/// Binary places of a number.
pub(super) const BITS: u32 = 60;
/// One.
pub(super) const ONE: i64 = 1 << BITS;
/// A full turn: 2 π, rounded to nearest.
const TURN: i128 = 7_244_019_458_077_122_842;

/// The cosine of an angle that is not negative.
pub(super) fn cosine(angle: i128) -> i64 {
    let mut angle = angle % TURN;
    if angle > TURN / 2 {
        angle = TURN - angle;
    }
    if angle > TURN / 4 { -series(TURN / 2 - angle) } else { series(angle) }
}

/// 1 - a²/2! + a⁴/4! - …
fn series(angle: i128) -> i64 {
    let square = (angle * angle) >> BITS;
    let (mut sum, mut term, mut step) = (ONE, ONE, 0);
    while term != 0 {
        step += 2;
        term = -(((i128::from(term) * square) >> BITS) as i64) / (step * (step - 1));
        sum += term;
    }
    sum
}
