//! Findings of small matrices built by hand.

use super::find;
use super::finding::{Finding, FindingKind, FindingSettings};
use super::matrix::RunMatrix;
use super::rows::{
    ActivityRow, BegunCell, DiagnosticRow, PairRow, ResourceRow, RunRows, StateActivity, StateCell, TraceRow,
    TreeContainerRow, VariableCell, WaitReason, WaitSumRow,
};
use super::siblings::sibling_groups;

mod messages;
mod roles;
mod starts;
mod turns;
mod twins;
mod types;

const SLICES: usize = 50;
const NODES: i32 = 4;
const PER_NODE: i32 = 4;
const RANKS: i32 = NODES * PER_NODE;
/// States of a rank in a slice, and their part of it.
const STATES: f64 = 4.0;
const WORK: f64 = 0.5;

/// A run of ranks below nodes below a machine. Times are in slices, which last `width` seconds.
struct TestRun {
    rows: RunRows,
    width: f64,
}

impl TestRun {
    /// Ids of ranks are handed out by `id`, which must be a permutation of the ranks.
    fn new(width: f64, id: impl Fn(i32) -> i32) -> TestRun {
        let mut run = TestRun { rows: RunRows::default(), width };
        let end = SLICES as f64 * width;
        let (machine, node, rank) = (run.text("machine"), run.text("Node"), run.text("Rank"));
        let container =
            |id, parent, preorder, kind, name| TreeContainerRow { id, parent, preorder, kind, name, begin: 0.0, end };
        run.rows.containers.push(container(1000, None, 0, machine, machine));
        for number in 0..NODES {
            let name = run.text(&format!("node-{number}"));
            let place = i64::from(1 + number * (1 + PER_NODE));
            run.rows.containers.push(container(2000 + number, Some(1000), place, node, name));
            for below in 0..PER_NODE {
                let number_of_rank = number * PER_NODE + below;
                let name = run.text(&format!("rank-{number_of_rank}"));
                let place = place + 1 + i64::from(below);
                run.rows.containers.push(container(id(number_of_rank), Some(2000 + number), place, rank, name));
            }
        }
        let kind = run.text("State");
        for (value, activity) in [
            ("work", StateActivity::Computation),
            ("section", StateActivity::Computation),
            ("write", StateActivity::InputOutput),
            ("exchange", StateActivity::Communication),
            ("sleep", StateActivity::Waiting),
            ("init", StateActivity::StartAndEnd),
        ] {
            let value = run.text(value);
            run.rows.activities.push(ActivityRow { kind, value, activity, no_state: StateActivity::Unknown });
        }
        run.rows.trace = Some(TraceRow { lines: 1000.0, lost_lines: 0.0, start: 0.0, end });
        run
    }

    fn text(&mut self, text: &str) -> u32 {
        if let Some(place) = self.rows.texts.iter().position(|known| known == text) {
            return place as u32;
        }
        self.rows.texts.push(text.to_string());
        self.rows.texts.len() as u32 - 1
    }

    /// Adds states of a value in a slice; their length is a part of it.
    fn state(&mut self, container: i32, slice: u32, value: &str, states: f64, part: f64) {
        if part <= 0.0 {
            return;
        }
        let (kind, value, seconds) = (self.text("State"), self.text(value), part * self.width);
        self.rows.states.push(StateCell { container, slice, kind, value, seconds });
        let (first, last) = (f64::from(slice) * self.width, f64::from(slice + 1) * self.width);
        self.rows.begun.push(BegunCell { container, slice, kind, value, states, seconds, first, last, until: None });
    }

    /// Everybody works, and exchanges for the rest of each slice; `work` gives what a rank works, as part of the usual.
    fn works(mut self, id: impl Fn(i32) -> i32, work: impl Fn(i32, u32) -> f64) -> TestRun {
        for rank in 0..RANKS {
            for slice in 0..SLICES as u32 {
                let part = WORK * work(rank, slice);
                self.state(id(rank), slice, "work", STATES, part);
                self.state(id(rank), slice, "exchange", STATES, 1.0 - part);
            }
        }
        self
    }

