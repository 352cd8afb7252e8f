//! The generated page `docs/functions.md`: functions and views by topic, from the registry.

use std::fmt::Write;
use std::fs;

use ocellus::functions::{Definition, registry};

use super::markdown::{is_blessing, read, root};

/// The page.
fn functions_page() -> String {
    let mut text = String::from(
        "# Functions and views\n\nGenerated from the registry; do not edit.\n\n\
         Every function and view has a page with its arguments, its columns and examples. In SQL, \
         `SELECT * FROM ocellus_functions()` lists the same; in the shell, `.functions NAME` describes one. \
         How table functions are called is explained in [SQL](sql.md#table-functions).\n",
    );
    let mut families: Vec<&str> = vec![];
    for definition in registry::definitions() {
        if !families.contains(&definition.family) {
            families.push(definition.family);
        }
    }
    families.sort_by_key(|family| (topic(family).0, *family));
    for family in families {
        let (_, heading, about) = topic(family);
        let _ = write!(text, "\n## {heading}\n\n{about}\n\n| name | kind | description |\n|---|---|---|\n");
        for definition in registry::definitions().filter(|definition| definition.family == family) {
            let Definition { name, form, description, .. } = definition;
            let _ = writeln!(text, "| [{name}](../sql/functions/{name}.md) | {} | {description} |", form.name());
        }
    }
    text
}

/// The position of a family on the page, its heading and one sentence about it.
fn topic(family: &str) -> (usize, &str, &'static str) {
    match family {
        "findings" => (0, "Findings", "Say what is wrong with a run, and prove it."),
        "slices" => (1, "Slices of time", "Cut a window of time into equal slices and add up what lies in each."),
        "time" => (2, "Time and dates", "Convert ticks, seconds and dates."),
        "tree" => (3, "Container tree", "Select containers by their position, and aggregate to their ancestors."),
        "partition" => {
            (4, "Partitions", "Find the best partition of space, time or both, for a given level of detail.")
        }
        "filters" => (5, "Filters", "Reduce a trace to what fits a screen or a question."),
        "intervals" => (6, "Intervals", "Compare and join half-open intervals."),
        "inspection" => (7, "Inspection", "Show the state of the program at an instant."),
        "states" => (8, "States", "Classify states by what the program does in them."),
        "communication" => (9, "Communication", "Phases, communities, wait states and the critical path of messages."),
        "layout" => (10, "Layouts", "Compute positions for treemaps, graphs and scenes, and route messages."),
        "comparison" => (11, "Comparison", "Compare two traces of a store."),
        "views" => (12, "Views", "Queries with a name, one set per trace; they take no arguments."),
        "files" => (13, "Files", "Read files of your own beside the trace."),
        "catalog" => (14, "Catalog", "List what Ocellus adds to SQL."),
        other => (15, other, "Further functions."),
    }
}

#[test]
fn the_index_of_functions_is_current() {
    let path = root().join("docs/functions.md");
    let page = functions_page();
    if is_blessing() {
        fs::write(&path, page).expect("the page is written");
        return;
    }
    assert!(read(&path) == page, "docs/functions.md is stale; OCELLUS_BLESS=1 cargo test --release rewrites it");
}
