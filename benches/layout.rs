//! Times of the layout kernels, of the layouts as queries, of pictures and of the generators, and how they grow. Every
//! answer is checked first.
//!
//! `cargo bench --bench layout` prints a table; each line doubles or quadruples the one before. A name after `--` runs
//! one group: treemaps, graphs, routes, traces or generators.

mod measure;

use std::fs::File;
use std::io;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::kernels::graph_layout::{self, LayoutGraph};
use ocellus::kernels::routes::{Demand, NetworkEdge, route};
use ocellus::kernels::treemap::{self, WeightTree};
use ocellus::render::pictures::{DrawOptions, DrawSource, FileFormat, PictureView, draw};
use ocellus::store::Store;
use ocellus::synth::{CommunicationOptions, HierarchyOptions, MpiOptions, Pattern, communication, hierarchy, mpi};

use measure::{best, line};

/// A tree of machines with a hundred processors each, and two values per processor.
fn grid(machines: usize) -> WeightTree {
    let mut tree = WeightTree { parents: vec![None], weights: vec![0.0] };
    let mut add = |parent: usize, weight: f64| {
        tree.parents.push(Some(parent));
        tree.weights.push(weight);
        tree.parents.len() - 1
    };
    for machine in 0..machines {
        let machine_node = add(0, 0.0);
        for processor in 0..100 {
            let node = add(machine_node, 0.0);
            let share = (1.0 + ((machine * 100 + processor) as f64 / 1000.0).cos()) / 2.0;
            add(node, 20.0 * share + 1e-3);
            add(node, 20.0 * (1.0 - share) + 1e-3);
        }
    }
    tree
}

fn treemaps() {
    for algorithm in [
        treemap::TreemapAlgorithm::Squarified,
        treemap::TreemapAlgorithm::SliceAndDice,
        treemap::TreemapAlgorithm::Strip,
    ] {
        let mut before = None;
        for machines in [250, 1000, 4000] {
            let tree = grid(machines);
            let options =
                treemap::TreemapOptions { algorithm, width: 1024.0, height: 768.0, padding: 0.0, min_area: 0.0 };
            let placed = treemap::treemap(&tree, &options);
            let leaves = placed.iter().zip(&tree.weights).filter(|(_, weight)| **weight > 0.0);
            let area: f64 = leaves.filter_map(|(placed, _)| placed.rectangle).map(|rectangle| rectangle.area()).sum();
            assert!((area / (1024.0 * 768.0) - 1.0).abs() < 1e-9, "the leaves fill the picture, got {area}");
            let time = best(|| drop(treemap::treemap(&tree, &options)));
            line(&format!("treemap {algorithm:?}, rectangles"), placed.len(), time, &mut before);
        }
    }
}

/// A ring with a chord from every tenth node.
fn ring(nodes: usize) -> LayoutGraph {
    let chords = (0..nodes).step_by(10).map(|node| (node, (node * 7 + 3) % nodes));
    LayoutGraph { nodes, edges: (0..nodes).map(|node| (node, (node + 1) % nodes)).chain(chords).collect() }
}

fn graphs() {
    use graph_layout::LayoutAlgorithm::{Circular, Force, Grid, Layered, Radial};
    for (algorithm, sizes) in [
        (Force, [1250, 5000, 20_000]),
        (Circular, [25_000, 100_000, 400_000]),
        (Radial, [25_000, 100_000, 400_000]),
        (Layered, [25_000, 100_000, 400_000]),
        (Grid, [25_000, 100_000, 400_000]),
    ] {
        let mut before = None;
        for nodes in sizes {
            let graph = ring(nodes);
            let options =
                graph_layout::LayoutOptions { algorithm, width: 1024.0, height: 768.0, iterations: 300, seed: 1 };
            let points = graph_layout::layout(&graph, &options);
            assert!(points.iter().all(|point| (0.0..=1024.0).contains(&point.x) && (0.0..=768.0).contains(&point.y)));
            let time = best(|| drop(graph_layout::layout(&graph, &options)));
            line(&format!("graph_layout {algorithm:?}, nodes"), nodes, time, &mut before);
        }
    }
}

