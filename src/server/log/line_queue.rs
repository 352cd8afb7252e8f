//! Lines that wait for a thread which writes them: whoever logs never waits.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::fmt::MakeWriter;

use ocellus_trace::error::{Error, Result};

/// Lines that may wait; more are lost.
const MOST_LINES: usize = 4096;
/// How often the thread looks whether the process ends.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Where lines are put.
#[derive(Debug, Clone)]
pub(super) struct LineQueue {
    lines: SyncSender<Vec<u8>>,
    lost: Arc<AtomicU64>,
}

/// Waits, when it is dropped, until the lines are written, at most a second.
#[derive(Debug)]
pub struct LogDrain {
    is_ending: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Starts the thread.
pub(super) fn start(out: impl Write + Send + 'static) -> Result<(LineQueue, LogDrain)> {
    let (lines, waiting) = sync_channel(MOST_LINES);
    let (lost, is_ending) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let writer = LogWriter { waiting, lost: Arc::clone(&lost), is_ending: Arc::clone(&is_ending) };
    let thread = thread::Builder::new().name("log".to_string()).spawn(move || writer.run(out));
    let thread = thread.map_err(|source| Error::Io { context: "cannot start a thread".to_string(), source })?;
    Ok((LineQueue { lines, lost }, LogDrain { is_ending, thread: Some(thread) }))
}

struct LogWriter {
    waiting: Receiver<Vec<u8>>,
    lost: Arc<AtomicU64>,
    is_ending: Arc<AtomicBool>,
}

impl LogWriter {
    /// Writes until the process ends. A reader that went away is no reason to end.
    fn run(self, mut out: impl Write) {
        loop {
            match self.waiting.recv_timeout(PAUSE) {
                Ok(line) => drop(out.write_all(&line)),
                Err(RecvTimeoutError::Timeout) if !self.is_ending.load(Ordering::Acquire) => {}
                Err(_) => return drop(out.flush()),
            }
            match self.lost.swap(0, Ordering::Relaxed) {
                0 => {}
                lost => drop(writeln!(out, "ocellus: {lost} lines of the log were lost: nobody read them in time")),
            }
        }
    }
}

impl Drop for LogDrain {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Release);
        let deadline = Instant::now() + LAST_LINES;
        if let Some(thread) = self.thread.take() {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

impl Write for LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.lines.try_send(line.to_vec()) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => drop(self.lost.fetch_add(1, Ordering::Relaxed)),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = LineQueue;

    fn make_writer(&'a self) -> LineQueue {
        self.clone()
    }
}
