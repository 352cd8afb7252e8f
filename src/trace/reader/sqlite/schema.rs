//! The columns of a table, from the statement that created it.
//!
//! ```text
//! CREATE TABLE name ( column [type …] , … , constraint … )
//! ```

#[cfg(test)]
mod tests;

/// Names of columns, and which of them is the number of the row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableColumns {
    pub names: Vec<String>,
    pub row_number: Option<usize>,
}

/// The columns that a statement declares.
pub(super) fn columns(sql: &str) -> TableColumns {
    let sql = without_comments(sql);
    let Some(start) = sql.find('(') else { return TableColumns::default() };
    let mut columns = TableColumns::default();
    for part in parts(&sql[start + 1..]) {
        let (name, rest) = first_word(part.trim());
        let upper = name.to_ascii_uppercase();
        let is_plain = part.trim().starts_with(|first: char| first.is_alphanumeric() || first == '_');
        if is_plain && matches!(upper.as_str(), "PRIMARY" | "FOREIGN" | "UNIQUE" | "CHECK" | "CONSTRAINT")
            || name.is_empty()
        {
            continue;
        }
        let words: Vec<String> = rest.split_whitespace().map(str::to_ascii_uppercase).collect();
        let is_key = words.windows(2).any(|pair| pair[0] == "PRIMARY" && pair[1] == "KEY");
        if words.first().is_some_and(|type_| type_ == "INTEGER") && is_key {
            columns.row_number = Some(columns.names.len());
        }
        columns.names.push(name);
    }
    columns
}

fn without_comments(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(start) = rest.find("--").into_iter().chain(rest.find("/*")).min() {
        text.push_str(&rest[..start]);
        let (end, len) = if rest[start..].starts_with("--") { ("\n", 0) } else { ("*/", 2) };
        text.push(' ');
        rest = rest[start + 2..].find(end).map_or("", |found| &rest[start + 2 + found + len..]);
    }
    text.push_str(rest);
    text
}

/// The parts between commas that stand in no further parentheses, up to the one that closes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0, 0);
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => (),
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => {
                parts.push(&text[start..at]);
                return parts;
            }
            (None, ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => (),
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A name, in quotes or not, and what follows it.
fn first_word(text: &str) -> (String, &str) {
    let quotes = [('"', '"'), ('`', '`'), ('[', ']'), ('\'', '\'')];
    for (open, close) in quotes {
        if let Some(rest) = text.strip_prefix(open) {
            let end = rest.find(close).unwrap_or(rest.len());
            return (rest[..end].to_string(), rest.get(end + 1..).unwrap_or(""));
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (text[..end].to_string(), &text[end..])
}
