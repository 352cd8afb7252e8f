//! `ocellus export`: the result of one query becomes a file, or a folder of Parquet files by value.
//!
//! It appears under its name when it is whole: a query that fails or is stopped leaves nothing behind.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow::datatypes::SchemaRef;
use tempfile::{TempDir, TempPath};
use tokio::runtime::Handle;

use super::arguments::ExportArguments;
use super::outcome::Outcome;
use super::partial::{partial_file, partial_folder, publish_file, publish_folder};
use super::progress::ExportProgressBar;
use super::sizes::{bytes, counted};
use super::source::open;
use crate::shell::{ResultEvent, RunningQuery};
use crate::shutdown::ShutdownSignal;
use ocellus_engine::ResultKind;
use ocellus_render::formats::{
    self, ByteCounter, CountingWriter, PartitionedWriter, ResultFormat, ResultWriter, SinkKind, TextStyle,
};
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

/// Runs the command.
pub async fn run(arguments: ExportArguments, workers: Handle) -> Result<Outcome> {
    let layout = ExportLayout::of(&arguments)?;
    check_free(&arguments.output, &layout, arguments.force)?;
    let started = Instant::now();
    let engine = open(&arguments.source, arguments.reading, &arguments.engine).await?;
    let path = arguments.output;
    // Before anything is there that would be left behind.
    let shutdown = ShutdownSignal::listen()?;
    let target = PendingExport::beside(&path, layout)?;
    let query = RunningQuery::start(&workers, Arc::new(engine), arguments.sql);
    let style = TextStyle { null: arguments.null, ..TextStyle::default() };
    let mut export = ExportWriter { target: &target, style, writer: None, counter: ByteCounter::default(), rows: 0 };
    export.write(query, shutdown).await?;
    let (rows, size) = (export.rows, export.counter.bytes());
    target.publish(&path)?;
    note(&format!(
        "wrote {} to {} ({}) in {:.2} s",
        counted(rows, "row"),
        path.display(),
        bytes(size),
        started.elapsed().as_secs_f64()
    ));
    Ok(Outcome::Done)
}

/// What is written: one file, or a folder.
enum ExportLayout {
    File(ResultFormat),
    /// A folder of Parquet files by the values of these columns.
    Folder(Vec<String>),
}

impl ExportLayout {
    fn of(arguments: &ExportArguments) -> Result<ExportLayout> {
        let path = &arguments.output;
        let format = arguments.format.or_else(|| ResultFormat::of_file(path));
        if !arguments.partition_by.is_empty() {
            return match format {
                None | Some(ResultFormat::Parquet) => Ok(ExportLayout::Folder(arguments.partition_by.clone())),
                Some(other) => {
                    Err(Error::Usage(format!("--partition-by writes a folder of Parquet files, not {}", other.name())))
                }
            };
        }
        format.map(ExportLayout::File).ok_or_else(|| {
            Error::Usage(format!(
                "the name {} does not determine a format: use the extension csv, tsv, json, ndjson, parquet, arrow or md, or give --format",
                path.display()
            ))
        })
    }
}

/// Refuses to overwrite what the user did not say, and folders of anything but an export at all.
fn check_free(path: &Path, layout: &ExportLayout, force: bool) -> Result<()> {
    let refuse = |why: &str| Err(Error::Usage(format!("{} {why}", path.display())));
    if !path.exists() {
        return Ok(());
    }
    match (path.is_dir(), layout) {
        (true, ExportLayout::File(_)) => refuse("is a folder; name a file in it, or give --partition-by"),
        (true, ExportLayout::Folder(_)) => {
            let mut entries = fs::read_dir(path).map_err(|e| Error::io("open", path, e))?;
            let is_export = |name: &str| name.contains('=');
            let foreign = entries.by_ref().flatten().find(|entry| !is_export(&entry.file_name().to_string_lossy()));
            let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
            match foreign {
                Some(_) => refuse("contains other files than an export and is not replaced; choose another folder"),
                None if is_empty || force => Ok(()),
                None => refuse("already exists; --force replaces it"),
            }
        }
        (false, ExportLayout::Folder(_)) => refuse("is a file; choose another name for the folder"),
        (false, ExportLayout::File(_)) if force => Ok(()),
        (false, ExportLayout::File(_)) => refuse("already exists; --force overwrites it"),
    }
}

