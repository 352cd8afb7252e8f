//! Pictures of a trace: `ocellus draw`.
//!
//! ```text
//!  query ──► rows ──► view ──► picture ──► SVG or PNG
//!                 └─► scene ────────────► binary glTF
//! ```
//! In: an engine and options. Out: the content of a file. Each view is one query, most of them of a table
//! function, and the shapes that show its rows; [`page`] gives title, axes and legend to all of them.

mod color;
mod commgram;
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

pub use color::{Color, Palette};
pub use picture::Picture;
pub use png::to_png;
pub use source::{DrawOptions, Source};
pub use svg::to_svg;

use std::path::Path;

use ocellus_trace::error::{Error, Result};

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
    /// Containers on a base, time upwards: a model in three dimensions
    Scene,
}

/// What decides the places of containers in a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Base {
    /// Those that talk with each other stand together
    #[default]
    Communication,
    /// They stand on the machines of the attached network
    Topology,
    /// They stand inside the containers that hold them
    Treemap,
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    Svg,
    Png,
    /// Binary glTF, for scenes.
    Glb,
}

impl FileFormat {
    /// The format that a name says, which has to suit the view.
    pub fn of(path: &Path, view: View) -> Result<FileFormat> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = match extension.to_ascii_lowercase().as_str() {
            "svg" => Some(FileFormat::Svg),
            "png" => Some(FileFormat::Png),
            "glb" => Some(FileFormat::Glb),
            _ => None,
        };
        let name = path.display();
        match (format, view) {
            (Some(FileFormat::Glb), View::Scene) => Ok(FileFormat::Glb),
            (_, View::Scene) => {
                Err(Error::Usage(format!("a scene has three dimensions and is written as glb: end {name} with .glb")))
            }
            (Some(FileFormat::Glb), _) => {
                Err(Error::Usage(format!("only a scene is written as glb: end {name} with svg or png")))
            }
            (Some(format), _) => Ok(format),
            (None, _) => Err(Error::Usage(format!("the name {name} does not say a format: end it with svg or png"))),
        }
    }
}

/// A drawn view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The content of the file.
    pub content: Vec<u8>,
    /// What the user should know and the picture does not show; often empty.
    pub remark: String,
}

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
