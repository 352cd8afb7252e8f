//! `ocellus report`: the standard tables and pictures of a trace in one folder.
//!
//! ```text
//!  sql/report/NAME.sql ─► rows ─┬► tables/NAME.csv, tables/NAME.parquet
//!                               └► first rows ─┐
//!  views ─► SVG ───────────────────────────────┼► index.html
//!  sql/report/verdict_NAME.sql ─► sentences ───┘
//! ```
//! The page opens with the verdict and a table of contents; findings come before the pictures.
//! The page holds all that it shows: it opens without a network and without the other files.

mod html;
mod page;
mod table;
mod verdict;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use futures::StreamExt;

pub use self::page::GENERATOR;
use self::page::ReportPage;
use self::table::FirstRows;
use self::verdict::verdict;
use super::formats::{ResultFormat, ResultWriter, SinkKind, TextStyle, writer};
use super::pictures::{DrawOptions, DrawSource, FileFormat, PictureView, draw};
use ocellus_engine::Engine;
use ocellus_trace::error::{Error, Result};

/// The tables after the pictures, in the order of the page. The first comment of a query is its title, the second describes it.
const TABLES: [(&str, &str); 8] = [
    ("profile", include_str!("../../../sql/report/profile.sql")),
    ("profile_by_container", include_str!("../../../sql/report/profile_by_container.sql")),
    ("imbalance", include_str!("../../../sql/report/imbalance.sql")),
    ("slices", include_str!("../../../sql/report/slices.sql")),
    ("partition", include_str!("../../../sql/report/partition.sql")),
    ("communication", include_str!("../../../sql/report/communication.sql")),
    ("variables", include_str!("../../../sql/report/variables.sql")),
    ("diagnostics", include_str!("../../../sql/report/diagnostics.sql")),
];

/// The table that comes first, before the pictures.
const FINDINGS: (&str, &str) = ("findings", include_str!("../../../sql/report/findings.sql"));

/// The pictures, in the order of the page.
const PICTURES: [PictureView; 6] = [
    PictureView::Overview,
    PictureView::Timeline,
    PictureView::Profile,
    PictureView::Treemap,
    PictureView::Matrix,
    PictureView::Variables,
];

/// Folder of the tables inside the report.
const TABLE_FOLDER: &str = "tables";

/// Writes the report of the engine's trace into an empty folder; `progress` is called with the name of each part.
pub async fn write(engine: &Engine, folder: &Path, mut progress: impl FnMut(&str)) -> Result<()> {
    let options = DrawOptions::default();
    let source = DrawSource::open(engine, &options).await?;
    progress("verdict");
    let mut page = ReportPage::new(&source, verdict(&source).await?);
    let tables = folder.join(TABLE_FOLDER);
    fs::create_dir(&tables).map_err(|e| Error::io("create", &tables, e))?;
    let (name, query) = FINDINGS;
    progress(name);
    page.table(name, query, &write_table(engine, query, &tables.join(name)).await?);
    for view in PICTURES {
        let name = view_name(view);
        progress(&name);
        let drawing = draw(view, FileFormat::Svg, &source).await?;
        page.picture(&name, &String::from_utf8_lossy(&drawing.content), &drawing.remark);
    }
    for (name, query) in TABLES {
        progress(name);
        page.table(name, query, &write_table(engine, query, &tables.join(name)).await?);
    }
    let path = folder.join("index.html");
    fs::write(&path, page.finish()).map_err(|e| Error::io("write", &path, e))
}

fn view_name(view: PictureView) -> String {
    clap::ValueEnum::to_possible_value(&view).map_or_else(String::new, |value| value.get_name().to_string())
}

/// Writes the rows of a query into files; gives the first of them.
async fn write_table(engine: &Engine, query: &str, path: &Path) -> Result<FirstRows> {
    let statements = engine.split(query)?;
    let [statement] = statements.as_slice() else {
        return Err(Error::Internal(format!("{} is not one query", path.display())));
    };
    let mut answer = engine.run(statement).await?;
    let mut first = FirstRows::new(&answer.schema);
    let mut files: Vec<Box<dyn ResultWriter>> = vec![];
    for format in [ResultFormat::Csv, ResultFormat::Parquet] {
        let path = path.with_extension(format.name());
        let file = File::create(&path).map_err(|e| Error::io("create", &path, e))?;
        files.push(writer(
            format,
            &answer.schema,
            &TextStyle::default(),
            SinkKind::File,
            Box::new(BufWriter::new(file)),
        )?);
    }
    while let Some(batch) = answer.stream.next().await {
        let batch = batch.map_err(|error| engine.explain_failure(&error, statement))?;
        first.add(&batch)?;
        for file in &mut files {
            file.write(&batch)?;
        }
    }
    files.iter_mut().try_for_each(|file| file.finish())?;
    Ok(first)
}
