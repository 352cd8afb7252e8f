//! The example of `docs/library.md`, compiled and run; the page must show the same lines.

use super::markdown::{Element, elements, read, root};

// The page shows what lies between the two markers.
// begin example
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::store::Store;

async fn seconds_per_state(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open_or_create(folder)?;
    let trace = TraceSource::Path("traces/quickstart.trace".into());
    let summary = import(&trace, &store, &ImportOptions::default())?;
    println!("{} states", summary.trace.rows("states"));

    let engine = Engine::open(store, EngineOptions::default())?;
    let sql = "SELECT value, sum(duration) AS seconds FROM states GROUP BY value ORDER BY seconds DESC";
    for batch in engine.sql(sql).await? {
        println!("{batch:?}"); // an Arrow RecordBatch
    }
    Ok(())
}
// end example

#[test]
fn the_example_of_the_library_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(seconds_per_state(folder.path())).expect("the example runs");
}

#[test]
fn the_page_shows_the_example() {
    let source = include_str!("library.rs");
    let example = source.split("// begin example\n").nth(1).and_then(|rest| rest.split("// end example").next());
    let example: Vec<&str> = example.unwrap_or_default().trim_end().lines().collect();
    assert!(example.len() > 10, "the markers of the example are gone");
    let page = elements(&read(&root().join("docs/library.md"))).expect("a page");
    let is_shown = page.iter().any(|element| match element {
        Element::Fence(fence) => fence.info == "rust" && fence.body == example,
        _ => false,
    });
    assert!(is_shown, "docs/library.md does not show this example:\n{}", example.join("\n"));
}
