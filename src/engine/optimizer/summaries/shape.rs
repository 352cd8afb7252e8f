//! What the summaries of tables have; see [`ocellus_trace::store`] for how they are written.

use crate::catalog::IS_CUT;
use ocellus_trace::store::LINK_CLASSES;

/// The column of a summary that holds the width of a band, as a power of two.
pub(super) const LEVEL: &str = "level";

/// What the summary of a table has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SummaryShape {
    /// The tables that have such summaries.
    tables: &'static [&'static str],
    /// The aggregate function that slices their rows.
    pub(super) cells: &'static str,
    /// Columns that a row of a summary has as a row of the table has them.
    pub(super) keys: &'static [&'static str],
    /// Columns of which a summary only knows whether they match a pattern, each with that pattern.
    pub(super) classes: &'static [(&'static str, &'static str)],
    /// When a row begins and ends: in a summary, when its band begins, and that plus the time in it.
    pub(super) times: &'static [&'static str],
    /// Whether rows count as a whole: in a summary, one that crosses borders of bands is there by itself.
    pub(super) rows_are_whole: bool,
    /// Other columns that mean something else in a summary.
    pub(super) values: &'static [&'static str],
    /// Columns of summaries alone: the width of the band, and then what else `cells` must know.
    pub(super) more: &'static [&'static str],
    /// The column of summaries alone that holds how many rows of the table begin in a band.
    pub(super) count: &'static str,
    /// Whether the time in a band is that of all its rows: variables whose value is no number have none there.
    pub(super) has_all_time: bool,
}

const STATES: &str = "states";
const EVENTS: &str = "events";
const LINKS: &str = "links";

static SHAPES: [SummaryShape; 4] = [
    SummaryShape {
        tables: &["states", "state_segments"],
        cells: "state_cells",
        rows_are_whole: false,
        classes: &[],
        keys: &["container_id", "container", "type", "value", "depth", IS_CUT],
        times: &["start_tick", "end_tick"],
        values: &[],
        more: &[LEVEL, STATES],
        count: STATES,
        has_all_time: true,
    },
    SummaryShape {
        tables: &["events"],
        cells: "event_cells",
        rows_are_whole: false,
        classes: &[],
        keys: &["container_id", "container", "type", "value"],
        times: &["tick"],
        values: &[],
        more: &[LEVEL, EVENTS],
        count: EVENTS,
        has_all_time: true,
    },
    SummaryShape {
        tables: &["variables"],
        cells: "variable_cells",
        rows_are_whole: false,
        classes: &[],
        keys: &["container_id", "container", "type"],
        times: &["start_tick", "end_tick"],
        values: &["value"],
        more: &[LEVEL, "integral_rest", "minimum", "maximum"],
        count: "variables",
        has_all_time: false,
    },
    SummaryShape {
        tables: &["links"],
        cells: "link_cells",
        rows_are_whole: true,
        keys: &["container_id", "container", "type", "source_id", "source", "target_id", "target"],
        classes: &LINK_CLASSES,
        times: &["start_tick", "end_tick"],
        values: &["volume"],
        more: &[LEVEL, LINKS, "volume_rest", "weighted", "weighted_rest", "rate", "rate_rest"],
        count: LINKS,
        has_all_time: true,
    },
];

impl SummaryShape {
    /// That of the tables whose rows a function slices.
    pub(super) fn of_function(name: &str) -> Option<&'static SummaryShape> {
        SHAPES.iter().find(|shape| shape.cells == name)
    }

    /// That of a table, if it has summaries.
    pub(super) fn of_table(name: &str) -> Option<&'static SummaryShape> {
        SHAPES.iter().find(|shape| shape.tables.contains(&name))
    }

    /// Whether slices need the number of rows, so that every summary has it.
    pub(super) fn always_counts(&self) -> bool {
        self.more.contains(&self.count)
    }

    /// Whether both have a column of that name.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        [self.keys, self.times, self.values].iter().any(|names| names.contains(&name)) || self.class(name).is_some()
    }

    /// The pattern of a column of which a summary knows whether it matches.
    pub(super) fn class(&self, name: &str) -> Option<&'static str> {
        self.classes.iter().find(|(column, _)| *column == name).map(|(_, pattern)| *pattern)
    }
}
