//! Times of the kernels of communication and of whole statements, and how they grow. Every answer is checked first.
//!
//! `cargo bench --bench communication` prints a table; the growth is that to the line before.

mod measure;

use std::fs::File;

use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, import};
use ocellus::kernels::commgram::communities::{CommunityCut, CommunityGraph, tree};
use ocellus::kernels::commgram::{
    CommMessage as Message, Weight, curve, gram, matching, pattern_numbers, patterns, phases,
};
use ocellus::kernels::waiting;
use ocellus::store::Store;
use ocellus::synth::{CommunicationOptions, HierarchyOptions, Pattern, communication};

use measure::{best, line};

/// Numbers that look random (splitmix64).
fn numbers(count: usize, seed: u64) -> impl Iterator<Item = u64> {
    (0..count as u64).map(move |index| {
        let mut value = (index + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 16
    })
}

/// Messages of 100 bursts, with whole gaps between them.
fn bursts(count: usize, processes: u64) -> Vec<Message> {
    let mut messages: Vec<Message> = numbers(count, 1)
        .enumerate()
        .map(|(index, number)| {
            let start = (index * 100 / count) as i64 * 1_000_000_000 + (number % 200_000_000) as i64;
            let (source, target) = ((number >> 8) % processes, (number >> 20) % processes);
            Message { start, end: start + 1000, source: source as u32, target: target as u32, volume: Some(1.0) }
        })
        .collect();
    messages.sort_by_key(|message| (message.twice_middle(), message.source, message.target));
    messages
}

fn temporal() {
    let mut before = None;
    for count in [62_500, 250_000, 1_000_000] {
        let messages = bursts(count, 64);
        let times = ocellus::kernels::commgram::middles(&messages);
        let merges = phases::merges(&times);
        let cut = phases::cut(times.len(), &merges, 100);
        assert!(messages.iter().zip(&cut).all(|(message, phase)| message.start / 1_000_000_000 == i64::from(*phase)));
        line("phases of links", count, best(|| drop(phases::cut(count, &phases::merges(&times), 100))), &mut before);
    }
}

/// Cliques of eight on a ring: each is a community of its own.
fn cliques(count: usize) -> CommunityGraph {
    let mut edges = vec![];
    for clique in 0..count {
        let first = (clique * 8) as u32;
        for one in 0..8 {
            edges.extend((0..one).map(|other| (first + other, first + one, 10)));
        }
        edges.push((first + 7, (first + 8) % (count * 8) as u32, 1));
    }
    CommunityGraph { nodes: count * 8, edges }
}

fn spatial() {
    let mut before = None;
    for count in [135, 540, 2160] {
        let graph = cliques(count);
        let found = tree(&graph);
        let communities = found.communities(found.merges_of(CommunityCut::Communities(count)));
        assert!(communities.iter().enumerate().all(|(node, community)| node / 8 == *community as usize));
        line("communities, edges of cliques", graph.edges.len(), best(|| drop(tree(&graph))), &mut before);
    }
    let mut before = None;
    for nodes in [1080, 4320, 17_280] {
        let ends: Vec<u64> = numbers(nodes * 20, 7).collect();
        let edges = ends
            .chunks(2)
            .map(|pair| ((pair[0] % nodes as u64) as u32, (pair[1] % nodes as u64) as u32, 1 + pair[0] % 9));
        let graph = CommunityGraph { nodes, edges: edges.collect() };
        assert!(tree(&graph).merges.last().is_some_and(|merge| merge.modularity.abs() < 1e-9));
        line("communities, edges at random", graph.edges.len(), best(|| drop(tree(&graph))), &mut before);
    }
}

fn matchings() {
    let mut before = None;
    for containers in [1080_u32, 4320, 17_280] {
        // Neighbours as communities of 18, and the same ones apart: 0, n/18, 2n/18, …
        let blocks: Vec<(u32, u32)> = (0..containers).map(|container| (container, container / 18)).collect();
        let stripes: Vec<(u32, u32)> =
            (0..containers).map(|container| (container, container % (containers / 18))).collect();
        let alone: Vec<(u32, u32)> = (0..containers).map(|container| (container, container)).collect();
        let whole: Vec<(u32, u32)> = (0..containers).map(|container| (container, 0)).collect();
        assert_eq!(matching::difference(&blocks, &blocks.clone()), 0);
        assert_eq!(matching::difference(&alone, &whole), u64::from(2 * containers - 2));
        let time = best(|| assert!(matching::difference(&blocks, &stripes) > 0));
        line("matching, containers in blocks and stripes", containers as usize, time, &mut before);
    }
}

fn waits() {
    let mut before = None;
    for count in [62_500_usize, 250_000, 1_000_000] {
        let state = |index: usize| waiting::TimedState {
            container: (index % 64) as u32,
            start: (index / 64 * 10) as i64,
            end: (index / 64 * 10 + 9) as i64,
            value: 0,
            role: waiting::StateRole::Waits,
            joins: false,
        };
        let states: Vec<waiting::TimedState> = (0..count).map(state).collect();
        let message = |state: &waiting::TimedState| waiting::WaitMessage {
            source: (state.container + 1) % 64,
            target: state.container,
            start: state.start + 4,
            end: state.end,
            label: 0,
            size: 0,
            is_collective: false,
        };
        let messages: Vec<waiting::WaitMessage> = states.iter().map(message).collect();
        let late = || {
            let trace = waiting::WaitTrace::new(states.clone(), messages.clone());
            let mut ticks = 0;
            waiting::for_each_wait(&trace, (i64::MIN, i64::MAX), |piece| {
                ticks += if piece.kind == waiting::WaitKind::LateSender { piece.end - piece.start } else { 0 };
            });
            ticks
        };
        assert_eq!(late(), 4 * count as i64);
        line("waits of states", count, best(|| assert!(late() > 0)), &mut before);
    }
}

/// A generated trace in a store of its own.
fn engine(folder: &std::path::Path, name: &str, pattern: Pattern, processes: u64, rounds: u64) -> Engine {
    let path = folder.join(format!("{name}.trace"));
    let hierarchy = HierarchyOptions { shape: vec![processes], rounds, ..Default::default() };
    communication(&CommunicationOptions { hierarchy, pattern }, &mut File::create(&path).expect("a file"))
        .expect("a trace");
    let store = Store::open_or_create(folder.join(name)).expect("a store");
    import(&TraceSource::Path(path), &store, &ImportOptions::default()).expect("an import");
    Engine::open(store, EngineOptions { threads: Some(2), ..EngineOptions::default() }).expect("an engine")
}

fn rows(runtime: &tokio::runtime::Runtime, engine: &Engine, sql: &str) -> usize {
    let batches = runtime.block_on(engine.sql(sql)).unwrap_or_else(|e| panic!("{sql}: {e}"));
    batches.iter().map(|batch| batch.num_rows()).sum()
}

fn statements() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let mut before = None;
    for rounds in [62, 250, 992] {
        // Everyone to everyone: 32 x 31 messages a round.
        let engine = engine(folder.path(), &format!("full{rounds}"), Pattern::Full, 32, rounds);
        for (what, sql) in [
            ("comm_phases(phases => 100), links", "SELECT DISTINCT phase FROM comm_phases(phases => 100)"),
            ("comm_curve(phases => 100), links", "SELECT * FROM comm_curve(phases => 100)"),
        ] {
            assert_eq!(rows(&runtime, &engine, sql), 100);
            let time = best(|| assert!(rows(&runtime, &engine, sql) > 0));
            line(what, 32 * 31 * rounds as usize, time, &mut before);
        }
    }
    let mut before = None;
    for processes in [270, 1080, 4320] {
        let engine = engine(folder.path(), &format!("pipeline{processes}"), Pattern::Pipeline, processes, 3);
        let sql = "SELECT DISTINCT period, repetitions FROM comm_patterns(phases => 27, communities => 18) \
                   WHERE period = 9 AND repetitions = 3";
        assert_eq!(rows(&runtime, &engine, sql), 1);
        line(
            "comm_patterns of a pipeline, processes",
            processes as usize,
            best(|| assert!(rows(&runtime, &engine, sql) > 0)),
            &mut before,
        );
    }
}

/// The curve of many phases: kernels only.
fn curves() {
    let mut before = None;
    for count in [100, 400, 1600] {
        let messages = bursts(40_000, 256);
        let found = gram(&messages, count, CommunityCut::LargestModularity, Weight::Volume);
        assert_eq!(found.len(), count);
        let time = best(|| {
            assert!(curve(&found).iter().all(|point| (0.0..=1.0).contains(&point.height)));
            assert!(!patterns::sections(&pattern_numbers(&found, 0.0)).is_empty());
        });
        line("curve and patterns, phases", count, time, &mut before);
    }
}

fn main() {
    temporal();
    spatial();
    matchings();
    curves();
    waits();
    statements();
}
