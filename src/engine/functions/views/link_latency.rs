//! `link_latency`: the view of `sql/views/link_latency.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "link_latency",
    "How long links take, and how much they carry per second: one row per type.",
    "Median and 95th percentile are durations that occur: the shortest that half, or 95 of 100, of the links do \
     not exceed. Sorts the links by duration once.",
    &[
        column("type", "TEXT", "Type of the links."),
        column("links", "BIGINT", "How many."),
        column("min_seconds", "DOUBLE", "The shortest duration."),
        column("median_seconds", "DOUBLE", "Half of the links take no longer."),
        column("p95_seconds", "DOUBLE", "95 of 100 links take no longer."),
        column("max_seconds", "DOUBLE", "The longest duration."),
        column("mean_seconds", "DOUBLE", "Mean of the durations."),
        column("standard_deviation", "DOUBLE", "How far they spread around the mean (of all links, not of a sample)."),
        column("volume", "DOUBLE", "What they carried together; NULL when none tells."),
        column("bandwidth", "DOUBLE", "Volume per second of the links that tell one; NULL when they took no time."),
    ],
    &["SELECT type, links, min_seconds, median_seconds, max_seconds, mean_seconds, bandwidth FROM link_latency"],
    include_str!("../../../../sql/views/link_latency.sql"),
);
