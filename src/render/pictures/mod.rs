//! Pictures of a trace: `ocellus draw`.
//!
//! ```text
//!  query ──► rows ──► view ──► picture ──► SVG, PNG or PDF
//!                 └─► scene ────────────► binary glTF
//! ```
//! In: an engine and options. Out: the content of a file. Each view is one query, most of them of a table
//! function, and the shapes that show its rows; [`frame`] gives title, axes and legend to all of them.

mod commgram;
mod container_labels;
mod difference;
mod drawing;
mod font;
mod frame;
mod kiviat;
mod labels;
mod legend;
mod matrix;
mod overview;
mod pdf;
mod phase;
mod picture;
mod pie;
mod png;
mod profile;
mod query_rows;
mod scene;
pub(crate) mod source;
mod svg;
mod timeline;
mod topology;
mod treemap;
pub(crate) mod units;
mod value_colors;
mod variables;
mod view;
mod view_options;

pub use drawing::{Drawing, FileFormat};
pub use pdf::to_pdf;
pub use picture::Picture;
pub use png::{image_bytes, to_png};
pub(crate) use query_rows::QueryRows;
pub use source::{DrawOptions, DrawSource};
pub use svg::to_svg;
pub use view::{PictureView, SceneBase};
pub use view_options::{
    COMMUNITIES, HEIGHTS, PHASES, SLICES, VIEW_OPTIONS, ViewOption, WIDTHS, check_options, check_ranges,
};

use ocellus_trace::error::Result;

/// Draws a view of the current trace, in a format that suits it. Options that the view does not use are an error.
pub async fn draw(view: PictureView, format: FileFormat, source: &DrawSource<'_>) -> Result<Drawing> {
    check_options(view, source.options)?;
    let picture = match view {
        PictureView::Timeline => timeline::draw(source).await?,
        PictureView::Overview => overview::draw(source).await?,
        PictureView::Difference => difference::draw(source).await?,
        PictureView::Treemap => treemap::draw(source).await?,
        PictureView::Topology => topology::draw(source).await?,
        PictureView::Profile => profile::draw(source).await?,
        PictureView::Matrix => matrix::draw(source).await?,
        PictureView::Variables => variables::draw(source).await?,
        PictureView::Pie => pie::draw(source).await?,
        PictureView::Kiviat => kiviat::draw(source).await?,
        PictureView::Phase => phase::draw(source).await?,
        PictureView::Commgram => commgram::draw(source).await?,
        PictureView::Scene => return scene::draw(source).await,
    };
    let content = match format {
        FileFormat::Png => {
            source.check_image(&picture)?;
            to_png(&picture)?
        }
        FileFormat::Pdf => to_pdf(&picture)?,
        FileFormat::Svg | FileFormat::Glb => to_svg(&picture).into_bytes(),
    };
    Ok(Drawing { content, remark: picture.remark })
}
