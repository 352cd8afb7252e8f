//! What a column looks like: so many of its pixels for each of its values.

/// The height from which a column shows a second value that rounds to no pixel.
const MIXED_HEIGHT: u32 = 4;

/// Shares `height` pixels among values whose shares come in falling order, by largest remainders.
///
/// All have together what their shares add up to, rounded, and at least one: what is there is seen. Shares of more than the
/// whole are taken relative to their sum. Where one value would have all pixels of several that have time, the second has
/// one as well, unless the height is less than four: one more where there is room, else one of the first.
pub fn stack_pixels(shares: &[f64], height: u32, pixels: &mut Vec<u32>) {
    let from = pixels.len();
    let covered: f64 = shares.iter().sum();
    let scale = f64::from(height) / covered.max(1.0);
    // A quota is at most the height.
    pixels.extend(shares.iter().map(|share| (share * scale) as u32));
    let stack = &mut pixels[from..];
    let total = ((covered * scale).round() as u32).clamp(1, height.max(1));
    let left = total.saturating_sub(stack.iter().sum());
    if left > 0 {
        // As the shares add up to the total, no value gets more than one.
        let remainder = |at: usize| shares[at] * scale - f64::from(stack[at]);
        let mut order: Vec<usize> = (0..stack.len()).collect();
        order.sort_by(|one, other| remainder(*other).total_cmp(&remainder(*one)));
        order.into_iter().take(left as usize).for_each(|at| stack[at] += 1);
    }
    let is_mixed = shares.get(1).is_some_and(|second| *second > 0.0);
    if is_mixed && height >= MIXED_HEIGHT && stack.iter().filter(|pixels| **pixels > 0).count() == 1 {
        if total == height {
            stack[0] -= 1;
        }
        stack[1] = 1;
    }
}
