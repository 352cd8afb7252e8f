//! What the commands of the shell do.

use std::path::Path;

use super::commands::{COMMANDS, ShellCommand, Switch, Verb, find, switch};
use super::listings;
use super::session::{LoopControl, ShellSession};
use super::target::OutputTarget;
use ocellus_render::formats::{ResultFormat, write_failed};
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

impl ShellSession {
    /// Runs a command.
    pub(super) async fn run_command(&mut self, command: ShellCommand<'_>) -> Result<LoopControl> {
        let argument = command.argument;
        match command.spec.verb {
            Verb::Help => self.help(argument)?,
            Verb::Tables => {
                let batch = listings::tables(&self.engine, argument).await?;
                self.show(&batch)?;
            }
            Verb::Use => self.use_trace(argument)?,
            Verb::Describe if argument.is_none() => {
                let batch = listings::tables(&self.engine, None).await?;
                self.show(&batch)?;
            }
            Verb::Schema | Verb::Describe => {
                let batch = listings::columns(&self.engine, argument).await?;
                self.show(&batch)?;
            }
            Verb::Functions => self.functions(argument)?,
            Verb::Mode => self.mode(argument)?,
            Verb::Expanded => self.expanded(argument)?,
            Verb::Timing => {
                self.settings.timing = switch(argument, self.settings.timing)?;
                note(&format!("timing is {}", self.settings.timing.name()));
            }
            Verb::NullText => self.settings.null = argument.map(str::to_string),
            Verb::MaxRows => self.settings.max_rows = argument.map(row_count).transpose()?,
            Verb::Pager => {
                self.settings.pager = switch(argument, self.settings.pager)?;
                note(&format!("the pager is {}", self.settings.pager.name()));
            }
            Verb::Read => return Box::pin(self.run_file(Path::new(argument.unwrap_or_default()))).await,
            Verb::Output => {
                self.target.finish()?;
                self.target = match argument {
                    None | Some("stdout") => OutputTarget::Stdout,
                    Some(path) => OutputTarget::file(Path::new(path))?,
                };
            }
            Verb::Once => self.once = Some(OutputTarget::file(Path::new(argument.unwrap_or_default()))?),
            Verb::Quit => return Ok(LoopControl::Quit),
        }
        Ok(LoopControl::Continue)
    }

    fn help(&mut self, name: Option<&str>) -> Result<()> {
        let specs = match name {
            None => COMMANDS.iter().collect(),
            Some(name) => {
                let dotted = format!(".{name}");
                let spec = find(name).or_else(|| find(&dotted));
                vec![spec.ok_or_else(|| Error::Usage(format!("no command {name}; .help shows them")))?]
            }
        };
        let mut sink = self.target.sink(ResultFormat::Line)?;
        for spec in specs {
            writeln!(sink, "{}", spec.help_line()).map_err(write_failed)?;
        }
        if name.is_none() {
            writeln!(sink, "anything else is SQL and ends with ;").map_err(write_failed)?;
        }
        sink.flush().map_err(write_failed)
    }

    /// Changes the trace, or lists the traces.
    fn use_trace(&mut self, name: Option<&str>) -> Result<()> {
        match name {
            Some(name) => {
                self.engine.use_trace(name)?;
                note(&format!("the trace is {name}"));
                Ok(())
            }
            None => {
                let batch = listings::traces(&self.engine)?;
                self.show(&batch)
            }
        }
    }

    fn functions(&mut self, name: Option<&str>) -> Result<()> {
        let batch = listings::functions(&self.engine, name)?;
        let format = self.settings.format;
        // The description of one function reads better line by line.
        if name.is_some() && batch.num_rows() == 1 && format == ResultFormat::Box {
            self.settings.format = ResultFormat::Line;
        }
        let shown = self.show(&batch);
        self.settings.format = format;
        shown
    }

    fn mode(&mut self, name: Option<&str>) -> Result<()> {
        match name {
            Some(name) => self.settings.format = ResultFormat::parse(name)?,
            None => note(&format!("the format is {}", self.settings.format.name())),
        }
        Ok(())
    }

    fn expanded(&mut self, argument: Option<&str>) -> Result<()> {
        let now = if self.settings.format == ResultFormat::Line { Switch::On } else { Switch::Off };
        let wanted = switch(argument, now)?;
        if wanted != now {
            self.settings.format = if wanted == Switch::On { ResultFormat::Line } else { ResultFormat::Box };
        }
        note(&format!("expanded display is {}", wanted.name()));
        Ok(())
    }
}

fn row_count(text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::Usage(format!("expected a number of rows, got {text}")))
}
