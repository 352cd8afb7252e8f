//! The rows that a run is given as. Texts are numbers of [`RunRows::texts`].

/// What a container does in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StateActivity {
    /// Useful work.
    Computation,
    /// Sends, collectives that move data, copies.
    Communication,
    /// Receives, waits, barriers.
    Waiting,
    /// Files.
    InputOutput,
    /// Of the program or of a library.
    StartAndEnd,
    /// What runtimes do for themselves.
    Overhead,
    /// Not known.
    Unknown,
}

impl StateActivity {
    /// All, in the order of their numbers.
    pub const ALL: [StateActivity; 7] = [
        StateActivity::Computation,
        StateActivity::Communication,
        StateActivity::Waiting,
        StateActivity::InputOutput,
        StateActivity::StartAndEnd,
        StateActivity::Overhead,
        StateActivity::Unknown,
    ];

    /// The activity of a number; unknown for others.
    pub fn of_number(number: Option<f64>) -> StateActivity {
        let place = number.filter(|number| *number >= 0.0).map_or(usize::MAX, |number| number as usize);
        StateActivity::ALL.get(place).copied().unwrap_or(StateActivity::Unknown)
    }
}

/// Everything that is known of a run, aggregated.
#[derive(Debug, Clone, Default)]
pub struct RunRows {
    /// Types, values, names.
    pub texts: Vec<String>,
    /// The tree.
    pub containers: Vec<TreeContainerRow>,
    /// What states mean.
    pub activities: Vec<ActivityRow>,
    /// Time in states.
    pub states: Vec<StateCell>,
    /// States that begin.
    pub begun: Vec<BegunCell>,
    /// Links at each end.
    pub links: Vec<LinkEndCell>,
    /// Links by source and target.
    pub pairs: Vec<PairRow>,
    /// Who waits for whom.
    pub waits: Vec<WaitSumRow>,
    /// Variables.
    pub variables: Vec<VariableCell>,
    /// Resources whose capacity is known.
    pub resources: Vec<ResourceRow>,
    /// What was wrong with the file.
    pub diagnostics: Vec<DiagnosticRow>,
    /// The trace itself.
    pub trace: Option<TraceRow>,
}

/// A container of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeContainerRow {
    /// Its id.
    pub id: i32,
    /// Id of its parent.
    pub parent: Option<i32>,
    /// Its place in the tree, parents first.
    pub preorder: i64,
    /// Text of its type.
    pub kind: u32,
    /// Text of its name.
    pub name: u32,
    /// When it is created, in seconds.
    pub begin: f64,
    /// When it ends.
    pub end: f64,
}

/// What a state means.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityRow {
    /// Text of the type.
    pub kind: u32,
    /// Text of the value.
    pub value: u32,
    /// What containers do in it.
    pub activity: StateActivity,
    /// What they do in no state of the type.
    pub no_state: StateActivity,
}

/// Time in a state within a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct StateCell {
    /// Id of the container.
    pub container: i32,
    /// The slice.
    pub slice: u32,
    /// Text of the type.
    pub kind: u32,
    /// Text of the value.
    pub value: u32,
    /// The time.
    pub seconds: f64,
}

/// States that begin within a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunCell {
    /// Id of the container.
    pub container: i32,
    /// The slice.
    pub slice: u32,
    /// Text of the type.
    pub kind: u32,
    /// Text of the value.
    pub value: u32,
    /// How many.
    pub states: f64,
    /// How long they take in total, beyond the slice too.
    pub seconds: f64,
    /// When the first of them begins, in seconds.
    pub first: f64,
    /// When the last of them ends.
    pub last: f64,
    /// Text of the value that follows: then these are no states, but the times between a state of `value` and one of that.
    pub until: Option<u32>,
}

/// Which end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkRole {
    /// It sends.
    Origin,
    /// It receives.
    Destination,
}

/// The links of a container within a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkEndCell {
    /// Id of the container.
    pub container: i32,
    /// The slice.
    pub slice: u32,
    /// Its end.
    pub role: LinkRole,
    /// How many.
    pub links: f64,
    /// Their time within the slice.
    pub seconds: f64,
    /// Their volume within the slice.
    pub volume: f64,
}

/// The links from one container to another.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow {
    /// Id of the source.
    pub source: i32,
    /// Id of the target.
    pub target: i32,
    /// How many.
    pub links: f64,
    /// How many of them are messages, and no marks of collectives.
    pub messages: f64,
    /// Their time.
    pub seconds: f64,
    /// The volume of the messages.
    pub volume: f64,
    /// How many end before they start.
    pub reversed: f64,
    /// Seconds of the shortest; below 0 when it ends before it starts.
    pub shortest: f64,
}

/// Why a container waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitReason {
    /// For a message to be sent.
    LateSender,
    /// For a message to be received.
    LateReceiver,
    /// For a message to arrive.
    Transfer,
    /// For others to come.
    Collective,
    /// Nothing says why.
    Unexplained,
}

/// Waits: of a container for another, or in a slice for one.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitSumRow {
    /// Why.
    pub kind: WaitReason,
    /// Id of who waits; `None` in a row of a slice.
    pub container: Option<i32>,
    /// Id of who is waited for.
    pub partner: Option<i32>,
    /// The slice; `None` in a row of the whole window.
    pub slice: Option<u32>,
    /// How often.
    pub waits: f64,
    /// How long in total.
    pub seconds: f64,
    /// The longest.
    pub longest: f64,
    /// When the first begins, in seconds; known in rows of slices.
    pub first: f64,
    /// When the last ends; known in rows of slices.
    pub last: f64,
}

/// A variable within a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableCell {
    /// Id of the container.
    pub container: i32,
    /// The slice.
    pub slice: u32,
    /// Text of the type.
    pub kind: u32,
    /// Value times seconds.
    pub integral: f64,
    /// Its largest value.
    pub maximum: f64,
    /// Seconds in which it has a value.
    pub covered: f64,
}

/// How long a resource is used up to its capacity: a variable `X_used` at the value of the variable `X` of its container.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceRow {
    /// Id of the container.
    pub container: i32,
    /// Text of the type, `X_used`.
    pub kind: u32,
    /// Seconds at the capacity.
    pub seconds: f64,
}

/// Something that was wrong with the file.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagnosticRow {
    /// Text of `error`, `warning` or `info`.
    pub severity: u32,
    /// Text of the code.
    pub code: u32,
    /// Text of the message.
    pub message: u32,
    /// How often.
    pub occurrences: f64,
}

/// The trace itself.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceRow {
    /// Lines of the file.
    pub lines: f64,
    /// Lines that were not understood.
    pub lost_lines: f64,
    /// When it starts, in seconds.
    pub start: f64,
    /// When it ends.
    pub end: f64,
}
