//! The progress of an import or an export: a bar on a terminal after a second of work.
//!
//! Ctrl-C simply ends the program: an import that dies leaves the store as it was.

use std::io::{self, IsTerminal};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::sizes::{bytes, counted};
use ocellus_render::note;
use ocellus_trace::import::Progress;

/// Work that is shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a user sees of an import.
#[derive(Debug)]
pub struct ImportProgressBar {
    started: Instant,
    is_shown: bool,
    bar: OnceLock<ProgressBar>,
}

impl ImportProgressBar {
    /// A bar that appears once the work takes a while.
    pub fn new() -> Arc<ImportProgressBar> {
        Arc::new(ImportProgressBar {
            started: Instant::now(),
            is_shown: io::stderr().is_terminal(),
            bar: OnceLock::new(),
        })
    }

    /// Takes the bar from the screen.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn make(&self, total: Option<u64>) -> ProgressBar {
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{bar:40} {percent:>3} %  {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {bytes_per_sec}, {elapsed}"),
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.with_style(style).with_elapsed(self.started.elapsed())
    }
}

impl Progress for ImportProgressBar {
    fn advance(&self, done: u64, total: Option<u64>) {
        if !self.is_shown || self.started.elapsed() < PATIENCE {
            return;
        }
        self.bar.get_or_init(|| self.make(total)).set_position(done);
    }

    fn note(&self, text: &str) {
        note(&format!("note: {text}"));
    }
}

/// What a user sees of an export: nobody knows how many rows will come.
#[derive(Debug)]
pub struct ExportProgressBar {
    started: Instant,
    is_shown: bool,
    bar: OnceLock<ProgressBar>,
}

impl ExportProgressBar {
    /// A bar that appears once the work takes a while.
    pub fn new() -> ExportProgressBar {
        ExportProgressBar { started: Instant::now(), is_shown: io::stderr().is_terminal(), bar: OnceLock::new() }
    }

    /// Shows how many rows and bytes are written.
    pub fn advance(&self, rows: u64, written: u64) {
        let elapsed = self.started.elapsed();
        if !self.is_shown || elapsed < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
            ProgressBar::new_spinner()
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
                .with_elapsed(elapsed)
        });
        let per_second = (rows as f64 / elapsed.as_secs_f64()) as u64;
        bar.set_message(format!(
            "{}, {} written, {} per second",
            counted(rows, "row"),
            bytes(written),
            counted(per_second, "row")
        ));
        bar.tick();
    }

    /// Takes the bar from the screen.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
