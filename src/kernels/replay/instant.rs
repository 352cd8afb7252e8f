//! The points of one instant of measured time, and those among them that depend on each other.
//!
//! ```text
//!  A ──► B ◄──► C      links without flight: a point is reached no earlier than those that lead to it
//! ```

/// The point of a container at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InstantPoint {
    /// When it is reached, as far as is known from earlier instants.
    pub(super) time: i64,
    /// Whether an earlier instant explains why it was not reached earlier in the measured run.
    pub(super) is_explained: bool,
    /// When it is reached if all time since the point before is the container's own.
    pub(super) own: i64,
}

/// When all points are reached, with pairs of points of which the second needs the first.
///
/// Who waits for others that only wait for each other is explained by nobody: that time is its own.
pub(super) fn solve(points: &mut [InstantPoint], needs: &mut [(usize, usize)]) {
    needs.sort_unstable();
    let mut is_explained: Vec<bool> = points.iter().map(|point| point.is_explained).collect();
    if !needs.is_empty() {
        let mut open: Vec<usize> = (0..points.len()).filter(|place| points[*place].is_explained).collect();
        while let Some(place) = open.pop() {
            for (_, next) in after(needs, place) {
                if !std::mem::replace(&mut is_explained[*next], true) {
                    open.push(*next);
                }
            }
        }
    }
    for (point, _) in points.iter_mut().zip(is_explained).filter(|(_, is_explained)| !is_explained) {
        point.time = point.time.max(point.own);
    }
    if !needs.is_empty() {
        pass_on(points, needs);
    }
}

/// The latest first: each point is reached by the latest of all that lead to it.
fn pass_on(points: &mut [InstantPoint], needs: &[(usize, usize)]) {
    let mut latest: Vec<usize> = (0..points.len()).collect();
    latest.sort_by_key(|place| std::cmp::Reverse(points[*place].time));
    let mut is_known = vec![false; points.len()];
    for first in latest {
        let time = points[first].time;
        let mut open = vec![first];
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut is_known[place], true) {
                points[place].time = time;
                open.extend(after(needs, place).iter().map(|(_, next)| *next));
            }
        }
    }
}

/// The pairs of a first point.
fn after(needs: &[(usize, usize)], place: usize) -> &[(usize, usize)] {
    let from = needs.partition_point(|(first, _)| *first < place);
    let to = needs.partition_point(|(first, _)| *first <= place);
    &needs[from..to]
}
