//! Conversions of all samples and back: the rows are the same, up to what the target cannot say.

use std::path::{Path, PathBuf};

use super::*;
use crate::model::{ContainerId, EventRow, LinkRow, OwnedExtra, RowSink, StateRow, TypeId, VariableRow, World};
use crate::simulator::Simulated;

/// Rows as text, one line each.
#[derive(Default)]
pub(super) struct RowLines {
    pub lines: Vec<String>,
    /// States, events and links with what every format says of them.
    plain: Vec<String>,
    short_variables: u64,
}

fn path(world: &World, id: ContainerId) -> String {
    match world.containers.get(id.0 as usize) {
        None => String::new(),
        Some(row) => format!("{}/{}", path(world, row.parent), world.names.text(row.name)),
    }
}

fn type_path(world: &World, id: Option<TypeId>) -> String {
    let Some(row) = id.map(|id| &world.types[id.0 as usize]) else { return String::new() };
    format!("{}/{}", type_path(world, row.parent), world.names.text(row.name))
}

/// Columns and values, without the one that says the volume of a link.
fn fields(world: &World, extras: &[OwnedExtra]) -> String {
    use crate::model::OwnedData::{Double, Int, Text, UInt};
    let field = |extra: &OwnedExtra| {
        let column = &world.extra_fields[extra.field as usize].column;
        let value = match &extra.data {
            Int(value) => value.to_string(),
            UInt(value) => value.to_string(),
            Double(value) => value.to_string(),
            Text(text) => text.replace('"', "'"),
        };
        (column != "field_volume").then(|| format!("{column}={value}"))
    };
    let mut fields: Vec<String> = extras.iter().filter_map(field).collect();
    fields.sort();
    fields.join(" ")
}

