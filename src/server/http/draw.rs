//! `/draw/VIEW`: the pictures of `ocellus draw`, within the limits of a query.

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::errors::ErrorResponse;
use super::page::header;
use super::server::Server;
use super::{queries, request};
use crate::picture::draw_picture;
use crate::session::ServerSession;
use ocellus_render::color::PaletteChoice;
use ocellus_render::pictures::{DrawOptions, Drawing, FileFormat, PictureView, SceneBase, check_options, check_ranges};
use ocellus_trace::error::Error;

const REMARK: HeaderName = HeaderName::from_static("x-ocellus-remark");

/// Pictures that are opened like a page have styles of their own, and no rights.
const PICTURE_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox");

/// The options of `ocellus draw`, by the same names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PictureRequest {
    format: Option<String>,
    trace: Option<String>,
    start: Option<f64>,
    stop: Option<f64>,
    width: Option<u32>,
    height: Option<u32>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    depth: Option<u32>,
    slices: Option<u32>,
    p: Option<f64>,
    with: Option<String>,
    align: Option<String>,
    #[serde(default)]
    mode: bool,
    palette: Option<String>,
    phases: Option<u32>,
    communities: Option<u32>,
    #[serde(default)]
    flows: bool,
    base: Option<String>,
    #[serde(rename = "time-scale")]
    time_scale: Option<f64>,
    query: Option<String>,
}

impl PictureRequest {
    fn options(&self) -> Result<DrawOptions, ErrorResponse> {
        Ok(DrawOptions {
            start: self.start,
            stop: self.stop,
            width: self.width.map(f64::from),
            height: self.height.map(f64::from),
            type_name: self.type_name.clone(),
            depth: self.depth,
            slices: self.slices,
            p: self.p,
            with: self.with.clone(),
            align: self.align.clone(),
            mode: self.mode,
            palette: chosen("palette", self.palette.as_deref(), PaletteChoice::named)?,
            phases: self.phases,
            communities: self.communities,
            flows: self.flows,
            base: chosen("base", self.base.as_deref(), SceneBase::named)?,
            time_scale: self.time_scale,
            query: self.query.clone(),
        })
    }
}

fn chosen<T>(option: &str, name: Option<&str>, named: impl Fn(&str) -> Option<T>) -> Result<Option<T>, ErrorResponse> {
    let Some(name) = name else { return Ok(None) };
    let found = named(name).ok_or_else(|| ErrorResponse::bad_request(format!("there is no {option} {name}")))?;
    Ok(Some(found))
}

/// A picture with the options of the address.
pub(super) async fn get(
    State(server): State<Arc<Server>>,
    Path(view): Path<String>,
    headers: HeaderMap,
    address: Uri,
) -> Result<Response, ErrorResponse> {
    picture(&server, &view, &headers, request::from_address(&address)?).await
}

/// A picture with the options of the body.
pub(super) async fn post(
    State(server): State<Arc<Server>>,
    Path(view): Path<String>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ErrorResponse> {
    let asked = request::read_json(request, &server.service.limits).await?;
    picture(&server, &view, &headers, asked).await
}

async fn picture(
    server: &Server,
    view_name: &str,
    headers: &HeaderMap,
    asked: PictureRequest,
) -> Result<Response, ErrorResponse> {
    let view = PictureView::named(view_name).ok_or_else(|| {
        ErrorResponse::new(StatusCode::NOT_FOUND, "not_found", format!("there is no view {view_name}"))
    })?;
    let usual = if view == PictureView::Scene { "glb" } else { "svg" };
    let file = format!("{}.{}", view_name.to_ascii_lowercase(), asked.format.as_deref().unwrap_or(usual));
    let format = FileFormat::of(FilePath::new(&file), view).map_err(of_options)?;
    let options = asked.options()?;
    check_ranges(&options).map_err(of_options)?;
    check_options(view, &options).map_err(of_options)?;
    let session = ServerSession::open_shared(&server.service, asked.trace)?;
    queries::remember(server, headers, &session)?;
    let image_limit = server.service.limits.query_memory;
    let label = format!("draw {view_name}");
    respond(draw_picture(&session, view, format, options, image_limit, &label).await?, format, &file)
}

fn respond(drawing: Drawing, format: FileFormat, file: &str) -> Result<Response, ErrorResponse> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(format)));
    headers.insert(CONTENT_DISPOSITION, header(&format!("inline; filename=\"{file}\""))?);
    headers.insert(CONTENT_SECURITY_POLICY, PICTURE_POLICY);
    if !drawing.remark.is_empty() {
        headers.insert(REMARK, header(&percent_encoded(&drawing.remark))?);
    }
    Ok((headers, drawing.content).into_response())
}

fn media_type(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Svg => "image/svg+xml",
        FileFormat::Png => "image/png",
        FileFormat::Pdf => "application/pdf",
        FileFormat::Glb => "model/gltf-binary",
    }
}

/// Options that do not fit are those of a command line elsewhere.
fn of_options(error: Error) -> ErrorResponse {
    ErrorResponse::bad_request(error.to_string())
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        // Writing to a string does not fail.
        let _ = match byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            true => write!(encoded, "{}", char::from(byte)),
            false => write!(encoded, "%{byte:02X}"),
        };
        encoded
    })
}
