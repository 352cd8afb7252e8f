//! Two sequences of vectors, matched in order: dynamic time warping.
//!
//! ```text
//!  left    a a b c c        every element of either is matched with at least one of the other, the first with the
//!          | |/  | |\       first, the last with the last, and no two matches cross
//!  right   a a   b c c c
//! ```
//! Of all such alignments, the one with the least sum of distances, a distance being the sum of the absolute
//! differences of two vectors. Of equals, at every step back from the end: one element of each, then one of left, then
//! one of right. Cost: left · right · length of a vector; memory: left · right bytes.

#[cfg(test)]
mod tests;

/// How the best alignment came to a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlignmentStep {
    Both,
    Left,
    Right,
}

/// The matched pairs of places, in order; none when either is empty. All vectors have the same length.
pub fn align(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<(usize, usize)> {
    if left.is_empty() || right.is_empty() {
        return vec![];
    }
    let steps = steps(left, right);
    let (mut row, mut column) = (left.len() - 1, right.len() - 1);
    let mut pairs = vec![(row, column)];
    while (row, column) != (0, 0) {
        match steps[row * right.len() + column] {
            AlignmentStep::Both => (row, column) = (row - 1, column - 1),
            AlignmentStep::Left => row -= 1,
            AlignmentStep::Right => column -= 1,
        }
        pairs.push((row, column));
    }
    pairs.reverse();
    pairs
}

/// The sum of the absolute differences of two vectors.
pub fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum()
}

/// The last step of the best alignment of every two beginnings.
fn steps(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<AlignmentStep> {
    let mut steps = vec![AlignmentStep::Both; left.len() * right.len()];
    // Least sums of the row before and of this one, each after a place that nothing reaches.
    let (mut above, mut sums) = (vec![f64::INFINITY; right.len() + 1], vec![f64::INFINITY; right.len() + 1]);
    above[0] = 0.0;
    for (row, steps) in left.iter().zip(steps.chunks_exact_mut(right.len())) {
        sums[0] = f64::INFINITY;
        for (place, column) in right.iter().enumerate() {
            let mut best = (above[place], AlignmentStep::Both);
            for other in [(above[place + 1], AlignmentStep::Left), (sums[place], AlignmentStep::Right)] {
                if other.0 < best.0 {
                    best = other;
                }
            }
            steps[place] = best.1;
            sums[place + 1] = best.0 + distance(row, column);
        }
        std::mem::swap(&mut above, &mut sums);
    }
    steps
}
