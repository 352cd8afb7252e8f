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

use super::commands::{self, Switch};
use super::input::{ShellInput, split_input};
use super::running_query::{ResultEvent, RunningQuery};
use super::target::{OutputTarget, TERMINAL_ROWS, terminal_width};
use ocellus_engine::{Engine, ResultKind, counted};
use ocellus_render::formats::{self, ResultFormat, ResultWriter, TextStyle};
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

/// A query that takes longer than this shows a spinner.
const SPINNER_DELAY: Duration = Duration::from_secs(1);
/// Files that read files that read files: more than this is a circle.
const READ_DEPTH: usize = 16;

/// Who writes the input: decides what Ctrl-C does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputMode {
    /// A user at the prompt: Ctrl-C stops the query.
    Interactive,
    /// A pipe, a file or an argument: Ctrl-C stops the program.
    Script,
}

/// What the shell does after a statement or command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopControl {
    /// Reads the next statement or command.
    Continue,
    /// Leaves the shell.
    Quit,
}

/// What the user has set.
#[derive(Debug, Clone)]
pub struct ShellSettings {
    /// The format of results.
    pub format: ResultFormat,
    /// The text of NULL; each format has its own when `None`.
    pub null: Option<String>,
    /// Most rows of a box; `None` for the default of the target, `Some(0)` for all.
    pub max_rows: Option<usize>,
    /// Whether each statement reports how long it took.
    pub timing: Switch,
    /// Whether results longer than the screen are shown with a pager.
    pub pager: Switch,
}

impl Default for ShellSettings {
    fn default() -> ShellSettings {
        ShellSettings { format: ResultFormat::Box, null: None, max_rows: None, timing: Switch::Off, pager: Switch::On }
    }
}

/// A session of the shell on one engine.
pub struct ShellSession {
    /// Where queries run.
    workers: Handle,
    pub(super) engine: Arc<Engine>,
    /// What the user has set.
    pub settings: ShellSettings,
    pub(super) target: OutputTarget,
    /// Where the next result goes instead.
    pub(super) once: Option<OutputTarget>,
    /// Who writes the input.
    pub input_mode: InputMode,
    pub(super) read_depth: usize,
}

impl ShellSession {
    /// Opens a session whose queries run on the workers.
    pub fn new(workers: Handle, engine: Engine, settings: ShellSettings, target: OutputTarget) -> ShellSession {
        ShellSession {
            workers,
            engine: Arc::new(engine),
            settings,
            target,
            once: None,
            input_mode: InputMode::Script,
            read_depth: 0,
        }
    }

    /// Runs a text with statements and commands, up to the first error.
    pub async fn run_text(&mut self, text: &str) -> Result<LoopControl> {
        for input in split_input(text) {
            if self.run(&input).await? == LoopControl::Quit {
                return Ok(LoopControl::Quit);
            }
        }
        Ok(LoopControl::Continue)
    }

    /// Runs a file.
    pub async fn run_file(&mut self, path: &Path) -> Result<LoopControl> {
        if self.read_depth == READ_DEPTH {
            return Err(Error::Usage(format!("{} reads itself", path.display())));
        }
        let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        self.read_depth += 1;
        let flow = Box::pin(self.run_text(&text)).await;
        self.read_depth -= 1;
        flow
    }

    /// Runs one statement or command.
    pub async fn run(&mut self, input: &ShellInput) -> Result<LoopControl> {
        match input {
            ShellInput::Command(line) => {
                let command = commands::parse(line)?;
                self.run_command(command).await
            }
            ShellInput::Statement(text) => {
                let started = Instant::now();
                let result = self.run_statement(text).await;
                if self.settings.timing == Switch::On {
                    note(&format!("time: {:.3} s", started.elapsed().as_secs_f64()));
                }
                result.map(|()| LoopControl::Continue)
            }
        }
    }

    async fn run_statement(&mut self, text: &str) -> Result<()> {
        if self.input_mode == InputMode::Script {
            return self.answer(text).await;
        }
        tokio::select! {
            result = self.answer(text) => result,
            _ = tokio::signal::ctrl_c() => Err(Error::Cancelled),
        }
    }

    /// Runs a statement and writes its result.
    async fn answer(&mut self, text: &str) -> Result<()> {
        let mut query = RunningQuery::start(&self.workers, self.engine.clone(), text.to_string());
        let mut spinner = LateSpinner::new();
        let mut writer: Option<Box<dyn ResultWriter>> = None;
        loop {
            let event = tokio::select! {
                event = query.next() => event?,
                () = spinner.show_when_late() => continue,
            };
            match event {
                Some(ResultEvent::Start(ResultKind::Rows, schema)) => writer = Some(self.writer(&schema)?),
                Some(ResultEvent::Start(ResultKind::Count | ResultKind::Done, _)) => writer = None,
                Some(ResultEvent::Rows(batch)) => {
                    spinner.stop();
                    match &mut writer {
                        Some(writer) => writer.write(&batch)?,
                        None => report_count(&batch),
                    }
                }
                Some(ResultEvent::End(notes)) => {
                    spinner.stop();
                    if let Some(mut writer) = writer.take() {
                        writer.finish()?;
                    }
                    for text in notes {
                        note(&format!("note: {text}"));
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
        let sink = match self.settings.pager {
            Switch::On => target.paged_sink(format)?,
            Switch::Off => target.sink(format)?,
        };
        formats::writer(format, schema, &style, place, sink)
    }

    /// Writes rows that the shell made itself, as if a query had given them.
    pub(super) fn show(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut writer = self.writer(&batch.schema())?;
        writer.write(batch)?;
        writer.finish()
    }
}

/// Reports how many rows COPY or INSERT wrote.
fn report_count(batch: &RecordBatch) {
    if let Some(rows) = counted(std::slice::from_ref(batch)) {
        note(&format!("{rows} {} written", if rows == 1 { "row" } else { "rows" }));
    }
}

/// A spinner that appears when a query takes long.
struct LateSpinner {
    started: Instant,
    spinner: Option<ProgressBar>,
    is_over: bool,
}

impl LateSpinner {
    fn new() -> LateSpinner {
        // Without a terminal there is nobody to show it to.
        LateSpinner { started: Instant::now(), spinner: None, is_over: !io::stderr().is_terminal() }
    }

    /// Returns once the spinner is shown, and never when it is not to be shown.
    async fn show_when_late(&mut self) {
        if self.is_over || self.spinner.is_some() {
            return std::future::pending().await;
        }
        sleep_until((self.started + SPINNER_DELAY).into()).await;
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

impl Drop for LateSpinner {
    fn drop(&mut self) {
        self.stop();
    }
}
