//! Which views use which options: the one table that checks, help and documentation are made from.
//!
//! An option that a view does not use is refused, and so is one that has no effect beside `--query`: whoever gives an
//! option expects it to change the picture.

use std::ops::RangeInclusive;

use clap::ValueEnum;

use super::source::DrawOptions;
use super::view::PictureView;
use ocellus_trace::error::{Error, Result};

/// Widths of a picture, in pixels.
pub const WIDTHS: RangeInclusive<i64> = 200..=8192;
/// Heights of a picture, in pixels.
pub const HEIGHTS: RangeInclusive<i64> = 150..=8192;
/// Slices that a window may be cut into.
pub const SLICES: RangeInclusive<i64> = 1..=10_000;
/// Phases of a CommGram.
pub const PHASES: RangeInclusive<i64> = 1..=1000;
/// Communities of a phase.
pub const COMMUNITIES: RangeInclusive<i64> = 1..=u32::MAX as i64;

/// An option of `ocellus draw` that decides about a picture.
#[derive(Debug, Clone, Copy)]
pub struct ViewOption {
    /// Its name on the command line, without the dashes.
    pub name: &'static str,
    /// What stands for its value; empty for a switch.
    pub value: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The views that use it.
    pub views: &'static [PictureView],
    /// Those of them that do not use it when `--query` gives what is drawn.
    pub unused_with_query: &'static [PictureView],
    /// Whether it was given.
    pub is_given: fn(&DrawOptions) -> bool,
}

use PictureView::{
    Commgram, Difference, Kiviat, Matrix, Overview, Phase, Pie, Profile, Scene, Timeline, Topology, Treemap, Variables,
};

const ALL: &[PictureView] = &[
    Timeline, Overview, Difference, Treemap, Topology, Profile, Matrix, Variables, Pie, Kiviat, Phase, Commgram, Scene,
];
/// All that are flat.
const FLAT: &[PictureView] =
    &[Timeline, Overview, Difference, Treemap, Topology, Profile, Matrix, Variables, Pie, Kiviat, Phase, Commgram];
/// All that show a window of one run.
const WINDOWED: &[PictureView] =
    &[Timeline, Overview, Treemap, Topology, Profile, Matrix, Variables, Pie, Kiviat, Phase, Commgram, Scene];
/// Those whose query gives amounts without times.
const TIMELESS: &[PictureView] = &[Treemap, Topology, Matrix, Pie, Kiviat, Phase, Commgram];

/// All options, in the order of the help.
pub const VIEW_OPTIONS: &[ViewOption] = &[
    ViewOption {
        name: "start",
        value: "SECONDS",
        doc: "Start of the window",
        views: WINDOWED,
        unused_with_query: TIMELESS,
        is_given: |options| options.start.is_some(),
    },
    ViewOption {
        name: "stop",
        value: "SECONDS",
        doc: "End of the window",
        views: WINDOWED,
        unused_with_query: TIMELESS,
        is_given: |options| options.stop.is_some(),
    },
    ViewOption {
        name: "width",
        value: "PIXELS",
        doc: "Width",
        views: FLAT,
        unused_with_query: &[],
        is_given: |options| options.width.is_some(),
    },
    ViewOption {
        name: "height",
        value: "PIXELS",
        doc: "Height",
        views: FLAT,
        unused_with_query: &[],
        is_given: |options| options.height.is_some(),
    },
    ViewOption {
        name: "type",
        value: "NAME",
        doc: "Only entities of this type; two, with a comma between them, for phase and treemap",
        views: &[Timeline, Overview, Treemap, Profile, Matrix, Variables, Pie, Kiviat, Phase, Commgram, Scene],
        unused_with_query: &[Treemap, Profile, Matrix, Variables, Pie, Kiviat, Commgram, Scene],
        is_given: |options| options.type_name.is_some(),
    },
    ViewOption {
        name: "depth",
        value: "N",
        doc: "Depth at which the container tree is cut",
        views: &[Timeline, Overview, Difference, Treemap, Topology, Matrix],
        unused_with_query: &[Difference, Topology, Matrix],
        is_given: |options| options.depth.is_some(),
    },
    ViewOption {
        name: "slices",
        value: "N",
        doc: "How many slices the window is cut into",
        views: &[Overview, Difference, Profile, Variables, Phase],
        unused_with_query: &[Difference, Variables, Phase],
        is_given: |options| options.slices.is_some(),
    },
    ViewOption {
        name: "p",
        value: "RATIO",
        doc: "0 = full detail, 1 = simplest",
        views: &[Overview, Difference],
        unused_with_query: &[Difference],
        is_given: |options| options.p.is_some(),
    },
    ViewOption {
        name: "with",
        value: "RUN",
        doc: "Run of the store that the trace is compared with; the only other one when not given",
        views: &[Difference],
        unused_with_query: &[Difference],
        is_given: |options| options.with.is_some(),
    },
    ViewOption {
        name: "align",
        value: "NAME",
        doc: "What is compared with what: normalised, start or phases",
        views: &[Difference],
        unused_with_query: &[Difference],
        is_given: |options| options.align.is_some(),
    },
    ViewOption {
        name: "mode",
        value: "",
        doc: "Show only the state with most time in each column, not the mix of all",
        views: &[Timeline],
        unused_with_query: &[],
        is_given: |options| options.mode,
    },
    ViewOption {
        name: "palette",
        value: "NAME",
        doc: "Colors of states",
        views: &[Timeline, Overview, Treemap, Profile, Pie, Kiviat, Scene],
        unused_with_query: &[],
        is_given: |options| options.palette.is_some(),
    },
    ViewOption {
        name: "phases",
        value: "N",
        doc: "How many phases; where messages have the largest gaps when not given",
        views: &[Commgram],
        unused_with_query: &[Commgram],
        is_given: |options| options.phases.is_some(),
    },
    ViewOption {
        name: "communities",
        value: "N",
        doc: "How many communities in each phase; those of the largest modularity when not given",
        views: &[Commgram],
        unused_with_query: &[Commgram],
        is_given: |options| options.communities.is_some(),
    },
    ViewOption {
        name: "flows",
        value: "",
        doc: "Show who sends how much to whom in each phase",
        views: &[Commgram],
        unused_with_query: &[Commgram],
        is_given: |options| options.flows,
    },
    ViewOption {
        name: "base",
        value: "NAME",
        doc: "What decides the positions of containers",
        views: &[Scene],
        unused_with_query: &[],
        is_given: |options| options.base.is_some(),
    },
    ViewOption {
        name: "time-scale",
        value: "UNITS",
        doc: "Height of a second; the base is 100 wide",
        views: &[Scene],
        unused_with_query: &[],
        is_given: |options| options.time_scale.is_some(),
    },
    ViewOption {
        name: "query",
        value: "SQL",
        doc: "Query whose rows are drawn instead of the view's own",
        views: ALL,
        unused_with_query: &[],
        is_given: |options| options.query.is_some(),
    },
];

