//! What was wrong with a trace: every line that was lost or changed is counted here.
//!
//! In: reports from the reader and the simulator. Out: the rows of the `diagnostics` table. Memory is
//! bounded: of each code the first [`KEPT_PER_CODE`] reports keep their own row, the rest share one.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

/// How many reports of one code keep a row of their own.
pub const KEPT_PER_CODE: usize = 1000;

/// How much of an offending text a message quotes.
const QUOTED_CHARS: usize = 80;

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing was lost or changed.
    Info,
    /// Data was completed, rounded or reinterpreted.
    Warning,
    /// Data was lost: each occurrence is one line of the trace that is in no table.
    Error,
}

impl Severity {
    /// The name in the `diagnostics` table.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $severity:ident;)+) => {
        /// What kind of fault a diagnostic reports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)+ }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The code as the `diagnostics` table shows it.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)+ }
            }

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)+ }
            }

            /// What it means and what happens then, for the documentation.
            pub fn doc(self) -> &'static str {
                match self { $(Code::$variant => concat!($($doc),+),)+ }
            }
        }
    };
}

codes! {
    /// The line is no event, comment or definition: it does not start with the id of an event.
    UnreadableLine "unreadable-line" Error;
    /// The event id was not declared by an %EventDef before this line; the line is skipped.
    UndefinedEvent "undefined-event" Error;
    /// The %EventDef names an event that is not part of the format; its lines are skipped.
    UnknownEvent "unknown-event" Error;
    /// The line has fewer fields than its definition; the line is skipped.
    MissingField "missing-field" Error;
    /// The definition lacks a field that its event needs; its lines are skipped.
    IncompleteDefinition "incomplete-definition" Error;
    /// The time is no decimal number; the line is skipped.
    BadTime "bad-time" Error;
    /// The time does not fit into 64 bits of ticks; the line is skipped.
    TimeOutOfRange "time-out-of-range" Error;
    /// The value of a variable is no number; the line is skipped.
    BadNumber "bad-number" Error;
    /// The line is longer than the limit; it is skipped.
    LineTooLong "line-too-long" Error;
    /// The line names a type that was never defined, or one of another kind; the line is skipped.
    UnknownType "unknown-type" Error;
    /// The line names a container that was never created; the line is skipped.
    UnknownContainer "unknown-container" Error;
    /// The line names a container that was destroyed before; the line is skipped.
    DestroyedContainer "destroyed-container" Error;
    /// A container with this alias or name is alive in the same place; the line is skipped.
    DuplicateContainer "duplicate-container" Error;
    /// A pop on an empty stack of states; the line is skipped.
    EmptyStack "empty-stack" Error;
    /// The start of a link whose end never came.
    UnmatchedLinkStart "unmatched-link-start" Error;
    /// The end of a link whose start never came.
    UnmatchedLinkEnd "unmatched-link-end" Error;
    /// A definition block that cannot be understood; its line is skipped.
    BadDefinition "bad-definition" Error;
    /// A record of a kind that is not known; it is skipped by its length.
    UnknownRecord "unknown-record" Error;
    /// The fields of a record cannot be read or name what is not there; the record is skipped.
    BadRecord "bad-record" Error;
    /// A piece of a file cannot be read, or the file ends too early; what came before it was kept.
    DamagedFile "damaged-file" Error;

    /// A definition block without its %EndEventDef; it was taken as it stands.
    OpenDefinition "open-definition" Warning;
    /// The event id was declared before; the new definition counts from here on.
    RedefinedEvent "redefined-event" Warning;
    /// A type with this alias or name exists in the same place; the first one is kept.
    RedefinedType "redefined-type" Warning;
    /// The line has more fields than its definition; the rest is ignored.
    ExtraFields "extra-fields" Warning;
    /// The tables have room for no more extra columns; the further extra fields of the definition are not kept.
    TooManyFields "too-many-fields" Warning;
    /// The field does not hold what its declared type promises; it is NULL.
    BadField "bad-field" Warning;
    /// A quoted string that ends with the line and not with a quote.
    UnterminatedQuote "unterminated-quote" Warning;
    /// The last line has no line end: it may have been cut.
    TruncatedLine "truncated-line" Warning;
    /// The text is not UTF-8; the bytes that are not were replaced.
    InvalidUtf8 "invalid-utf8" Warning;
    /// The line holds a NUL byte.
    NulByte "nul-byte" Warning;
    /// The timestamps are finer than the resolution and were rounded; --resolution keeps more.
    RoundedTime "rounded-time" Warning;
    /// Lines were not in time order; they were sorted by time before they were simulated.
    OutOfOrder "out-of-order" Warning;
    /// Time runs backwards within one container and type; the entity gets zero length.
    TimeBackwards "time-backwards" Warning;
    /// The name belongs to several live containers; the most recent one was taken.
    AmbiguousContainer "ambiguous-container" Warning;
    /// The container is not of the type that the definition names; the event was accepted.
    TypeMismatch "type-mismatch" Warning;
    /// A variable was added to or subtracted from before it was set; it counts from 0.
    UnsetVariable "unset-variable" Warning;
    /// The two ends of a link have different values; the start's value is kept.
    LinkValueMismatch "link-value-mismatch" Warning;
    /// A link ends before it starts; its duration is negative.
    NegativeLink "negative-link" Warning;
    /// A state ends while others inside it are open; they end with it.
    UnbalancedEnd "unbalanced-end" Warning;
    /// States of one container overlap without nesting; the later ones are on lanes of their own.
    OverlappingStates "overlapping-states" Warning;
    /// Something is named that is not defined; it is called by its number.
    UndefinedReference "undefined-reference" Warning;
    /// There are more or fewer records than the trace says.
    CountMismatch "count-mismatch" Warning;
    /// A CPU leaves a thread that was not seen to start there, so switches are missing; the thread that was there ends with it.
    MissedSwitch "missed-switch" Warning;
    /// Events of a kind that no table has room for were left out and counted.
    IgnoredEvent "ignored-event" Warning;
    /// The unit of the times is that of the program that wrote the trace; --time-unit overrides it.
    RecognizedUnit "time-unit" Info;
    /// Something that the trace says about itself.
    TraceProperty "trace-property" Info;
    /// The trace ended while states were open; they end with it.
    OpenState "open-state" Info;
    /// The value was never declared by a DefineEntityValue; it was created.
    UndeclaredValue "undeclared-value" Info;
    /// A container found no machine in what was attached to the trace.
    UnmatchedContainer "unmatched-container" Warning;
    /// The trace holds no event.
    EmptyTrace "empty-trace" Warning;
    /// A clock was moved so that no message is received before it is sent.
    ClockMoved "clock-moved" Warning;
    /// The members of a communicator are not known; messages on it have no link.
    UnknownCommunicator "unknown-communicator" Warning;
    /// Some members of a collective operation did not record it; it has no links.
    IncompleteCollective "incomplete-collective" Warning;
    /// Messages were received from anyone, and no status says from whom; they have no link.
    UnknownSender "unknown-sender" Warning;
    /// The compressed stream ends too early or is damaged; what came before it was read.
    DamagedStream "damaged-stream" Warning;
}

