//! `comm_matrix`: the view of `sql/views/comm_matrix.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "comm_matrix",
    "Who sent how much to whom: one row per pair of containers and type of link.",
    "Pairs without links have no row. Links of every type are counted: choose with WHERE type = …. \
     comm_matrix_by_depth shows machines or sites instead of processes, link_slices a window of time.",
    &[
        column("source_id", "INTEGER", "Where the links start."),
        column("source", "TEXT", "Name of that container."),
        column("target_id", "INTEGER", "Where they end."),
        column("target", "TEXT", "Name of that container."),
        column("type", "TEXT", "Type of the links."),
        column("links", "BIGINT", "How many."),
        column("volume", "DOUBLE", "What they carried together; NULL when none tells."),
        column("seconds", "DOUBLE", "Their durations together."),
    ],
    &["SELECT source, target, links, volume, seconds FROM comm_matrix ORDER BY source_id, target_id"],
    include_str!("../../../../sql/views/comm_matrix.sql"),
);
