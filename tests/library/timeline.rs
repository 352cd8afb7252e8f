//! What timeline and overview show to the eye: colors at points of the drawn picture, against the times of the trace.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use ocellus::engine::Engine;
use ocellus::render::color::PaletteChoice;
use ocellus::render::pictures::{DrawOptions, PictureView};
use ocellus::synth::{self, PerturbationOptions};
use regex::Regex;

use crate::pictures::{engine_on, svg};
use crate::support::sample;

/// A shape of a picture that is filled with a color.
struct Painted {
    fill: String,
    /// Polygons, as corners.
    outlines: Vec<Vec<(f64, f64)>>,
}

/// A drawn picture.
struct Seen {
    shapes: Vec<Painted>,
    /// Middle of the label of each row, by name.
    rows: BTreeMap<String, f64>,
    /// Where the first and the last second of the window lie.
    sides: (f64, f64),
    text: String,
}

fn attribute(line: &str, name: &str) -> Option<f64> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    rest.split_once('"')?.0.parse().ok()
}

/// The polygons of a path of straight lines.
fn outlines(path: &str) -> Vec<Vec<(f64, f64)>> {
    let steps = Regex::new(r"([MLHVZ])([^MLHVZ]*)").expect("an expression");
    let mut shapes: Vec<Vec<(f64, f64)>> = vec![];
    let mut pen = (0.0, 0.0);
    for step in steps.captures_iter(path) {
        let numbers: Vec<f64> = step[2].split(' ').filter_map(|number| number.parse().ok()).collect();
        match &step[1] {
            "M" => {
                pen = (numbers[0], numbers[1]);
                shapes.push(vec![]);
            }
            "L" => pen = (numbers[0], numbers[1]),
            "H" => pen.0 = numbers[0],
            "V" => pen.1 = numbers[0],
            _ => continue,
        }
        shapes.last_mut().expect("a path begins with M").push(pen);
    }
    shapes
}

