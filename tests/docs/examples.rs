//! Runs the examples of `README.md` and `docs/`.
//!
//! | block | what is done |
//! |---|---|
//! | `sql` | runs on the trace or store of the last comment `<!-- source: PATH -->` of the page |
//! | `console` | every line `$ command` runs in a shell; the lines after it, if any, are its expected output |
//! | `text` right after `sql` | the expected output |
//! | `sh`, `python` | not run; the comment before it says why: `<!-- not run: reason -->` |
//! | `text`, `rust`, `dot`, `json` | not run; Rust is compiled in `library.rs` |
//!
//! Each page has a folder of its own with `traces/` in it, so that a block can use what those before it made. In
//! expected output, `…` stands for any text, and a line that is only `…` for any lines. `OCELLUS_BLESS=1` rewrites
//! expected output that differs, unless it has such gaps.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::markdown::{Element, Fence, elements, guide_pages, is_blessing, read, root, shown};

/// Languages of blocks that are shown only.
const SHOWN_ONLY: [&str; 4] = ["text", "rust", "dot", "json"];
/// Stands for anything in expected output.
const ANYTHING: char = '…';

#[test]
fn every_example_runs() {
    let mut runs = 0;
    let mut faults = vec![];
    for page in guide_pages() {
        let text = read(&page);
        let mut run = PageRun::new();
        match elements(&text) {
            Ok(elements) => run.elements(&elements),
            Err(fault) => run.faults.push(fault),
        }
        let (rewrites, kept): (Vec<_>, Vec<_>) =
            run.rewrites.into_iter().partition(|rewrite| is_blessing() && !rewrite.has_gaps());
        run.faults.extend(kept.iter().map(Rewrite::fault));
        if !rewrites.is_empty() {
            fs::write(&page, rewritten(&text, rewrites)).expect("the page is written");
        }
        runs += run.runs;
        faults.extend(run.faults.iter().map(|fault| format!("{}:{fault}", shown(&page))));
    }
    assert!(runs > 40, "only {runs} examples were found");
    assert!(faults.is_empty(), "{} of {runs} examples failed:\n\n{}", faults.len(), faults.join("\n\n"));
}

/// Lines of a page that are not what the program prints.
struct Rewrite {
    /// Index of the first line to replace, and how many.
    first: usize,
    count: usize,
    expected: Vec<String>,
    found: Vec<String>,
}

impl Rewrite {
    /// Whether a person must decide what to leave out.
    fn has_gaps(&self) -> bool {
        self.expected.iter().any(|line| line.contains(ANYTHING))
    }

    fn fault(&self) -> String {
        format!(
            "{}: expected\n{}\nbut the program prints\n{}",
            self.first + 1,
            self.expected.join("\n"),
            self.found.join("\n")
        )
    }
}

/// The page with the found lines in place of the expected ones.
fn rewritten(text: &str, mut rewrites: Vec<Rewrite>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    rewrites.sort_by_key(|rewrite| std::cmp::Reverse(rewrite.first));
    for rewrite in rewrites {
        lines.splice(rewrite.first..rewrite.first + rewrite.count, rewrite.found);
    }
    lines.join("\n") + "\n"
}

/// The examples of one page, in a folder of their own.
struct PageRun {
    folder: TempDir,
    source: Option<String>,
    runs: usize,
    faults: Vec<String>,
    rewrites: Vec<Rewrite>,
}

impl PageRun {
    fn new() -> PageRun {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy_folder(&root().join("traces"), &folder.path().join("traces"));
        PageRun { folder, source: None, runs: 0, faults: vec![], rewrites: vec![] }
    }

    fn elements(&mut self, elements: &[Element]) {
        let mut reason = None;
        for (index, element) in elements.iter().enumerate() {
            match element {
                Element::Comment(comment) => {
                    if let Some(source) = comment.strip_prefix("source: ") {
                        self.source = Some(source.to_string());
                    } else if let Some(text) = comment.strip_prefix("not run: ") {
                        reason = Some(text);
                    }
                }
                Element::Fence(fence) => self.fence(fence, reason.take(), output_after(&elements[index + 1..])),
                Element::Line(_, _) => {}
            }
        }
    }

    fn fence(&mut self, fence: &Fence, reason: Option<&str>, output: Option<&Fence>) {
        match fence.info.as_str() {
            _ if reason.is_some() => {}
            "sql" => self.sql(fence, output),
            "console" => self.console(fence),
            info if SHOWN_ONLY.contains(&info) => {}
            "" => self.faults.push(format!("{}: the block has no language", fence.line)),
            info => self.faults.push(format!(
                "{}: a block of {info} is not run; say why in a comment before it: <!-- not run: reason -->",
                fence.line
            )),
        }
    }

