//! The `.row` file: names of CPUs, nodes, applications, tasks and threads.
//!
//! ```text
//! LEVEL THREAD SIZE 2
//! THREAD 1.1.1
//! THREAD 1.2.1
//! ```

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

/// Names of each level, in order. Levels may be missing, and may have fewer names than there are objects.
#[derive(Debug, Default)]
pub(super) struct RowNames {
    levels: HashMap<String, Vec<String>>,
}

impl RowNames {
    pub fn parse(text: &str) -> RowNames {
        let mut names = RowNames::default();
        let mut level: Option<(&str, usize)> = None;
        for line in text.lines() {
            let line = line.trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["LEVEL", name, "SIZE", size] = words[..]
                && let Ok(size) = size.parse()
            {
                level = Some((name, size));
                names.levels.entry(name.to_string()).or_default();
                continue;
            }
            if let Some((name, left @ 1..)) = &mut level {
                *left -= 1;
                names.levels.entry(name.to_string()).or_default().push(line.to_string());
            }
        }
        names
    }

    /// The name of an object of a level, counted from 0.
    pub fn get(&self, level: &str, place: usize) -> Option<&str> {
        self.levels.get(level)?.get(place).map(String::as_str).filter(|name| !name.is_empty())
    }
}
