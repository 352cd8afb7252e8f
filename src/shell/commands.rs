//! The commands of the shell: one table feeds the parser, `.help` and completion.

#[cfg(test)]
mod tests;

use ocellus_engine::catalog::nearest;
use ocellus_trace::error::{Error, Result};

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Shows the commands.
    Help,
    /// Lists tables and views.
    Tables,
    /// Changes the trace.
    Use,
    /// Lists columns.
    Schema,
    /// Lists the columns of a table, or the tables.
    Describe,
    /// Lists functions, or describes one.
    Functions,
    /// Shows or sets the format.
    Mode,
    /// Switches between one column per line and boxes.
    Expanded,
    /// Switches the timing of statements.
    Timing,
    /// Sets the text of NULL.
    NullText,
    /// Sets how many rows a box shows.
    MaxRows,
    /// Switches the pager.
    Pager,
    /// Runs a file.
    Read,
    /// Sends results to a file.
    Output,
    /// Sends the next result to a file.
    Once,
    /// Leaves the shell.
    Quit,
}

/// What the argument of a command is, for completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// There is none.
    None,
    /// The name of a command.
    Command,
    /// The name of a trace.
    Trace,
    /// The name of a table or view.
    Table,
    /// The name of a function.
    Function,
    /// The name of a format.
    Format,
    /// `on` or `off`.
    Switch,
    /// The path of a file.
    File,
    /// Any text.
    Text,
}

/// One command.
#[derive(Debug)]
pub struct CommandSpec {
    /// What it does.
    pub verb: Verb,
    /// All spellings, the one to show first.
    pub names: &'static [&'static str],
    /// The argument as `.help` shows it: in brackets when it can be left out.
    pub usage: &'static str,
    /// What its argument is.
    pub argument: ArgumentKind,
    /// What it does, as `.help` shows it.
    pub help: &'static str,
}

/// All commands, in the order of `.help`.
pub const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        verb: Verb::Help,
        names: &[".help", "\\?", "\\h"],
        usage: "[COMMAND]",
        argument: ArgumentKind::Command,
        help: "show the commands, or one of them",
    },
    CommandSpec {
        verb: Verb::Tables,
        names: &[".tables", "\\dt"],
        usage: "[TRACE|PATTERN]",
        argument: ArgumentKind::Table,
        help: "list the tables and views of the trace, or of another; % in a pattern stands for anything",
    },
    CommandSpec {
        verb: Verb::Use,
        names: &[".use", "\\c"],
        usage: "[TRACE]",
        argument: ArgumentKind::Trace,
        help: "change the trace whose tables need no prefix, or list the traces; USE does the same",
    },
    CommandSpec {
        verb: Verb::Schema,
        names: &[".schema"],
        usage: "[TABLE]",
        argument: ArgumentKind::Table,
        help: "list the columns of a table, or of all tables",
    },
    CommandSpec {
        verb: Verb::Describe,
        names: &["\\d"],
        usage: "[TABLE]",
        argument: ArgumentKind::Table,
        help: "list the columns of a table, or the tables",
    },
    CommandSpec {
        verb: Verb::Functions,
        names: &[".functions", "\\df"],
        usage: "[NAME]",
        argument: ArgumentKind::Function,
        help: "list the functions made for traces, or describe one",
    },
    CommandSpec {
        verb: Verb::Mode,
        names: &[".mode"],
        usage: "[FORMAT]",
        argument: ArgumentKind::Format,
        help: "show or set the format: box, csv, tsv, json, ndjson, markdown, line, parquet, arrow",
    },
    CommandSpec {
        verb: Verb::Expanded,
        names: &["\\x"],
        usage: "[on|off]",
        argument: ArgumentKind::Switch,
        help: "switch between one column per line and boxes",
    },
    CommandSpec {
        verb: Verb::Timing,
        names: &[".timing", ".timer", "\\timing"],
        usage: "[on|off]",
        argument: ArgumentKind::Switch,
        help: "print how long each statement took",
    },
    CommandSpec {
        verb: Verb::NullText,
        names: &[".nullvalue"],
        usage: "[TEXT]",
        argument: ArgumentKind::Text,
        help: "set the text of NULL, or give each format its own again",
    },
    CommandSpec {
        verb: Verb::MaxRows,
        names: &[".maxrows"],
        usage: "[N]",
        argument: ArgumentKind::Text,
        help: "show at most N rows in a box; 0 shows all",
    },
    CommandSpec {
        verb: Verb::Pager,
        names: &[".pager", "\\pager"],
        usage: "[on|off]",
        argument: ArgumentKind::Switch,
        help: "show results that are longer than the screen with $PAGER",
    },
    CommandSpec {
        verb: Verb::Read,
        names: &[".read", "\\i"],
        usage: "FILE",
        argument: ArgumentKind::File,
        help: "run the statements and commands of a file",
    },
    CommandSpec {
        verb: Verb::Output,
        names: &[".output", "\\o"],
        usage: "[FILE]",
        argument: ArgumentKind::File,
        help: "send results to a file, or back to the terminal",
    },
    CommandSpec {
        verb: Verb::Once,
        names: &[".once"],
        usage: "FILE",
        argument: ArgumentKind::File,
        help: "send the next result to a file",
    },
    CommandSpec {
        verb: Verb::Quit,
        names: &[".quit", ".exit", "\\q"],
        usage: "",
        argument: ArgumentKind::None,
        help: "leave",
    },
];

