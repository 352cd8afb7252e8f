//! A first look at all records: how the values of each event type come, and whether lines are in time order.
//!
//! Whether a type is a state, and whether its states nest, shows only in its values: a lock goes from value to value
//! (`3 6 5 0`), calls of functions come back (`f g 0 0`).

use hashbrown::HashMap;

use super::record::{EventPair, ParaverRecord};
use crate::error::Result;
use crate::reader::TraceOrigin;
use crate::reader::chrome::{ChromeRecord, RecordSorter};
use crate::reader::text_lines::{TextLines, WindowLine};

/// How often a type has the value 0, and how often another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TypeUse {
    pub zeros: u64,
    pub others: u64,
}

impl TypeUse {
    /// Whether nearly every value other than 0 is ended by a 0; a trace that was cut may lack some.
    pub fn is_balanced(self) -> bool {
        u128::from(self.zeros) * 10 >= u128::from(self.others) * 9
    }
}

/// Tells lines that come after one of a later time from those that are in order.
#[derive(Debug, Default)]
pub(super) struct LineOrder {
    last: Option<i64>,
}

impl LineOrder {
    /// Whether a line of a time comes too late; those that do not are in time order.
    pub fn is_late(&mut self, time: i64) -> bool {
        match self.last {
            Some(last) if time < last => true,
            _ => {
                self.last = Some(time);
                false
            }
        }
    }
}

/// What the records show.
pub(super) struct ParaverSurvey {
    pub types: HashMap<i64, TypeUse>,
    /// The smallest time at which a record begins.
    pub first: Option<i64>,
    /// The lines that come too late, by time.
    pub late: RecordSorter,
    order: LineOrder,
    /// Extrae sorts messages by their physical send, and all other records by their beginning.
    written_order: LineOrder,
    /// Lines that are not in that order, and the offset of the first of them.
    pub disorder: u64,
    pub first_disorder: u64,
}

impl ParaverSurvey {
    /// Reads a trace; `pause` is called now and then. Of lines that come too late, `memory` bytes are held.
    pub fn of(origin: &TraceOrigin, memory: usize, mut pause: impl FnMut() -> Result<()>) -> Result<ParaverSurvey> {
        let mut survey = ParaverSurvey {
            types: HashMap::new(),
            first: None,
            late: RecordSorter::new(memory),
            order: LineOrder::default(),
            written_order: LineOrder::default(),
            disorder: 0,
            first_disorder: 0,
        };
        let mut lines = TextLines::new(origin.input()?);
        let mut count = 0_u64;
        while let Some(line) = lines.line()? {
            count += 1;
            if count.is_multiple_of(1 << 16) {
                pause()?;
            }
            if !line.is_cut {
                survey.line(&line)?;
            }
        }
        Ok(survey)
    }

    fn line(&mut self, line: &WindowLine<'_>) -> Result<()> {
        let record = ParaverRecord::parse(line.text);
        if let Some(start) = record.time() {
            self.first = Some(self.first.map_or(start, |first| first.min(start)));
            if self.order.is_late(start) {
                let (byte, arguments) = (line.byte, line.text);
                self.late.push(&ChromeRecord { start, byte, arguments, ..ChromeRecord::default() })?;
            }
            let written = match &record {
                ParaverRecord::Message(message) => message.physical_send.max(start),
                _ => start,
            };
            if self.written_order.is_late(written) {
                if self.disorder == 0 {
                    self.first_disorder = line.byte;
                }
                self.disorder += 1;
            }
        }
        let ParaverRecord::Events { pairs, .. } = record else { return Ok(()) };
        for pair in pairs {
            let (EventPair::Pair { type_, value } | EventPair::Saturated { type_, value }) = pair else { break };
            let found = self.types.entry(type_).or_default();
            if value == 0 {
                found.zeros += 1;
            } else {
                found.others += 1;
            }
        }
        Ok(())
    }
}
