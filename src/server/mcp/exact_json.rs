//! A text of JSON that we wrote, as a value. Doubles stay exact: serde_json reads some of them a bit off, and the feature
//! that mends it would rebuild all that depends on it.

#[cfg(test)]
mod tests;

use serde_json::{Map, Number, Value};

/// Lists and objects within each other, at most. What is deeper becomes its text.
const DEEPEST: usize = 100;

/// The value of a text; `None` when it is no JSON.
pub(super) fn exact_json(text: &str) -> Option<Value> {
    let mut reader = JsonReader { text, at: 0 };
    let value = reader.value(0)?;
    reader.skip_space();
    (reader.at == text.len()).then_some(value)
}

/// Where a text is read.
struct JsonReader<'a> {
    text: &'a str,
    at: usize,
}

impl JsonReader<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'[' | b'{' if depth == DEEPEST => self.nested_text(),
            b'[' => self.list(depth + 1),
            b'{' => self.object(depth + 1),
            b'"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    /// The text of a list or an object, up to the bracket that closes it.
    fn nested_text(&mut self) -> Option<Value> {
        let (start, mut open) = (self.at, 0_usize);
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => open += 1,
                b']' | b'}' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return self.text.get(start..self.at).map(|text| Value::String(text.to_string()));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = vec![];
        self.take(b'[')?;
        while self.take(b']').is_none() {
            if !items.is_empty() {
                self.take(b',')?;
            }
            items.push(self.value(depth)?);
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut entries = Map::new();
        self.take(b'{')?;
        while self.take(b'}').is_none() {
            if !entries.is_empty() {
                self.take(b',')?;
            }
            self.skip_space();
            let key = self.string()?;
            self.take(b':')?;
            entries.insert(key, self.value(depth)?);
        }
        Some(Value::Object(entries))
    }

    /// A string, up to the quote that no backslash stands before.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    /// A number, true, false or null.
    fn word(&mut self) -> Option<Value> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        match serde_json::from_str(word).ok()? {
            Value::Number(number) if number.is_f64() => Number::from_f64(word.parse().ok()?).map(Value::Number),
            other => Some(other),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }
}
