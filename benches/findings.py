#!/usr/bin/env python3
"""Planted faults against findings(): is the cause found first, in the right place and time?

In: a built `ocellus` (target/release/ocellus, OCELLUS, or --program), Python 3 and nothing else. For each kind of fault and each shape of
program that can have it, `ocellus generate fault` writes a trace and what was planted; findings() must name it. Out: a table per kind and one per
kind and shape: how often the planted cause is first, and among the first three; how often its container is exact or one level
off; the median overlap of its interval (intersection over union). Then clean runs: findings above 5 % in them. The
exit code is 1 when an aim is missed, 2 when a program fails.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHAPES = ("stencil", "master-worker", "pipeline", "all-to-all")

# What a finding must be called to count as the planted cause. Strict: only where two definitions of findings() both say
# what was planted are there two.
ACCEPTED = {
    "slow_rank": {"slow_container"},
    # A rank slower than its siblings for a while is also unlike itself before and after.
    "slow_rank_interval": {"slow_container", "deviating_interval"},
    "slow_node": {"slow_container"},
    "deviating_interval": {"deviating_interval"},
    "imbalance": {"load_imbalance"},
    "late_sender": {"late_sender"},
    "late_receiver": {"late_receiver"},
    "collective_wait": {"collective_wait"},
    "serialisation": {"serialisation"},
    "network_pair": {"network"},
    "network_interval": {"network"},
    "small_messages": {"small_messages"},
    "no_overlap": {"no_overlap"},
    "startup": {"start_end"},
    "drift": {"drift"},
    "memory_ceiling": {"resource_ceiling"},
    "trace_quality": {"trace_quality"},
}

# Shapes that a kind costs nothing are refused by the generator.
REFUSED = {
    "late_sender": {"master-worker", "pipeline"},
    "late_receiver": {"master-worker", "pipeline"},
    "collective_wait": {"master-worker", "pipeline"},
    "small_messages": {"master-worker", "pipeline"},
    "no_overlap": {"master-worker"},
    "serialisation": {"pipeline"},
}

# The aims, for all kinds together and for each.
FIRST, FIRST_THREE, CONTAINER, OVERLAP = 0.90, 0.98, 0.90, 0.7
CLEAN_RUNS_PER_FINDING, CLEAN_SEVERITY = 20, 0.05

QUERY = """SELECT f.rank, f.kind, f.severity, f.container, c.path, f.start_time, f.end_time,
    (SELECT start_time FROM trace_info) AS run_start, (SELECT end_time FROM trace_info) AS run_end
FROM findings() AS f LEFT JOIN containers AS c ON c.container_id = f.container_id ORDER BY f.rank"""

TITLE = "%-20s %-14s %5s %8s %8s %10s %8s"
LINE = "%-20s %-14s %5d %7.0f%% %7.0f%% %9.0f%% %8.2f"
Outcome = collections.namedtuple("Outcome", "kind shape seed place container overlap above said")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("OCELLUS", str(ROOT / "target/release/ocellus"))
    parser.add_argument("--program", default=default, help="whose findings are asked (default: OCELLUS, or target/release/ocellus)")
    parser.add_argument("--generator", help="the program that generates, if it is another one")
    parser.add_argument("--seeds", type=int, default=50, help="for each kind, spread over its shapes (default: 50)")
    parser.add_argument("--every-shape", action="store_true", help="that many seeds for each kind and shape")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--clean", type=int, default=200, help="clean runs (default: 200)")
    parser.add_argument("--kinds", nargs="+", choices=sorted(ACCEPTED), default=list(ACCEPTED), metavar="KIND")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES, metavar="SHAPE")
    parser.add_argument("--ranks", type=int, help="ranks of the programs")
    parser.add_argument("--noise", type=float, help="noise of the programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="traces at a time")
    parser.add_argument("--misses", action="store_true", help="print every run whose cause is not first, with what was said")
    arguments = parser.parse_args()
    arguments.generator = arguments.generator or arguments.program
    outcomes, misses = [], []
    print(TITLE % ("kind", "shape", "runs", "first", "of 3", "container", "overlap"))
    with tempfile.TemporaryDirectory(prefix="ocellus-findings-") as folder:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for kind in [*arguments.kinds, "none"]:
                some = list(pool.map(lambda run: judged(arguments, folder, *run), planned(arguments, kind)))
                misses += print_clean(outcomes, some) if kind == "none" else print_kind(arguments, kind, some)
                outcomes += some
    for miss in misses:
        print("MISSED", miss)
    return 1 if misses else 0


def planned(arguments, kind):
    """Kinds, shapes and seeds of the runs of a kind."""
    shapes = [shape for shape in arguments.shapes if shape not in REFUSED.get(kind, ())]
    count = arguments.clean if kind == "none" else arguments.seeds
    seeds = range(arguments.first_seed, arguments.first_seed + count)
    if arguments.every_shape and kind != "none":
        return [(kind, shape, seed) for shape in shapes for seed in seeds]
    return [(kind, shapes[seed % len(shapes)], seed) for seed in seeds] if shapes else []


def run_program(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print("failed: %s\n%s" % (" ".join(command), done.stderr), file=sys.stderr)
        os._exit(2)
    return done.stdout


def judged(arguments, folder, kind, shape, seed):
    """Generates one trace, asks what is wrong with it, and compares."""
    stem = pathlib.Path(folder) / f"{kind}-{shape}-{seed}"
    trace, truth, cache = stem.with_suffix(".trace"), stem.with_suffix(".json"), stem.with_suffix(".cache")
    generate = [arguments.generator, "generate", "fault", "--kind", kind, "--shape", shape, "--seed", str(seed), "-o", str(trace)]
    for name in ("ranks", "noise"):
        if getattr(arguments, name) is not None:
            generate += [f"--{name}", str(getattr(arguments, name))]
    if kind != "none":
        generate += ["--truth", str(truth)]
    environment = os.environ | {"OCELLUS_CACHE": str(cache)}
    run_program(generate, environment)
    said = json.loads(run_program([arguments.program, "sql", str(trace), "--format", "json", QUERY], environment) or "[]")
    planted = json.loads(truth.read_text()) if kind != "none" else None
    shutil.rmtree(cache, ignore_errors=True)
    trace.unlink()
    above = [row for row in said if row["severity"] is not None and row["severity"] > CLEAN_SEVERITY]
    if planted is None:
        return Outcome(kind, shape, seed, None, None, None, above, said)
    # The highest finding of an accepted kind in the right container; else the highest of an accepted kind.
    meant = [row for row in said if row["kind"] in ACCEPTED[kind]]
    right = [row for row in meant if levels_off(planted, row) <= 1]
    found = (right or meant or [None])[0]
    place = said.index(right[0]) + 1 if right else None
    if found is None:
        return Outcome(kind, shape, seed, None, False, 0.0, above, (planted, said))
    return Outcome(kind, shape, seed, place, bool(right), overlap(planted, found), above, (planted, said))


def levels_off(planted, row):
    """How far a finding's container is from the planted one in the tree: 0 when it is the same, 1 for its parent or a child."""
    path = row["path"] or planted["container"].split("/")[0]
    paths = {planted["container"]}
    for name in planted["containers"][1:]:
        # The other rank of a slow connection, whose place in the tree follows from its number.
        rank = int(name.rsplit("-", 1)[1])
        paths.add(f"machine/rack-{rank // 16}/node-{rank // 4}/rank-{rank}")
    if len(paths) > 1:
        # What both have in common is a right answer too.
        parts = [each.split("/") for each in sorted(paths)]
        common = [a for a, b in zip(*parts) if a == b]
        paths.add("/".join(common))
    return min(distance(path, each) for each in paths)


