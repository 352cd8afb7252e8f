//! Counts the bytes that are written, for whoever shows progress.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that were written so far; clones count together.
#[derive(Debug, Clone, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A sink whose bytes are counted.
#[derive(Debug)]
pub struct Counted<W> {
    sink: W,
    counter: Counter,
}

impl<W> Counted<W> {
    pub fn new(sink: W, counter: &Counter) -> Counted<W> {
        Counted { sink, counter: counter.clone() }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.counter.0.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
