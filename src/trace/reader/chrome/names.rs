//! Names of the trace, which events refer to by number.

use hashbrown::HashMap;

use super::json;

/// Names of the trace, by number.
#[derive(Default)]
pub(super) struct ChromeNames {
    numbers: HashMap<Vec<u8>, u32>,
    pub texts: Vec<String>,
}

impl ChromeNames {
    /// The number of a name, by its JSON.
    pub fn number(&mut self, json: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(json) {
            return *number;
        }
        self.numbers.insert(json.to_vec(), self.texts.len() as u32);
        self.texts.push(json::text(json).into_owned());
        self.texts.len() as u32 - 1
    }
}
