//! The rules of the source tree that a compiler does not check: layers, sizes, and no orphans.
//!
//! In: the files of the checkout. Out: a failure that lists every place where a rule is broken, each
//! with the rule's reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first; a module uses only its own layer and those before it.
const LAYERS: [&[&str]; 10] = [
    &["error", "diagnostics", "time"],
    &["model", "schema"],
    &["reader", "kernels", "synth"],
    &["simulator"],
    &["writer"],
    &["import"],
    &["catalog"],
    &["functions"],
    &["engine"],
    &["outputs"],
];
const LONGEST_FILE: usize = 400;
const LARGEST_SAMPLE: u64 = 8 * 1024;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with that ending, sorted; none if there is no such folder.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)))
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn assert_none(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}:\n  {}", faults.join("\n  "));
}

/// Rust text with comments, strings and characters blanked; lines stay where they are.
fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped_length(rest, code.chars().last());
        let length = if skipped > 0 { skipped } else { first.len_utf8() };
        let (piece, tail) = rest.split_at(length);
        match skipped {
            0 => code.push(first),
            _ => code.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
        }
        rest = tail;
    }
    code
}

/// Length of the comment or literal at the start of the text; 0 when there is none.
fn skipped_length(text: &str, before: Option<char>) -> usize {
    let until =
        |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |position| from + position + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    let is_in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if text.starts_with('r') && !is_in_word {
        let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
        if text[1 + hashes..].starts_with('"') {
            return until(&format!("\"{}", "#".repeat(hashes)), 2 + hashes);
        }
    }
    if text.starts_with('"') {
        return quoted_length(text, '"');
    }
    // A lifetime has no closing quote right after its first character.
    let mut after = text.chars().skip(1);
    if text.starts_with('\'') && (after.next() == Some('\\') || after.next() == Some('\'')) {
        return quoted_length(text, '\'');
    }
    0
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == quote {
            return position + 1;
        }
    }
    text.len()
}

/// The text up to the brace that closes the one it starts with.
fn braced(text: &str) -> &str {
    let mut depth = 0_usize;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return &text[..=position],
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The top-level modules that a piece of code names through `crate::`.
fn modules_used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (position, start) in code.match_indices("crate::") {
        let path = &code[position + start.len()..];
        if !path.starts_with('{') {
            used.insert(word(path).to_string());
            continue;
        }
        let mut depth = 0;
        let group = braced(path);
        let mut name_follows = false;
        for (place, byte) in group.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ if byte.is_ascii_whitespace() => continue,
                _ if depth == 1 && name_follows => {
                    used.insert(word(&group[place..]).to_string());
                }
                _ => {}
            }
            name_follows = depth == 1 && matches!(byte, b'{' | b',');
        }
    }
    used
}

/// The modules that enough `super::` in a row reach from a file that lies `depth` modules deep.
fn modules_climbed_to(code: &str, depth: usize) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let climb = "super::".repeat(depth);
    for (position, _) in code.match_indices(&climb) {
        used.insert(word(&code[position + climb.len()..]).to_string());
    }
    used
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// A source file below `src/` that belongs to a layer.
struct Source {
    path: PathBuf,
    code: String,
    module: String,
    layer: usize,
    depth: usize,
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for path in files("src", ".rs") {
        let below = path.strip_prefix(root().join("src")).expect("below src").to_path_buf();
        let parts: Vec<String> =
            below.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts == ["lib"] || parts == ["main"] {
            continue;
        }
        let module = parts[0].clone();
        let layer =
            layer_of(&module).unwrap_or_else(|| panic!("{} belongs to no layer: add it to LAYERS", shown(&path)));
        let depth = parts.iter().filter(|part| *part != "mod").count();
        let code = code_only(&read(&path));
        sources.push(Source { path, code, module, layer, depth });
    }
    assert!(!sources.is_empty(), "no source was found");
    sources
}

#[test]
fn imports_go_down() {
    let mut faults = Vec::new();
    for source in sources() {
        let mut used = modules_used(&source.code);
        used.extend(modules_climbed_to(&source.code, source.depth));
        for module in used {
            if layer_of(&module).is_some_and(|layer| layer > source.layer) {
                faults.push(format!("{} ({}) uses {module}", shown(&source.path), source.module));
            }
        }
    }
    assert_none("a module knows nothing of the layers above it", &faults);
}

#[test]
fn the_engine_appears_from_the_catalog_on() {
    let catalog = layer_of("catalog").expect("a layer");
    let outputs = layer_of("outputs").expect("a layer");
    let mut faults = Vec::new();
    for source in sources() {
        if source.layer < catalog && source.code.contains("datafusion") {
            faults.push(format!("{} uses datafusion", shown(&source.path)));
        }
        if source.layer < outputs && (source.code.contains("std::net") || source.code.contains("tokio::net")) {
            faults.push(format!("{} opens sockets", shown(&source.path)));
        }
    }
    assert_none("datafusion appears from the catalog on, sockets only in outputs", &faults);
}

#[test]
fn files_are_short_or_say_why_not() {
    let mut faults = Vec::new();
    for path in files("src", ".rs").into_iter().chain(files("tests", ".rs")) {
        let text = read(&path);
        let count = text.lines().count();
        let has_reason = text.lines().take(30).any(|line| line.trim_start().starts_with("// size: "));
        if count > LONGEST_FILE && !has_reason {
            faults.push(format!("{} has {count} lines", shown(&path)));
        }
        if !text.starts_with("//!") && !path.ends_with("main.rs") {
            faults.push(format!("{} does not say what it is for in a //! line", shown(&path)));
        }
    }
    assert_none("a file is read in one sitting, or says `// size: reason` near its top", &faults);
}

