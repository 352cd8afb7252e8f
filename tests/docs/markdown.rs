//! Reads as much Markdown as the tests of the documentation need: fenced blocks, comments, headings and links.
//!
//! In: the text of a page. Out: its elements in order, each with its line.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders without pages of ours.
const SKIPPED_FOLDERS: [&str; 4] = [".git", "node_modules", "target", "site"];

/// The folder of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether `OCELLUS_BLESS=1` asks to rewrite generated text in place of comparing it.
pub fn is_blessing() -> bool {
    std::env::var_os("OCELLUS_BLESS").is_some_and(|value| value == "1")
}

/// All Markdown files below a folder, sorted.
pub fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !SKIPPED_FOLDERS.contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The guide: the pages whose examples are run.
pub fn guide_pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    pages.extend(pages_below(&root().join("docs")));
    pages
}

/// A path as messages show it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The text of a page.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)))
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// Line of the opening fence, from 1.
    pub line: usize,
    /// What follows the opening fence: the language.
    pub info: String,
    pub body: Vec<String>,
}

/// An element of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    Fence(Fence),
    /// `<!-- text -->` on a line of its own.
    Comment(String),
    /// Any other line, with its number.
    Line(usize, String),
}

/// The elements of a page, in order. A fence that is never closed is an error.
pub fn elements(text: &str) -> Result<Vec<Element>, String> {
    let mut elements = vec![];
    let mut open: Option<Fence> = None;
    for (index, line) in text.lines().enumerate() {
        match open.as_mut() {
            Some(_) if line.trim_end() == "```" => elements.extend(open.take().map(Element::Fence)),
            Some(fence) => fence.body.push(line.to_string()),
            None => {
                let trimmed = line.trim();
                if let Some(info) = line.strip_prefix("```") {
                    open = Some(Fence { line: index + 1, info: info.trim().to_string(), body: vec![] });
                } else if let Some(comment) = trimmed.strip_prefix("<!--").and_then(|t| t.strip_suffix("-->")) {
                    elements.push(Element::Comment(comment.trim().to_string()));
                } else {
                    elements.push(Element::Line(index + 1, line.to_string()));
                }
            }
        }
    }
    match open {
        Some(fence) => Err(format!("the block of line {} is never closed", fence.line)),
        None => Ok(elements),
    }
}

/// The anchors that the headings of a page get, as GitHub makes them.
pub fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = vec![];
    for element in elements(text).unwrap_or_default() {
        let Element::Line(_, line) = element else { continue };
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = seen.entry(slug.clone()).or_default();
        anchors.push(if *count == 0 { slug.clone() } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

/// The targets of the links and pictures of a page, each with its line. Text in backquotes holds no links.
pub fn link_targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = vec![];
    for element in elements(text).unwrap_or_default() {
        let Element::Line(number, line) = element else { continue };
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for after in prose.split("](").skip(1) {
            if let Some((target, _)) = after.split_once(')') {
                targets.push((number, target.to_string()));
            }
        }
    }
    targets
}

#[test]
fn blocks_comments_headings_and_links_are_found() {
    let text = "# A page: of *two* parts\n<!-- source: x -->\n```sql\nSELECT 1;\n```\n\n## Part\n## Part\n\
                see [`this`](a.md#part) and ![that](b.svg), not `[x](y)`\n";
    let fence = Fence { line: 3, info: "sql".to_string(), body: vec!["SELECT 1;".to_string()] };
    let found = elements(text).expect("a page");
    assert_eq!(found[1], Element::Comment("source: x".to_string()));
    assert_eq!(found[2], Element::Fence(fence));
    assert_eq!(anchors(text), ["a-page-of-two-parts", "part", "part-1"]);
    assert_eq!(link_targets(text), [(9, "a.md#part".to_string()), (9, "b.svg".to_string())]);
    assert!(elements("```sql\nSELECT 1;\n").is_err());
}
