//! What the readers of descriptions share: nested items with their lines, and faults with theirs.

use std::path::Path;

use crate::error::Error;

/// A text, a list or a map, and the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescriptionItem {
    pub line: usize,
    pub value: DescriptionValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DescriptionValue {
    Text(String),
    List(Vec<DescriptionItem>),
    Map(Vec<(String, DescriptionItem)>),
}

/// Deeper descriptions are refused.
pub(super) const DEEPEST: usize = 100;

pub(super) fn too_deep(line: usize) -> DescriptionFault {
    DescriptionFault::at(line, format!("more than {DEEPEST} levels"))
}

/// What is wrong with a description, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescriptionFault {
    pub line: usize,
    pub message: String,
}

impl DescriptionFault {
    pub(super) fn at(line: usize, message: impl Into<String>) -> DescriptionFault {
        DescriptionFault { line, message: message.into() }
    }

    pub(super) fn in_file(self, path: &Path) -> Error {
        Error::Trace(format!("{}:{}: {}", path.display(), self.line, self.message))
    }
}
