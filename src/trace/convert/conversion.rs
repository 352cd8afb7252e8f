//! What a trace is written as, and what became of it.

/// What a trace can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvertTarget {
    /// Pajé text.
    Paje,
    /// Chrome trace event JSON.
    Chrome,
    /// Perfetto track events, in protocol buffers.
    Perfetto,
}

/// What a conversion did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversion {
    /// Events that were written.
    pub events: u64,
    /// Lines of the trace that could not be used.
    pub lost_lines: u64,
    /// Rows that the target cannot say, with what they are.
    pub unsaid: Vec<(u64, &'static str)>,
}