impl Seen {
    fn new(text: String) -> Seen {
        let fill = Regex::new(r##" fill="(#[0-9a-f]+)""##).expect("an expression");
        let path = Regex::new(r#" d="([^"C]*)""#).expect("an expression");
        let label = Regex::new(r#"<text x="[^"]*" y="([^"]*)" [^>]*text-anchor="end">([^<]*)</text>"#).expect("one");
        let mut shapes = vec![];
        for line in text.lines().filter(|line| !line.contains(" opacity=\"0\"")) {
            let Some(fill) = fill.captures(line) else { continue };
            let outlines = if line.starts_with("<rect") {
                let number = |name| attribute(line, name).unwrap_or(0.0);
                let (x, y, width, height) = (number("x"), number("y"), number("width"), number("height"));
                vec![vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]]
            } else if let Some(path) = path.captures(line).filter(|_| line.starts_with("<path")) {
                outlines(&path[1])
            } else {
                continue;
            };
            shapes.push(Painted { fill: fill[1].to_string(), outlines });
        }
        let rows =
            label.captures_iter(&text).map(|found| (found[2].to_string(), found[1].parse::<f64>().expect("y") - 4.0));
        // The axis is the one line that goes from side to side.
        let axis = Regex::new(r##"<path d="M([0-9.]+) [0-9.]+H([0-9.]+)" fill="none" stroke="#787878""##).expect("one");
        let axis = axis.captures(&text).expect("a time axis");
        let side = |at: usize| axis[at].parse::<f64>().expect("a number");
        Seen { shapes, rows: rows.collect(), sides: (side(1), side(2)), text }
    }

    /// Where a vertical line enters and leaves shapes, those that are painted last first.
    fn crossings(&self, x: f64) -> Vec<(&str, Vec<f64>)> {
        let crossings = |shape: &'_ Painted| {
            let mut crossed = vec![];
            for outline in &shape.outlines {
                for ((ax, ay), (bx, by)) in outline.iter().zip(outline.iter().cycle().skip(1)) {
                    if (*ax > x) != (*bx > x) {
                        crossed.push(ay + (x - ax) / (bx - ax) * (by - ay));
                    }
                }
            }
            crossed.sort_by(f64::total_cmp);
            crossed
        };
        self.shapes.iter().rev().map(|shape| (shape.fill.as_str(), crossings(shape))).collect()
    }

    /// The color that is painted last at a point.
    fn color(&self, x: f64, y: f64) -> &str {
        color_at(&self.crossings(x), y)
    }

    fn x(&self, share: f64) -> f64 {
        self.sides.0 + share * (self.sides.1 - self.sides.0)
    }

    /// The shares of colors in a row of some height, between two shares of the window.
    fn shares(&self, row: &str, height: f64, from: f64, to: f64) -> BTreeMap<String, f64> {
        // A prime, so that no pattern of the trace is missed.
        const COLUMNS: usize = 401;
        const LINES: usize = 500;
        let mut shares = BTreeMap::new();
        let top = self.rows[row] - height / 2.0;
        for column in 0..COLUMNS {
            let x = self.x(from + (to - from) * (column as f64 + 0.5) / COLUMNS as f64);
            let mut crossings = self.crossings(x);
            crossings.retain(|(_, crossed)| {
                crossed.iter().any(|at| *at > top) && crossed.iter().any(|at| *at < top + height)
            });
            for line in 0..LINES {
                let color = color_at(&crossings, top + height * (line as f64 + 0.5) / LINES as f64);
                *shares.entry(color.to_string()).or_insert(0.0) += 1.0 / (COLUMNS * LINES) as f64;
            }
        }
        shares
    }

    /// The color of the legend for a name.
    fn legend(&self, name: &str) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let at = lines.iter().position(|line| line.starts_with("<text") && line.ends_with(&format!(">{name}</text>")));
        let swatch = lines[at.unwrap_or_else(|| panic!("{name} is not in the legend")) - 1];
        let (_, rest) = swatch.split_once(" fill=\"").expect("a color");
        rest[..7].to_string()
    }
}

/// The color at a height of a vertical line: that of the first shape whose borders are crossed an odd number of times above.
fn color_at<'a>(crossings: &[(&'a str, Vec<f64>)], y: f64) -> &'a str {
    let found = crossings.iter().find(|(_, crossed)| crossed.iter().filter(|at| **at < y).count() % 2 == 1);
    found.map_or("", |(fill, _)| fill)
}

fn seen(engine: &Engine, view: PictureView, options: &DrawOptions) -> Seen {
    Seen::new(svg(engine, view, options))
}

/// Height of the states of a row in a picture of so many rows, which are 22 high with a pixel free above and below.
fn row_height(seen: &Seen) -> f64 {
    let mut middles: Vec<f64> = seen.rows.values().copied().collect();
    middles.sort_by(f64::total_cmp);
    middles[1] - middles[0] - 2.0
}

const DEFINITIONS: &str = "%EventDef PajeDefineContainerType 1\n%    Alias string\n%    Type string\n%    Name string\n%EndEventDef\n\
    %EventDef PajeDefineStateType 3\n%    Alias string\n%    Type string\n%    Name string\n%EndEventDef\n\
    %EventDef PajeDefineEntityValue 6\n%    Alias string\n%    Type string\n%    Name string\n%    Color color\n%EndEventDef\n\
    %EventDef PajeCreateContainer 7\n%    Time date\n%    Alias string\n%    Type string\n%    Container string\n%    Name string\n%EndEventDef\n\
    %EventDef PajeDestroyContainer 8\n%    Time date\n%    Type string\n%    Name string\n%EndEventDef\n\
    %EventDef PajeSetState 10\n%    Time date\n%    Type string\n%    Container string\n%    Value string\n%EndEventDef\n\
    1 J 0 Job\n1 R J Rank\n3 S R \"MPI state\"\n";

