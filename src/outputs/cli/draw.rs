//! `ocellus draw`: a picture of a trace becomes a file.
//!
//! The file appears under its name when it is whole.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use tokio::runtime::Handle;

use super::Outcome;
use super::arguments::DrawArguments;
use super::export::{partial_file, publish};
use super::sizes::bytes;
use super::source::{open_engine, open_store};
use crate::error::{Error, Result};
use crate::outputs::pictures::{DrawOptions, Picture, Source, View, draw, to_png, to_svg};
use crate::outputs::shell::note;

/// Runs the command.
pub async fn run(arguments: DrawArguments, workers: Handle) -> Result<Outcome> {
    let path = &arguments.output;
    let encode = encoder(path)?;
    if path.exists() && !arguments.force {
        return Err(Error::Usage(format!("{} is there already; --force overwrites it", path.display())));
    }
    let started = Instant::now();
    let store = open_store(&arguments.source, arguments.clock)?;
    let engine = open_engine(store, &arguments.engine).await?;
    let (view, options) = (arguments.view, options(&arguments));
    let painting = workers.spawn(async move { paint(view, &engine, &options).await });
    let picture = tokio::select! {
        picture = painting => picture.map_err(|e| Error::Internal(format!("the picture was not finished: {e}")))??,
        _ = tokio::signal::ctrl_c() => return Err(Error::Cancelled),
    };
    let content = encode(&picture)?;
    let mut file = partial_file(path)?;
    file.write_all(&content).map_err(|e| Error::io("write", path, e))?;
    publish(file.into_temp_path(), path)?;
    let size = bytes(content.len() as u64);
    note(&format!("drew {} ({size}) in {:.2} s", path.display(), started.elapsed().as_secs_f64()));
    Ok(Outcome::Done)
}

async fn paint(view: View, engine: &crate::engine::Engine, options: &DrawOptions) -> Result<Picture> {
    let source = Source::open(engine, options).await?;
    draw(view, &source).await
}

type Encoder = fn(&Picture) -> Result<Vec<u8>>;

fn encoder(path: &Path) -> Result<Encoder> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "svg" => Ok(|picture| Ok(to_svg(picture).into_bytes())),
        "png" => Ok(to_png),
        _ => Err(Error::Usage(format!("the name {} does not say a format: end it with svg or png", path.display()))),
    }
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
        phases: arguments.phases,
        communities: arguments.communities,
        flows: arguments.flows,
        query: arguments.query.clone(),
    }
}
