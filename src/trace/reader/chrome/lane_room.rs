//! The first lane with enough room: a tree of maxima over the lanes.
//!
//! ```text
//!            9              first(8): left has 7, so right; left of it has 9: lane 2
//!        7       9
//!      5   7   9   6        lanes 0, 1, 2, 3
//! ```

/// No lane, so no room.
const NONE: i64 = i64::MIN;

/// How far the slices of each lane may reach.
#[derive(Debug, Default)]
pub(super) struct LaneRoom {
    /// The root at 1, the children of `i` at `2 i` and `2 i + 1`, the lanes in the second half.
    tree: Vec<i64>,
    /// Nodes that were looked at.
    #[cfg(test)]
    pub(super) steps: u64,
}

impl LaneRoom {
    /// The first lane whose room is at least this.
    pub fn first(&mut self, room: i64) -> Option<usize> {
        if self.tree.get(1).is_none_or(|most| *most < room) {
            return None;
        }
        let half = self.tree.len() / 2;
        let mut node = 1;
        while node < half {
            self.count();
            node *= 2;
            if self.tree[node] < room {
                node += 1;
            }
        }
        // The least number is room for nothing, also where it is asked for.
        (self.tree[node] != NONE).then_some(node - half)
    }

    /// Sets the room of a lane; lanes come in order.
    pub fn set(&mut self, lane: usize, room: i64) {
        if lane >= self.tree.len() / 2 {
            self.grow();
        }
        let mut node = self.tree.len() / 2 + lane;
        self.tree[node] = room;
        while node > 1 {
            self.count();
            node /= 2;
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }

    /// Doubles the number of lanes.
    fn grow(&mut self) {
        let half = self.tree.len() / 2;
        let lanes: Vec<i64> = self.tree[half..].to_vec();
        let count = (2 * half).max(1);
        self.tree = vec![NONE; 2 * count];
        self.tree[count..count + half].copy_from_slice(&lanes);
        for node in (1..count).rev() {
            self.count();
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
    }

    fn count(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }
}