    fn matrix(self) -> RunMatrix {
        let stop = SLICES as f64 * self.width;
        RunMatrix::new(self.rows, 0.0, stop, SLICES)
    }

    fn findings(self) -> (RunMatrix, Vec<Finding>) {
        let run = self.matrix();
        let found = find(&run, &FindingSettings { least: 0.01, kinds: vec![] });
        (run, found)
    }
}

fn same(rank: i32) -> i32 {
    rank
}

/// Noise of one percent or less, from the numbers of rank and slice.
fn noise(rank: i32, slice: u32) -> f64 {
    let mixed = (rank as u64 * 7919 + u64::from(slice) * 104_729 + 17).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    1.0 + 0.01 * ((mixed >> 40) as f64 / (1_u64 << 24) as f64 - 0.5)
}

fn first<'a>(run: &'a RunMatrix, found: &'a [Finding]) -> (FindingKind, &'a str, f64, f64) {
    let finding = &found[0];
    (finding.kind, run.name(finding.container.expect("a place")), finding.start, finding.end)
}

#[test]
fn a_uniform_run_has_no_findings() {
    let (_, found) = TestRun::new(1.0, same).works(same, noise).findings();
    assert_eq!(found, []);
}

#[test]
fn a_run_of_nothing_has_no_findings() {
    let run = RunMatrix::new(RunRows::default(), 0.0, 1.0, SLICES);
    assert_eq!(find(&run, &FindingSettings { least: 0.0, kinds: vec![] }), []);
}

#[test]
fn a_slow_rank_is_found_where_and_when_it_is_slow() {
    let slow = |rank, slice| noise(rank, slice) * if rank == 5 && (10..25).contains(&slice) { 1.5 } else { 1.0 };
    let (run, found) = TestRun::new(1.0, same).works(same, slow).findings();
    assert_eq!(first(&run, &found), (FindingKind::SlowContainer, "rank-5", 10.0, 25.0));
    // A quarter of a slice for 15 slices of its own; 15 others wait that long.
    assert!((found[0].seconds - 16.0 * 0.25 * 15.0).abs() < 1.0, "{}", found[0].seconds);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_slow_node_is_one_finding() {
    let slow = |rank, slice| noise(rank, slice) * if rank / PER_NODE == 2 { 1.3 } else { 1.0 };
    let (run, found) = TestRun::new(1.0, same).works(same, slow).findings();
    assert_eq!(first(&run, &found), (FindingKind::SlowContainer, "node-2", 0.0, 50.0));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn work_that_is_spread_unevenly_is_an_imbalance() {
    let uneven = |rank: i32, slice: u32| {
        let share = f64::from(rank * 5 % RANKS) / f64::from(RANKS - 1) - 0.5;
        noise(rank, slice) * if (20..45).contains(&slice) { 1.0 + share } else { 1.0 }
    };
    let (run, found) = TestRun::new(1.0, same).works(same, uneven).findings();
    assert_eq!(first(&run, &found), (FindingKind::LoadImbalance, "machine", 20.0, 45.0));
}

#[test]
fn work_that_takes_longer_and_longer_drifts() {
    let slower = |rank, slice| noise(rank, slice) * (1.0 + 0.6 * f64::from(slice) / SLICES as f64);
    let (run, found) = TestRun::new(1.0, same).works(same, slower).findings();
    assert_eq!(first(&run, &found), (FindingKind::Drift, "machine", 0.0, 50.0));
}

#[test]
fn an_interval_in_which_all_are_slower_deviates() {
    let slower = |rank, slice| noise(rank, slice) * if (20..30).contains(&slice) { 1.4 } else { 1.0 };
    let (run, found) = TestRun::new(1.0, same).works(same, slower).findings();
    assert_eq!(first(&run, &found), (FindingKind::DeviatingInterval, "machine", 20.0, 30.0));
}

#[test]
fn files_that_one_node_writes_for_a_while_deviate() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let writes = rank / PER_NODE == 1 && (15..30).contains(&slice);
            let (work, write) = (WORK * noise(rank, slice), if writes { 0.3 } else { 0.0 });
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "write", 1.0, write);
            run.state(rank, slice, "exchange", STATES, 1.0 - work - write);
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::DeviatingInterval, "node-1", 15.0, 30.0));
    assert_eq!(found[0].involved, ["write"]);
}