impl CommandSpec {
    /// Whether the argument must be there.
    fn needs_argument(&self) -> bool {
        !self.usage.is_empty() && !self.usage.starts_with('[')
    }

    /// One line of `.help`.
    pub fn help_line(&self) -> String {
        let call = format!("{} {}", self.names.join(" "), self.usage);
        format!("{:<30} {}", call.trim_end(), self.help)
    }
}

/// A command with its argument.
#[derive(Debug, Clone, Copy)]
pub struct ShellCommand<'a> {
    /// The command.
    pub spec: &'static CommandSpec,
    /// Its argument, without quotes.
    pub argument: Option<&'a str>,
}

/// Reads a command line.
pub fn parse(line: &str) -> Result<ShellCommand<'_>> {
    // A semicolon after a command is a habit from SQL.
    let line = line.trim().trim_end_matches(';').trim_end();
    let (name, argument) = match line.split_once(char::is_whitespace) {
        Some((name, argument)) => (name, Some(unquoted(argument.trim()))),
        None => (line, None),
    };
    let spec = find(name).ok_or_else(|| unknown(name))?;
    if spec.needs_argument() && argument.is_none() {
        return Err(Error::Usage(format!("{name} needs an argument: {name} {}", spec.usage)));
    }
    if spec.argument == ArgumentKind::None && argument.is_some() {
        return Err(Error::Usage(format!("{name} takes no argument")));
    }
    Ok(ShellCommand { spec, argument })
}

/// The command of that name.
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    COMMANDS.iter().find(|spec| spec.names.contains(&name))
}

/// Reads `on` and `off`; nothing means the other of what is now.
pub fn switch(argument: Option<&str>, now: Switch) -> Result<Switch> {
    match argument.map(str::to_ascii_lowercase).as_deref() {
        None if now == Switch::On => Ok(Switch::Off),
        None | Some("on" | "true" | "1") => Ok(Switch::On),
        Some("off" | "false" | "0") => Ok(Switch::Off),
        Some(other) => Err(Error::Usage(format!("expected on or off, got {other}"))),
    }
}

/// A setting with two positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// It is on.
    On,
    /// It is off.
    #[default]
    Off,
}

impl Switch {
    /// `on` or `off`.
    pub fn name(self) -> &'static str {
        match self {
            Switch::On => "on",
            Switch::Off => "off",
        }
    }
}

fn unquoted(text: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

fn unknown(name: &str) -> Error {
    let known = COMMANDS.iter().flat_map(|spec| spec.names).copied();
    match nearest(name, known) {
        Some(known) => Error::Usage(format!("no command {name}; did you mean {known}?")),
        None => Error::Usage(format!("no command {name}; .help shows them")),
    }
}
