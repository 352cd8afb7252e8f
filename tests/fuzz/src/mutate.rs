//! Mutated inputs by the million: `mutate TARGET COUNT [--seed N] [--from N] [--finds FOLDER] [--seeds FOLDER]`.
//!
//! In: the samples and the corpus of a target. Out: one line with how many inputs there were, how many panicked, the
//! worst time and the worst memory. A single input is kept too. An input that takes more than ten seconds of processor time
//! or a gigabyte, waits for ten minutes, or overflows the stack, ends the program with its number:
//! `mutate TARGET 1 --from NUMBER` makes it again.

mod counting_allocator;
mod mutator;
#[path = "../targets/mod.rs"]
mod targets;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use counting_allocator::CountingAllocator;
use mutator::{Random, mutated};
use targets::{FuzzTarget, Sandbox, TARGETS};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Of processor time, so that a busy machine makes no finds; and of an input that waits for ever.
const LONGEST: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The work of an input that is chosen less often, in bytes that it asks for; and how much less often.
const HEAVY: usize = 8 << 20;
const LIGHT_PER_HEAVY: usize = 64;

/// The input that runs now; `u64::MAX` between two.
static NUMBER: AtomicU64 = AtomicU64::new(u64::MAX);
/// Where panics happened, and how often; of any thread.
static PANICS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

struct Arguments {
    target: &'static FuzzTarget,
    count: u64,
    seed: u64,
    from: u64,
    finds: PathBuf,
    /// Where to put the samples, for libFuzzer.
    seeds: Option<PathBuf>,
}

