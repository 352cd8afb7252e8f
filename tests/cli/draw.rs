//! `ocellus draw`: every view gives a picture, also of nothing.

use std::fs;
use std::path::Path;

use goth_gltf::{ComponentType, Gltf, PrimitiveMode};

use crate::checkout;
use crate::sandbox::{Sandbox, assert_fails, stdout_of};

const VIEWS: [&str; 11] = [
    "timeline",
    "overview",
    "treemap",
    "topology",
    "profile",
    "matrix",
    "variables",
    "pie",
    "kiviat",
    "phase",
    "commgram",
];

fn sample(name: &str) -> String {
    checkout::sample(name).to_str().expect("a path in UTF-8").to_string()
}

#[test]
fn every_view_draws_the_quickstart() {
    let sandbox = Sandbox::new();
    for view in VIEWS {
        let file = format!("{view}.svg");
        stdout_of(&sandbox.run(&["draw", &sample("quickstart.trace"), view, "-o", &file]));
        let svg = fs::read_to_string(sandbox.path(&file)).expect("a file");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{view}");
        assert!(svg.contains("<text") && svg.contains("quickstart, from 0 s to 10 s"), "{view}: {svg}");
        assert!(!svg.contains("NaN") && svg.len() < 2 << 20, "{view}");
    }
    // The states of the trace are named in the legend, and drawn in the color that it gives them.
    let timeline = fs::read_to_string(sandbox.path("timeline.svg")).expect("a file");
    assert!(timeline.contains(">MPI_Allreduce</text>") && timeline.contains("rank-3"), "{timeline}");
}

/// Carets stand below the user's own text only: a view may put the query into a longer one.
#[test]
fn an_error_of_a_query_has_carets_only_in_the_users_text() {
    let sandbox = Sandbox::new();
    let query = "SELECT valeu FROM states";
    let draw = |view: &str| {
        let run = sandbox.run(&["draw", &sample("quickstart.trace"), view, "--query", query, "-o", "x.svg"]);
        assert_fails(&run, 1, "no column valeu");
        String::from_utf8_lossy(&run.stderr).into_owned()
    };
    assert!(draw("matrix").contains("1 | SELECT valeu FROM states\n  |        ^^^^^"));
    assert!(!draw("timeline").contains('^'));
}

/// A picture of a window or a type that the trace does not have would be empty.
#[test]
fn a_window_outside_the_trace_and_an_unknown_type_are_refused() {
    let sandbox = Sandbox::new();
    let draw = |view: &str, options: &[&str]| {
        let trace = sample("quickstart.trace");
        sandbox.run(&[&["draw", &trace, view, "-o", "x.svg", "--force"], options].concat())
    };
    for view in ["timeline", "matrix", "overview", "profile"] {
        let words = "--start 20 --stop 30 lies outside the trace quickstart, which goes from 0 to 10 seconds";
        assert_fails(&draw(view, &["--start", "20", "--stop", "30"]), 1, words);
        let words = "--type MPI_state is no type of the trace quickstart; did you mean MPI state? There are: Iteration";
        assert_fails(&draw(view, &["--type", "MPI_state"]), 1, words);
    }
    assert_fails(&draw("phase", &["--type", "power,wattage"]), 1, "--type wattage is no type");
    stdout_of(&draw("profile", &["--start", "5", "--stop", "30"]));
    stdout_of(&draw("profile", &["--type", "MPI state"]));
}

#[test]
fn a_picture_of_nothing_says_so() {
    let sandbox = Sandbox::new();
    for view in ["matrix", "topology", "variables", "commgram"] {
        let file = format!("{view}.svg");
        stdout_of(&sandbox.run(&["draw", &sample("nested.trace"), view, "-o", &file]));
        let svg = fs::read_to_string(sandbox.path(&file)).expect("a file");
        assert!(
            svg.contains(">no links in this window<") || svg.contains(">no variables in this window<"),
            "{view}: {svg}"
        );
    }
}

