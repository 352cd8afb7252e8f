//! Results longer than the screen, shown with a pager.
//!
//! What is written is kept until it is known to be longer than the screen; then the pager gets it, and all that follows.
//! A shorter result goes to standard output as if there were no pager.

#[cfg(test)]
mod tests;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What is run when `$PAGER` is not set.
const USUAL_PAGER: &str = "less";
/// How `less` shows tables, unless the user says otherwise: lines are not folded, and a short text needs no key.
const LESS: &str = "FRSX";

/// A command of the system's shell that shows what it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagerCommand(OsString);

impl PagerCommand {
    /// `$PAGER`, or else `less` where it is installed; `None` when there is neither, or `$PAGER` is empty.
    pub fn of_environment() -> Option<PagerCommand> {
        match env::var_os("PAGER") {
            Some(pager) if pager.is_empty() => None,
            Some(pager) => Some(PagerCommand(pager)),
            None => is_installed(USUAL_PAGER, &env::var_os("PATH")?).then(|| PagerCommand(USUAL_PAGER.into())),
        }
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.0).stdin(Stdio::piped());
        if env::var_os("LESS").is_none() {
            command.env("LESS", LESS);
        }
        command.spawn()
    }
}

fn is_installed(program: &str, path: &OsStr) -> bool {
    env::split_paths(path).any(|folder| Path::new(&folder).join(program).is_file())
}

/// An output that starts the pager once it has more lines than the screen.
#[derive(Debug)]
pub struct PagedOutput<W: Write> {
    pager: PagerCommand,
    /// Lines that the screen has room for.
    rows: usize,
    lines: usize,
    /// Written and not yet shown.
    held: Vec<u8>,
    /// Runs once there are too many lines.
    running: Option<Child>,
    /// Where a short result goes, and all of them when the pager cannot be started.
    screen: W,
}

impl<W: Write> PagedOutput<W> {
    /// An output on a screen of so many rows.
    pub fn new(pager: PagerCommand, rows: usize, screen: W) -> PagedOutput<W> {
        PagedOutput { pager, rows, lines: 0, held: vec![], running: None, screen }
    }

    fn show(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        match self.running.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(pager) => pager.write_all(&held),
            None => self.screen.write_all(&held),
        }
    }
}

impl<W: Write> Write for PagedOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        // The prompt that follows takes a line too.
        if self.running.is_none() && self.lines >= self.rows {
            self.running = self.pager.start().ok();
        }
        if self.lines >= self.rows {
            self.show()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.show()?;
        match self.running.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(pager) => pager.flush(),
            None => self.screen.flush(),
        }
    }
}

impl<W: Write> Drop for PagedOutput<W> {
    fn drop(&mut self) {
        let _ = self.flush();
        if let Some(mut pager) = self.running.take() {
            // The pager sees the end, and the user leaves it when they like.
            drop(pager.stdin.take());
            let _ = pager.wait();
        }
    }
}