impl RowSink for RowLines {
    fn state(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()> {
        let (type_, value) = (type_path(world, Some(row.type_)), world.value_name(row.value));
        let (at, fields) = (path(world, row.container), fields(world, extras));
        self.plain.push(format!("state {value} {} {}", row.start, row.end));
        self.lines.push(format!("state {at} {type_} {value} {} {} {} {fields}", row.start, row.end, row.depth));
        Ok(())
    }

    fn segment(&mut self, world: &World, row: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        let (type_, value) = (type_path(world, Some(row.type_)), world.value_name(row.value));
        let at = path(world, row.container);
        self.lines.push(format!("segment {at} {type_} {value} {} {} {}", row.start, row.end, row.depth));
        Ok(())
    }

    fn event(&mut self, world: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()> {
        let (type_, value) = (type_path(world, Some(row.type_)), world.value_name(row.value));
        let (at, fields) = (path(world, row.container), fields(world, extras));
        self.plain.push(format!("event {value} {}", row.tick));
        self.lines.push(format!("event {at} {type_} {value} {} {fields}", row.tick));
        Ok(())
    }

    fn variable(&mut self, world: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()> {
        let (type_, fields) = (type_path(world, Some(row.type_)), fields(world, extras));
        let at = path(world, row.container);
        self.short_variables += u64::from(row.start == row.end);
        self.lines.push(format!("variable {at} {type_} {} {} {} {fields}", row.value, row.start, row.end));
        Ok(())
    }

    fn link(&mut self, world: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()> {
        let (type_, value) = (type_path(world, Some(row.type_)), world.value_name(row.value));
        let [at, source, target] = [row.container, row.source, row.target].map(|id| path(world, id));
        let (key, fields) = (String::from_utf8_lossy(row.key), fields(world, extras));
        let times = format!("{} {}", row.start, row.end);
        self.lines.push(format!("link {at} {type_} {value} {key} {source} {target} {times} {:?} {fields}", row.volume));
        self.plain.push(format!("link {value} {times}"));
        Ok(())
    }
}

pub(super) fn rows(trace: &Path) -> (RowLines, Simulated) {
    let source = TraceSource::Path(trace.to_path_buf());
    let origin = source.open().expect("a trace");
    let options = ImportOptions::default();
    let run = run(&origin, &options, Precision::Double, || Ok(RowLines::default())).expect("read");
    (run.sink, run.simulated)
}

/// Types, values and containers, as lines.
pub(super) fn world_lines(simulated: &Simulated) -> Vec<String> {
    let world = &simulated.world;
    let last = simulated.span.map_or(0, |(_, last)| last);
    let color = |color: Option<crate::model::NameId>| color.map_or("", |color| world.names.text(color)).to_string();
    let mut lines = vec![];
    for (index, row) in (0..).zip(&world.types) {
        let ends = if row.source.is_some() { [row.source, row.target] } else { [None; 2] };
        let [source, target] = ends.map(|end| type_path(world, end));
        let fields = fields(world, &row.extras);
        let name = type_path(world, Some(TypeId(index)));
        lines.push(format!("type {name} {:?} {source} {target} {} {fields}", row.kind, color(row.color)));
    }
    for row in &world.values {
        let (type_, name) = (type_path(world, Some(row.type_)), world.names.text(row.name));
        lines.push(format!("value {type_} {name} {} {}", color(row.color), fields(world, &row.extras)));
    }
    for (index, row) in (0..).zip(&world.containers) {
        let (name, type_) = (path(world, ContainerId(index)), type_path(world, Some(row.type_)));
        let (end, fields) = (row.end.unwrap_or(last), fields(world, &row.extras));
        lines.push(format!("container {name} {type_} {} {end} {fields}", row.start));
    }
    lines
}

pub(super) fn samples() -> Vec<PathBuf> {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let others = ["ring.otf2", "events.json", "processes.json", "dumpi", "dumpi_text", "paraver/solver.prv"];
    let others = others.iter().chain(&["rows.pj_dump", "switches.ftrace", "samples.perf"]);
    let mut found: Vec<PathBuf> = others.map(|name| traces.join(name)).collect();
    for folder in [traces.clone(), traces.join("bad")] {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        found.extend(entries.filter(|path| path.extension().is_some_and(|ending| ending == "trace")));
    }
    found.sort();
    found
}

pub(super) fn converted(trace: &Path, target: ConvertTarget, into: &Path) -> Option<Conversion> {
    let mut file = std::fs::File::create(into).expect("a temporary file");
    let source = TraceSource::Path(trace.to_path_buf());
    convert(&source, &ImportOptions::default(), target, &mut file).ok()
}

/// The first lines that are on one side only; characters that Pajé cannot say are what replaces them.
pub(super) fn difference(before: Vec<String>, after: Vec<String>) -> Option<String> {
    let sorted = |lines: Vec<String>| {
        let mut lines: Vec<String> = lines.into_iter().map(|line| line.replace('\0', " ").replace('"', "'")).collect();
        lines.sort();
        lines
    };
    let [before, after] = [before, after].map(sorted);
    if before == after {
        return None;
    }
    let only = |some: &[String], others: &[String]| some.iter().find(|line| !others.contains(line)).cloned();
    Some(format!("{:?} became {:?}", only(&before, &after), only(&after, &before)))
}

#[test]
fn all_samples_come_back_from_paje() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("converted.paje");
    let (mut checked, mut faults) = (0, vec![]);
    for trace in samples() {
        // What is no trace, or has nothing of use, is refused.
        let Some(conversion) = converted(&trace, ConvertTarget::Paje, &file) else { continue };
        checked += 1;
        let name = trace.display();
        let (mut before, world_before) = rows(&trace);
        let (after, world_after) = rows(&file);
        let lost: Vec<String> = world_after.diagnostics.rows().iter().map(|row| row.message.clone()).collect();
        assert_eq!(world_after.diagnostics.lost_lines(), 0, "{name}: {lost:?}");
        let unsaid =
            conversion.unsaid.iter().find(|(_, what)| what.contains("variables")).map_or(0, |(count, _)| *count);
        assert_eq!(before.short_variables - unsaid, after.short_variables, "{name}");
        if unsaid > 0 {
            let is_short = |line: &String| {
                let words: Vec<&str> = line.trim_end().rsplit(' ').take(2).collect();
                line.starts_with("variable") && words[0] == words[1]
            };
            before.lines.retain(|line| !is_short(line));
        }
        faults.extend(difference(before.lines, after.lines).map(|what| format!("{name}: {what}")));
        let worlds = [world_lines(&world_before), world_lines(&world_after)];
        let [before, after] = worlds;
        faults.extend(difference(before, after).map(|what| format!("{name}: {what}")));
        // Lines that are lost have a time all the same.
        if world_before.diagnostics.lost_lines() == 0 {
            assert_eq!(world_before.span, world_after.span, "{name}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 40, "{checked} samples were converted");
}

#[test]
fn states_events_and_links_come_back_from_chrome() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("converted.json");
    for trace in samples() {
        if converted(&trace, ConvertTarget::Chrome, &file).is_none() {
            continue;
        }
        let name = trace.display();
        let [(mut before, _), (mut after, world_after)] = [rows(&trace), rows(&file)];
        assert_eq!(world_after.diagnostics.lost_lines(), 0, "{name}");
        before.plain.sort();
        after.plain.sort();
        assert_eq!(before.plain, after.plain, "{name}");
    }
}

fn text_of(trace: &str, target: ConvertTarget) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.trace");
    std::fs::write(&file, trace).expect("a temporary file");
    let mut out = vec![];
    convert(&TraceSource::Path(file), &ImportOptions::default(), target, &mut out).expect("converted");
    String::from_utf8(out).expect("text")
}

const ROWS: &str = "Container, 0, HOST, 0, 3, 3, a\nState, a, S, 1, 2, 1, 0, \"x \"\"y\"\"\"\nVariable, a, V, 0, 1, 1, 7\nLink, 0, L, 1, 2, 1, 64, a, a, k\n";

#[test]
fn paje_text_is_as_expected() {
    let expected = "\
# written by ocellus convert
%EventDef PajeDefineContainerType 0
% Name string
% Type string
% Alias string
%EndEventDef
0 \"HOST\" \"0\" \"t0\"
%EventDef PajeDefineVariableType 1
% Name string
% Type string
% Alias string
%EndEventDef
1 \"V\" \"t0\" \"t1\"
%EventDef PajeDefineStateType 2
% Name string
% Type string
% Alias string
%EndEventDef
2 \"S\" \"t0\" \"t2\"
%EventDef PajeDefineLinkType 3
% Name string
% Type string
% StartContainerType string
% EndContainerType string
% Alias string
%EndEventDef
3 \"L\" \"0\" \"t0\" \"t0\" \"t3\"
%EventDef PajeDefineEntityValue 4
% Name string
% Type string
%EndEventDef
4 \"x 'y'\" \"t2\"
4 \"64\" \"t3\"
%EventDef PajeCreateContainer 5
% Time date
% Name string
% Type string
% Container string
% Alias string
%EndEventDef
5 0 \"a\" \"t0\" \"0\" \"c0\"
%EventDef PajeSetVariable 6
% Time date
% Type string
% Container string
% Value double
%EndEventDef
6 0 \"t1\" \"c0\" 7
%EventDef PajePushState 7
% Time date
% Type string
% Container string
% Value string
%EndEventDef
7 1 \"t2\" \"c0\" \"x 'y'\"
%EventDef PajeResetVariable 8
% Time date
% Type string
% Container string
%EndEventDef
8 1 \"t1\" \"c0\"
%EventDef PajeStartLink 9
% Time date
% Type string
% Container string
% Value string
% Key string
% StartContainer string
%EndEventDef
9 1 \"t3\" \"0\" \"64\" \"k\" \"c0\"
%EventDef PajePopState 10
% Time date
% Type string
% Container string
%EndEventDef
10 2 \"t2\" \"c0\"
%EventDef PajeEndLink 11
% Time date
% Type string
% Container string
% Value string
% Key string
% EndContainer string
%EndEventDef
11 2 \"t3\" \"0\" \"64\" \"k\" \"c0\"
%EventDef PajeDestroyContainer 12
% Time date
% Type string
% Name string
%EndEventDef
12 3 \"t0\" \"c0\"
";
    assert_eq!(text_of(ROWS, ConvertTarget::Paje), expected);
}

#[test]
fn chrome_text_is_as_expected() {
    let expected = r#"{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"a"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"a"}},
{"ph":"C","name":"V","id":"a","pid":1,"tid":1,"ts":0,"args":{"value":7.0}},
{"ph":"X","name":"x \"y\"","cat":"S","pid":1,"tid":1,"ts":1000000,"dur":1000000},
{"ph":"s","name":"64","cat":"L","id":1,"pid":1,"tid":1,"ts":1000000,"args":{"key":"k","volume":64.0}},
{"ph":"f","bp":"e","name":"64","cat":"L","id":1,"pid":1,"tid":1,"ts":2000000}
]}
"#;
    assert_eq!(text_of(ROWS, ConvertTarget::Chrome), expected);
}
