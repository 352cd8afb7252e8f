//! One call of a rank, and how it is read from the bytes of its record.
//!
//! ```text
//! record = function u16, mask u8, [ thread u16 ], [ CPU times ], [ wall times ], [ counters ], fields
//! times  = start seconds u16, nanoseconds u32, stop seconds u16, nanoseconds u32
//! ```
//! All numbers are big endian. No length is written, so a record that is misread loses the rest.

use super::table::{ARGUMENTS, ArgumentEncoding, FieldLayout, Function, MpiArgument};

const HAS_STATUS: u8 = 0b11;
const HAS_CPU: u8 = 1 << 2;
const HAS_WALL: u8 = 1 << 3;
const HAS_THREAD: u8 = 1 << 6;
const HAS_COUNTERS: u8 = 1 << 7;

/// Start and stop, in nanoseconds of the clock of the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CallTimes {
    pub start: i64,
    pub stop: i64,
}

/// What a receive found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Status {
    pub bytes: i32,
    pub source: i32,
    pub tag: i32,
    pub is_cancelled: bool,
}

/// One call. Its memory is used again for the next one.
#[derive(Debug, Clone)]
pub(super) struct MpiCall {
    pub function: Function,
    /// Where the record starts.
    pub byte: u64,
    pub thread: u16,
    pub cpu: Option<CallTimes>,
    pub wall: Option<CallTimes>,
    /// Hardware counters at the start and at the stop.
    pub counters: Vec<(u64, u64)>,
    pub statuses: Vec<Status>,
    /// By argument: the number, or the place and length of the list in `lists`.
    numbers: [Option<i64>; ARGUMENTS],
    spans: [(u32, u32); ARGUMENTS],
    lists: Vec<i32>,
}

impl Default for MpiCall {
    fn default() -> MpiCall {
        MpiCall {
            function: Function(0),
            byte: 0,
            thread: 0,
            cpu: None,
            wall: None,
            counters: vec![],
            statuses: vec![],
            numbers: [None; ARGUMENTS],
            spans: [(0, 0); ARGUMENTS],
            lists: vec![],
        }
    }
}

impl MpiCall {
    pub(super) fn clear(&mut self, function: Function, byte: u64) {
        (self.function, self.byte, self.thread, self.cpu, self.wall) = (function, byte, 0, None, None);
        self.counters.clear();
        self.statuses.clear();
        self.numbers = [None; ARGUMENTS];
        self.spans = [(0, 0); ARGUMENTS];
        self.lists.clear();
    }

    /// A number among the arguments.
    pub(super) fn number(&self, argument: MpiArgument) -> Option<i32> {
        self.long(argument).map(|number| number as i32)
    }

    pub(super) fn long(&self, argument: MpiArgument) -> Option<i64> {
        self.numbers.get(argument as usize).copied().flatten()
    }

    /// A list among the arguments; empty when it is not there.
    pub(super) fn list(&self, argument: MpiArgument) -> &[i32] {
        let (start, len) = self.spans.get(argument as usize).copied().unwrap_or_default();
        self.lists.get(start as usize..start as usize + len as usize).unwrap_or_default()
    }

    pub(super) fn set_number(&mut self, argument: MpiArgument, number: i64) {
        if let Some(place) = self.numbers.get_mut(argument as usize) {
            *place = Some(number);
        }
    }

    pub(super) fn set_list(&mut self, argument: MpiArgument, list: impl IntoIterator<Item = i32>) {
        let Some(span) = self.spans.get_mut(argument as usize) else { return };
        let start = self.lists.len();
        self.lists.extend(list);
        *span = (start as u32, (self.lists.len() - start) as u32);
    }

    /// Whether this rank is the root of the operation.
    fn is_root(&self) -> bool {
        self.number(MpiArgument::CommRank) == self.number(MpiArgument::Root)
    }

    /// The status of the request at a place, when statuses were written.
    pub(super) fn status(&self, place: usize) -> Option<Status> {
        self.statuses.get(place).copied()
    }

    /// Wall times, or CPU times where there are none.
    pub(super) fn times(&self) -> Option<CallTimes> {
        self.wall.or(self.cpu)
    }
}

/// How the numbers of functions end in a file; the list of calls grew once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbering {
    /// The number that ends the stream.
    pub end: u16,
}

impl Numbering {
    pub(super) const NEWEST: Numbering = Numbering { end: 293 };
    /// Calls that all numberings share.
    const SHARED: u16 = 282;

    /// The numbering that ends with a number, when there can be one.
    pub(super) fn of_end(end: u16) -> Option<Numbering> {
        (Numbering::SHARED + 3..=400).contains(&end).then_some(Numbering { end })
    }

    /// How many counts the footer has in each of its two lists.
    pub(super) fn counts(self) -> u64 {
        u64::from(self.end) - 2
    }

    fn function(self, number: u16) -> Option<Function> {
        match number {
            number if number < Numbering::SHARED => Some(Function(number)),
            number if number == self.end - 2 => Some(Function::ENTER),
            number if number == self.end - 1 => Some(Function::EXIT),
            number if number < self.end - 3 => Some(Function(number)).filter(|function| function.layout().is_some()),
            _ => None,
        }
    }
}

