//! `ocellus completions` and `ocellus man`: made from the definition of the arguments.

use std::fs;
use std::io::Write;

use clap::CommandFactory;

use super::arguments::{Cli, CompletionsArguments, ManArguments};
use super::outcome::Outcome;
use super::stdout::{stdout, stdout_failed};
use ocellus_trace::error::{Error, Result};

/// Prints the completions of a shell.
pub fn completions(arguments: &CompletionsArguments) -> Result<Outcome> {
    // Into memory first: the generator has no way to report a closed pipe.
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut Cli::command(), "ocellus", &mut script);
    let mut out = stdout();
    out.write_all(&script).and_then(|()| out.flush()).map_err(stdout_failed)?;
    Ok(Outcome::Done)
}

/// Prints the main page, or writes all pages into a folder.
pub fn man(arguments: &ManArguments) -> Result<Outcome> {
    match &arguments.folder {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
            clap_mangen::generate_to(Cli::command(), folder).map_err(|e| Error::io("write into", folder, e))?;
        }
        None => {
            let mut out = stdout();
            clap_mangen::Man::new(Cli::command()).render(&mut out).and_then(|()| out.flush()).map_err(stdout_failed)?;
        }
    }
    Ok(Outcome::Done)
}
