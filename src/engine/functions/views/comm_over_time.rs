//! `comm_over_time`: the view of `sql/views/comm_over_time.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "comm_over_time",
    "How much is communicated over time: the links of all containers, in 100 slices of the trace.",
    "A link counts in every slice that it shares time with (boundary => 'clip'), and its volume is spread \
     evenly over its duration, so that the slices add up to all seconds and volumes. A link that takes no time \
     counts in links, in the slice of its instant. Slices without links have no row. For other slices, a \
     window, or containers one by one, call link_slices.",
    &[
        column("slice", "BIGINT", "Number of the slice, from 0 on."),
        column("slice_start", "DOUBLE", "When the slice begins, in seconds."),
        column("slice_end", "DOUBLE", "When it ends, in seconds."),
        column("type", "TEXT", "Type of the links."),
        column("links", "BIGINT", "How many were under way at some time of the slice."),
        column("seconds", "DOUBLE", "How long they were under way within the slice, together."),
        column("under_way", "DOUBLE", "How many were under way, on average over the slice."),
        column("volume", "DOUBLE", "What they carried within the slice; 0 when none tells."),
        column("volume_per_second", "DOUBLE", "Volume / length of the slice."),
    ],
    &["SELECT slice_start, type, links, round(under_way, 9) AS under_way, round(volume_per_second, 9) AS \
         volume_per_second FROM comm_over_time WHERE slice IN (65, 70) ORDER BY slice, type"],
    include_str!("../../../../sql/views/comm_over_time.sql"),
);