/// Why a record was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadFailure {
    /// The bytes end within the record.
    Short,
    /// No more calls follow.
    End,
    /// The bytes are no record.
    Bad(String),
}

/// What is the same for all records of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordFormat {
    pub numbering: Numbering,
    /// Seconds that the CPU and the wall times count from.
    pub cpu_bias: i64,
    pub wall_bias: i64,
}

/// Reads the record at the start of `bytes`; gives its length.
pub(super) fn decode(bytes: &[u8], byte: u64, frame: &RecordFormat, call: &mut MpiCall) -> Result<usize, ReadFailure> {
    let mut input = CallBytes { rest: bytes };
    let number = input.number(2)? as u16;
    if number == frame.numbering.end {
        return Err(ReadFailure::End);
    }
    let Some(function) = frame.numbering.function(number) else {
        return Err(ReadFailure::Bad(format!("{number} is not the number of a call")));
    };
    let Some(layout) = function.layout() else {
        return Err(ReadFailure::Bad(format!("{number} is not the number of a call")));
    };
    call.clear(function, byte);
    let mask = input.number(1)? as u8;
    if mask & HAS_THREAD != 0 {
        call.thread = input.number(2)? as u16;
    }
    if mask & HAS_CPU != 0 {
        call.cpu = Some(input.times(frame.cpu_bias)?);
    }
    if mask & HAS_WALL != 0 {
        call.wall = Some(input.times(frame.wall_bias)?);
    }
    if mask & HAS_COUNTERS != 0 {
        for _ in 0..input.number(1)? {
            let pair = (input.number(8)? as u64, input.number(8)? as u64);
            call.counters.push(pair);
        }
    }
    for field in &layout.fields {
        if !field.is_roots || call.is_root() {
            input.field(field, mask, call)?;
        }
    }
    Ok(bytes.len() - input.rest.len())
}

/// Takes numbers from the front.
struct CallBytes<'a> {
    rest: &'a [u8],
}

impl<'a> CallBytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadFailure> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ReadFailure::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: u8) -> Result<i64, ReadFailure> {
        let taken = self.take(usize::from(bytes))?;
        let number = taken.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Ok(if bytes == 4 { i64::from(number as u32 as i32) } else { number as i64 })
    }

    /// A length: no record holds more things than a file has bytes, so a negative one is a fault.
    fn length(&mut self) -> Result<usize, ReadFailure> {
        let length = self.number(4)?;
        usize::try_from(length).map_err(|_| ReadFailure::Bad(format!("{length} is not the length of a list")))
    }

    fn times(&mut self, bias: i64) -> Result<CallTimes, ReadFailure> {
        let mut moment = || -> Result<i64, ReadFailure> {
            let (seconds, nanoseconds) = (self.number(2)?, self.number(4)?);
            if !(0..1_000_000_000).contains(&nanoseconds) {
                return Err(ReadFailure::Bad(format!("{nanoseconds} nanoseconds are not a part of a second")));
            }
            Ok((seconds + bias) * 1_000_000_000 + nanoseconds)
        };
        Ok(CallTimes { start: moment()?, stop: moment()? })
    }

    fn field(&mut self, field: &FieldLayout, mask: u8, call: &mut MpiCall) -> Result<(), ReadFailure> {
        match field.kind {
            ArgumentEncoding::Number(bytes) => {
                let number = self.number(bytes)?;
                call.set_number(field.argument, number);
            }
            ArgumentEncoding::Numbers(bytes) => {
                let length = self.length()?;
                let list = self.take(length.checked_mul(usize::from(bytes)).ok_or(ReadFailure::Short)?)?;
                call.set_list(field.argument, list.chunks_exact(usize::from(bytes)).map(number_of));
            }
            ArgumentEncoding::Lists => self.lists(field.argument, call)?,
            ArgumentEncoding::Text(depth) => self.text(depth)?,
            ArgumentEncoding::Statuses if mask & HAS_STATUS != 0 => self.statuses(call)?,
            ArgumentEncoding::Statuses => {}
        }
        Ok(())
    }

    /// Lists of 32-bit numbers, kept one after the other.
    fn lists(&mut self, argument: MpiArgument, call: &mut MpiCall) -> Result<(), ReadFailure> {
        let mut all = vec![];
        for _ in 0..self.length()? {
            let length = self.length()?;
            let list = self.take(length.checked_mul(4).ok_or(ReadFailure::Short)?)?;
            all.extend(list.chunks_exact(4).map(number_of));
        }
        call.set_list(argument, all);
        Ok(())
    }

    fn text(&mut self, depth: u8) -> Result<(), ReadFailure> {
        let length = self.length()?;
        if depth == 0 {
            return self.take(length).map(|_| ());
        }
        for _ in 0..length {
            self.text(depth - 1)?;
        }
        Ok(())
    }

    fn statuses(&mut self, call: &mut MpiCall) -> Result<(), ReadFailure> {
        for _ in 0..self.length()? {
            let (bytes, source) = (self.number(4)? as i32, self.number(4)? as i32);
            let is_cancelled = self.number(1)? != 0;
            self.number(1)?;
            let tag = self.number(4)? as i32;
            call.statuses.push(Status { bytes, source, tag, is_cancelled });
        }
        Ok(())
    }
}

fn number_of(bytes: &[u8]) -> i32 {
    bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) as i32
}
