//! `container_ancestors`: the view of `sql/views/container_ancestors.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "container_ancestors",
    "Pairs every container with each of its ancestors, itself included.",
    "Joining it with a table on container_id and grouping by ancestor adds up the tree. A container at depth d \
     has d + 1 rows.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("ancestor_id", "INTEGER", "The container itself, or one above it."),
        column("ancestor", "TEXT", "Name of that one."),
        column("ancestor_type", "TEXT", "Container type of that one."),
        column("ancestor_depth", "INTEGER", "Depth of that one; 0 for a root."),
        column("distance", "INTEGER", "Steps up from the container; 0 for itself."),
    ],
    &["SELECT container, ancestor, distance FROM container_ancestors ORDER BY container_id, distance"],
    include_str!("../../../../sql/views/container_ancestors.sql"),
);
