//! The kernel of partitions: checked, then measured, beside a plain transcription of Algorithm 1 in the same run.
//!
//! `cargo bench --bench partition` prints CPU time for each step on one thread, what a second thread saves, and how the
//! cost grows with leaves and slices. With `LPAGGREG=program`, built from `benches/lpaggreg.cpp`, the authors' library
//! runs on the same models. See `benches/README.md`.

mod plain;

use std::fs;
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use ocellus::kernels::partition::{
    Interrupt, Measures, Model, PartitionMeasure as Measure, PartitionSearch, PartitionTree, Ties,
    TreeContainer as Container, levels,
};

/// Leaves, slices, states.
type Size = (usize, usize, usize);

/// The sizes that were published for LPAggreg 3.1 and for a C transcription: seconds for measures, one p, all p to 0.001.
const PUBLISHED: [(Size, [f64; 3], [f64; 3]); 5] = [
    ((64, 30, 8), [0.027, 0.05, 2.3], [0.007, 0.0005, 0.02]),
    ((700, 30, 8), [0.34, 0.63, 28.0], [0.07, 0.010, 0.36]),
    ((64, 100, 8), [0.38, 2.4, 90.0], [0.07, 0.020, 0.79]),
    ((512, 100, 8), [2.5, 15.0, f64::NAN], [0.37, 0.18, f64::NAN]),
    ((256, 200, 4), [f64::NAN, f64::NAN, f64::NAN], [0.63, 0.84, f64::NAN]),
];

fn main() {
    check();
    println!("results agree with the plain transcription\n");
    peers();
    threads();
    growth();
    large();
}

/// Leaves in machines of 8 in clusters of 8 machines, with phases in time, differences between clusters, and noise.
fn model((leaves, slices, states): Size) -> Model {
    let mut containers = vec![Container { parent: None, resources: 0 }];
    let (mut cluster, mut machine) = (0, 0);
    for leaf in 0..leaves {
        if leaf % 64 == 0 {
            cluster = containers.len();
            containers.push(Container { parent: Some(0), resources: 0 });
        }
        if leaf % 8 == 0 {
            machine = containers.len();
            containers.push(Container { parent: Some(cluster), resources: 0 });
        }
        containers.push(Container { parent: Some(machine), resources: 1 });
    }
    let mut model = Model::new(PartitionTree::new(&containers).expect("a tree"), slices, states);
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
    };
    for leaf in 0..leaves {
        for slice in 0..slices {
            let phase = slice * 4 / slices + leaf / 64;
            let weights: Vec<f64> = (0..states)
                .map(|state| if (phase + state) % states == 0 { 4.0 } else { 0.2 } + 0.5 * random())
                .collect();
            let total: f64 = weights.iter().sum();
            for (state, weight) in weights.iter().enumerate() {
                model.add(leaf, slice, state, weight / total);
            }
        }
    }
    model
}

fn measures_of(model: &Model, measure: Measure) -> Measures {
    Measures::new(model.clone(), measure, &Interrupt::default()).expect("nobody interrupts")
}

fn search(model: &Model, measure: Measure) -> PartitionSearch {
    PartitionSearch::new(measures_of(model, measure), Ties::Order)
}

/// Compares areas, gain and loss with those of the plain transcription.
fn check() {
    for size in [(24, 12, 3), (64, 30, 8), (130, 20, 2)] {
        let model = model(size);
        for measure in [Measure::Mean, Measure::Sum] {
            let mut search = search(&model, measure);
            let mut plain = plain::Plain::new(&model, measure);
            for p in [0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
                let partition = search.partition(p).expect("nobody interrupts");
                let mut ours: Vec<_> = partition.areas.iter().map(|area| (area.node, area.first, area.last)).collect();
                ours.sort_unstable();
                let (areas, gain, loss) = plain.partition(p);
                assert_eq!(ours, areas, "{size:?}, {measure:?}, p = {p}");
                let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.abs().max(1.0);
                assert!(
                    close(partition.quality.gain, gain) && close(partition.quality.loss, loss),
                    "{size:?}, p = {p}"
                );
            }
        }
    }
}

/// CPU time of this process so far, all threads that it has or had, in steps of 10 ms.
fn cpu() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("a system that tells");
    let after_name = text.rsplit(')').next().expect("fields");
    after_name.split(' ').skip(12).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// CPU seconds of one run, from as many as fill 0.5 s of CPU, three times: the least.
