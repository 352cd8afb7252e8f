//! The names of types and values of a dump, as numbers.

use hashbrown::HashMap;

/// Numbers of names.
#[derive(Debug, Default)]
pub(super) struct DumpWords {
    numbers: HashMap<String, u32>,
    texts: Vec<String>,
}

impl DumpWords {
    /// The number of a name.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.to_string(), number);
        self.texts.push(text.to_string());
        number
    }

    /// The number of a name that has one; for all others one number that no name has.
    pub fn find(&self, text: &str) -> u32 {
        self.numbers.get(text).copied().unwrap_or(u32::MAX)
    }

    /// The name of a number.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}