#[test]
fn a_section_of_one_rank_is_serial() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let (work, section) = (WORK * noise(rank, slice), if rank == 9 { 0.2 } else { 0.0 });
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "section", 1.0, section);
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section);
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Serialisation, "rank-9", 0.0, 50.0));
}

#[test]
fn a_long_start_is_found() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let is_start = slice < 10;
            let work = if is_start { 0.0 } else { WORK * noise(rank, slice) };
            run.state(rank, slice, "init", 1.0, if is_start { 1.0 } else { 0.0 });
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "exchange", STATES, if is_start { 0.0 } else { 1.0 - work });
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::StartEnd, "machine", 0.0, 10.0));
    assert!((found[0].seconds - 160.0).abs() < 1e-9);
}

/// A node that is slow in some slices, and whose memory is full from 20 s to 35 s.
fn with_full_memory(is_slow: impl Fn(u32) -> bool) -> (RunMatrix, Vec<Finding>) {
    let slow = |rank, slice| noise(rank, slice) * if rank / PER_NODE == 3 && is_slow(slice) { 1.5 } else { 1.0 };
    let mut run = TestRun::new(1.0, same).works(same, slow);
    let kind = run.text("memory");
    for slice in 0..SLICES as u32 {
        let value = if (20..35).contains(&slice) { 64.0 } else { 30.0 };
        let cell = VariableCell { container: 2003, slice, kind, integral: value, maximum: value, covered: 1.0 };
        run.rows.variables.push(cell);
    }
    run.findings()
}

#[test]
fn full_memory_explains_a_slow_node() {
    let (run, found) = with_full_memory(|slice| (20..35).contains(&slice));
    assert_eq!(first(&run, &found), (FindingKind::ResourceCeiling, "node-3", 20.0, 35.0));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn full_memory_explains_all_pieces_of_slow_work() {
    let in_pieces = |slice| (20..24).contains(&slice) || (31..35).contains(&slice);
    let (run, found) = with_full_memory(in_pieces);
    assert_eq!(first(&run, &found), (FindingKind::ResourceCeiling, "node-3", 20.0, 35.0));
    assert_eq!(found.len(), 1, "{found:?}");
    // Slow for a part of it only, or as much at other times: not the memory.
    let (run, found) = with_full_memory(|slice| (20..24).contains(&slice));
    assert_eq!(first(&run, &found).0, FindingKind::SlowContainer);
    let (_, found) = with_full_memory(|slice| in_pieces(slice) || slice < 10);
    assert!(found.iter().all(|finding| finding.kind != FindingKind::ResourceCeiling), "{found:?}");
}

#[test]
fn a_resource_that_is_used_up_to_its_capacity_is_at_its_ceiling() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    let kind = run.text("power_used");
    for (container, seconds) in [(2000, 0.0), (2001, 15.0), (2002, 5.0), (2003, 0.0)] {
        run.rows.resources.push(ResourceRow { container, kind, seconds });
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::ResourceCeiling, "node-1", 0.0, 50.0));
    assert_eq!(
        found[0].title,
        "power_used is at the capacity for 15 s in node-1 (30.0 % of the time), the longest of 2"
    );
    // 20 s of four times 50 s are a tenth, and so much of the 800 s of all ranks.
    assert!((found[0].seconds - 80.0).abs() < 1e-9, "{}", found[0].seconds);
}