    fn sql(&mut self, fence: &Fence, expected: Option<&Fence>) {
        let Some(source) = self.source.clone() else {
            self.faults.push(format!("{}: no comment <!-- source: PATH --> before this block", fence.line));
            return;
        };
        self.runs += 1;
        let mut command = Command::new(env!("CARGO_BIN_EXE_ocellus"));
        command.args(["sql", &source]);
        let output = self.run(command, &fence.body.join("\n"));
        if !output.status.success() {
            self.faults.push(format!("{}: {}", fence.line, text_of(&output.stderr)));
        } else if let Some(expected) = expected {
            self.compare(expected.line, &expected.body, &text_of(&output.stdout));
        }
    }

    fn console(&mut self, fence: &Fence) {
        let mut lines = fence.body.iter().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let Some(first) = line.strip_prefix("$ ") else {
                self.faults.push(format!("{}: a console block begins with $", fence.line));
                return;
            };
            let mut script = first.to_string();
            let mut output_line = fence.line + index + 1;
            while script.ends_with('\\')
                && let Some((_, line)) = lines.next()
            {
                script = format!("{script}\n{line}");
                output_line += 1;
            }
            let mut expected = vec![];
            while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("$ ")) {
                expected.push(line.clone());
            }
            self.shell(&script, output_line, &expected);
        }
    }

    /// Runs one command of a console; standard error is shown there too.
    fn shell(&mut self, script: &str, output_line: usize, expected: &[String]) {
        self.runs += 1;
        let script = script.replace("cargo run --release --", "ocellus");
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{{ {script}\n}} 2>&1")]);
        let output = self.run(command, "");
        let printed = text_of(&output.stdout);
        if !output.status.success() {
            self.faults.push(format!("{output_line}: {script} failed:\n{printed}"));
        } else if !expected.is_empty() {
            self.compare(output_line, expected, &printed);
        }
    }

    fn run(&self, mut command: Command, input: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_ocellus"));
        let mut path = program.parent().expect("the folder of the program").as_os_str().to_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("LC_ALL", "C")
            .env("OCELLUS_CACHE", self.folder.path().join("cache"))
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env_remove("COLUMNS")
            .env_remove("OCELLUS_BLESS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The program may have left before it read everything.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("the program ends")
    }

    /// Compares the lines after line `line` of the page with what was printed.
    fn compare(&mut self, line: usize, expected: &[String], printed: &str) {
        let found: Vec<String> = printed.trim_end().lines().map(|line| line.trim_end().to_string()).collect();
        let length = expected.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
        if !lines_match(&expected[..length], &found) {
            let expected = expected[..length].to_vec();
            self.rewrites.push(Rewrite { first: line, count: length, expected, found });
        }
    }
}

/// The expected output of a block: a block of text right after it.
fn output_after(elements: &[Element]) -> Option<&Fence> {
    let mut rest =
        elements.iter().skip_while(|element| matches!(element, Element::Line(_, line) if line.trim().is_empty()));
    match rest.next() {
        Some(Element::Fence(fence)) if fence.info == "text" => Some(fence),
        _ => None,
    }
}

/// Whether lines are as expected; a line `…` stands for any number of lines.
fn lines_match(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if is_gap(first) => (0..=found.len()).any(|skipped| lines_match(rest, &found[skipped..])),
        Some((first, rest)) => found
            .split_first()
            .is_some_and(|(line, found)| line_matches(first.trim_end(), line) && lines_match(rest, found)),
    }
}

fn is_gap(line: &str) -> bool {
    line.trim().chars().eq([ANYTHING])
}

/// Whether a line is as expected; `…` in it stands for any text.
fn line_matches(expected: &str, found: &str) -> bool {
    let Some((head, tail)) = expected.split_once(ANYTHING) else { return expected == found };
    let Some(rest) = found.strip_prefix(head) else { return false };
    let mut starts = rest.char_indices().map(|(start, _)| start).chain([rest.len()]);
    starts.any(|start| line_matches(tail, &rest[start..]))
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the sample traces") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn gaps_in_expected_output_match_anything() {
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    assert!(lines_match(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(lines_match(&lines("in … s"), &lines("in 0.25 s")));
    assert!(lines_match(&lines("in …"), &lines("in 0.25 s")));
    assert!(!lines_match(&lines("in …"), &lines("at 0.25 s")));
    assert!(!lines_match(&lines("a"), &lines("a\nb")));
    assert!(!lines_match(&lines("ab"), &lines("a")));
    assert!(!lines_match(&lines("a"), &lines("ab")));
}

#[test]
fn output_that_differs_is_rewritten_in_place() {
    let text = "one\ntwo\nthree\nfour\n";
    let rewrite = |first, count, found: &[&str]| Rewrite {
        first,
        count,
        expected: vec![],
        found: found.iter().map(|line| line.to_string()).collect(),
    };
    let page = rewritten(text, vec![rewrite(0, 1, &["1", "1a"]), rewrite(2, 1, &["3"])]);
    assert_eq!(page, "1\n1a\ntwo\n3\nfour\n");
}