/// Where in the source something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourcePosition {
    /// Line, counted from 1; 0 when the report is about no single line.
    pub line: u64,
    /// Offset of the line's first byte.
    pub byte: u64,
}

/// One row of the `diagnostics` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What was found.
    pub code: Code,
    /// Where it was found first.
    pub place: SourcePosition,
    /// The message for the user.
    pub message: String,
    /// How often it was found.
    pub occurrences: u64,
}

/// Collects the diagnostics of one import.
#[derive(Debug, Default)]
pub struct Diagnostics {
    rows: Vec<Diagnostic>,
    /// Reports of the same code and subject share a row.
    grouped: HashMap<(Code, u64), usize>,
    kept: HashMap<Code, usize>,
    overflow: HashMap<Code, usize>,
    counts: HashMap<Code, u64>,
    total: u64,
}

impl Diagnostics {
    /// Records one report with a row of its own, as long as there is room.
    pub fn report(&mut self, code: Code, place: SourcePosition, message: impl FnOnce() -> String) {
        self.report_many(code, place, 1, message);
    }

    /// Records `occurrences` reports as one row, as long as there is room.
    pub fn report_many(
        &mut self,
        code: Code,
        place: SourcePosition,
        occurrences: u64,
        message: impl FnOnce() -> String,
    ) {
        if occurrences == 0 {
            return;
        }
        *self.counts.entry(code).or_default() += occurrences;
        self.total += occurrences;
        let kept = self.kept.entry(code).or_default();
        if *kept < KEPT_PER_CODE {
            *kept += 1;
            self.rows.push(Diagnostic { code, place, message: message(), occurrences });
            return;
        }
        let rows = &mut self.rows;
        let row = *self.overflow.entry(code).or_insert_with(|| {
            let message = format!("and more of the same from here on; the first: {}", message());
            rows.push(Diagnostic { code, place, message, occurrences: 0 });
            rows.len() - 1
        });
        self.rows[row].occurrences += occurrences;
    }