#[test]
fn schemas_and_code_know_the_same_tables() {
    let on_disk: BTreeSet<String> = files("schemas", ".toml").iter().map(|path| stem(path)).collect();
    let in_code: BTreeSet<String> = ocellus::schema::tables().iter().map(|table| table.name.clone()).collect();
    assert_eq!(on_disk, in_code, "schemas/*.toml (left) and src/schema (right) must agree");
}

/// The rooms of functions: `family/name` of every file or folder below `src/functions/<family>/`.
fn functions() -> BTreeSet<String> {
    let folder = root().join("src/functions");
    let mut names = BTreeSet::new();
    for path in files("src/functions", ".rs") {
        let below = path.strip_prefix(&folder).expect("below src/functions").with_extension("");
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.len() >= 2 && parts[1] != "mod" {
            names.insert(format!("{}/{}", parts[0], parts[1]));
        }
    }
    names
}

#[test]
fn every_function_and_view_has_its_test_and_the_reverse() {
    let mut expected = functions();
    let families: BTreeSet<String> =
        expected.iter().filter_map(|name| Some(name.split_once('/')?.0.to_string())).collect();
    expected.extend(files("sql/views", ".sql").iter().map(|path| format!("views/{}", stem(path))));
    let mut faults = Vec::new();
    for name in &expected {
        if !root().join(format!("tests/sql/{name}.slt")).is_file() {
            faults.push(format!("tests/sql/{name}.slt is missing"));
        }
    }
    for path in files("tests/sql", ".slt") {
        let family = path.parent().map(stem).unwrap_or_default();
        let name = format!("{family}/{}", stem(&path));
        if (families.contains(&family) || family == "views") && !expected.contains(&name) {
            faults.push(format!("{} tests nothing that exists", shown(&path)));
        }
    }
    assert_none("the tests of SQL mirror src/functions and sql/views", &faults);
}

#[test]
fn samples_are_small_and_listed() {
    let list = read(&root().join("traces/README.md"));
    let mut faults = Vec::new();
    let samples: Vec<PathBuf> =
        [".trace", ".json", ".otf2"].iter().flat_map(|ending| files("traces", ending)).collect();
    assert!(!samples.is_empty(), "no sample was found");
    for path in samples {
        let bytes = fs::metadata(&path).expect("a file").len();
        if bytes > LARGEST_SAMPLE {
            faults.push(format!("{} has {bytes} bytes", shown(&path)));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !list.contains(&format!("`{name}`")) {
            faults.push(format!("{} is not in traces/README.md", shown(&path)));
        }
        let is_good =
            path.parent() == Some(&root().join("traces")) && path.extension().is_some_and(|ending| ending == "trace");
        if is_good && !read(&path).starts_with("# ") {
            faults.push(format!("{} does not say its idea in its first line", shown(&path)));
        }
    }
    assert_none("a sample is under 8 kB, with one idea that is told", &faults);
}

/// Code without the modules that only tests see.
fn without_tests(code: &str) -> String {
    let mut kept = code.to_string();
    while let Some(start) = kept.find("#[cfg(test)]") {
        let item = &kept[start..];
        let end = match (item.find('{'), item.find(';')) {
            (Some(brace), semicolon) if semicolon.is_none_or(|semicolon| brace < semicolon) => {
                brace + braced(&item[brace..]).len()
            }
            (_, Some(semicolon)) => semicolon + 1,
            _ => item.len(),
        };
        kept.replace_range(start..start + end, "");
    }
    kept
}

/// Names of modules in files of their own that only tests see.
fn test_modules(code: &str) -> Vec<String> {
    code.match_indices("#[cfg(test)]")
        .filter_map(|(position, attribute)| {
            let item = code[position + attribute.len()..].trim_start();
            let item = item.strip_prefix("pub(crate) ").or(item.strip_prefix("pub(super) ")).unwrap_or(item);
            let name = word(item.strip_prefix("mod ")?);
            item["mod ".len() + name.len()..].starts_with(';').then(|| name.to_string())
        })
        .collect()
}

#[test]
fn nothing_is_unwrapped_outside_tests() {
    let sources = sources();
    let mut only_tests = BTreeSet::new();
    for source in &sources {
        let folder = match stem(&source.path).as_str() {
            "mod" => source.path.with_file_name(""),
            name => source.path.with_file_name(name),
        };
        for name in test_modules(&source.code) {
            only_tests.insert(folder.join(format!("{name}.rs")));
            only_tests.insert(folder.join(name).join("mod.rs"));
        }
    }
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| !only_tests.contains(&source.path)) {
        if without_tests(&source.code).contains(".unwrap()") {
            faults.push(shown(&source.path));
        }
    }
    assert_none("no unwrap() on data; expect() says the invariant", &faults);
}

#[test]
fn the_rules_see_what_they_should() {
    let code = code_only("use crate::a::b; // crate::x\nlet s = \"crate::y\"; let c = '\"'; fn f<'l>() {} crate::z()");
    assert_eq!(modules_used(&code), BTreeSet::from(["a".to_string(), "z".to_string()]));
    let group = modules_used("use crate::{a::{b, c}, d, e::f};");
    assert_eq!(group, BTreeSet::from(["a", "d", "e"].map(String::from)));
    assert!(modules_used(&code_only("r#\"crate::x \" \"#")).is_empty());
    assert_eq!(modules_climbed_to("use super::super::engine::x;", 2), BTreeSet::from(["engine".to_string()]));
    assert_eq!(without_tests("a #[cfg(test)] mod tests { { } } b").trim(), "a  b");
    assert_eq!(test_modules("#[cfg(test)]\nmod tests;"), ["tests"]);
}
