//! Runs an engine inside a tokio application: limits on memory and threads, concurrent queries, streamed results.
//!
//! ```text
//! cargo run --release --example embed
//! ```

use std::error::Error;
use std::sync::Arc;

use futures::StreamExt;
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::store::Store;
use tokio::runtime::Builder;

/// Plans of nested queries are deep: the threads that run them need a large stack.
const STACK_SIZE: usize = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open_or_create(folder.path())?;
    for name in ["quickstart", "links"] {
        let source = TraceSource::Path(format!("traces/{name}.trace").into());
        import(&source, &store, &ImportOptions::default())?;
    }

    let options = EngineOptions {
        // Sorts and aggregations that need more than 256 MB spill to disk.
        memory_limit: Some(256 << 20),
        // Partitions of a query.
        threads: Some(2),
        // The trace that names without a schema refer to.
        trace: Some("quickstart".to_string()),
        ..EngineOptions::default()
    };
    let engine = Arc::new(Engine::open(store, options)?);

    let runtime = Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK_SIZE).enable_all().build()?;
    let queries = [
        "SELECT slice, container, value, seconds FROM state_slices(slices => 10)",
        "SELECT * FROM links.comm_matrix",
        "SELECT trace, count(*) AS states FROM all_traces.states GROUP BY trace",
    ];
    // One engine serves any number of tasks.
    let tasks: Vec<_> = queries.map(|query| runtime.spawn(count_rows(Arc::clone(&engine), query))).into();
    for (query, task) in queries.iter().zip(tasks) {
        println!("{:>4} rows: {query}", runtime.block_on(task)??);
    }
    Ok(())
}

/// Runs one query and counts its rows as they arrive; dropping the stream cancels the query.
async fn count_rows(engine: Arc<Engine>, query: &str) -> ocellus::error::Result<usize> {
    let mut rows = 0;
    for statement in engine.split(query)? {
        let mut answer = engine.run(&statement).await?;
        while let Some(batch) = answer.stream.next().await {
            rows += batch.map_err(|error| engine.explain_failure(&error, &statement))?.num_rows();
        }
    }
    Ok(rows)
}