    /// Records a report that shares its row with all others of the same code and subject.
    pub fn report_grouped(
        &mut self,
        code: Code,
        subject: u64,
        place: SourcePosition,
        message: impl FnOnce() -> String,
    ) {
        if let Some(row) = self.grouped.get(&(code, subject)) {
            self.rows[*row].occurrences += 1;
            *self.counts.entry(code).or_default() += 1;
            self.total += 1;
            return;
        }
        let rows_before = self.rows.len();
        self.report(code, place, message);
        if self.rows.len() > rows_before {
            self.grouped.insert((code, subject), rows_before);
        }
    }

    /// How many reports there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How often a code was reported.
    pub fn count(&self, code: Code) -> u64 {
        self.counts.get(&code).copied().unwrap_or(0)
    }

    /// How many lines were lost: the occurrences of all errors.
    pub fn lost_lines(&self) -> u64 {
        self.count_of(Severity::Error)
    }

    /// How many reports of one severity there are.
    pub fn count_of(&self, severity: Severity) -> u64 {
        self.counts.iter().filter(|(code, _)| code.severity() == severity).map(|(_, count)| count).sum()
    }

    /// The rows, by line, then by code.
    pub fn rows(&self) -> Vec<Diagnostic> {
        let mut rows = self.rows.clone();
        rows.sort_by(|a, b| (a.place.line, a.code, &a.message).cmp(&(b.place.line, b.code, &b.message)));
        rows
    }

    /// The first report that cost data, if there is one: where `--strict` stops.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.rows.iter().filter(|row| row.code.severity() == Severity::Error).min_by_key(|row| row.place.line)
    }

    /// The first reports that cost data, by line.
    pub fn first_errors(&self, most: usize) -> Vec<Diagnostic> {
        let is_error = |row: &Diagnostic| row.code.severity() == Severity::Error;
        self.rows().into_iter().filter(is_error).take(most).collect()
    }

    /// Whether anything was reported.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Quotes a piece of a trace for a message: valid UTF-8, no control characters, not too long.
pub fn quote(text: &[u8]) -> String {
    let mut quoted = String::from("'");
    let shown = &text[..text.len().min(QUOTED_CHARS * 4)];
    let text_shown = String::from_utf8_lossy(shown);
    for character in text_shown.chars().take(QUOTED_CHARS) {
        if character.is_control() {
            quoted.extend(character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    if text_shown.chars().nth(QUOTED_CHARS).is_some() || shown.len() < text.len() {
        quoted.push('…');
    }
    quoted.push('\'');
    quoted
}
