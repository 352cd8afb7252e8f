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
    assert!(svg.contains("<title>t0: swap\nsenders: p0\nreceivers: p1\n1 messages, volume 400</title>"), "{svg}");
    assert_eq!(svg.matches("senders: ").count(), 24);
    let pairs = draw(&["--flows", "--communities", "4"], "pairs.svg");
    assert!(
        pairs.contains("<title>t0: swap\nsenders: 2 with p0\nreceivers: 2 with p0\n2 messages, volume 800</title>"),
        "{pairs}"
    );
    assert_eq!(pairs.matches("senders: ").count(), 12);
    let curve = draw(&["--phases", "2", "--communities", "1"], "curve.svg");
    assert!(curve.contains(">t1</text>") && !curve.contains("senders: "), "{curve}");
    assert!(curve.contains("16 messages, volume 4.8 k, 1 communities, height 0<"), "{curve}");
}

#[test]
fn pictures_are_png_too_and_files_are_kept() {
    let sandbox = Sandbox::new();
    stdout_of(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.png"]));
    assert!(fs::read(sandbox.path("pie.png")).expect("a file").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.png"]), 2, "--force overwrites it");
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.gif"]), 2, "end it with svg or png");
    assert_fails(&sandbox.run(&["draw", "run.trace", "cake", "-o", "pie.svg"]), 2, "possible values");
    assert_fails(&sandbox.run(&["draw", "run.trace", "scene", "-o", "pie.svg"]), 2, "end pie.svg with .glb");
    assert_fails(&sandbox.run(&["draw", "run.trace", "scene", "-o", "scene"]), 2, "end scene with .glb");
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "pie.glb"]), 2, "only a scene is written as glb");
    assert_fails(
        &sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--base", "treemap"]),
        2,
        "the view pie does not use --base; it is for scene",
    );
    assert_fails(&sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--flows"]), 2, "it is for commgram");
    let depth = sandbox.run(&["draw", "run.trace", "pie", "-o", "x.svg", "--depth", "1"]);
    assert_fails(
        &depth,
        2,
        "the view pie does not use --depth; it is for timeline, overview, treemap, topology, matrix",
    );
    let help = stdout_of(&sandbox.run(&["draw", "--help"]));
    assert!(help.contains("Depth at which the container tree is cut (timeline, overview"), "{help}");
}

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
