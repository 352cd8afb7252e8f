//! What proves a finding: a question about the trace, which the caller words as a query.

/// A question whose answer is the rows behind a finding. Containers are places of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// Number and length of states of some values, per container of these types, within the interval of the finding.
    StateLengths(Vec<String>),
    /// Time in states of some values per container, within the interval.
    StateTimes(Vec<String>),
    /// Length of states of some values per slice of the whole run.
    StateTrend(Vec<String>),
    /// Time in all states below the container per slice, within the interval.
    StateMix,
    /// Who waits for the container.
    WaitsFor,
    /// Waits of a kind, by its name in `wait_states`.
    WaitsOf(&'static str),
    /// Links from and to the container per slice.
    Links,
    /// Messages by source and target.
    Pairs,
    /// A variable per slice.
    Variable(String),
    /// Links that end before they start.
    ReversedLinks,
    /// What was wrong with the file.
    Diagnostics,
    /// Time in states of an activity per container, within the interval.
    ActivityTimes(&'static str),
}
