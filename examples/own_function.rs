//! Registers a scalar function and uses it beside `state_slices`.
//!
//! ```text
//! cargo run --release --example own_function
//! ```
//! An engine is a DataFusion session with tables and functions for traces: whatever DataFusion accepts (scalar and
//! aggregate functions, tables) can be registered on [`Engine::context`]. Depend on the versions of `datafusion` and
//! `arrow` that Ocellus uses.

use std::error::Error;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::datatypes::{DataType, Float64Type};
use arrow::util::pretty::print_batches;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::store::Store;

const QUERY: &str = "
    SELECT slice, container, round(share, 2) AS share, load_class(share) AS load
    FROM state_slices(slices => 4)
    WHERE value = 'compute'
    ORDER BY slice, container";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open_or_create(folder.path())?;
    import(&TraceSource::Path("traces/quickstart.trace".into()), &store, &ImportOptions::default())?;
    let engine = Engine::open(store, EngineOptions::default())?;

    // load_class(share DOUBLE) -> TEXT. Immutable: the same argument always gives the same result.
    engine.context().register_udf(create_udf(
        "load_class",
        vec![DataType::Float64],
        DataType::Utf8,
        Volatility::Immutable,
        Arc::new(load_class),
    ));

    // Plans of nested queries are deep: the threads that run them need a large stack.
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(16 << 20).enable_all().build()?;
    print_batches(&runtime.block_on(engine.sql(QUERY))?)?;
    Ok(())
}

/// Classifies a whole column at a time; NULL stays NULL.
fn load_class(arguments: &[ColumnarValue]) -> Result<ColumnarValue, DataFusionError> {
    let arrays = ColumnarValue::values_to_arrays(arguments)?;
    let shares = arrays[0].as_primitive::<Float64Type>();
    let classes: StringArray = shares.iter().map(|share| share.map(class)).collect();
    Ok(ColumnarValue::Array(Arc::new(classes) as ArrayRef))
}

fn class(share: f64) -> &'static str {
    match share {
        share if share >= 0.75 => "busy",
        share if share >= 0.25 => "mixed",
        _ => "idle",
    }
}
