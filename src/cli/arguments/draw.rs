//! The arguments of `ocellus draw`. What each option does and which views use it is said in the table of
//! [`ocellus_render::pictures::VIEW_OPTIONS`].

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::{EngineArguments, TraceArguments};
use ocellus_render::color::PaletteChoice;
use ocellus_render::pictures::{COMMUNITIES, HEIGHTS, PHASES, PictureView, SLICES, SceneBase, ViewOption, WIDTHS};

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
    #[arg(long, help = ViewOption::help("start"), value_name = "SECONDS", allow_negative_numbers = true)]
    pub start: Option<f64>,
    #[arg(long, help = ViewOption::help("stop"), value_name = "SECONDS", allow_negative_numbers = true)]
    pub stop: Option<f64>,
    #[arg(long, help = ViewOption::help("width"), value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(WIDTHS))]
    pub width: Option<u32>,
    #[arg(long, help = ViewOption::help("height"), value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(HEIGHTS))]
    pub height: Option<u32>,
    #[arg(long = "type", help = ViewOption::help("type"), value_name = "NAME")]
    pub type_name: Option<String>,
    #[arg(long, help = ViewOption::help("depth"), value_name = "N")]
    pub depth: Option<u32>,
    #[arg(long, help = ViewOption::help("slices"), value_name = "N", value_parser = clap::value_parser!(u32).range(SLICES))]
    pub slices: Option<u32>,
    #[arg(long, help = ViewOption::help("p"), value_name = "RATIO")]
    pub p: Option<f64>,
    #[arg(long, help = ViewOption::help("with"), value_name = "RUN")]
    pub with: Option<String>,
    #[arg(long, help = ViewOption::help("align"), value_name = "NAME")]
    pub align: Option<String>,
    #[arg(long, help = ViewOption::help("mode"))]
    pub mode: bool,
    #[arg(long, help = ViewOption::help("palette"), value_name = "NAME", value_enum, ignore_case = true)]
    pub palette: Option<PaletteChoice>,
    #[arg(long, help = ViewOption::help("phases"), value_name = "N", value_parser = clap::value_parser!(u32).range(PHASES))]
    pub phases: Option<u32>,
    #[arg(long, help = ViewOption::help("communities"), value_name = "N", value_parser = clap::value_parser!(u32).range(COMMUNITIES))]
    pub communities: Option<u32>,
    #[arg(long, help = ViewOption::help("flows"))]
    pub flows: bool,
    #[arg(long, help = ViewOption::help("base"), value_name = "NAME", value_enum, ignore_case = true)]
    pub base: Option<SceneBase>,
    #[arg(long, help = ViewOption::help("time-scale"), value_name = "UNITS")]
    pub time_scale: Option<f64>,
    #[arg(long, help = ViewOption::help("query"), value_name = "SQL")]
    pub query: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub reading: TraceArguments,
}
