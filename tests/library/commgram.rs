//! Generated communication through import and SQL: what the CommGram functions find in it.

use std::fs::File;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use ocellus::engine::Engine;
use ocellus::synth::{CommunicationOptions, HierarchyOptions, Pattern, communication};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::support;

struct Trace {
    _folder: TempDir,
    engine: Engine,
    runtime: Runtime,
}

impl Trace {
    fn generate(pattern: Pattern, processes: u64, rounds: u64, seed: u64) -> Trace {
        let generated = tempfile::tempdir().expect("a folder");
        let path = generated.path().join("run.trace");
        let hierarchy = HierarchyOptions { shape: vec![processes], rounds, seed, ..Default::default() };
        let mut file = File::create(&path).expect("a file");
        communication(&CommunicationOptions { hierarchy, pattern }, &mut file).expect("a trace");
        let (folder, engine) = support::engine_with(&path, support::threads(2));
        Trace { _folder: folder, engine, runtime: support::runtime() }
    }

    /// The rows of a query, as numbers; NULL is not a number.
    fn numbers(&self, sql: &str) -> Vec<Vec<f64>> {
        let batches = self.runtime.block_on(self.engine.sql(sql)).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let mut rows = vec![];
        for batch in &batches {
            let columns: Vec<_> =
                batch.columns().iter().map(|column| cast(column, &DataType::Float64).expect("numbers")).collect();
            let value = |column: &arrow::array::ArrayRef, row: usize| {
                if column.is_null(row) { f64::NAN } else { column.as_primitive::<Float64Type>().value(row) }
            };
            rows.extend(
                (0..batch.num_rows()).map(|row| columns.iter().map(|column| value(column, row)).collect::<Vec<_>>()),
            );
        }
        rows
    }

    /// For each phase the communities of processes, which are numbered from 0.
    fn communities(&self, phases: usize, count: usize) -> Vec<Vec<Vec<u32>>> {
        let rows = self.numbers(&format!(
            "SELECT phase, community, CAST(substr(container, 11) AS INTEGER) AS process \
             FROM comm_communities(phases => {phases}, communities => {count}) ORDER BY 1, 2, 3"
        ));
        let mut found = vec![vec![]; phases];
        for row in rows {
            let phase: &mut Vec<Vec<u32>> = &mut found[row[0] as usize];
            phase.resize_with(phase.len().max(row[1] as usize + 1), Vec::new);
            phase[row[1] as usize].push(row[2] as u32);
        }
        found
    }
}

/// Sets of processes whose numbers agree in all bits but those.
fn sets(processes: u32, bits: u32) -> Vec<Vec<u32>> {
    let of = |first: u32| (0..processes).filter(|other| other & !bits == first).collect();
    (0..processes).filter(|first| first & bits == 0).map(of).collect()
}

/// Figures 3.4 and 3.5 of the paper, for several seeds.
#[test]
fn binary_swap_unfolds_stage_by_stage() {
    for seed in [1, 2, 3] {
        let trace = Trace::generate(Pattern::BinarySwap, 8, 1, seed);
        let phases = |count: usize| {
            trace.numbers(&format!(
                "SELECT messages, volume FROM comm_phases(phases => {count}, per => 'phase') ORDER BY phase"
            ))
        };
        let image = f64::from(1 << 24);
        assert_eq!(phases(1), [[24.0, 7.0 * image]]);
        let two: Vec<f64> = phases(2).iter().map(|row| row[0]).collect();
        assert!(two == [8.0, 16.0] || two == [16.0, 8.0], "{two:?}");
        // Every stage has half of the volume of the one before.
        assert_eq!(phases(3), [[8.0, 4.0 * image], [8.0, 2.0 * image], [8.0, image]]);
        // Who exchanges with whom in each stage, and in all of them together.
        assert_eq!(trace.communities(3, 4), [sets(8, 1), sets(8, 2), sets(8, 4)]);
        for (count, bits) in [(1, 7), (2, 3), (4, 1), (8, 0)] {
            assert_eq!(trace.communities(1, count), [sets(8, bits)], "{count} communities");
        }
    }
}

/// As many stages as the binary logarithm, rounded up: that many phases hold the messages of one stage each.
#[test]
fn swaps_of_any_number_take_the_logarithm() {
    for (processes, stages) in [(3, 2), (5, 3), (6, 3), (7, 3), (12, 4), (24, 5)] {
        let trace = Trace::generate(Pattern::TwoThreeSwap, processes, 1, 1);
        // A slot of the generator is as long as any other: stage s lies in slot s.
        let slot = 20.0 / f64::from(stages);
        let strays = trace.numbers(&format!(
            "SELECT count(*) FROM comm_phases(phases => {stages}) WHERE phase <> CAST(floor(start_time / {slot:?}) AS BIGINT)"
        ));
        assert_eq!(strays, [[0.0]], "{processes} processes");
        let volumes: Vec<f64> = trace
            .numbers(&format!("SELECT volume FROM comm_phases(phases => {stages}, per => 'phase') ORDER BY phase"))
            .iter()
            .map(|row| row[0])
            .collect();
        assert_eq!(volumes.len(), stages as usize);
        // All parts of the image are sent once per group: the groups of the last stage are one.
        assert_eq!(volumes.last(), Some(&f64::from(1 << 24)));
    }
}

/// Eight rounds of a stencil and a swap, three times: period 9.
#[test]
fn a_pipeline_repeats_itself() {
    for (processes, seed) in [(8, 1), (8, 2), (16, 1)] {
        let trace = Trace::generate(Pattern::Pipeline, processes, 3, seed);
        let heights: Vec<f64> = trace
            .numbers("SELECT height FROM comm_curve(phases => 27) ORDER BY phase")
            .iter()
            .map(|row| row[0])
            .collect();
        let swap = heights[8];
        assert!(swap > 0.0, "{heights:?}");
        let expected: Vec<f64> = (0..27).map(|phase| if phase % 9 == 8 { swap } else { 0.0 }).collect();
        assert_eq!(heights, expected);
        assert_eq!(trace.numbers("SELECT DISTINCT period, repetitions FROM comm_patterns(phases => 27)"), [[9.0, 3.0]]);
        // The swap unfolds into its stages.
        let stages = f64::from(processes as u32).log2();
        let inside = trace.numbers(&format!(
            "SELECT volume FROM comm_phases((SELECT * FROM links WHERE start_time BETWEEN \
             (SELECT start_time FROM comm_phases(phases => 27, per => 'phase') WHERE phase = 8) AND \
             (SELECT end_time FROM comm_phases(phases => 27, per => 'phase') WHERE phase = 8)), phases => {stages}, per => 'phase') \
             ORDER BY phase"
        ));
        assert!(inside.windows(2).all(|pair| pair[1][0] * 2.0 == pair[0][0]), "{inside:?}");
        assert_eq!(inside.len() as f64, stages);
    }
}