impl ViewOption {
    /// Its line in the help: what it does, and for which views unless it is for all.
    pub fn help(name: &str) -> String {
        match VIEW_OPTIONS.iter().find(|option| option.name == name) {
            Some(option) if option.views.len() == ALL.len() => option.doc.to_string(),
            Some(option) => format!("{} ({})", option.doc, option.views_text()),
            None => String::new(),
        }
    }

    /// The views that use it, as a user types them; `all but …` when few do not.
    pub fn views_text(&self) -> String {
        let missing: Vec<String> =
            ALL.iter().filter(|view| !self.views.contains(view)).map(|view| name(*view)).collect();
        match missing.as_slice() {
            [] => "all".to_string(),
            [one] => format!("all but {one}"),
            _ => self.views.iter().map(|view| name(*view)).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Refuses options that a view does not use.
pub fn check_options(view: PictureView, options: &DrawOptions) -> Result<()> {
    let view_name = name(view);
    for option in VIEW_OPTIONS.iter().filter(|option| (option.is_given)(options)) {
        if !option.views.contains(&view) {
            let users = match option.views.len() + 1 == ALL.len() {
                true => "all other views do".to_string(),
                false => format!("it is for {}", option.views_text()),
            };
            return Err(Error::Usage(format!("the view {view_name} does not use --{}; {users}", option.name)));
        }
        if options.query.is_some() && option.unused_with_query.contains(&view) {
            return Err(Error::Usage(format!(
                "--{} has no effect in the view {view_name} when --query gives what is drawn; put it into the query",
                option.name
            )));
        }
    }
    Ok(())
}

/// Refuses sizes and numbers that no picture has.
pub fn check_ranges(options: &DrawOptions) -> Result<()> {
    let number = |count: Option<u32>| count.map(i64::from);
    let pixels = |length: Option<f64>| length.map(|length| length as i64);
    for (name, value, range) in [
        ("width", pixels(options.width), WIDTHS),
        ("height", pixels(options.height), HEIGHTS),
        ("slices", number(options.slices), SLICES),
        ("phases", number(options.phases), PHASES),
        ("communities", number(options.communities), COMMUNITIES),
    ] {
        if let Some(value) = value.filter(|value| !range.contains(value)) {
            let (least, most) = (range.start(), range.end());
            return Err(Error::Usage(format!("{name} must be between {least} and {most}, got {value}")));
        }
    }
    Ok(())
}

/// A view as a user types it.
fn name(view: PictureView) -> String {
    view.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}
