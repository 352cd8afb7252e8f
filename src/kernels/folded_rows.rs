//! Containers folded into the rows of a picture: each belongs to the nearest row at it or above it.
//!
//! ```text
//!  A            A, D and E are rows:   A stands for B and C, and for itself
//!  ├ B                                 D stands for itself alone: what is below it is in E
//!  ├ C                                 E stands for F and G
//!  └ D
//!    └ E
//!      ├ F
//!      └ G
//! ```

#[cfg(test)]
mod tests;

/// A container in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldedContainer {
    /// Its place in preorder.
    pub preorder: i32,
    /// The place of the last container below it, or its own.
    pub last_descendant: i32,
    /// Whether nothing is below it.
    pub is_leaf: bool,
    /// Whether it is a row.
    pub is_row: bool,
}

/// What a container adds to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowMember {
    /// The container that is the row, by its place in the slice.
    pub row: usize,
    /// How many leaves of the row are below the container, itself included. A row without leaves counts as one.
    pub leaves: i64,
}

/// The row of each container; `None` for one that no row is at or above. Containers come by preorder.
pub fn folded_rows(containers: &[FoldedContainer]) -> Vec<Option<RowMember>> {
    let mut members: Vec<Option<RowMember>> = vec![None; containers.len()];
    // The containers above the current one, the nearest last.
    let mut path: Vec<usize> = vec![];
    for (place, container) in containers.iter().enumerate() {
        while let Some(above) = path.pop_if(|above| containers[*above].last_descendant < container.preorder) {
            pass_up(&mut members, above, path.last().copied());
        }
        let inherited = path.last().and_then(|above| members[*above]).map(|above| above.row);
        let row = if container.is_row { Some(place) } else { inherited };
        members[place] = row.map(|row| RowMember { row, leaves: i64::from(container.is_leaf) });
        path.push(place);
    }
    while let Some(above) = path.pop() {
        pass_up(&mut members, above, path.last().copied());
    }
    for (place, container) in containers.iter().enumerate() {
        if let Some(member) = members[place].as_mut().filter(|_| container.is_row) {
            member.leaves = member.leaves.max(1);
        }
    }
    members
}

/// Adds the leaves of a container to those of the one above it, if both belong to one row.
fn pass_up(members: &mut [Option<RowMember>], below: usize, above: Option<usize>) {
    let Some(RowMember { row, leaves }) = members[below] else { return };
    if let Some(above) = above.and_then(|above| members[above].as_mut()).filter(|above| above.row == row) {
        above.leaves += leaves;
    }
}
