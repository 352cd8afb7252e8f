//! `ocellus draw`: a picture of a trace becomes a file.
//!
//! The file appears under its name when it is whole.

use std::io::Write;
use std::time::Instant;

use tokio::runtime::Handle;

use super::arguments::DrawArguments;
use super::outcome::Outcome;
use super::sizes::bytes;
use super::source::open;
use crate::output::OutputFile;
use crate::shell::with_excerpt;
use crate::shutdown::ShutdownSignal;
use ocellus_render::note;
use ocellus_render::pictures::{DrawOptions, DrawSource, Drawing, FileFormat, PictureView, check_options, draw};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::Existing;

/// Runs the command.
pub async fn run(arguments: DrawArguments, workers: Handle) -> Result<Outcome> {
    let path = &arguments.output;
    let format = FileFormat::of(path, arguments.view)?;
    let (view, options) = (arguments.view, options(&arguments));
    check_options(view, &options)?;
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    OutputFile::check(path, existing)?;
    let started = Instant::now();
    let engine = open(&arguments.source, arguments.reading, &arguments.engine).await?;
    let mut shutdown = ShutdownSignal::listen()?;
    let painting = workers.spawn(async move { paint(view, format, &engine, &options).await });
    let drawing = tokio::select! {
        drawing = painting => drawing.map_err(|e| Error::Internal(format!("the picture was not finished: {e}")))??,
        () = shutdown.requested() => return Err(Error::Cancelled),
    };
    let mut file = OutputFile::create(path, existing)?;
    file.writer()?.write_all(&drawing.content).map_err(|e| Error::io("write", path, e))?;
    file.publish()?;
    let size = bytes(drawing.content.len() as u64);
    note(&format!("drew {} ({size}) in {:.2} s", path.display(), started.elapsed().as_secs_f64()));
    if !drawing.remark.is_empty() {
        note(&drawing.remark);
    }
    Ok(Outcome::Done)
}

async fn paint(
    view: PictureView,
    format: FileFormat,
    engine: &ocellus_engine::Engine,
    options: &DrawOptions,
) -> Result<Drawing> {
    let source = DrawSource::open(engine, options).await?;
    let drawing = draw(view, format, &source).await;
    drawing.map_err(|error| match &options.query {
        Some(text) => with_excerpt(error, text),
        None => error,
    })
}

fn options(arguments: &DrawArguments) -> DrawOptions {
    DrawOptions {
        start: arguments.start,
        stop: arguments.stop,
        width: arguments.width.map(f64::from),
        height: arguments.height.map(f64::from),
        type_name: arguments.type_name.clone(),
        depth: arguments.depth,
        slices: arguments.slices,
        p: arguments.p,
        with: arguments.with.clone(),
        align: arguments.align.clone(),
        mode: arguments.mode,
        palette: arguments.palette,
        phases: arguments.phases,
        communities: arguments.communities,
        flows: arguments.flows,
        base: arguments.base,
        time_scale: arguments.time_scale,
        query: arguments.query.clone(),
    }
}
