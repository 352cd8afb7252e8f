//! Names of the trace, which events refer to by number.

use super::json;
use crate::model::WordTable;

/// Names of the trace, by number.
#[derive(Default)]
pub(super) struct ChromeNames {
    words: WordTable,
    pub texts: Vec<String>,
}

impl ChromeNames {
    /// The number of a name, by its JSON.
    #[inline]
    pub fn number(&mut self, json: &[u8]) -> u32 {
        let number = self.words.number(json);
        if self.words.len() > self.texts.len() {
            self.texts.push(json::text(json).into_owned());
        }
        number
    }
}