/// A file or folder that is written before it has its name.
enum PendingExport {
    File { format: ResultFormat, file: File, partial: TempPath },
    Folder { columns: Vec<String>, partial: TempDir },
}

impl PendingExport {
    fn beside(path: &Path, layout: ExportLayout) -> Result<PendingExport> {
        Ok(match layout {
            ExportLayout::File(format) => {
                let (file, partial) = partial_file(path)?.into_parts();
                PendingExport::File { format, file, partial }
            }
            ExportLayout::Folder(columns) => PendingExport::Folder { columns, partial: partial_folder(path)? },
        })
    }

    fn publish(self, path: &Path) -> Result<()> {
        match self {
            PendingExport::File { partial, .. } => publish_file(partial, path),
            PendingExport::Folder { partial, .. } => publish_folder(partial, path),
        }
    }
}

/// Writes a result to its target.
struct ExportWriter<'a> {
    target: &'a PendingExport,
    style: TextStyle,
    /// `None` before the first event.
    writer: Option<Box<dyn ResultWriter>>,
    counter: ByteCounter,
    rows: u64,
}

impl ExportWriter<'_> {
    /// Writes the result of one query, unless the user stops it.
    async fn write(&mut self, mut query: RunningQuery, mut shutdown: ShutdownSignal) -> Result<()> {
        let bar = ExportProgressBar::new();
        let written = loop {
            let event = tokio::select! {
                event = query.next() => event,
                () = shutdown.requested() => Err(Error::Cancelled),
            };
            match event {
                Ok(Some(event)) => match self.take(event) {
                    Ok(()) => bar.advance(self.rows, self.counter.bytes()),
                    Err(error) => break Err(error),
                },
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        bar.finish();
        written?;
        match self.writer {
            Some(_) => Ok(()),
            None => Err(Error::Usage("export takes one query; the text has none".to_string())),
        }
    }

    fn take(&mut self, event: ResultEvent) -> Result<()> {
        match (event, &mut self.writer) {
            (ResultEvent::Start(kind, _), _) if kind != ResultKind::Rows => {
                Err(Error::Usage("export takes a query; the statement returns no rows".to_string()))
            }
            (ResultEvent::Start(_, schema), None) => {
                self.writer = Some(self.open(&schema)?);
                Ok(())
            }
            (ResultEvent::Start(_, _), Some(_)) => {
                Err(Error::Usage("export takes one query; the text has several statements".to_string()))
            }
            (ResultEvent::Rows(batch), Some(writer)) => {
                self.rows += batch.num_rows() as u64;
                writer.write(&batch)
            }
            (ResultEvent::End(notes), Some(writer)) => {
                writer.finish()?;
                notes.iter().for_each(|text| note(&format!("note: {text}")));
                Ok(())
            }
            (_, None) => Err(Error::Internal("rows came before their schema".to_string())),
        }
    }

    fn open(&self, schema: &SchemaRef) -> Result<Box<dyn ResultWriter>> {
        match self.target {
            PendingExport::File { format, file, partial } => {
                let file = file.try_clone().map_err(|e| Error::io("write", partial, e))?;
                let sink = BufWriter::with_capacity(1 << 16, CountingWriter::new(file, &self.counter));
                formats::writer(*format, schema, &self.style, SinkKind::File, Box::new(sink))
            }
            PendingExport::Folder { columns, partial } => {
                Ok(Box::new(PartitionedWriter::new(schema, columns, partial.path(), self.counter.clone())?))
            }
        }
    }
}