fn measured(mut work: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..3 {
        let (start, mut runs) = (cpu(), 0);
        while runs == 0 || cpu() - start < 0.5 {
            work();
            runs += 1;
        }
        best = best.min((cpu() - start) / f64::from(runs));
    }
    best
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

/// CPU seconds of the kernel on one thread: measures, one p, all p to 0.001; and how many levels there are.
fn ours(model: &Model, measure: Measure) -> ([f64; 3], usize) {
    on(1, || {
        let measures = measured(|| drop(measures_of(model, measure)));
        let mut search = search(model, measure);
        let mut p = 0.3;
        let one = measured(|| {
            p += 1e-6;
            search.partition(p).expect("nobody interrupts");
        });
        let found = levels(&mut search, 0.001).expect("nobody interrupts").len();
        let all = measured(|| drop(levels(&mut search, 0.001)));
        ([measures, one, all], found)
    })
}

fn peers() {
    println!("CPU seconds on one thread: measures / one p / all p to 0.001");
    for (size, library, transcription) in PUBLISHED {
        let model = model(size);
        let (ours, found) = ours(&model, Measure::Sum);
        let (leaves, slices, states) = size;
        let bytes = Model::bytes_needed(model.tree(), slices, states);
        println!(
            "{leaves} x {slices} x {states}: {} nodes, {found} levels, {:.1} MB",
            model.tree().nodes().len(),
            bytes as f64 / 1e6
        );
        row("this kernel", ours, ours);
        let measures = measured(|| drop(plain::Plain::new(&model, Measure::Sum)));
        let mut plain = plain::Plain::new(&model, Measure::Sum);
        let one = measured(|| drop(plain.partition(0.3)));
        row("plain transcription, same run", [measures, one, f64::NAN], ours);
        row("C transcription, published", transcription, ours);
        row("LPAggreg 3.1, published", library, ours);
        if let Some(program) = std::env::var_os("LPAGGREG") {
            row("LPAggreg, same run", lpaggreg(&program, &model), ours);
        }
    }
    println!();
}

fn row(name: &str, seconds: [f64; 3], ours: [f64; 3]) {
    let cell = |seconds: f64| if seconds.is_nan() { "-".to_string() } else { format!("{seconds:.5}") };
    let cells: Vec<String> = seconds.into_iter().map(cell).collect();
    let once = (seconds[0] + seconds[1]) / (ours[0] + ours[1]);
    let all = (seconds[0] + seconds[2]) / (ours[0] + ours[2]);
    let ratio = |ratio: f64| if ratio.is_nan() { "-".to_string() } else { format!("{ratio:.1}") };
    println!(
        "  {name:32} {:36} {:>7} times one overview, {:>7} times all levels",
        cells.join(" / "),
        ratio(once),
        ratio(all)
    );
}

/// Runs the authors' library on a model, and compares what it finds. Without levels where they take minutes.
fn lpaggreg(program: &std::ffi::OsStr, model: &Model) -> [f64; 3] {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    write(model, &path);
    let wants_levels = model.slices() * model.tree().leaves() <= 32_000;
    let answer = Command::new(program).arg(&path).arg("0.3").arg(if wants_levels { "1" } else { "0" }).output();
    let text = String::from_utf8(answer.expect("LPAGGREG names a program").stdout).expect("text");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [areas, gain, loss, measures, one, all] = numbers[..] else { panic!("LPAGGREG printed {text}") };
    let partition = search(model, Measure::Sum).partition(0.3).expect("nobody interrupts");
    assert_eq!(areas as usize, partition.areas.len(), "areas of LPAggreg");
    assert!((gain - partition.quality.gain).abs() < 1e-6 * gain.max(1.0), "gain of LPAggreg");
    assert!((loss - partition.quality.loss).abs() < 1e-6 * loss.max(1.0), "loss of LPAggreg");
    [measures, one, if wants_levels { all } else { f64::NAN }]
}

/// Writes a model for `benches/lpaggreg.cpp`: slices, states and nodes, then the nodes in preorder with their parent's place,
/// whether they are leaves, and of leaves the proportions by slice and state.
fn write(model: &Model, path: &std::path::Path) {
    let tree = model.tree();
    let mut out = std::io::BufWriter::new(fs::File::create(path).expect("a file"));
    writeln!(out, "{} {} {}", model.slices(), model.states(), tree.nodes().len()).expect("space");
    let (mut places, mut waiting, mut next) = (vec![0; tree.nodes().len()], vec![tree.root()], 0);
    while let Some(node) = waiting.pop() {
        places[node] = next;
        next += 1;
        let parent = tree.nodes()[node].parent.map_or(-1, |parent| places[parent]);
        let children = tree.children(node);
        write!(out, "{parent} {}", i32::from(children.is_empty())).expect("space");
        if children.is_empty() {
            let rho = model.leaf(node);
            for slice in 0..model.slices() {
                for state in 0..model.states() {
                    write!(out, " {:?}", rho[state * model.slices() + slice]).expect("space");
                }
            }
        }
        writeln!(out).expect("space");
        waiting.extend(children.iter().rev());
    }
}

/// Wall time of the quickest of several runs.
fn quickest(mut work: impl FnMut()) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..12 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best.as_secs_f64()
}

