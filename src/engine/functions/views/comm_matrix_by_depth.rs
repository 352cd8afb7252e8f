//! `comm_matrix_by_depth`: the view of `sql/views/comm_matrix_by_depth.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "comm_matrix_by_depth",
    "Tells who sent how much to whom, at every depth of the container tree: between machines, sites and so on.",
    "At depth d, each end is replaced by its ancestor at depth d; an end above depth d stays as it is, so the \
     links of every depth add up to all links. Depths go from 0 to the deepest end of any link. What stays \
     inside a container has it as source and target. Choose a depth with WHERE depth = ….",
    &[
        column("depth", "INTEGER", "Depth of the containers that are shown."),
        column("source_id", "INTEGER", "The container that holds the starts."),
        column("source", "TEXT", "Name of that container."),
        column("target_id", "INTEGER", "The container that holds the ends; the source itself for what stays inside."),
        column("target", "TEXT", "Name of that container."),
        column("type", "TEXT", "Type of the links."),
        column("links", "BIGINT", "How many."),
        column("volume", "DOUBLE", "What they carried together; NULL when none tells."),
        column("seconds", "DOUBLE", "Their durations together."),
    ],
    &["SELECT source, target, links, volume FROM comm_matrix_by_depth WHERE depth = 1 ORDER BY source_id, \
         target_id"],
    include_str!("../../../../sql/views/comm_matrix_by_depth.sql"),
);
