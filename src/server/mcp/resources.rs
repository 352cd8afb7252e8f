//! What an assistant may read: the schemas of tables, the pages of functions, and the cookbook. None is a file of the user.
//!
//! ```text
//! ocellus://schemas     ocellus://schemas/TABLE
//! ocellus://functions   ocellus://functions/NAME
//! ocellus://cookbook    ocellus://cookbook/QUERY
//! ```

#[cfg(test)]
mod tests;

use std::fmt::Write;

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::answer::text_answer;
use super::cookbook::{self, COOKBOOK};
use ocellus_engine::functions::{function_index, function_page, registry};
use ocellus_trace::schema;

const SCHEMAS: &str = "ocellus://schemas";
const FUNCTIONS: &str = "ocellus://functions";
const QUERIES: &str = "ocellus://cookbook";

const MARKDOWN: &str = "text/markdown";
const SQL: &str = "application/sql";

/// Everything there is.
pub(super) fn list() -> Vec<Resource> {
    let mut list = vec![
        resource(SCHEMAS, "", "All tables of a trace, with their columns", MARKDOWN),
        resource(FUNCTIONS, "", "All functions and views, a line each", MARKDOWN),
        resource(QUERIES, "", "All queries of the cookbook, a line each", MARKDOWN),
    ];
    list.extend(schema::tables().iter().map(|table| resource(SCHEMAS, &table.name, &table.doc, MARKDOWN)));
    let functions = registry::definitions();
    list.extend(functions.map(|function| resource(FUNCTIONS, function.name, function.description, MARKDOWN)));
    list.extend(COOKBOOK.iter().map(|(name, query)| resource(QUERIES, name, cookbook::title(query), SQL)));
    list
}

/// How the addresses of single ones are made.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |folder: &str, name: &str, doc: &str, media_type: &str| {
        let address = format!("{folder}/{{name}}");
        ResourceTemplate::new(address, name).with_description(doc).with_mime_type(media_type)
    };
    vec![
        template(SCHEMAS, "schema", "A table with its columns", MARKDOWN),
        template(FUNCTIONS, "function", "The page of a function or view", MARKDOWN),
        template(QUERIES, "cookbook query", "A query that runs on any trace", SQL),
    ]
}

/// The content at an address; `None` when there is none.
pub(super) fn read(address: &str) -> Option<ResourceContents> {
    let (text, media_type) = match address {
        SCHEMAS => (schema::markdown(), MARKDOWN),
        FUNCTIONS => (function_index(), MARKDOWN),
        QUERIES => (cookbook_index(), MARKDOWN),
        _ => {
            let (folder, name) = address.rsplit_once('/')?;
            match folder {
                SCHEMAS => (schema::table_markdown(schema::table(name)?), MARKDOWN),
                FUNCTIONS => {
                    let definition = registry::definitions().find(|definition| definition.name == name)?;
                    (function_page(definition), MARKDOWN)
                }
                QUERIES => (cookbook::query(name)?.to_string(), SQL),
                _ => return None,
            }
        }
    };
    Some(ResourceContents::text(text_answer(&text), address).with_mime_type(media_type))
}

fn resource(folder: &str, name: &str, doc: &str, media_type: &str) -> Resource {
    let (address, name) = match name {
        "" => (folder.to_string(), folder.trim_start_matches("ocellus://")),
        name => (format!("{folder}/{name}"), name),
    };
    Resource::new(address, name).with_description(doc).with_mime_type(media_type)
}

fn cookbook_index() -> String {
    let mut text = String::from("# Cookbook\n\nQueries that run on any trace.\n\n| query | question |\n|---|---|\n");
    for (name, query) in COOKBOOK {
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {name} | {} |", cookbook::title(query));
    }
    text
}