/// Three stages of binary swap are three phases by themselves: the curve, and below it four pairs that exchange.
#[test]
fn a_commgram_has_a_column_per_phase() {
    let sandbox = Sandbox::new();
    let draw = |arguments: &[&str], file: &str| {
        let trace = sample("binary_swap.trace");
        stdout_of(&sandbox.run(&[&["draw", &trace, "commgram", "-o", file], arguments].concat()));
        fs::read_to_string(sandbox.path(file)).expect("a file")
    };
    let svg = draw(&["--flows"], "flows.svg");
    assert!(svg.contains(">t2</text>") && !svg.contains(">t3</text>"), "{svg}");
    assert!(svg.contains("<title>t0: swap\nsenders: p0\nreceivers: p1\n1 message, 400 B</title>"), "{svg}");
    assert_eq!(svg.matches("senders: ").count(), 24);
    let pairs = draw(&["--flows", "--communities", "4"], "pairs.svg");
    assert!(
        pairs.contains("<title>t0: swap\nsenders: 2 with p0\nreceivers: 2 with p0\n2 messages, 800 B</title>"),
        "{pairs}"
    );
    assert_eq!(pairs.matches("senders: ").count(), 12);
    let curve = draw(&["--phases", "2", "--communities", "1"], "curve.svg");
    assert!(curve.contains(">t1</text>") && !curve.contains("senders: "), "{curve}");
    assert!(curve.contains("16 messages, 4.8 kB, 1 community\ndifference from the first phase: 0"), "{curve}");
    // The legend has no empty entry: no flow, a quarter of the largest, the largest.
    for text in [">0 B</text>", ">100 B</text>", ">400 B, the largest flow</text>", ">difference from the first phase<"]
    {
        assert!(svg.contains(text), "{text}: {svg}");
    }
}

#[test]
fn pictures_are_png_too_and_files_are_kept() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.png"]));
    assert!(fs::read(sandbox.path("pie.png")).expect("a file").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.png"]), 2, "--force overwrites it");
    let refused = |view: &str, file: &str, text: &str| {
        assert_fails(&sandbox.run(&["draw", "run.trace", view, "-o", file]), 2, text);
    };
    refused("pie", "pie.gif", "unsupported extension .gif; use .svg, .png, .pdf");
    refused("pie", "pie", "pie has no extension; use .svg, .png, .pdf");
    refused("cake", "pie.svg", "possible values");
    refused("scene", "pie.svg", "unsupported extension .svg of a scene, which has three dimensions; use .glb");
    refused("scene", "scene", "scene has no extension of a scene");
    refused("pie", "pie.glb", "only a scene is written as .glb; use .svg, .png, .pdf");
    assert_fails(
        &sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--base", "treemap"]),
        2,
        "the view pie does not use --base; it is for scene",
    );
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--flows"]), 2, "it is for commgram");
    let depth = sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--depth", "1"]);
    assert_fails(&depth, 2, "the view pie does not use --depth; it is for timeline, overview, difference, treemap");
    let deep = sandbox.run(&["draw", "run.trace", "timeline", "-o", "x.svg", "--depth", "99"]);
    assert_fails(&deep, 2, "--depth 99 is below the leaves of run");
    let topology = sandbox.run(&["draw", "run.trace", "topology", "-o", "x.svg", "--type", "p2p"]);
    assert_fails(&topology, 2, "the view topology does not use --type; it is for timeline, overview, treemap");
    let help = stdout_of(&sandbox.run(&["draw", "--help"]));
    assert!(help.contains("Depth at which the container tree is cut (timeline, overview"), "{help}");
}

/// Every view is a page of its own size; sizes are those of the SVG.
#[test]
fn every_view_is_a_pdf_too() {
    let sandbox = Sandbox::new();
    for view in VIEWS {
        let (svg, pdf) = (format!("{view}.svg"), format!("{view}.pdf"));
        for file in [&svg, &pdf] {
            stdout_of(&sandbox.run(&["draw", &sample("quickstart.trace"), view, "-o", file]));
        }
        let svg = fs::read_to_string(sandbox.path(&svg)).expect("a file");
        let size = |name: &str| {
            svg.split(&format!("{name}=\"")).nth(1).expect("a size").split('"').next().expect("a number").to_string()
        };
        let pdf = fs::read(sandbox.path(&pdf)).expect("a file");
        assert!(pdf.starts_with(b"%PDF-1.7\n") && pdf.ends_with(b"%%EOF\n"), "{view}");
        let text = String::from_utf8_lossy(&pdf).into_owned();
        assert!(text.contains(&format!("/MediaBox [0 0 {} {}]", size("width"), size("height"))), "{view}");
    }
}

/// Messages from point to point and those of collective operations: 7,016 bytes in four, 200 in four.
#[test]
fn a_matrix_sets_collective_operations_apart() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", &sample("collectives.trace"), "matrix", "-o", "matrix.svg"]));
    let svg = fs::read_to_string(sandbox.path("matrix.svg")).expect("a file");
    for text in [
        ">point to point: 7.02 kB in 4 messages</text>",
        ">collective operations: 200 B in 4 messages</text>",
        "<title>rank-0 to rank-1: 1 message, 4 kB</title>",
        "<title>rank-3 to rank-0: 2 messages, 72 B</title>",
        // The scales: the most, and half of its color.
        ">4 kB</text>",
        ">1 kB</text>",
        ">72 B</text>",
        ">18 B</text>",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // Each name once at the rows, and at the columns of each matrix.
    assert_eq!(svg.matches(">rank-2</text>").count(), 3);
    // By depth, all are the messages of the job to itself.
    stdout_of(&sandbox.run(&["draw", &sample("collectives.trace"), "matrix", "--depth", "0", "-o", "job.svg"]));
    let svg = fs::read_to_string(sandbox.path("job.svg")).expect("a file");
    assert!(svg.contains("<title>job to job: 4 messages, 7.02 kB</title>"), "{svg}");
    assert!(svg.contains("<title>job to job: 4 messages, 200 B</title>"), "{svg}");
}

