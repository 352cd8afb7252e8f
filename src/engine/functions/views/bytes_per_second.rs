//! `bytes_per_second`: the view of `sql/views/bytes_per_second.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "bytes_per_second",
    "How fast the links of each container are: what they carry per second, as origin and as destination.",
    "bytes_per_second adds up the volume / duration of every link, as in table 4.2 of the thesis; volume / \
     seconds is the bandwidth while links are under way. Links that take no time or tell no volume count in \
     links only. link_slices gives the same over time.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("role", "TEXT", "Origin: the links start there; destination: they end there."),
        column("type", "TEXT", "Type of the links."),
        column("links", "BIGINT", "How many."),
        column("volume", "DOUBLE", "What they carried together; NULL when none tells."),
        column("seconds", "DOUBLE", "Their durations together."),
        column(
            "bytes_per_second",
            "DOUBLE",
            "Volume / duration of each, added up; links without volume or duration add nothing.",
        ),
        column("mean_bytes_per_second", "DOUBLE", "The mean of those that have both."),
    ],
    &["SELECT container, links, volume, bytes_per_second FROM bytes_per_second WHERE role = 'origin' ORDER BY \
         container_id"],
    include_str!("../../../../sql/views/bytes_per_second.sql"),
);
