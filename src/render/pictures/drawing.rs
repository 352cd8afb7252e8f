//! A drawn view as the content of a file, and the formats of such files.

use std::path::Path;

use super::view::PictureView;
use ocellus_trace::error::{Error, Result};

/// The format of a picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Vectors as text, with titles on hovering.
    Svg,
    /// Pixels, two per unit of the picture.
    Png,
    /// Vectors on one page, for documents; its text can be selected.
    Pdf,
    /// Binary glTF, for scenes.
    Glb,
}

impl FileFormat {
    /// The format by the extension of a file name; an error when it does not suit the view.
    pub fn of(path: &Path, view: PictureView) -> Result<FileFormat> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = match extension.to_ascii_lowercase().as_str() {
            "svg" => Some(FileFormat::Svg),
            "png" => Some(FileFormat::Png),
            "pdf" => Some(FileFormat::Pdf),
            "glb" => Some(FileFormat::Glb),
            _ => None,
        };
        let unsupported = match extension {
            "" => format!("{} has no extension", path.display()),
            extension => format!("unsupported extension .{extension}"),
        };
        match (format, view) {
            (Some(FileFormat::Glb), PictureView::Scene) => Ok(FileFormat::Glb),
            (_, PictureView::Scene) => {
                Err(Error::Usage(format!("{unsupported} of a scene, which has three dimensions; use .glb")))
            }
            (Some(FileFormat::Glb), _) => {
                Err(Error::Usage("only a scene is written as .glb; use .svg, .png, .pdf".to_string()))
            }
            (Some(format), _) => Ok(format),
            (None, _) => Err(Error::Usage(format!("{unsupported}; use .svg, .png, .pdf"))),
        }
    }
}

/// A drawn view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The content of the file.
    pub content: Vec<u8>,
    /// A remark for the user about what the picture does not show; often empty.
    pub remark: String,
}
