//! Batches arrive whole and in order, and errors in the order of what they are about.

use super::*;
use crate::reader::Consumer;

/// Emits batches whose lines count up, and then may fail.
struct CountingReader {
    batches: u32,
    failure: Option<&'static str>,
}

impl TraceReader for CountingReader {
    fn read(&mut self, _: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut batch = EventBatch::default();
        for number in 0..self.batches {
            assert_eq!((batch.lines, batch.text.len()), (0, 0), "what is handed back is empty");
            batch.lines = number;
            batch.text.extend_from_slice(&number.to_le_bytes());
            consume(&mut batch)?;
            batch.clear();
        }
        self.failure.map_or(Ok(()), |failure| Err(Error::Trace(failure.to_string())))
    }
}

/// The lines of all batches that were taken, and how it ended.
fn taken(mut reader: CountingReader, fails_at: Option<u32>) -> (Vec<u32>, std::result::Result<(), String>) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    let mut lines = vec![];
    let end = read(&mut reader, &origin, |batch| {
        assert_eq!(batch.text, batch.lines.to_le_bytes());
        if Some(batch.lines) == fails_at {
            return Err(Error::Trace("the consumer fails".to_string()));
        }
        lines.push(batch.lines);
        Ok(())
    });
    (lines, end.map_err(|error| error.to_string()))
}

#[test]
fn all_batches_arrive_in_order() {
    for batches in [0, 1, 2, 3, 4, 100] {
        let (lines, end) = taken(CountingReader { batches, failure: None }, None);
        assert_eq!((lines, end), ((0..batches).collect(), Ok(())));
    }
}

#[test]
fn the_first_error_is_returned() {
    for batches in [1, 3, 50] {
        let fails = || CountingReader { batches, failure: Some("the reader fails") };
        let (lines, end) = taken(fails(), None);
        assert_eq!((lines.len(), end), (batches as usize, Err("the reader fails".to_string())));
        for at in [0, batches - 1] {
            let (lines, end) = taken(fails(), Some(at));
            assert_eq!((lines, end), ((0..at).collect(), Err("the consumer fails".to_string())), "batch {at}");
        }
    }
}
