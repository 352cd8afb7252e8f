//! The records of a trace, one per line; all fields are whole numbers.
//!
//! ```text
//! 1:cpu:app:task:thread:begin:end:state
//! 2:cpu:app:task:thread:time:type:value[:type:value …]
//! 3:cpu:app:task:thread:lsend:psend:cpu:app:task:thread:lrecv:precv:size:tag
//! ```

#[cfg(test)]
mod tests;

/// A thread as records name it; all counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ThreadPlace {
    pub application: u32,
    pub task: u32,
    pub thread: u32,
}

/// The CPU of a record and its thread; CPU 0 is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordPlace {
    pub cpu: i64,
    pub thread: ThreadPlace,
}

/// A line of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParaverRecord<'a> {
    State {
        at: RecordPlace,
        begin: i64,
        end: i64,
        state: i64,
    },
    Events {
        at: RecordPlace,
        time: i64,
        pairs: EventPairs<'a>,
    },
    Message(ParaverMessage),
    /// A line of communicators, a comment, an empty line, a global communication.
    Communicator,
    Comment(&'a [u8]),
    Empty,
    Global,
    /// None of these.
    Unknown,
    /// One of these, with fields that are no numbers.
    Broken,
}

/// A message: the call and the transfer, at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParaverMessage {
    pub sender: RecordPlace,
    pub logical_send: i64,
    pub physical_send: i64,
    pub receiver: RecordPlace,
    pub logical_receive: i64,
    pub physical_receive: i64,
    pub size: i64,
    pub tag: i64,
}

impl<'a> ParaverRecord<'a> {
    #[inline]
    pub fn parse(line: &'a [u8]) -> ParaverRecord<'a> {
        let mut fields = RecordFields { rest: line };
        match line {
            [b'1', b':', ..] => fields.state().unwrap_or(ParaverRecord::Broken),
            [b'2', b':', ..] => fields.events().unwrap_or(ParaverRecord::Broken),
            [b'3', b':', ..] => fields.message().unwrap_or(ParaverRecord::Broken),
            [b'4', b':', ..] => ParaverRecord::Global,
            [b'c' | b'C' | b'i' | b'I', b':', ..] => ParaverRecord::Communicator,
            [b'#', ..] => ParaverRecord::Comment(line),
            _ if line.trim_ascii().is_empty() => ParaverRecord::Empty,
            _ => ParaverRecord::Unknown,
        }
    }

    /// When the record begins.
    pub fn time(&self) -> Option<i64> {
        match self {
            ParaverRecord::State { begin, .. } => Some(*begin),
            ParaverRecord::Events { time, .. } => Some(*time),
            ParaverRecord::Message(message) => Some(message.logical_send),
            _ => None,
        }
    }
}

/// The types and values of a line, one pair after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventPairs<'a> {
    fields: RecordFields<'a>,
}

/// One type with its value, or what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventPair {
    Pair {
        type_: i64,
        value: i64,
    },
    /// The value is beyond 64 bits; the nearest that is not.
    Saturated {
        type_: i64,
        value: i64,
    },
    /// The rest of the line cannot be read.
    Broken,
}

impl Iterator for EventPairs<'_> {
    type Item = EventPair;

    #[inline]
    fn next(&mut self) -> Option<EventPair> {
        if self.fields.rest.is_empty() {
            return None;
        }
        let pair = match (self.fields.number(), self.fields.wide_number()) {
            (Some(type_), Some((value, false))) => EventPair::Pair { type_, value },
            (Some(type_), Some((value, true))) => EventPair::Saturated { type_, value },
            _ => EventPair::Broken,
        };
        if pair == EventPair::Broken {
            self.fields.rest = &[];
        }
        Some(pair)
    }
}

/// The fields of a line that were not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordFields<'a> {
    rest: &'a [u8],
}

impl<'a> RecordFields<'a> {
    fn state(&mut self) -> Option<ParaverRecord<'a>> {
        let at = self.kind_and_place()?;
        let (begin, end, state) = (self.number()?, self.number()?, self.number()?);
        self.is_done().then_some(ParaverRecord::State { at, begin, end, state })
    }

    fn events(&mut self) -> Option<ParaverRecord<'a>> {
        let at = self.kind_and_place()?;
        let time = self.number()?;
        let pairs = EventPairs { fields: self.clone() };
        let has_first = pairs.clone().next().is_some_and(|first| first != EventPair::Broken);
        has_first.then_some(ParaverRecord::Events { at, time, pairs })
    }

    fn message(&mut self) -> Option<ParaverRecord<'a>> {
        let sender = self.kind_and_place()?;
        let (logical_send, physical_send) = (self.number()?, self.number()?);
        let receiver = self.place()?;
        let (logical_receive, physical_receive) = (self.number()?, self.number()?);
        let (size, tag) = (self.number()?, self.number()?);
        self.is_done().then_some(ParaverRecord::Message(ParaverMessage {
            sender,
            logical_send,
            physical_send,
            receiver,
            logical_receive,
            physical_receive,
            size,
            tag,
        }))
    }

    fn kind_and_place(&mut self) -> Option<RecordPlace> {
        self.number()?;
        self.place()
    }

    fn place(&mut self) -> Option<RecordPlace> {
        let cpu = self.number()?;
        let mut part = || u32::try_from(self.number()?).ok().filter(|part| *part > 0);
        let thread = ThreadPlace { application: part()?, task: part()?, thread: part()? };
        Some(RecordPlace { cpu, thread })
    }

    fn is_done(&self) -> bool {
        self.rest.trim_ascii().is_empty()
    }

    /// The next number, when it is one of 64 bits.
    #[inline]
    fn number(&mut self) -> Option<i64> {
        self.wide_number().and_then(|(number, is_saturated)| (!is_saturated).then_some(number))
    }

    /// The next number, and whether it was beyond 64 bits.
    #[inline]
    fn wide_number(&mut self) -> Option<(i64, bool)> {
        let (is_negative, mut at) = match self.rest {
            [b'-', ..] => (true, 1),
            _ => (false, 0),
        };
        let (start, mut number, mut is_saturated) = (at, 0_i64, false);
        while let Some(byte) = self.rest.get(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            // Downwards, where there is room for one more.
            let next = number.checked_mul(10).and_then(|number| number.checked_sub(i64::from(digit)));
            is_saturated |= next.is_none();
            number = next.unwrap_or(i64::MIN);
            at += 1;
        }
        if at == start {
            return None;
        }
        self.rest = match self.rest.get(at) {
            Some(b':') => &self.rest[at + 1..],
            Some(b' ' | b'\t') if self.rest[at..].trim_ascii().is_empty() => &[],
            None => &[],
            Some(_) => return None,
        };
        match (is_negative, number.checked_neg()) {
            (true, _) => Some((number, is_saturated)),
            (false, Some(number)) => Some((number, is_saturated)),
            (false, None) => Some((i64::MAX, true)),
        }
    }
}
