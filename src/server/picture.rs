//! Pictures within the limits of a query.

use super::error::ServerError;
use super::session::ServerSession;
use ocellus_render::pictures::{DrawOptions, DrawSource, Drawing, FileFormat, PictureView, draw};

/// Draws a view; its pixels take at most `image_limit` bytes. The label is for the log.
pub(super) async fn draw_picture(
    session: &ServerSession,
    view: PictureView,
    format: FileFormat,
    options: DrawOptions,
    image_limit: usize,
    label: &str,
) -> Result<Drawing, ServerError> {
    let drawn = session.work(label, |engine, scope| async move {
        let source = DrawSource::open_within(&engine, &scope, image_limit, &options).await?;
        draw(view, format, &source).await
    });
    drawn.await
}