/// Eight ranks of 2 s in steps of 10 ms, of which 0.2 ms are computing and the rest waiting; from 1.0 to 1.2 s the network is
/// so slow that all wait.
fn throttled() -> String {
    let mut text = DEFINITIONS.to_string();
    text.push_str("6 w S PMPI_Wait \"1 1 0\"\n6 c S computing \"0 0 1\"\n7 0 j J 0 job\n");
    (0..8).for_each(|rank| writeln!(text, "7 0 r{rank} R j rank-{rank}").expect("text"));
    for step in (0..200).filter(|step| !(100..120).contains(step)) {
        let start = 10_000 * step;
        (0..8).for_each(|rank| writeln!(text, "10 {:.4} S r{rank} c", f64::from(start) / 1e6).expect("text"));
        (0..8).for_each(|rank| writeln!(text, "10 {:.4} S r{rank} w", f64::from(start + 200) / 1e6).expect("text"));
    }
    (0..8).for_each(|rank| writeln!(text, "8 2 R r{rank}").expect("text"));
    text
}

/// Two percent of computing are two percent of the row, and gone where the network is slow. The mode alone hides both.
#[test]
fn a_timeline_shows_the_mix_and_a_throttled_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("throttled.trace");
    fs::write(&path, throttled()).expect("a trace");
    let (_folder, engine) = engine_on(&path, None);
    let mix = seen(&engine, PictureView::Timeline, &DrawOptions::default());
    let (computing, waiting) = (mix.legend("computing"), mix.legend("PMPI_Wait"));
    // Blue stays; yellow is lost on white.
    assert_eq!(computing, "#0000ff");
    assert_ne!(waiting, "#ffff00");
    for rank in ["rank-0", "rank-7"] {
        let usual = mix.shares(rank, row_height(&mix), 0.0, 0.5);
        assert!((usual[&computing] - 0.02).abs() < 2e-3, "{rank}: {usual:?}");
        assert!((usual[&waiting] - 0.98).abs() < 2e-3, "{rank}: {usual:?}");
        let slow = mix.shares(rank, row_height(&mix), 0.505, 0.595);
        assert_eq!(slow.keys().collect::<Vec<_>>(), [&waiting], "{rank}");
    }
    let mode = seen(&engine, PictureView::Timeline, &DrawOptions { mode: true, ..DrawOptions::default() });
    let usual = mode.shares("rank-0", row_height(&mode), 0.0, 0.5);
    assert_eq!(usual.keys().collect::<Vec<_>>(), [&waiting]);
    let trace = DrawOptions { palette: Some(PaletteChoice::Trace), ..DrawOptions::default() };
    assert_eq!(seen(&engine, PictureView::Timeline, &trace).legend("PMPI_Wait"), "#ffff00");
    // The overview cuts where the interval begins and ends, and fades what is mixed.
    let options = DrawOptions { slices: Some(20), p: Some(0.1), ..DrawOptions::default() };
    let overview = seen(&engine, PictureView::Overview, &options);
    let y = overview.rows.values().sum::<f64>() / overview.rows.len() as f64;
    let color = |share: f64| overview.color(overview.x(share), y).to_string();
    assert_eq!(color(0.55), waiting);
    assert_ne!(color(0.25), waiting);
    assert_eq!((color(0.45), color(0.65)), (color(0.25), color(0.25)));
}

/// Six of sixteen processes are disturbed from 3.0 to 3.3 of 9 seconds.
#[test]
fn a_disturbed_interval_is_seen_in_the_rows_that_have_it() {
    const PROCESSES: u32 = 16;
    const DISTURBED: u32 = 6;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("disturbed.trace");
    let options = PerturbationOptions { processes: PROCESSES, disturbed: DISTURBED, seed: 1 };
    synth::perturbation(&options, &mut fs::File::create(&path).expect("a file")).expect("a trace");
    let (_folder, engine) = engine_on(&path, None);
    let options = DrawOptions { slices: Some(30), p: Some(0.1), ..DrawOptions::default() };
    let overview = seen(&engine, PictureView::Overview, &options);
    let timeline = seen(&engine, PictureView::Timeline, &DrawOptions::default());
    for process in 0..PROCESSES {
        let is_disturbed = (process * DISTURBED) % PROCESSES < DISTURBED;
        let row = format!("process-{process}");
        let y = overview.rows[&row];
        let color = |time: f64| overview.color(overview.x(time / 9.0), y).to_string();
        assert_eq!(color(3.15) != color(5.0), is_disturbed, "{row}");
        let shares = |from: f64| timeline.shares(&row, row_height(&timeline), from / 9.0, (from + 0.25) / 9.0);
        let (then, later) = (shares(3.025), shares(5.025));
        let colors: std::collections::BTreeSet<&String> = then.keys().chain(later.keys()).collect();
        let share = |of: &BTreeMap<String, f64>, color: &str| of.get(color).copied().unwrap_or(0.0);
        let apart: f64 = colors.iter().map(|color| (share(&then, color) - share(&later, color)).abs()).sum();
        assert_eq!(apart > 0.5, is_disturbed, "{row}: {then:?} {later:?}");
        assert!(is_disturbed || apart < 0.2, "{row}: {then:?} {later:?}");
    }
}

