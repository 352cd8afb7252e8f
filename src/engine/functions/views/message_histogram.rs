//! `message_histogram`: the view of `sql/views/message_histogram.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "message_histogram",
    "How many links carry how much: a histogram of volumes by powers of two.",
    "A class holds the volumes from from_volume up to, not including, to_volume: [0, 1), [1, 2), [2, 4), [4, 8) \
     and so on. Links without a volume, or with a negative one, are a class of their own, with NULL as its \
     bounds. Classes without links have no row.",
    &[
        column("type", "TEXT", "Type of the links."),
        column("from_volume", "DOUBLE", "Smallest volume of the class; NULL for links without one."),
        column("to_volume", "DOUBLE", "Where the class ends, itself not in it."),
        column("links", "BIGINT", "How many."),
        column("volume", "DOUBLE", "What they carried together."),
        column("mean_seconds", "DOUBLE", "Mean of their durations."),
        column("bandwidth", "DOUBLE", "Volume per second of link; NULL when they took no time."),
    ],
    &["SELECT from_volume, to_volume, links, volume, mean_seconds FROM message_histogram ORDER BY from_volume"],
    include_str!("../../../../sql/views/message_histogram.sql"),
);
