//! Counts the bytes that are written, for progress displays.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that were written so far; clones count together.
#[derive(Debug, Clone, Default)]
pub struct ByteCounter(Arc<AtomicU64>);

impl ByteCounter {
    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A sink whose bytes are counted.
#[derive(Debug)]
pub struct CountingWriter<W> {
    sink: W,
    counter: ByteCounter,
}

impl<W> CountingWriter<W> {
    /// A sink that adds to a counter.
    pub fn new(sink: W, counter: &ByteCounter) -> CountingWriter<W> {
        CountingWriter { sink, counter: counter.clone() }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.counter.0.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
