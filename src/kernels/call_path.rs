//! The path of nested calls, while calls come in the order of time.
//!
//! In: the depth and the name of each call, outer calls before those within. Out: the names from the
//! outermost call down to it, joined by slashes.
//!
//! ```text
//!  0 main  ############      main
//!  1 f       ####            main/f
//!  2 g        ##             main/f/g
//!  1 h            ###        main/h
//! ```

#[cfg(test)]
mod tests;

/// The calls that lie around the current one, and itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallPath {
    text: String,
    /// The depth of each call, and where its name ends in the text.
    calls: Vec<(usize, usize)>,
}

impl CallPath {
    /// Enters a call at a depth and gives its path. What lay that deep or deeper is over; where calls
    /// between are missing, the path goes without them.
    pub fn enter(&mut self, depth: usize, name: &str) -> &str {
        while self.calls.pop_if(|(other, _)| *other >= depth).is_some() {}
        match self.calls.last() {
            Some((_, end)) => {
                self.text.truncate(*end);
                self.text.push('/');
            }
            None => self.text.clear(),
        }
        self.text.push_str(name);
        self.calls.push((depth, self.text.len()));
        &self.text
    }

    /// The path of the call that was entered last.
    pub fn text(&self) -> &str {
        &self.text
    }
}