/// Two links without a volume: they are counted, once.
#[test]
fn a_matrix_without_volumes_counts_messages() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", &sample("spellings.trace"), "matrix", "-o", "matrix.svg"]));
    let svg = fs::read_to_string(sandbox.path("matrix.svg")).expect("a file");
    assert!(svg.contains(">point to point: 2 messages</text>"), "{svg}");
}

#[test]
fn what_a_container_sends_to_itself_is_a_loop() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", &sample("collectives.trace"), "topology", "-o", "graph.svg"]));
    let svg = fs::read_to_string(sandbox.path("graph.svg")).expect("a file");
    let line = svg.lines().find(|line| line.contains("<title>rank-2 to itself: 1 message, 2 kB")).expect("a loop");
    // A curve that ends where it begins.
    let path = line.split("d=\"M").nth(1).expect("a path").split('"').next().expect("steps");
    let (start, curve) = path.split_once('C').expect("a curve");
    assert!(curve.ends_with(&format!(" {start}")), "{path}");
    assert!(svg.contains(">widest edge: 4 kB</text>"), "{svg}");
}

/// A trace without states says how to draw its variables.
#[test]
fn a_treemap_of_variables_is_asked_for_by_their_type() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["draw", &sample("variables.trace"), "treemap", "-o", "treemap.svg"]);
    stdout_of(&run);
    let hint = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(hint.contains("the trace has no states; --type NAME draws a variable: "), "{hint}");
    let name = hint.split("draws a variable: ").nth(1).expect("names").split(',').next().expect("a name").trim();
    stdout_of(&sandbox.run(&["draw", &sample("variables.trace"), "treemap", "--type", name, "-o", "one.svg"]));
    let svg = fs::read_to_string(sandbox.path("one.svg")).expect("a file");
    assert!(svg.contains(">Means of variables</text>") && svg.contains(&format!(", {name}: ")), "{svg}");
}

#[test]
fn a_phase_portrait_takes_variables_that_vary() {
    let sandbox = Sandbox::new();
    let draw = |trace: &str, arguments: &[&str]| {
        sandbox.run(&[&["draw", trace, "phase", "-o", "p.svg", "--force"], arguments].concat())
    };
    // By name the constant one would come first.
    fs::write(sandbox.path("flat.trace"), FLAT).expect("a trace");
    stdout_of(&draw("flat.trace", &[]));
    let svg = fs::read_to_string(sandbox.path("p.svg")).expect("a file");
    assert!(svg.contains(">wave against load</text>"), "{svg}");
    assert_fails(
        &draw("flat.trace", &["--type", "load,none"]),
        1,
        "--type none is no type of the trace flat; there are: capacity, load, wave",
    );
    stdout_of(&draw("flat.trace", &["--type", "capacity,load"]));
}

/// A machine with a constant and two variables that change.
const FLAT: &str = "\
%EventDef PajeDefineContainerType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineVariableType 2
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 3
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeSetVariable 4
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Type string
%  Name string
%EndEventDef
1 H 0 Host
2 C H capacity \"0 0 0\"
2 L H load \"0 0 0\"
2 W H wave \"0 0 0\"
3 0 h H 0 host
4 0 C h 5
4 0 L h 1
4 0 W h 2
4 5 L h 4
4 7 W h 1
5 10 H h
";

