//! The page of a report: HTML that needs nothing else.

use super::html::escape;
use super::table::FirstRows;
use crate::pictures::DrawSource;

/// Marks a page as a report: a folder that contains it may be replaced.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"ocellus report\">";

const STYLE: &str = "body{font:15px/1.5 sans-serif;color:#222;max-width:1060px;margin:2em auto;padding:0 1em}\
    h1{font-size:1.6em}h2{font-size:1.2em;margin:2em 0 .3em}p{margin:.3em 0}.files,.empty{color:#666;font-size:.9em}\
    .wide{overflow-x:auto}svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.9em;margin:.5em 0}\
    th{text-align:left;border-bottom:2px solid #bbb}td{border-bottom:1px solid #e4e4e4}th,td{padding:.15em .8em .15em 0}\
    td.n{text-align:right;font-variant-numeric:tabular-nums}";

/// A page that grows.
pub(super) struct ReportPage {
    html: String,
}

impl ReportPage {
    /// A page with a heading: which trace, and when.
    pub fn new(source: &DrawSource<'_>) -> ReportPage {
        let title = escape(&source.trace);
        let note = escape(&source.note(""));
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{note}</p>\n"
        );
        ReportPage { html }
    }

    /// Adds a picture, which has its own title.
    pub fn picture(&mut self, svg: &str, remark: &str) {
        self.html.push_str("<figure class=\"wide\">\n");
        self.html.push_str(svg);
        if !remark.is_empty() {
            self.html.push_str(&format!("<figcaption class=\"files\">{}</figcaption>\n", escape(remark)));
        }
        self.html.push_str("</figure>\n");
    }

    /// Adds the first rows of a table. The first line of its query is the title, the second describes it.
    pub fn table(&mut self, name: &str, query: &str, rows: &FirstRows) {
        let mut comments = query.lines().filter_map(|line| line.strip_prefix("-- "));
        let title = comments.next().unwrap_or(name);
        self.html.push_str(&format!("<h2>{}</h2>\n", escape(title)));
        if let Some(more) = comments.next() {
            self.html.push_str(&format!("<p>{}</p>\n", escape(more)));
        }
        self.html.push_str(&rows.html(name));
    }

    /// The whole document.
    pub fn finish(mut self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        self.html.push_str(&format!("<p class=\"files\">Made by ocellus {version}.</p>\n</body>\n</html>\n"));
        self.html
    }
}