/// Machines behind switches behind one router; every machine sends to a hundred others.
fn routes() {
    let mut before = None;
    for machines in [1000, 4000, 16_000] {
        let switches = machines / 40;
        let router = machines + switches;
        let edge = |source, target| NetworkEdge { source, target, is_directed: false, length: 1.0 };
        let edges: Vec<NetworkEdge> = (0..machines)
            .map(|machine| edge(machine, machines + machine / 40))
            .chain((0..switches).map(|switch| edge(machines + switch, router)))
            .collect();
        let demands: Vec<Demand> = (0..machines * 100)
            .map(|number| (number / 100, (number / 100 + 1 + number % 100 * 37) % machines))
            .filter(|(source, target)| source != target)
            .map(|(source, target)| Demand {
                slice: 0,
                source: Some(source),
                target: Some(target),
                messages: 1,
                volume: 1.0,
            })
            .collect();
        let loads = route(router + 1, &edges, &demands);
        let sent: i64 = loads
            .iter()
            .filter(|load| load.lane.is_some_and(|lane| lane.edge < machines))
            .map(|load| load.messages)
            .sum();
        assert_eq!(sent, 2 * demands.len() as i64, "a message leaves one machine and enters another");
        let time = best(|| drop(route(router + 1, &edges, &demands)));
        line("routes, machines", machines, time, &mut before);
    }
}

fn generators() {
    let mut before = None;
    for machines in [10, 40] {
        let options = HierarchyOptions { shape: vec![10, 10, machines, 100], ..HierarchyOptions::default() };
        let leaves = 10_000 * machines as usize;
        let time = best(|| hierarchy(&options, &mut io::sink()).expect("nothing fails to be written"));
        line("generate hierarchy, leaves", leaves, time, &mut before);
    }
    let mut before = None;
    for leaves in [500, 1000] {
        let shape = HierarchyOptions { shape: vec![leaves], ..HierarchyOptions::default() };
        let options = CommunicationOptions { hierarchy: shape, pattern: Pattern::Full };
        let time = best(|| communication(&options, &mut io::sink()).expect("nothing fails to be written"));
        line("generate communication, messages", (leaves * (leaves - 1)) as usize, time, &mut before);
    }
}

/// A query that counts rows, and how many there must be at least.
const QUERIES: [(&str, &str); 6] = [
    ("treemap", "treemap((SELECT container_id, value, seconds AS weight FROM state_slices()), weight => 'weight')"),
    ("comm_graph", "comm_graph()"),
    ("graph_layout", "graph_layout((SELECT * FROM comm_graph() WHERE kind = 'edge'))"),
    ("scene", "scene(base => 'treemap')"),
    ("container_lanes", "container_lanes()"),
    ("timeline", "timeline(width => 1000)"),
];

/// Layouts of whole traces as queries, and pictures of them.
fn traces() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let sizes = [50_000, 200_000, 800_000];
    let engines: Vec<Engine> = sizes.iter().map(|events| engine(folder.path(), *events)).collect();
    for (name, relation) in QUERIES {
        let mut before = None;
        for (events, engine) in sizes.iter().zip(&engines) {
            let sql = format!("SELECT count(*) FROM {relation}");
            let count = || {
                let batches = runtime.block_on(engine.sql(&sql)).unwrap_or_else(|error| panic!("{name}: {error}"));
                batches[0].column(0).as_primitive::<Int64Type>().value(0)
            };
            assert!(count() >= 64, "{name} has a row per rank");
            let time = best(|| assert!(count() >= 64));
            line(&format!("{name}, events"), *events as usize, time, &mut before);
        }
    }
    for view in [
        PictureView::Timeline,
        PictureView::Treemap,
        PictureView::Overview,
        PictureView::Profile,
        PictureView::Matrix,
        PictureView::Topology,
    ] {
        let mut before = None;
        for (events, engine) in sizes.iter().zip(&engines) {
            let options = DrawOptions::default();
            let picture = || {
                runtime.block_on(async {
                    let source = DrawSource::open(engine, &options).await?;
                    draw(view, FileFormat::Svg, &source).await
                })
            };
            assert!(picture().is_ok_and(|picture| (1000..2 << 20).contains(&picture.content.len())), "{view:?}");
            let time = best(|| assert!(picture().is_ok()));
            line(&format!("draw {view:?}, events"), *events as usize, time, &mut before);
        }
    }
}

fn engine(folder: &std::path::Path, events: u64) -> Engine {
    let path = folder.join(format!("mpi{events}.trace"));
    let options = MpiOptions { events, ranks: 64, ..MpiOptions::default() };
    mpi(&options, &mut File::create(&path).expect("a file")).expect("a trace");
    let store = Store::open_or_create(folder.join(format!("store{events}"))).expect("a store");
    import(&TraceSource::Path(path), &store, &ImportOptions::default()).expect("an import");
    Engine::open(store, EngineOptions::default()).expect("an engine")
}

fn main() {
    let groups: [(&str, fn()); 5] = [
        ("treemaps", treemaps),
        ("graphs", graphs),
        ("routes", routes),
        ("traces", traces),
        ("generators", generators),
    ];
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, run) in groups {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            run();
        }
    }
}
