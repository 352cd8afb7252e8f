//! Pictures of a trace: `ocellus draw`.
//!
//! ```text
//!  query ──► rows ──► view ──► picture ──► SVG or PNG
//! ```
//! In: an engine and options. Out: a [`Picture`]. Each view is one query, most of them of a table
//! function, and the shapes that show its rows; [`page`] gives title, axes and legend to all of them.

mod color;
mod commgram;
mod font;
mod kiviat;
mod matrix;
mod overview;
mod page;
mod phase;
mod picture;
mod pie;
mod png;
mod profile;
mod source;
mod svg;
mod table;
mod timeline;
mod topology;
mod treemap;
mod units;
mod variables;

pub use color::{Color, Palette};
pub use picture::Picture;
pub use png::to_png;
pub use source::{DrawOptions, Source};
pub use svg::to_svg;

use crate::error::Result;

/// What to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum View {
    /// States, links and variables over time, a row per container
    Timeline,
    /// The best partition of space and time
    Overview,
    /// Time as areas, containers inside those that hold them
    Treemap,
    /// Who talks with whom, as a graph
    Topology,
    /// Time in each state per slice, stacked
    Profile,
    /// Who sends how much to whom
    Matrix,
    /// Variables over time, as steps
    Variables,
    /// Time in each state, per container or in all
    Pie,
    /// One spoke per container, one line per state
    Kiviat,
    /// Two variables against each other
    Phase,
    /// How the pattern of communication changes from phase to phase
    Commgram,
}

/// Draws a view of the current trace.
pub async fn draw(view: View, source: &Source<'_>) -> Result<Picture> {
    match view {
        View::Timeline => timeline::draw(source).await,
        View::Overview => overview::draw(source).await,
        View::Treemap => treemap::draw(source).await,
        View::Topology => topology::draw(source).await,
        View::Profile => profile::draw(source).await,
        View::Matrix => matrix::draw(source).await,
        View::Variables => variables::draw(source).await,
        View::Pie => pie::draw(source).await,
        View::Kiviat => kiviat::draw(source).await,
        View::Phase => phase::draw(source).await,
        View::Commgram => commgram::draw(source).await,
    }
}
