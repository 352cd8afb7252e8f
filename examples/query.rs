//! Opens a store, runs SQL, and reads the result as typed Arrow columns.
//!
//! ```text
//! cargo run --release --example query
//! ```

use std::error::Error;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::store::Store;

const QUERY: &str = "
    SELECT container, value, count(*) AS states, sum(duration) AS seconds
    FROM states
    GROUP BY container, value
    ORDER BY seconds DESC
    LIMIT 5";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open_or_create(folder.path())?;
    import(&TraceSource::Path("traces/quickstart.trace".into()), &store, &ImportOptions::default())?;

    // The engine sees the store as it is now. It runs on any tokio runtime.
    let engine = Engine::open(store, EngineOptions::default())?;
    // Plans of nested queries are deep: the threads that run them need a large stack.
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(16 << 20).enable_all().build()?;
    let batches = runtime.block_on(engine.sql(QUERY))?;

    // A result is a list of Arrow record batches: columns, not rows.
    for batch in &batches {
        // Text may be dictionary-encoded; a cast gives plain strings.
        let containers = cast(batch.column(0), &DataType::Utf8)?;
        let values = cast(batch.column(1), &DataType::Utf8)?;
        let containers = containers.as_string::<i32>();
        let values = values.as_string::<i32>();
        let states = batch.column(2).as_primitive::<Int64Type>();
        let seconds = batch.column(3).as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let (container, value) = (containers.value(row), values.value(row));
            println!("{container:<10} {value:<12} {:>4} states {:>8.3} s", states.value(row), seconds.value(row));
        }
    }

    // A wrong query is an error that says what is wrong and what was probably meant.
    if let Err(error) = runtime.block_on(engine.sql("SELECT duratoin FROM states")) {
        println!("{error}");
    }
    Ok(())
}
