//! A session: an engine, the settings of the user, and a place for results.
//!
//! In: statements and commands, from a terminal, a pipe or a file. Out: results on the target;
//! timing and notes on standard error.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Handle;
use tokio::time::sleep_until;

use super::answers::{Answers, Part};
use super::commands::{self, Switch};
use super::input::{Piece, pieces};
use super::note;
use super::target::{TERMINAL_ROWS, Target, terminal_width};
use ocellus_engine::{AnswerKind, Engine, counted};
use ocellus_render::formats::{self, ResultFormat, ResultWriter, TextStyle};
use ocellus_trace::error::{Error, Result};

/// A query that takes longer than this shows that it is alive.
const PATIENCE: Duration = Duration::from_secs(1);
/// Files that read files that read files: more than this is a circle.
const READ_DEPTH: usize = 16;

/// Whether a human is at the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Ctrl-C stops the query.
    Human,
    /// Ctrl-C stops the program.
    Script,
}

/// What to do after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    GoOn,
    Quit,
}

/// What the user has set.
#[derive(Debug, Clone)]
pub struct Settings {
    pub format: ResultFormat,
    pub null: Option<String>,
    /// Most rows of a box; `None` for the custom of the place, `Some(0)` for all.
    pub max_rows: Option<usize>,
    pub timing: Switch,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { format: ResultFormat::Box, null: None, max_rows: None, timing: Switch::Off }
    }
}

/// A session.
pub struct Session {
    /// Where queries run.
    workers: Handle,
    pub(super) engine: Arc<Engine>,
    pub settings: Settings,
    pub(super) target: Target,
    /// Where the next result goes instead.
    pub(super) once: Option<Target>,
    pub presence: Presence,
    pub(super) read_depth: usize,
}

impl Session {
    pub fn new(workers: Handle, engine: Engine, settings: Settings, target: Target) -> Session {
        Session {
            workers,
            engine: Arc::new(engine),
            settings,
            target,
            once: None,
            presence: Presence::Script,
            read_depth: 0,
        }
    }

    /// Runs a text with statements and commands, up to the first error.
    pub async fn run_text(&mut self, text: &str) -> Result<Flow> {
        for piece in pieces(text) {
            if self.run(&piece).await? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::GoOn)
    }

    /// Runs a file.
    pub async fn run_file(&mut self, path: &Path) -> Result<Flow> {
        if self.read_depth == READ_DEPTH {
            return Err(Error::Usage(format!("{} is read by itself", path.display())));
        }
        let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        self.read_depth += 1;
        let flow = Box::pin(self.run_text(&text)).await;
        self.read_depth -= 1;
        flow
    }

    /// Runs one statement or command.
    pub async fn run(&mut self, piece: &Piece) -> Result<Flow> {
        match piece {
            Piece::Command(line) => {
                let command = commands::parse(line)?;
                self.run_command(command).await
            }
            Piece::Statement(text) => {
                let started = Instant::now();
                let result = self.run_statement(text).await;
                if self.settings.timing == Switch::On {
                    note(&format!("time: {:.3} s", started.elapsed().as_secs_f64()));
                }
                result.map(|()| Flow::GoOn)
            }
        }
    }

    async fn run_statement(&mut self, text: &str) -> Result<()> {
        if self.presence == Presence::Script {
            return self.answer(text).await;
        }
        tokio::select! {
            result = self.answer(text) => result,
            _ = tokio::signal::ctrl_c() => Err(Error::Cancelled),
        }
    }

    /// Runs a statement and writes what it answers.
    async fn answer(&mut self, text: &str) -> Result<()> {
        let mut answers = Answers::start(&self.workers, self.engine.clone(), text.to_string());
        let mut waiting = Waiting::new();
        let mut writer: Option<Box<dyn ResultWriter>> = None;
        loop {
            let part = tokio::select! {
                part = answers.next() => part?,
                () = waiting.patience() => continue,
            };
            match part {
                Some(Part::Start(AnswerKind::Rows, schema)) => writer = Some(self.writer(&schema)?),
                Some(Part::Start(AnswerKind::Count | AnswerKind::Done, _)) => writer = None,
                Some(Part::Rows(batch)) => {
                    waiting.stop();
                    match &mut writer {
                        Some(writer) => writer.write(&batch)?,
                        None => tell_count(&batch),
                    }
                }
                Some(Part::End) => {
                    waiting.stop();
                    if let Some(mut writer) = writer.take() {
                        writer.finish()?;
                    }
                }
                None => return Ok(()),
            }
        }
    }

    /// The writer of the next result.
    fn writer(&mut self, schema: &SchemaRef) -> Result<Box<dyn ResultWriter>> {
        let mut once = self.once.take();
        let target = once.as_mut().unwrap_or(&mut self.target);
        let mut style = TextStyle { null: self.settings.null.clone(), ..TextStyle::default() };
        if target.is_terminal() {
            style.width = terminal_width();
        }
        // The lines of a plan are long: a box would cut them or be wider than any screen.
        let is_plan = schema.fields().first().is_some_and(|field| field.name() == "plan_type");
        let format = match self.settings.format {
            ResultFormat::Box if is_plan => ResultFormat::Line,
            format => format,
        };
        style.max_rows = match self.settings.max_rows {
            Some(0) => None,
            Some(rows) => Some(rows),
            None if target.is_terminal() => Some(TERMINAL_ROWS),
            None => None,
        };
        let place = target.place();
        let sink = target.sink(format)?;
        formats::writer(format, schema, &style, place, sink)
    }

    /// Writes rows that the shell made itself, as if a query had given them.
    pub(super) fn show(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut writer = self.writer(&batch.schema())?;
        writer.write(batch)?;
        writer.finish()
    }
}

/// COPY and INSERT have no result, but their user likes to know.
fn tell_count(batch: &RecordBatch) {
    if let Some(rows) = counted(std::slice::from_ref(batch)) {
        note(&format!("{rows} {} written", if rows == 1 { "row" } else { "rows" }));
    }
}

/// Shows after a while that a query is alive.
struct Waiting {
    started: Instant,
    spinner: Option<ProgressBar>,
    is_over: bool,
}

impl Waiting {
    fn new() -> Waiting {
        // Without a terminal there is nobody to show it to.
        Waiting { started: Instant::now(), spinner: None, is_over: !io::stderr().is_terminal() }
    }

    /// Comes back when it is time to show something, and never otherwise.
    async fn patience(&mut self) {
        if self.is_over || self.spinner.is_some() {
            return std::future::pending().await;
        }
        sleep_until((self.started + PATIENCE).into()).await;
        let style =
            ProgressStyle::with_template("{spinner} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        let spinner = ProgressBar::new_spinner().with_style(style).with_elapsed(self.started.elapsed());
        spinner.enable_steady_tick(Duration::from_millis(100));
        self.spinner = Some(spinner);
    }

    fn stop(&mut self) {
        self.is_over = true;
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.stop();
    }
}
