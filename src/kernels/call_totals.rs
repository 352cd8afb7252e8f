//! How often and how long each path of nested calls was taken, while calls come in the order of their starts.
//!
//! ```text
//!  0 main  ############    main     1 call    12 ticks
//!  1 f       ###  ##       main/f   2 calls    5 ticks
//! ```
//! Every lane (the calls of a kind of a container) has a stack of its own. What is held are the stacks and the paths.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

/// A call of a lane. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedCall {
    /// The container that is in it.
    pub container: u32,
    /// Number of its kind.
    pub kind: u32,
    /// Number of its name; `None` where it is unknown: then it is in no path, and in none of others.
    pub name: Option<u32>,
    /// How many calls lie around it; `None` as for the name.
    pub depth: Option<u32>,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

impl TimedCall {
    /// What calls that start at one instant are sorted by: outer ones first.
    fn rank(&self) -> (u32, u32, Option<u32>, i64, Option<u32>) {
        (self.container, self.kind, self.depth, self.end, self.name)
    }
}

/// A path and what was found of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathTotal {
    /// The container.
    pub container: u32,
    /// Number of the kind of the calls.
    pub kind: u32,
    /// Name of the last call of the path.
    pub name: Option<u32>,
    /// How deep that is.
    pub depth: Option<u32>,
    /// How many calls.
    pub calls: i64,
    /// Their time in total.
    pub ticks: i64,
    /// Place of the path without its last call; `None` for a lane.
    parent: Option<u32>,
}

/// The last calls of a lane, each within the one before, by place among the paths, and their depths.
#[derive(Debug, Default)]
struct CallStack {
    open: Vec<(u32, u32)>,
    /// The place of the path of no calls.
    root: u32,
}

/// The totals so far; see the file's head.
#[derive(Debug, Default)]
pub struct CallTotals {
    now: i64,
    /// The calls that start now.
    calls: Vec<TimedCall>,
    lanes: HashMap<(u32, u32), u32>,
    stacks: Vec<CallStack>,
    paths: Vec<PathTotal>,
    /// Places of longer paths, by the shorter one and the name and depth of the further call.
    longer: HashMap<(u32, Option<u32>, Option<u32>), u32>,
}

impl CallTotals {
    /// Adds a call that starts no earlier than the one before.
    pub fn add(&mut self, call: TimedCall) {
        if call.start != self.now {
            self.settle();
            self.now = call.start;
        }
        self.calls.push(call);
    }

    /// Adds up what is left.
    pub fn finish(&mut self) {
        self.settle();
    }

    /// The paths, and what was found of them. A path is calls with their names and depths.
    pub fn totals(&self) -> impl Iterator<Item = &PathTotal> {
        self.paths.iter().filter(|path| path.parent.is_some())
    }

    /// The names of a path, the last one first; empty where the name or depth of its last call is unknown.
    pub fn names(&self, path: &PathTotal) -> impl Iterator<Item = u32> {
        let is_known = path.name.is_some() && path.depth.is_some();
        let mut next = Some(*path).filter(|_| is_known);
        std::iter::from_fn(move || {
            let path = next?;
            next = path.parent.map(|place| self.paths[place as usize]);
            path.name
        })
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        // A stack has a few calls.
        self.stacks.capacity() * (size_of::<CallStack>() + 8 * size_of::<(u32, u32)>())
            + self.calls.capacity() * size_of::<TimedCall>()
            + self.paths.capacity() * size_of::<PathTotal>()
            + self.lanes.allocation_size()
            + self.longer.allocation_size()
    }

    /// Adds up the calls that start now.
    fn settle(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        if calls.len() > 1 {
            calls.sort_unstable_by_key(TimedCall::rank);
        }
        for call in calls.drain(..) {
            self.enter(&call);
        }
        self.calls = calls;
    }

    fn enter(&mut self, call: &TimedCall) {
        let lane = self.lane(call.container, call.kind) as usize;
        let known = call.depth.filter(|_| call.name.is_some());
        let stack = &mut self.stacks[lane];
        let mut below = stack.root;
        if let Some(depth) = known {
            while stack.open.pop_if(|(_, other)| *other >= depth).is_some() {}
            below = stack.open.last().map_or(stack.root, |(path, _)| *path);
        }
        let paths = &mut self.paths;
        let path = *self.longer.entry((below, call.name, call.depth)).or_insert_with(|| {
            let TimedCall { container, kind, name, depth, .. } = *call;
            paths.push(PathTotal { container, kind, name, depth, calls: 0, ticks: 0, parent: Some(below) });
            paths.len() as u32 - 1
        });
        let total = &mut paths[path as usize];
        total.calls += 1;
        total.ticks += call.end - call.start;
        if let Some(depth) = known {
            stack.open.push((path, depth));
        }
    }

    fn lane(&mut self, container: u32, kind: u32) -> u32 {
        let CallTotals { lanes, stacks, paths, .. } = self;
        *lanes.entry((container, kind)).or_insert_with(|| {
            stacks.push(CallStack { open: vec![], root: paths.len() as u32 });
            paths.push(PathTotal { container, kind, name: None, depth: None, calls: 0, ticks: 0, parent: None });
            stacks.len() as u32 - 1
        })
    }
}