/// The names of nodes and materials of a .glb file, and the highest point, after a library of glTF has read it.
fn read_scene(path: &Path) -> (Vec<String>, Vec<String>, f32) {
    let bytes = fs::read(path).expect("a file");
    let (scene, numbers): (Gltf<()>, _) = Gltf::from_bytes(&bytes).expect("binary glTF");
    let numbers = numbers.expect("numbers");
    assert_eq!((scene.asset.version.as_str(), scene.buffers.len()), ("2.0", 1));
    assert!(scene.buffers[0].byte_length <= numbers.len());
    let mut highest = 0.0_f32;
    for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let corners = &scene.accessors[primitive.attributes.position.expect("corners")];
        let indices = &scene.accessors[primitive.indices.expect("indices")];
        assert!(matches!(corners.component_type, ComponentType::Float));
        assert!(matches!(indices.component_type, ComponentType::UnsignedInt));
        let per_shape = if matches!(primitive.mode, PrimitiveMode::Lines) { 2 } else { 3 };
        assert_eq!(indices.count % per_shape, 0);
        assert!(primitive.material.is_some_and(|material| material < scene.materials.len()));
        let view = &scene.buffer_views[indices.buffer_view.expect("a view")];
        let used = numbers[view.byte_offset..view.byte_offset + view.byte_length].chunks_exact(4);
        assert!(
            used.map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
                .all(|at| (at as usize) < corners.count)
        );
        highest = highest.max(corners.max.as_ref().expect("bounds")[1]);
    }
    let nodes =
        scene.scenes[scene.scene].nodes.iter().map(|node| scene.nodes[*node].name.clone().expect("a name")).collect();
    (nodes, scene.materials.iter().map(|material| material.name.clone().expect("a name")).collect(), highest)
}

#[test]
fn a_scene_is_a_model_with_names_and_a_material_per_state() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["import", &sample("quickstart.trace"), "--store", "runs"]));
    stdout_of(&sandbox.run(&["attach", "runs", "--trace", "quickstart", "--topology", &sample("quickstart.dot")]));
    for base in ["communication", "topology", "treemap"] {
        let file = format!("{base}.glb");
        stdout_of(&sandbox.run(&["draw", "runs", "scene", "--base", base, "-o", &file]));
        let (nodes, materials, highest) = read_scene(&sandbox.path(&file));
        for rank in ["rank-0", "rank-1", "rank-2", "rank-3", "links"] {
            assert!(nodes.iter().any(|node| node == rank), "{base}: {nodes:?}");
        }
        for state in ["compute", "MPI_Allreduce", "MPI_Recv", "halo"] {
            assert_eq!(materials.iter().filter(|name| *name == state).count(), 1, "{base}: {materials:?}");
        }
        // Ten seconds are as high as the base is wide.
        assert!((highest - 100.0).abs() < 1e-3, "{base}: {highest}");
    }
    stdout_of(&sandbox.run(&[
        "draw",
        "runs",
        "scene",
        "--start",
        "2",
        "--stop",
        "4",
        "--time-scale",
        "3",
        "-o",
        "cut.glb",
    ]));
    assert!((read_scene(&sandbox.path("cut.glb")).2 - 6.0).abs() < 1e-4);
}

/// Process 1 lives 11 s and process 2 10 s, of which 3 and 2 are in no state (tests/sql/views/idle_gaps.slt).
#[test]
fn time_in_no_state_is_part_of_the_whole() {
    let sandbox = Sandbox::new();
    let draw = |trace: &str, view: &str, arguments: &[&str]| {
        let command = ["draw", &sample(trace), view, "-o", "x.svg", "--force"];
        stdout_of(&sandbox.run(&[&command[..], arguments].concat()));
        fs::read_to_string(sandbox.path("x.svg")).expect("a file")
    };
    let pie = draw("nested.trace", "pie", &[]);
    for part in
        ["<title>no state: 3 s (27.3 %)", "<title>no state: 2 s (20 %)", ">no state</text>", ">process 1: 11 s</"]
    {
        assert!(pie.contains(part), "{part} in {pie}");
    }
    let kiviat = draw("nested.trace", "kiviat", &[]);
    assert!(kiviat.contains("<title>no state</title>") && kiviat.contains(">no state</text>"), "{kiviat}");
    // In [0, 1) both are in no state, in [9, 10) process 1 is; nobody else lives in [10, 11).
    let profile = draw("nested.trace", "profile", &["--slices", "11"]);
    for part in ["<title>no state: 2 s (100 %)", "<title>no state: 1 s (50 %)", "<title>no state: 1 s (100 %)"] {
        assert!(profile.contains(part), "{part} in {profile}");
    }
    // A treemap shows it where it is computation: 3, 2 and 1 s of rank-0.
    assert!(!draw("nested.trace", "treemap", &[]).contains("no state"));
    let treemap = draw("late_start.trace", "treemap", &[]);
    assert!(treemap.contains("<title>rank-0, no state (computation): 6 s</title>"), "{treemap}");
}

#[test]
fn tooltips_of_a_timeline_have_units_and_grammar() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", &sample("quickstart.trace"), "timeline", "-o", "x.svg"]));
    let svg = fs::read_to_string(sandbox.path("x.svg")).expect("a file");
    assert!(svg.contains(", 4.1 kB</title>") && !svg.contains(", volume "), "{svg}");
    assert!(svg.contains("; 1 state</title>") && !svg.contains(" 1 states"), "{svg}");
}