/// rank-0 computes, and a kernel runs inside: the outer state is seen above the inner one.
#[test]
fn nested_states_lie_below_their_outer_ones() {
    let (_folder, engine) = engine_on(&sample("quickstart.trace"), None);
    let timeline = seen(&engine, PictureView::Timeline, &DrawOptions::default());
    let (x, y, height) = (timeline.x(0.2), timeline.rows["rank-0"], row_height(&timeline));
    assert_eq!(timeline.color(x, y - height / 2.0 + 1.0), timeline.legend("compute"));
    assert_eq!(timeline.color(x, y + height / 2.0 - 1.0), timeline.legend("kernel"));
    // Without a kernel, all of the row is its one state: rank-0 receives until 5 s.
    let x = timeline.x(0.49);
    for at in [1.0, height / 2.0, height - 1.0] {
        assert_eq!(timeline.color(x, y - height / 2.0 + at), timeline.legend("MPI_Recv"), "{at}");
    }
}

/// The message goes from rank-1 at 3.3 s to rank-2 at 3.9 s; the window shows its middle third.
#[test]
fn an_arrow_that_leaves_the_window_is_cut_where_it_leaves() {
    let (_folder, engine) = engine_on(&sample("quickstart.trace"), None);
    let options = DrawOptions { start: Some(3.5), stop: Some(3.7), ..DrawOptions::default() };
    let timeline = seen(&engine, PictureView::Timeline, &options);
    let line = timeline.text.lines().find(|line| line.contains("from rank-1 at 3.3 s to rank-2 at 3.9 s, 600 ms"));
    let line = line.unwrap_or_else(|| panic!("no arrow: {}", timeline.text));
    let corners = Regex::new(r#"d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)""#).expect("an expression");
    let corners = corners.captures(line).expect("a line");
    let number = |at: usize| corners[at].parse::<f64>().expect("a number");
    let (from, to) = (timeline.rows["rank-1"], timeline.rows["rank-2"]);
    let expected = [timeline.sides.0, from + (to - from) / 3.0, timeline.sides.1, from + (to - from) * 2.0 / 3.0];
    for (at, expected) in expected.into_iter().enumerate() {
        assert!((number(at + 1) - expected).abs() < 0.02, "{line}: {expected}");
    }
    // It ends outside: no head.
    assert!(!timeline.text.lines().any(|line| line.starts_with("<path") && line.contains("Z\" fill=\"#222222\"")));
}

/// rank-0 sends for 10 of 100 seconds and rank-1 receives for 25: red and green of the trace, as pale as that.
#[test]
fn an_overview_fades_with_the_time_in_no_state() {
    let (_folder, engine) = engine_on(&sample("mpi_calls.trace"), None);
    let options = DrawOptions { slices: Some(1), p: Some(0.0), ..DrawOptions::default() };
    let overview = seen(&engine, PictureView::Overview, &options);
    let color = |row: &str| overview.color(overview.x(0.5), overview.rows[row]).to_string();
    // From (245, 245, 245), where there is nothing, a tenth of the way to red and a quarter to green.
    assert_eq!((color("rank-0"), color("rank-1")), ("#f6dddd".to_string(), "#b8f8b8".to_string()));
    assert!(overview.text.contains("rank-0, 1 resources, 0 s to 100 s: MPI_Send 10 %, no state 90 %"));
    // The trace records MPI calls alone: what lies between them is computation, and the legend says so.
    assert_eq!(overview.legend("no state (computation)"), "#f5f5f5");
}
