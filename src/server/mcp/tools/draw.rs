//! `draw`: a picture of a trace, as PNG.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::assistant::Assistant;
use super::tool_call::{ToolAnswer, invalid};
use super::tool_schema::{reading_tool, trace_schema};
use crate::error::ServerError;
use crate::picture::draw_picture;
use ocellus_render::pictures::{DrawOptions, FileFormat, PictureView, check_options, check_ranges};
use ocellus_trace::error::Error;

/// The name of the tool.
pub(super) const NAME: &str = "draw";

/// Views that are pictures.
const VIEWS: [&str; 11] = [
    "timeline",
    "overview",
    "treemap",
    "topology",
    "profile",
    "matrix",
    "variables",
    "pie",
    "kiviat",
    "phase",
    "commgram",
];

/// The longest side that the caller may ask for; an image has twice as many pixels there.
const LONGEST_SIDE: u32 = 2000;
/// Bytes of the pixels in memory: 16 million of them.
const MOST_PIXEL_BYTES: usize = 64 << 20;
/// Bytes of the file.
const LARGEST_FILE: usize = 2 << 20;

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DrawCall {
    view: String,
    trace: Option<String>,
    start: Option<f64>,
    stop: Option<f64>,
    width: Option<u32>,
    height: Option<u32>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    depth: Option<u32>,
    slices: Option<u32>,
}

pub(super) fn definition() -> Tool {
    let description = "A picture of a trace as PNG. timeline: states, links and variables over time, a row per container; \
        overview: the areas of space and time that behave alike; treemap: time as areas; topology and matrix: who \
        communicates with whom; profile: time in each state per slice; variables: their values over time; pie and kiviat: \
        time in each state by container; phase: two variables against each other; commgram: how communication changes. \
        Choose a window with start and stop for large traces.";
    let side = |doc: &str| json!({ "type": "integer", "minimum": 200, "maximum": LONGEST_SIDE, "description": doc });
    let properties = json!({
        "view": { "type": "string", "enum": VIEWS, "description": "What is drawn" },
        "trace": trace_schema(),
        "start": { "type": "number", "description": "Start of the window in seconds" },
        "stop": { "type": "number", "description": "End of the window in seconds" },
        "width": side("Width; the image has twice as many pixels"),
        "height": side("Height; the image has twice as many pixels"),
        "type": { "type": "string", "description": "Only entities of this type" },
        "depth": { "type": "integer", "minimum": 0, "description": "Depth at which the tree of containers is cut" },
        "slices": { "type": "integer", "minimum": 1, "description": "Slices of time" },
    });
    reading_tool(NAME, "Draw", description, properties, &["view"])
}

pub(super) async fn call(assistant: &Assistant, asked: DrawCall) -> Result<ToolAnswer, ServerError> {
    let view = VIEWS.iter().find(|name| **name == asked.view).and_then(|name| PictureView::named(name));
    let view = view.ok_or_else(|| invalid(format!("view must be one of {}", VIEWS.join(", "))))?;
    for (name, side) in [("width", asked.width), ("height", asked.height)] {
        if side.is_some_and(|side| side > LONGEST_SIDE) {
            return Err(invalid(format!("{name} must be at most {LONGEST_SIDE}")));
        }
    }
    let options = DrawOptions {
        start: asked.start,
        stop: asked.stop,
        width: asked.width.map(f64::from),
        height: asked.height.map(f64::from),
        type_name: asked.type_name,
        depth: asked.depth,
        slices: asked.slices,
        ..DrawOptions::default()
    };
    check_ranges(&options).and_then(|()| check_options(view, &options)).map_err(of_options)?;
    let session = assistant.session(asked.trace)?;
    let image_limit = MOST_PIXEL_BYTES.min(assistant.service.limits.query_memory);
    let label = format!("draw {}", asked.view);
    let drawing = draw_picture(&session, view, FileFormat::Png, options, image_limit, &label).await?;
    if drawing.content.len() > LARGEST_FILE {
        let bytes = drawing.content.len();
        let message =
            format!("the picture takes {bytes} bytes, and at most {LARGEST_FILE} are sent: give a smaller size");
        return Err(invalid(message));
    }
    let caption = match drawing.remark.as_str() {
        "" => label,
        remark => format!("{label}: {remark}"),
    };
    Ok(ToolAnswer::Picture { png: drawing.content, caption })
}

/// Options are arguments here.
fn of_options(error: Error) -> ServerError {
    invalid(error.to_string().replace("--", ""))
}
