//! A drawn view as the content of a file, and the formats of such files.

use std::path::Path;

use super::view::View;
use ocellus_trace::error::{Error, Result};

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
