//! The page of a report: HTML that needs nothing else.
//!
//! ```text
//!  title, verdict
//!  contents ── links to ──► pictures, tables
//! ```

use super::html::escape;
use super::table::FirstRows;
use super::verdict::VerdictStatement;
use crate::pictures::DrawSource;

/// Marks a page as a report: a folder that contains it may be replaced.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"ocellus report\">";

const STYLE: &str = "body{font:15px/1.5 sans-serif;color:#222;max-width:1060px;margin:2em auto;padding:0 1em}\
    h1{font-size:1.6em}h2{font-size:1.2em;margin:2em 0 .3em}p{margin:.3em 0}.files,.empty{color:#666;font-size:.9em}\
    nav ul{columns:3;list-style:none;padding:0;margin:.3em 0}dl{margin:.5em 0}dt{font-weight:bold}dd{margin:0 0 .4em 1.2em}\
    figure{margin:.5em 0}\
    .wide{overflow-x:auto}svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.9em;margin:.5em 0}\
    th{text-align:left;border-bottom:2px solid #bbb}td{border-bottom:1px solid #e4e4e4}th,td{padding:.15em .8em .15em 0}\
    td.n{text-align:right;font-variant-numeric:tabular-nums}";

/// A page that grows.
pub(super) struct ReportPage {
    head: String,
    /// Addresses within the page and titles.
    contents: Vec<(String, String)>,
    body: String,
}

impl ReportPage {
    /// A page with a heading, which trace and when, and the verdict.
    pub fn new(source: &DrawSource<'_>, verdict: Vec<VerdictStatement>) -> ReportPage {
        let title = escape(&source.trace);
        let note = escape(&source.note(""));
        let mut head = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{note}</p>\n\
             <h2 id=\"verdict\">Verdict</h2>\n<dl>\n"
        );
        for VerdictStatement { subject, text } in verdict {
            head.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(subject), escape(&text)));
        }
        head.push_str("</dl>\n");
        ReportPage { head, contents: vec![], body: String::new() }
    }

    /// Adds a picture, which has its own title; a picture of nothing is only said to be one.
    pub fn picture(&mut self, name: &str, svg: &str, remark: &str) {
        let mut title = name.to_string();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.heading(name, &title);
        if remark.is_empty() {
            self.body.push_str(&format!("<figure class=\"wide\">\n{svg}</figure>\n"));
        } else {
            self.body.push_str(&format!("<p class=\"empty\">Not drawn: {}.</p>\n", escape(remark)));
        }
    }

    /// Adds the first rows of a table. The first line of its query is the title, the second describes it.
    pub fn table(&mut self, name: &str, query: &str, rows: &FirstRows) {
        let mut comments = query.lines().filter_map(|line| line.strip_prefix("-- "));
        let title = comments.next().unwrap_or(name);
        self.heading(&format!("table-{name}"), title);
        if let Some(more) = comments.next() {
            self.body.push_str(&format!("<p>{}</p>\n", escape(more)));
        }
        self.body.push_str(&rows.html(name));
    }

    fn heading(&mut self, address: &str, title: &str) {
        self.body.push_str(&format!("<h2 id=\"{address}\">{}</h2>\n", escape(title)));
        self.contents.push((address.to_string(), title.to_string()));
    }

    /// The whole document.
    pub fn finish(self) -> String {
        let ReportPage { head, contents, body } = self;
        let entry =
            |(address, title): &(String, String)| format!("<li><a href=\"#{address}\">{}</a></li>\n", escape(title));
        let contents: String = contents.iter().map(entry).collect();
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "{head}<nav>\n<h2 id=\"contents\">Contents</h2>\n<ul>\n{contents}</ul>\n</nav>\n{body}\
             <p class=\"files\">Made by ocellus {version}.</p>\n</body>\n</html>\n"
        )
    }
}