#[test]
fn lost_lines_and_clocks_are_told() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    run.rows.trace = Some(TraceRow { lines: 1000.0, lost_lines: 30.0, start: 0.0, end: 50.0 });
    let (severity, code, message) = (run.text("error"), run.text("bad-line"), run.text("lines"));
    run.rows.diagnostics.push(DiagnosticRow { severity, code, message, occurrences: 30.0 });
    // The clock of node-1 is half a second ahead, and a message takes 0.02 s.
    for (source, target, reversed, shortest) in
        [(0, 4, 0.0, 0.52), (4, 8, 40.0, -0.48), (5, 12, 45.0, -0.48), (8, 12, 0.0, 0.02), (6, 7, 0.0, 0.02)]
    {
        run.rows.pairs.push(PairRow { reversed, shortest, ..pair(source, target, 1.0) });
    }
    let (run, found) = run.findings();
    let kinds: Vec<FindingKind> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::TraceQuality, FindingKind::TraceQuality], "{found:?}");
    // Every link that is received too early leaves node-1; of 300 links that cross its border, 85 are so.
    assert_eq!(run.name(found[0].container.expect("a place")), "node-1");
    assert!((found[0].seconds - 85.0 / 300.0 * 800.0).abs() < 1e-6);
    assert!((found[1].seconds - 0.03 * 800.0).abs() < 1e-6);
}

fn wait(kind: WaitReason, container: i32, partner: Option<i32>, seconds: f64) -> WaitSumRow {
    let container = Some(container);
    WaitSumRow { kind, container, partner, slice: None, waits: 10.0, seconds, longest: seconds, first: 0.0, last: 0.0 }
}

/// A hundred large messages.
fn pair(source: i32, target: i32, seconds: f64) -> PairRow {
    let shortest = seconds / 100.0;
    PairRow { source, target, links: 100.0, messages: 100.0, seconds, volume: 1e9, reversed: 0.0, shortest }
}

/// Waits in the slices of an interval.
fn waits_in(run: &mut TestRun, kind: WaitReason, partner: i32, slices: std::ops::Range<u32>, seconds: f64) {
    let each = seconds / slices.len() as f64;
    for slice in slices {
        let (first, last) = (f64::from(slice) * run.width, f64::from(slice + 1) * run.width);
        let row = wait(kind, 0, Some(partner), each);
        run.rows.waits.push(WaitSumRow { container: None, slice: Some(slice), waits: 1.0, first, last, ..row });
    }
}

#[test]
fn only_the_kinds_that_are_asked_for_are_returned() {
    let slow = |rank, slice| noise(rank, slice) * if rank == 5 { 1.5 } else { 1.0 };
    let run = TestRun::new(1.0, same).works(same, slow).matrix();
    let asked = |kinds: Vec<FindingKind>, least: f64| find(&run, &FindingSettings { least, kinds }).len();
    assert_eq!(asked(vec![FindingKind::SlowContainer], 0.01), 1);
    assert_eq!(asked(vec![FindingKind::Drift], 0.01), 0);
    assert_eq!(asked(vec![], 0.9), 0);
}

#[test]
fn names_of_kinds_are_their_own() {
    for (kind, name) in FindingKind::NAMES {
        assert_eq!(FindingKind::of_name(name), Some(kind));
        assert_eq!(kind.name(), name);
    }
    assert_eq!(FindingKind::of_name("slow"), None);
}

#[test]
fn siblings_have_one_type_and_one_name_but_for_numbers() {
    let of = |names: &[&str]| sibling_groups(&names.iter().map(|name| ("Worker", *name)).collect::<Vec<_>>());
    assert_eq!(of(&["CPU0", "CPU1", "CUDA0", "CPU12", "CUDA1", "CUDA2"]).groups, [0, 0, 1, 0, 1, 1]);
    // Names that say nothing in common: the type alone.
    let by_type = of(&["ann", "ben", "eve", "joe"]);
    assert_eq!((by_type.groups, by_type.have_one_name), (vec![0, 0, 0, 0], false));
    assert!(of(&[]).groups.is_empty());
}
