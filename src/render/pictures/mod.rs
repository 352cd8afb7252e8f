//! Pictures of a trace: `ocellus draw`.
//!
//! ```text
//!  query ──► rows ──► view ──► picture ──► SVG or PNG
//!                 └─► scene ────────────► binary glTF
//! ```
//! In: an engine and options. Out: the content of a file. Each view is one query, most of them of a table
//! function, and the shapes that show its rows; [`page`] gives title, axes and legend to all of them.

mod commgram;
mod drawing;
mod font;
mod kiviat;
mod labels;
mod matrix;
mod overview;
mod page;
mod phase;
mod picture;
mod pie;
mod png;
mod profile;
mod scene;
mod source;
mod svg;
mod table;
mod timeline;
mod topology;
mod treemap;
mod units;
mod variables;
mod view;

pub use drawing::{Drawing, FileFormat};
pub use picture::Picture;
pub use png::to_png;
pub use source::{DrawOptions, Source};
pub use svg::to_svg;
pub use view::{Base, View};

use ocellus_trace::error::Result;

/// Draws a view of the current trace, in a format that suits it.
pub async fn draw(view: View, format: FileFormat, source: &Source<'_>) -> Result<Drawing> {
    let picture = match view {
        View::Timeline => timeline::draw(source).await?,
        View::Overview => overview::draw(source).await?,
        View::Treemap => treemap::draw(source).await?,
        View::Topology => topology::draw(source).await?,
        View::Profile => profile::draw(source).await?,
        View::Matrix => matrix::draw(source).await?,
        View::Variables => variables::draw(source).await?,
        View::Pie => pie::draw(source).await?,
        View::Kiviat => kiviat::draw(source).await?,
        View::Phase => phase::draw(source).await?,
        View::Commgram => commgram::draw(source).await?,
        View::Scene => return scene::draw(source).await,
    };
    let content = if format == FileFormat::Png { to_png(&picture)? } else { to_svg(&picture).into_bytes() };
    Ok(Drawing { content, remark: String::new() })
}
