//! Compares the commands and options that the guide names with the help of the program.

use std::io::Write;
use std::process::{Command, Stdio};

use super::markdown::{Element, elements, guide_pages, read, root, shown};

/// Options of other programs that the guide names.
const FOREIGN_OPTIONS: [&str; 7] =
    ["--no-default-features", "--release", "--open", "--locked", "--offline", "--no-checksum", "--test"];

#[test]
fn the_readme_lists_every_command() {
    let readme = read(&root().join("README.md"));
    let commands = subcommands(&help(&[]));
    assert!(commands.len() > 10, "only {commands:?} were found in the help");
    for command in commands {
        let is_listed = readme.contains(&format!("ocellus {command} ")) || readme.contains(&format!(", {command} "));
        assert!(is_listed, "README.md does not list the command {command}");
    }
}

/// The guide names the options of servers and clusters.
#[cfg(all(feature = "server", feature = "cluster"))]
#[test]
fn options_of_the_guide_exist() {
    let mut known = String::new();
    let mut open = vec![vec![]];
    while let Some(path) = open.pop() {
        let text = help(&path.iter().map(String::as_str).collect::<Vec<_>>());
        open.extend(subcommands(&text).into_iter().map(|name| [&path[..], &[name]].concat()));
        known.push_str(&text);
    }
    let known: Vec<&str> = options(&known).collect();
    let mut faults = vec![];
    for page in guide_pages() {
        for element in elements(&read(&page)).unwrap_or_default() {
            let Element::Line(number, line) = element else { continue };
            for option in line.split('`').skip(1).step_by(2).flat_map(options) {
                if !known.contains(&option) && !FOREIGN_OPTIONS.contains(&option) {
                    faults.push(format!("{}:{number}: no command has the option {option}", shown(&page)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_page_of_the_shell_lists_its_commands() {
    let page = read(&root().join("docs/shell.md"));
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut shell = Command::new(env!("CARGO_BIN_EXE_ocellus"))
        .args(["sql", "traces/quickstart.trace"])
        .current_dir(root())
        .env("OCELLUS_CACHE", cache.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the shell starts");
    shell.stdin.take().expect("a pipe").write_all(b".help\n").expect("the shell reads");
    let output = shell.wait_with_output().expect("the shell ends");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let names: Vec<&str> = help.split_whitespace().filter(|word| is_shell_command(word)).collect();
    assert!(names.len() > 10, "the help names too few commands:\n{help}");
    for name in names {
        assert!(page.contains(&format!("`{name}")), "docs/shell.md does not list {name}");
    }
}

/// `.tables`, `\dt`.
fn is_shell_command(word: &str) -> bool {
    let name = word.strip_prefix(['.', '\\']).unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '?')
}

/// The long help of a command.
fn help(path: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ocellus")).args(path).arg("--help").output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{path:?} has no help");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The names in the list of commands of a help.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_string)
        .collect()
}

/// The long options in a text.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.len() > 3 && word.starts_with("--") && word.as_bytes()[2].is_ascii_lowercase())
}
