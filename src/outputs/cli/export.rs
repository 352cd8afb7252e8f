//! `ocellus export`: the result of one query becomes a file.
//!
//! The file appears under its name when it is whole: a query that fails leaves nothing behind.

use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tempfile::{NamedTempFile, TempPath};
use tokio::runtime::Handle;

use super::Outcome;
use super::arguments::ExportArguments;
use super::sizes::{bytes, counted};
use super::source::open;
use crate::engine::AnswerKind;
use crate::error::{Error, Result};
use crate::outputs::formats::{self, Format, Place, ResultWriter, Style};
use crate::outputs::shell::{Answers, Part, note};

/// Runs the command.
pub async fn run(arguments: ExportArguments, workers: Handle) -> Result<Outcome> {
    let path = &arguments.output;
    let format = arguments.format.or_else(|| Format::of_file(path)).ok_or_else(|| {
        Error::Usage(format!(
            "the name {} does not say a format: end it with csv, tsv, json, ndjson, parquet, arrow or md, or give --format",
            path.display()
        ))
    })?;
    if path.exists() && !arguments.force {
        return Err(Error::Usage(format!("{} is there already; --force overwrites it", path.display())));
    }
    let started = Instant::now();
    let engine = open(&arguments.source, arguments.reading, &arguments.engine).await?;
    let (file, partial) = partial_file(path)?.into_parts();
    let style = Style { null: arguments.null.clone(), ..Style::default() };
    let sink = Sink { format, style, file };
    let rows = write_answer(Answers::start(&workers, Arc::new(engine), arguments.sql), sink).await?;
    publish(partial, path)?;
    let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
    note(&format!(
        "wrote {} to {} ({}) in {:.2} s",
        counted(rows, "row"),
        path.display(),
        bytes(size),
        started.elapsed().as_secs_f64()
    ));
    Ok(Outcome::Done)
}

struct Sink {
    format: Format,
    style: Style,
    file: fs::File,
}

/// Writes the answer of one query; tells how many rows there were.
async fn write_answer(mut answers: Answers, sink: Sink) -> Result<u64> {
    let mut writer: Option<Box<dyn ResultWriter>> = None;
    let mut rows = 0;
    let mut file = Some(sink.file);
    while let Some(part) = answers.next().await? {
        match part {
            Part::Start(kind, schema) => {
                if kind != AnswerKind::Rows {
                    return Err(Error::Usage("export takes a query; the statement gives no rows".to_string()));
                }
                let file = file.take().ok_or_else(|| {
                    Error::Usage("export takes one query; the text has several statements".to_string())
                })?;
                let buffered = Box::new(BufWriter::with_capacity(1 << 16, file));
                writer = Some(formats::writer(sink.format, &schema, &sink.style, Place::File, buffered)?);
            }
            Part::Rows(batch) => {
                rows += batch.num_rows() as u64;
                if let Some(writer) = &mut writer {
                    writer.write(&batch)?;
                }
            }
            Part::End => {
                if let Some(mut writer) = writer.take() {
                    writer.finish()?;
                }
            }
        }
    }
    if file.is_some() {
        return Err(Error::Usage("export takes one query; the text has none".to_string()));
    }
    Ok(rows)
}

/// A file beside the wanted one, which vanishes unless it is published.
pub(super) fn partial_file(path: &Path) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ocellus-").suffix(".partial");
    #[cfg(unix)]
    {
        // Readable by others, as far as the umask allows: it is no secret.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|e| Error::io("create", path, e))
}

pub(super) fn publish(partial: TempPath, path: &Path) -> Result<()> {
    partial.persist(path).map_err(|error| Error::io("create", path, error.error))
}
