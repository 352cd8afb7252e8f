//! Imports a trace into a store and prints a summary.
//!
//! ```text
//! cargo run --release --example import
//! ```

use std::error::Error;

use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::store::Store;

fn main() -> Result<(), Box<dyn Error>> {
    // A store is a folder of Parquet files with a manifest; it holds any number of traces.
    let folder = tempfile::tempdir()?;
    let store = Store::open_or_create(folder.path())?;

    // The format is recognized by the content of the file. The name becomes a SQL schema.
    let source = TraceSource::Path("traces/quickstart.trace".into());
    let options = ImportOptions { name: Some("quickstart".to_string()), ..ImportOptions::default() };
    let summary = import(&source, &store, &options)?;

    let trace = &summary.trace;
    println!("{}: {} bytes of {} in {:?}", trace.name, trace.bytes, trace.format, summary.elapsed);
    for table in &trace.tables {
        println!("  {:<20} {:>6} rows", table.name, table.rows);
    }

    // Faults of a trace do not stop an import: each is reported with a code.
    println!("{} lines were lost", trace.count("lost_lines"));
    for diagnostic in &summary.diagnostics {
        println!("  {} ({} times): {}", diagnostic.code.name(), diagnostic.occurrences, diagnostic.message);
    }
    Ok(())
}
