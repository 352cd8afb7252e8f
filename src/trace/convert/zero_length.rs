//! States of one stack at one time: what ends, what begins, and what begins and ends at once.
//!
//! ```text
//! rows, as they were finished        end 1 · none 2 · none 1 · (a begins, depth 1)
//! events                             pop · push none 1, push none 2, pop, pop · push a
//! ```
//! States without length come with the inner ones first, so that their depths tell which are inside which.

#[cfg(test)]
mod tests;

/// A row of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackRow {
    /// A state that began before ends.
    Ends,
    /// A state begins and ends.
    Instant { depth: u32 },
    /// A state begins that ends later.
    Begins { depth: u32 },
}

/// What happens to the stack; states are named by the place of their row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackStep {
    Push(usize),
    Pop,
}

struct InstantNode {
    row: usize,
    depth: u32,
    children: Vec<usize>,
}

/// The steps of rows in the order in which they were finished, on a stack of `height` states.
pub(super) fn steps(rows: &[StackRow], height: u32) -> Vec<StackStep> {
    let mut begins: Vec<(u32, usize)> = vec![];
    for (place, row) in rows.iter().enumerate() {
        if let StackRow::Begins { depth } = row {
            begins.push((*depth, place));
        }
    }
    begins.sort_unstable();
    let mut work = StackWork { steps: vec![], height, begins: begins.into_iter(), nodes: vec![], roots: vec![] };
    for (place, row) in rows.iter().enumerate() {
        match row {
            StackRow::Ends => {
                work.flush();
                work.steps.push(StackStep::Pop);
                work.height = work.height.saturating_sub(1);
            }
            StackRow::Instant { depth } => work.instant(place, *depth),
            StackRow::Begins { .. } => {}
        }
    }
    work.flush();
    work.steps.extend(work.begins.map(|(_, row)| StackStep::Push(row)));
    work.steps
}

struct StackWork<I: Iterator<Item = (u32, usize)>> {
    steps: Vec<StackStep>,
    height: u32,
    /// By depth.
    begins: I,
    nodes: Vec<InstantNode>,
    /// Nodes that are in no other so far.
    roots: Vec<usize>,
}

impl<I: Iterator<Item = (u32, usize)>> StackWork<I> {
    fn instant(&mut self, row: usize, depth: u32) {
        let is_inside = |root: &usize| self.nodes[*root].depth > depth;
        let first = self.roots.len() - self.roots.iter().rev().take_while(|root| is_inside(root)).count();
        let children = self.roots.split_off(first);
        self.roots.push(self.nodes.len());
        self.nodes.push(InstantNode { row, depth, children });
    }

    /// Writes the states without length that are complete.
    fn flush(&mut self) {
        for root in std::mem::take(&mut self.roots) {
            // Those around it that end later begin before it.
            while self.height < self.nodes[root].depth {
                let Some((_, row)) = self.begins.next() else { break };
                self.steps.push(StackStep::Push(row));
                self.height += 1;
            }
            let mut open = vec![(root, 0)];
            self.steps.push(StackStep::Push(self.nodes[root].row));
            while let Some((node, next)) = open.last_mut() {
                match self.nodes[*node].children.get(*next).copied() {
                    Some(child) => {
                        *next += 1;
                        self.steps.push(StackStep::Push(self.nodes[child].row));
                        open.push((child, 0));
                    }
                    None => {
                        self.steps.push(StackStep::Pop);
                        open.pop();
                    }
                }
            }
        }
        self.nodes.clear();
    }
}
