//! The shell: statements and commands, from a terminal or from a pipe.
//!
//! On a terminal an error is printed and the shell goes on; in a pipe or a file it ends the run.
//! Ctrl-C stops the query and not the shell, Ctrl-D leaves.

mod commands;
mod excerpt;
mod input;
mod line_editor;
mod listings;
mod pager;
mod run_command;
mod running_query;
mod session;
mod target;

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use rustyline::config::{ColorMode, Configurer};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};

use input::{InputSplitter, ShellInput, split_input};
use line_editor::ShellHelper;

pub use excerpt::with_excerpt;
pub use running_query::{ResultEvent, RunningQuery};
pub use session::{InputMode, LoopControl, ShellSession, ShellSettings};
pub use target::{OutputTarget, TERMINAL_ROWS, terminal_width};

use ocellus_engine::completion::CompletionNames;
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

const PROMPT: &str = "ocellus> ";
const COLORED_PROMPT: &str = "\x1b[1mocellus>\x1b[0m ";
const HISTORY_ENTRIES: usize = 10_000;

/// Runs what comes through a pipe, statement by statement as they arrive.
pub async fn run_pipe(session: &mut ShellSession, source: impl BufRead) -> Result<()> {
    let mut splitter = InputSplitter::default();
    for line in source.lines() {
        let line = line.map_err(|source| Error::Io { context: "cannot read standard input".to_string(), source })?;
        for unit in splitter.line(&line) {
            if session.run(&unit).await? == LoopControl::Quit {
                return Ok(());
            }
        }
    }
    if let Some(rest) = splitter.finish() {
        session.run(&rest).await?;
    }
    Ok(())
}

/// Reads from a user at a terminal until they leave.
pub async fn run_terminal(session: &mut ShellSession) -> Result<()> {
    session.input_mode = InputMode::Interactive;
    let mut editor = editor(session).await?;
    let history = history_file();
    if let Some(path) = &history {
        // There is none the first time.
        let _ = editor.load_history(path);
    }
    note(concat!("ocellus ", env!("CARGO_PKG_VERSION"), ": .help for help, Ctrl-D to leave"));
    loop {
        let text = match editor.readline(&(PROMPT, COLORED_PROMPT)) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(Error::Internal(format!("the line editor failed: {error}"))),
        };
        if text.trim().is_empty() {
            continue;
        }
        remember(&mut editor, history.as_deref(), &text);
        match session.run_text(&text).await {
            Ok(LoopControl::Quit) => return Ok(()),
            Ok(LoopControl::Continue) => {}
            // The user left the pager before its end.
            Err(error) if is_broken_pipe(&error) => {}
            Err(error) => note(&format!("error: {error}")),
        }
        if changes_names(&text)
            && let Some(helper) = editor.helper_mut()
        {
            helper.names = CompletionNames::of(&session.engine).await;
        }
    }
}

async fn editor(session: &ShellSession) -> Result<Editor<ShellHelper, DefaultHistory>> {
    let failed = |error: ReadlineError| Error::Internal(format!("the line editor cannot start: {error}"));
    let config = Config::builder()
        .history_ignore_space(true)
        .max_history_size(HISTORY_ENTRIES)
        .map_err(failed)?
        .completion_type(rustyline::CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .build();
    let mut editor = Editor::with_config(config).map_err(failed)?;
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        editor.set_color_mode(ColorMode::Disabled);
    }
    editor.set_helper(Some(ShellHelper::new(CompletionNames::of(&session.engine).await)));
    Ok(editor)
}

/// Adds a line to the history, and to its file at once: shells do get killed.
fn remember(editor: &mut Editor<ShellHelper, DefaultHistory>, path: Option<&Path>, text: &str) {
    let _ = editor.add_history_entry(text);
    let Some(path) = path else { return };
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    // A history that cannot be written is no reason to stop working.
    let _ = editor.append_history(path);
}

fn history_file() -> Option<PathBuf> {
    let state = match std::env::var_os("XDG_STATE_HOME").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => folder,
        _ => PathBuf::from(std::env::var_os("HOME")?).join(".local/state"),
    };
    Some(state.join("ocellus").join("history"))
}

/// Whether a text may have made or removed tables, or changed the trace.
fn changes_names(text: &str) -> bool {
    split_input(text).iter().any(|input| match input {
        ShellInput::Command(line) => [".read", "\\i", ".use", "\\c"].iter().any(|name| line.starts_with(name)),
        ShellInput::Statement(text) => {
            let first = text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
            ["CREATE", "DROP", "ALTER", "SET", "USE"].contains(&first.as_str())
        }
    })
}

/// Whether an error is that of a reader who has left.
pub fn is_broken_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}

/// Whether standard input is a pipe or a file.
pub fn is_piped() -> bool {
    !io::IsTerminal::is_terminal(&io::stdin())
}
