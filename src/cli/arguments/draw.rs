//! The arguments of `ocellus draw`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::{EngineArguments, TraceArguments};
use ocellus_render::pictures::{PictureView, SceneBase};

#[derive(Debug, Args)]
pub struct DrawArguments {
    /// A store, or a trace: a file, or the folder of a DUMPI or OTF2 trace
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// What to draw
    #[arg(value_enum, ignore_case = true)]
    pub view: PictureView,
    /// File to write; its extension says how: .svg, .png or .pdf, and .glb for a scene
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// First second of the window
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Last second of the window
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Width in pixels
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(200..=8192))]
    pub width: Option<u32>,
    /// Height in pixels
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(150..=8192))]
    pub height: Option<u32>,
    /// Only entities of this type; two, with a comma between them, for phase
    #[arg(long = "type", value_name = "NAME")]
    pub type_name: Option<String>,
    /// Depth of containers at which the tree is cut
    #[arg(long)]
    pub depth: Option<u32>,
    /// How many slices the window is cut into
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub slices: Option<u32>,
    /// How much simplicity counts against accuracy, from 0 to 1, in an overview
    #[arg(long, value_name = "RATIO")]
    pub p: Option<f64>,
    /// Phases of a CommGram; where messages have the largest gaps when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub phases: Option<u32>,
    /// Communities of each phase of a CommGram; those of the largest modularity when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub communities: Option<u32>,
    /// Show who sends how much to whom in each phase of a CommGram
    #[arg(long)]
    pub flows: bool,
    /// What decides the places of containers in a scene
    #[arg(long, value_enum, ignore_case = true)]
    pub base: Option<SceneBase>,
    /// Height of a second in a scene; the base is 100 wide
    #[arg(long, value_name = "UNITS")]
    pub time_scale: Option<f64>,
    /// A query that gives what is drawn, in place of the view's own
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,
    /// Overwrite the file when it is there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub reading: TraceArguments,
}