def distance(one, other):
    """Levels between two containers, one of which is below the other; else far."""
    short, long = sorted((one.split("/"), other.split("/")), key=len)
    return len(long) - len(short) if long[: len(short)] == short else 99


def overlap(planted, row):
    """Intersection over union of two intervals; a finding without one is about the whole run."""
    start = row["run_start"] if row["start_time"] is None else row["start_time"]
    end = row["run_end"] if row["end_time"] is None else row["end_time"]
    both = min(end, planted["end"]) - max(start, planted["start"])
    either = max(end, planted["end"]) - min(start, planted["start"])
    return max(0.0, both) / either if either > 0 else 0.0


def figures(outcomes):
    count = len(outcomes)
    first = sum(outcome.place == 1 for outcome in outcomes) / count
    three = sum(outcome.place is not None and outcome.place <= 3 for outcome in outcomes) / count
    container = sum(bool(outcome.container) for outcome in outcomes) / count
    return first, three, container, statistics.median(outcome.overlap for outcome in outcomes)


def print_figures(kind, shape, outcomes):
    """Prints a line of the table; returns its figures."""
    got = figures(outcomes)
    first, three, container, median = got
    print(LINE % (kind, shape, len(outcomes), 100 * first, 100 * three, 100 * container, median), flush=True)
    return got


def print_kind(arguments, kind, outcomes):
    """Prints what was found of a kind; returns the aims that are missed."""
    if not outcomes:
        return []
    shapes = sorted({outcome.shape for outcome in outcomes})
    got = print_figures(kind, "all" if len(shapes) > 1 else shapes[0], outcomes)
    for shape in shapes if len(shapes) > 1 else []:
        print_figures("", shape, [outcome for outcome in outcomes if outcome.shape == shape])
    if arguments.misses:
        for outcome in outcomes:
            if outcome.place != 1 or outcome.overlap < OVERLAP:
                print_miss(outcome)
    names, aims = ("first", "among three", "container", "overlap"), (FIRST, FIRST_THREE, CONTAINER, OVERLAP)
    return ["%s: %s is %.2f, aim %.2f" % (kind, name, figure, aim) for name, figure, aim in zip(names, got, aims) if figure < aim]


def print_miss(outcome):
    planted, said = outcome.said
    print("  %s %s seed %d: planted in %s from %.3f to %.3f, %.1f %% lost" % (
        outcome.kind, outcome.shape, outcome.seed, "+".join(planted["containers"]), planted["start"], planted["end"],
        100 * planted["lost_share"]))
    for row in said[:4]:
        print("    %d %-18s %-10s %s to %s, %.1f %%" % (
            row["rank"], row["kind"], row["container"], row["start_time"], row["end_time"], 100 * (row["severity"] or 0)))


def print_clean(faulty, outcomes):
    """Prints all kinds together and what is said of clean runs; returns the aim of these if it is missed."""
    if faulty:
        print_figures("all kinds", "all", faulty)
    if not outcomes:
        return []
    above = [(outcome, row) for outcome in outcomes for row in outcome.above]
    print("\n%d clean runs: %d findings above %.0f %%" % (len(outcomes), len(above), 100 * CLEAN_SEVERITY))
    for (kind, shape), count in sorted(collections.Counter((row["kind"], outcome.shape) for outcome, row in above).items()):
        print("    %-18s %-14s %d" % (kind, shape, count))
    allowed = len(outcomes) / CLEAN_RUNS_PER_FINDING
    if len(above) > allowed:
        return ["clean runs: %d findings above %.0f %%, aim at most %.0f" % (len(above), 100 * CLEAN_SEVERITY, allowed)]
    return []


if __name__ == "__main__":
    sys.exit(main())
