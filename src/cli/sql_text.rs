//! SQL on the command line that begins with a comment: `--` there is no option.

#[cfg(test)]
mod tests;

use std::ffi::OsString;

/// The arguments, with a space before each that begins as an option and is SQL. SQL does not mind it, and an error
/// keeps its place, since the line is a comment.
pub fn protected(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut are_options_over = false;
    let mut protected = vec![];
    for argument in arguments {
        are_options_over |= argument == "--";
        let is_sql = !are_options_over && argument.to_str().is_some_and(is_comment);
        protected.push(if is_sql { [OsString::from(" "), argument].into_iter().collect() } else { argument });
    }
    protected
}

/// Whether a text begins with a comment: no option has a space or a line end in its name.
fn is_comment(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    text.starts_with("--") && name.contains(char::is_whitespace)
}