fn threads() {
    println!("wall seconds, quickest of 12, on one and on two threads: measures / one p / all p to 0.001");
    for size in [(700, 30, 8), (512, 100, 8)] {
        let model = model(size);
        let times = [1, 2].map(|threads| {
            on(threads, || {
                let measures = quickest(|| drop(measures_of(&model, Measure::Mean)));
                let mut search = search(&model, Measure::Mean);
                let mut p = 0.3;
                let one = quickest(|| {
                    p += 1e-6;
                    search.partition(p).expect("nobody interrupts");
                });
                let all = if size.1 > 30 { f64::NAN } else { quickest(|| drop(levels(&mut search, 0.001))) };
                [measures, one, all]
            })
        });
        for (step, name) in ["measures", "one p", "all p"].iter().enumerate() {
            let [alone, together] = times.map(|times| times[step]);
            if !alone.is_nan() {
                println!(
                    "  {} x {} x {}: {name:9} {alone:.5} {together:.5}, {:.2} times",
                    size.0,
                    size.1,
                    size.2,
                    alone / together
                );
            }
        }
    }
    println!();
}

fn growth() {
    println!("growth with leaves, 30 slices and 8 states: CPU microseconds per leaf");
    for leaves in [64, 128, 256, 512, 1024, 2048, 4096] {
        let ([measures, one, _], _) = steps(&model((leaves, 30, 8)));
        println!(
            "  {leaves:5} leaves: measures {:7.2}, one p {:7.2}",
            1e6 * measures / leaves as f64,
            1e6 * one / leaves as f64
        );
    }
    println!(
        "growth with slices, 64 leaves and 8 states: CPU nanoseconds per slice² and leaf, and per slice³ and leaf"
    );
    for slices in [25, 50, 100, 200, 400] {
        let ([measures, one, _], _) = steps(&model((64, slices, 8)));
        let square = (slices * slices * 64) as f64;
        println!(
            "  {slices:5} slices: measures {:7.2}, one p {:7.3}",
            1e9 * measures / square,
            1e9 * one / (square * slices as f64)
        );
    }
    println!();
}

/// As [`ours`], without levels.
fn steps(model: &Model) -> ([f64; 3], usize) {
    on(1, || {
        let measures = measured(|| drop(measures_of(model, Measure::Mean)));
        let mut search = search(model, Measure::Mean);
        let mut p = 0.3;
        let one = measured(|| {
            p += 1e-6;
            search.partition(p).expect("nobody interrupts");
        });
        ([measures, one, f64::NAN], 0)
    })
}

fn large() {
    let size = (4096, 100, 8);
    let model = model(size);
    let start = Instant::now();
    let before = cpu();
    let mut search = search(&model, Measure::Mean);
    let measures = (cpu() - before, start.elapsed().as_secs_f64());
    let areas = search.partition(0.3).expect("nobody interrupts").areas.len();
    let all = (cpu() - before, start.elapsed().as_secs_f64());
    let bytes = Model::bytes_needed(model.tree(), size.1, size.2) as f64 / 1e6;
    println!(
        "4096 x 100 x 8, from model to {areas} areas: {:.2} s of CPU, {:.2} s of wall time, {bytes:.0} MB",
        all.0, all.1
    );
    println!("  of these, measures {:.2} s of CPU, {:.2} s of wall time", measures.0, measures.1);
}