fn main() {
    let arguments = arguments();
    watch();
    // A debug build of this file lies in tests/fuzz/src.
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let inputs = arguments.target.inputs(&checkout);
    if let Some(folder) = &arguments.seeds {
        for (name, input) in &inputs {
            fs::write(folder.join(name), input).expect("a folder for samples");
        }
    }
    let folder = std::env::temp_dir().join(format!("ocellus-mutate-{}", std::process::id()));
    let mut sandbox = Sandbox::new(folder.join("input"));
    let inputs = weighted(arguments.target, inputs, &mut sandbox);
    let started = Instant::now();
    let (mut worst, mut peak) = ((Duration::ZERO, 0), (0, 0));
    let before = PANICS.lock().expect("no panic while it is locked").values().sum::<u64>();
    assert_eq!(before, 0, "the samples panic");
    for number in arguments.from..arguments.from + arguments.count {
        let input = mutated(&inputs, &mut Random::new(arguments.seed, number));
        NUMBER.store(number, Relaxed);
        let before = counting_allocator::start();
        if arguments.count == 1 {
            let _ = fs::create_dir_all(&arguments.finds);
            let path = arguments.finds.join(format!("{}-{number}", arguments.target.name));
            fs::write(path, &input).expect("a folder for finds");
        }
        let began = processor_time();
        let known = panics();
        let outcome = catch_unwind(AssertUnwindSafe(|| (arguments.target.run)(&mut sandbox, &input)));
        worst = worst.max((processor_time().saturating_sub(began), number));
        NUMBER.store(u64::MAX, Relaxed);
        peak = peak.max((counting_allocator::since(before).0, number));
        if outcome.is_err() || panics() > known {
            keep(&arguments, number, &input);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    let (name, count, panics) = (arguments.target.name, arguments.count, panics());
    println!(
        "{name}: {count} inputs, {panics} panics, worst {:.1} ms (input {}), most memory {:.1} MB (input {}), {:.0} s of processor time, {:.0} s",
        worst.0.as_secs_f64() * 1e3,
        worst.1,
        peak.0 as f64 / 1e6,
        peak.1,
        processor_time().as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    for (place, count) in PANICS.lock().expect("no panic while it is locked").iter() {
        println!("  {count} × {place}");
    }
}

fn arguments() -> Arguments {
    let usage = "mutate TARGET COUNT [--seed N] [--from N] [--finds FOLDER] [--seeds FOLDER]";
    let mut words = std::env::args().skip(1);
    let name = words.next().expect(usage);
    let target = TARGETS.iter().find(|target| target.name == name).expect("the name of a target");
    let number = |word: Option<String>| word.and_then(|word| word.parse().ok()).expect(usage);
    let count = number(words.next());
    let mut arguments = Arguments { target, count, seed: 1, from: 0, finds: "finds".into(), seeds: None };
    while let Some(option) = words.next() {
        match option.as_str() {
            "--seed" => arguments.seed = number(words.next()),
            "--from" => arguments.from = number(words.next()),
            "--finds" => arguments.finds = words.next().expect(usage).into(),
            "--seeds" => arguments.seeds = words.next().map(PathBuf::from),
            _ => panic!("{usage}"),
        }
    }
    arguments
}

/// The inputs, those that cost much less often than the others: a million of them is to be had. What an input costs is
/// counted in bytes, which are the same every time, so that numbers mean the same inputs every time.
fn weighted(target: &FuzzTarget, inputs: Vec<(String, Vec<u8>)>, sandbox: &mut Sandbox) -> Vec<Vec<u8>> {
    let mut all = vec![];
    for (_, input) in inputs {
        let before = counting_allocator::start();
        // The samples are known not to panic; if one does, it is counted.
        let _ = catch_unwind(AssertUnwindSafe(|| (target.run)(sandbox, &input)));
        let copies = if counting_allocator::since(before).1 > HEAVY { 1 } else { LIGHT_PER_HEAVY };
        all.extend(std::iter::repeat_n(input, copies));
    }
    sandbox.count = 0;
    all
}

/// What the process has taken of the processors.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the place that it is given, and cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn panics() -> u64 {
    PANICS.lock().expect("no panic while it is locked").values().sum()
}

/// Keeps the input of a panic, for the first of every place.
fn keep(arguments: &Arguments, number: u64, input: &[u8]) {
    let is_new = PANICS.lock().expect("no panic while it is locked").values().any(|count| *count == 1);
    if is_new {
        let _ = fs::create_dir_all(&arguments.finds);
        let path = arguments.finds.join(format!("{}-{number}", arguments.target.name));
        eprintln!("input {number} is kept in {}", path.display());
        let _ = fs::write(path, input);
    }
}

/// Counts panics, and ends the process with the number of an input that takes too long or breaks it.
fn watch() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| format!("{}:{}", place.file(), place.line()));
        let what = panic.payload_as_str().unwrap_or_default();
        let mut panics = PANICS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = panics.entry(place.clone()).or_default();
        *count += 1;
        if *count == 1 {
            eprintln!("input {}: panic at {place}: {what}", NUMBER.load(Relaxed));
        }
    }));
    // SAFETY: the handler only writes to standard error and leaves.
    unsafe { libc::signal(libc::SIGABRT, broken as *const () as libc::sighandler_t) };
    thread::spawn(|| {
        let (mut seen, mut at, mut began) = (u64::MAX, Instant::now(), processor_time());
        loop {
            thread::sleep(Duration::from_millis(500));
            let number = NUMBER.load(Relaxed);
            if number != seen || number == u64::MAX {
                (seen, at, began) = (number, Instant::now(), processor_time());
            } else if processor_time().saturating_sub(began) > LONGEST || at.elapsed() > LONGEST_WAIT {
                eprintln!("input {number} takes more than {} s", LONGEST.as_secs());
                std::process::exit(2);
            }
        }
    });
}

/// An allocation failed, or the stack is exhausted.
extern "C" fn broken(_: libc::c_int) {
    let mut text = *b"input                      ends the process\n";
    let mut number = NUMBER.load(Relaxed);
    for place in (6..26).rev() {
        text[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    // SAFETY: both calls are allowed in a signal handler.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(3);
    }
}
