//! The part of YAML that descriptions of machines need.
//!
//! ```text
//! name: Grid5000          maps and lists by indentation, `- ` before each item of a list,
//! children:               # comments, quoted texts, and JSON in one line
//!   - name: xiru
//!     children: [xiru-0, xiru-1]
//! ```
//! Anchors, tags, several documents and texts over several lines are refused.

use super::{DEEPEST, DescriptionFault, DescriptionItem, DescriptionValue, json, too_deep};

/// A line that says something.
#[derive(Debug, Clone, Copy)]
struct YamlLine<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<DescriptionItem, DescriptionFault> {
    let mut lines = vec![];
    for (index, line) in text.lines().enumerate() {
        let said = without_comment(line).trim_end();
        let indent = said.len() - said.trim_start_matches(' ').len();
        if said.trim_start().starts_with('\t') || said[indent..].starts_with('\t') {
            return Err(DescriptionFault::at(index + 1, "a tab: YAML is indented by spaces"));
        }
        if !said.is_empty() && said != "---" {
            lines.push(YamlLine { number: index + 1, indent, text: &said[indent..] });
        }
    }
    let Some(first) = lines.first().copied() else {
        return Err(DescriptionFault::at(1, "the file is empty"));
    };
    if first.text.starts_with(['{', '[']) {
        return json::parse(text);
    }
    let mut block = Block { lines: &lines, next: 0 };
    let item = block.item(first.indent, 0)?;
    match block.peek() {
        None => Ok(item),
        Some(line) => {
            Err(DescriptionFault::at(line.number, format!("'{}' stands at an indentation of its own", line.text)))
        }
    }
}

/// The line up to a `#` that starts a comment: not inside quotes, and after a space.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (index, character) in line.char_indices() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if character == '#' && before.is_whitespace() => return &line[..index],
            None if "\"'".contains(character) && !before.is_alphanumeric() => quote = Some(character),
            None => {}
        }
        before = character;
    }
    line
}

/// Lines that are read one after the other.
struct Block<'a, 'b> {
    lines: &'b [YamlLine<'a>],
    next: usize,
}

impl<'a> Block<'a, '_> {
    fn peek(&self) -> Option<YamlLine<'a>> {
        self.lines.get(self.next).copied()
    }

    /// The map, list or text whose lines stand at an indentation.
    fn item(&mut self, indent: usize, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
        let Some(first) = self.peek() else {
            let line = self.lines.last().map_or(1, |line| line.number);
            return Err(DescriptionFault::at(line, "a value is missing at the end of the file"));
        };
        if depth > DEEPEST {
            return Err(too_deep(first.number));
        }
        if is_list(first.text) {
            return self.list(first, indent, depth);
        }
        if key_of(first)?.is_some() {
            return self.map(first, indent, depth);
        }
        self.next += 1;
        scalar(first.text, first.number)
    }

    fn list(&mut self, first: YamlLine<'a>, indent: usize, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
        let mut items = vec![];
        while let Some(line) = self.peek().filter(|line| line.indent == indent && is_list(line.text)) {
            let inner = line.text[1..].trim_start();
            if inner.is_empty() {
                self.next += 1;
                items.push(self.below(line, indent, depth)?);
                continue;
            }
            let inner_indent = indent + (line.text.len() - inner.len());
            let inner_line = YamlLine { indent: inner_indent, text: inner, ..line };
            match is_list(inner) || key_of(inner_line)?.is_some() {
                false => {
                    self.next += 1;
                    items.push(scalar(inner, line.number)?);
                }
                // A map or list that begins on the line of its dash goes on below it.
                true => {
                    let mut lines = vec![inner_line];
                    let rest = &self.lines[self.next + 1..];
                    lines.extend(rest.iter().take_while(|line| line.indent > indent));
                    let mut block = Block { lines: &lines, next: 0 };
                    items.push(block.item(inner_indent, depth + 1)?);
                    if let Some(line) = block.peek() {
                        return Err(DescriptionFault::at(
                            line.number,
                            format!("'{}' stands at an indentation of its own", line.text),
                        ));
                    }
                    self.next += lines.len();
                }
            }
        }
        Ok(DescriptionItem { line: first.number, value: DescriptionValue::List(items) })
    }

    fn map(&mut self, first: YamlLine<'a>, indent: usize, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
        let mut entries = vec![];
        while let Some(line) = self.peek().filter(|line| line.indent == indent) {
            let Some((key, value)) = key_of(line)? else {
                return Err(DescriptionFault::at(line.number, format!("expected key: value, got '{}'", line.text)));
            };
            self.next += 1;
            let item = if value.is_empty() { self.below(line, indent, depth)? } else { scalar(value, line.number)? };
            entries.push((key, item));
        }
        Ok(DescriptionItem { line: first.number, value: DescriptionValue::Map(entries) })
    }

    /// The value of a key or dash that stands on the lines below it; a list may stand at the key's own indentation.
    fn below(&mut self, line: YamlLine<'a>, indent: usize, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
        match self.peek() {
            Some(next) if next.indent > indent => self.item(next.indent, depth + 1),
            Some(next) if next.indent == indent && is_list(next.text) && !is_list(line.text) => {
                self.item(indent, depth + 1)
            }
            _ => Err(DescriptionFault::at(line.number, format!("'{}' has no value", line.text))),
        }
    }
}

fn is_list(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key of a line and what follows it; `None` when the line is no `key: value`.
fn key_of(line: YamlLine<'_>) -> Result<Option<(String, &str)>, DescriptionFault> {
    let YamlLine { text, .. } = line;
    if text.starts_with(['{', '[']) {
        return Ok(None);
    }
    if text.starts_with(['&', '*', '!', '|', '>', '%', '@']) {
        return Err(DescriptionFault::at(line.number, format!("'{text}': this part of YAML is not read")));
    }
    for quote in ['"', '\''] {
        if let Some(end) = text.strip_prefix(quote).and_then(|rest| rest.find(quote)) {
            let after = text[end + 2..].trim_start();
            return Ok(after.strip_prefix(':').map(|value| (text[1..=end].to_string(), value.trim_start())));
        }
    }
    match text.strip_suffix(':') {
        Some(key) if !key.contains(": ") => Ok(Some((key.trim_end().to_string(), ""))),
        _ => Ok(text.split_once(": ").map(|(key, value)| (key.trim_end().to_string(), value.trim_start()))),
    }
}

/// A text, or JSON in one line.
fn scalar(text: &str, number: usize) -> Result<DescriptionItem, DescriptionFault> {
    if text.starts_with(['&', '*', '!', '|', '>', '%', '@']) {
        return Err(DescriptionFault::at(number, format!("'{text}': this part of YAML is not read")));
    }
    if text.starts_with(['{', '[', '"', '\'']) {
        let mut item = json::parse(text).map_err(|fault| DescriptionFault::at(number, fault.message))?;
        renumber(&mut item, number);
        return Ok(item);
    }
    Ok(DescriptionItem { line: number, value: DescriptionValue::Text(text.to_string()) })
}

fn renumber(item: &mut DescriptionItem, number: usize) {
    item.line = number;
    match &mut item.value {
        DescriptionValue::Text(_) => {}
        DescriptionValue::List(items) => items.iter_mut().for_each(|item| renumber(item, number)),
        DescriptionValue::Map(entries) => entries.iter_mut().for_each(|(_, item)| renumber(item, number)),
    }
}
