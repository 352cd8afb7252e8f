#!/usr/bin/env python3
"""What a question costs as traces grow: CPU seconds and peak memory of whole processes, with and without summaries.

In: a built `ocellus` (target/release/ocellus) and GNU time. Out: for each generator and each number of events what the import costs,
then for each question whether both ways give the same bytes, and what each costs. With --every: CPU and peak memory of every
query of the cookbook, which has one for each function and view, and how much they grow from the fewest events to the most.
Traces are made on the way and never lie on disk; stores do, below --folder.
"""
import argparse
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Rows are sorted here, so that both ways must give the same bytes.
QUESTIONS = {
    "state_slices(100)": "SELECT * FROM state_slices(slices => 100)",
    "state_slices(100), sum": "SELECT count(*), max(seconds) FROM state_slices(slices => 100)",
    "partition(30)": "SELECT * FROM spatiotemporal_partition(slices => 30)",
    "time by value": "SELECT value, count(*), sum(end_tick - start_tick) FROM states GROUP BY value",
    "flat_profile": "SELECT * FROM flat_profile",
    # Standard deviations of thousands of containers are rounded in the order of rows, which no run repeats.
    "load_imbalance": "SELECT type, value, depth, containers, max_seconds, worst_id FROM load_imbalance",
    "1 % window": "SELECT * FROM state_slices(slices => 100, start => {a1}, stop => {b1})",
    "0.01 % window": "SELECT * FROM state_slices(slices => 100, start => {a2}, stop => {b2})",
    "timeline(1000)": "SELECT count(*) FROM timeline(width => 1000)",
    "variable_slices(100)": "SELECT count(*), max(integral) FROM variable_slices(slices => 100)",
    "event_slices(100)": "SELECT count(*), sum(events) FROM event_slices(slices => 100)",
    "link_slices(100)": "SELECT count(*), sum(links), max(volume), max(throughput), sum(partners) FROM link_slices(slices => 100)",
    "link_slices(100), clip": "SELECT count(*), sum(links), max(seconds) FROM link_slices(slices => 100, boundary => 'clip')",
    "links in 1 %": "SELECT * FROM link_slices(slices => 100, start => {a1}, stop => {b1})",
    "comm_matrix": "SELECT * FROM comm_matrix",
    "comm_by_container": "SELECT * FROM comm_by_container",
}

HEAD = """%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 11
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 12
% Time date
% Type string
% Container string
%EndEventDef
1 P 0 Process
3 S P Activity
"""


def write_deep(events, out):
    """64 processes that each keep eight states open for long, with short ones inside."""
    out.write(HEAD.encode())
    for process in range(64):
        out.write(f"7 0 p{process} P 0 p{process}\n".encode())
    depths = [0] * 64
    written, step = 0, 0
    while written < events:
        lines = []
        for process in range(64):
            time = (step * 64 + process) * 1e-6
            # A level is left and entered again after a time that doubles with each level above it.
            change = (step + process * 7) & -(step + process * 7)
            level = max(0, 8 - change.bit_length())
            while depths[process] > level:
                lines.append(f"12 {time:.9f} S p{process}\n")
                depths[process] -= 1
            while depths[process] < 8:
                lines.append(f"11 {time:.9f} S p{process} f{depths[process]}\n")
                depths[process] += 1
        out.write("".join(lines).encode())
        written += len(lines)
        step += 1


def run(command, feed=None, may_fail=False):
    """CPU seconds, peak megabytes and output of a process, None if it fails and may; `feed` writes to its input."""
    # A process of its own measures: what this program holds would count as that of its child.
    times = tempfile.NamedTemporaryFile()
    timed = ["/usr/bin/time", "-o", times.name, "-f", "%U %S %M", *command]
    process = subprocess.Popen(timed, stdin=subprocess.PIPE if feed else None, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    writer = None
    if feed:
        def give():
            try:
                feed(process.stdin)
            finally:
                process.stdin.close()
        writer = threading.Thread(target=give)
        writer.start()
    output = process.stdout.read()
    status = process.wait()
    reader.join()
    if writer:
        writer.join()
    if status != 0 and may_fail:
        return None
    if status != 0:
        sys.exit(f"{' '.join(command)}: {errors[0].decode()}")
    user, system, kilobytes = (float(number) for number in times.read().split())
    return user + system, kilobytes / 1024, output


def generated(program, kind, events):
    if kind == "deep":
        return lambda out: write_deep(events, out)
    ranks = {"ranks64": "64", "ranks4096": "4096"}[kind]

    def feed(out):
        source = subprocess.Popen([program, "generate", "mpi", "--events", str(events), "--ranks", ranks], stdout=subprocess.PIPE)
        while block := source.stdout.read(1 << 20):
            out.write(block)
        source.wait()
    return feed


def ask(program, store, question, summaries, times):
    sql = f"SET ocellus.summaries = {summaries}; {question}"
    runs = [run([program, "sql", store, sql, "--format", "csv"]) for _ in range(times)]
    cost, memory, output = min(runs, key=lambda one: one[0])
    return cost, memory, hashlib.sha256(b"\n".join(sorted(output.splitlines()))).hexdigest()


def grow(program, few, many, parts):
    """Prints what each query of the cookbook costs on two stores, and how much its memory grows."""
    for path in sorted(glob.glob(os.path.join(ROOT, "sql/queries/*.sql"))):
        name = os.path.basename(path)[:-4]
        if parts and not any(part in name for part in parts):
            continue
        with open(path) as file:
            query = file.read()
        small, large = (run([program, "sql", store, query, "--format", "csv"], may_fail=True) for store in (few, many))
        if small is None or large is None:
            print(f"  {name:28} does not fit such a trace")
            continue
        (cost, memory, _), (more_cost, more_memory, rows) = small, large
        print(f"  {name:28} {cost:6.2f} s {memory:5.0f} MB -> {more_cost:6.2f} s {more_memory:5.0f} MB, {more_memory / memory:4.1f} times, {rows.count(10) - 1} rows", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "target/release/ocellus"))
    parser.add_argument("--events", type=int, nargs="+", default=[5_000_000, 20_000_000, 80_000_000])
    parser.add_argument("--kinds", nargs="+", default=["ranks64", "ranks4096", "deep"], choices=["ranks64", "ranks4096", "deep"])
    parser.add_argument("--questions", nargs="+", help="only those whose name contains one of these")
    parser.add_argument("--every", action="store_true", help="every query of the cookbook, on the fewest and the most events")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", default=None)
    arguments = parser.parse_args()
    folder = arguments.folder or tempfile.mkdtemp(prefix="ocellus-scale-")
    wrong = 0
    for kind in arguments.kinds:
        stores = [os.path.join(folder, f"{kind}-{events}") for events in arguments.events]
        for events, store in zip(arguments.events, stores):
            if not os.path.exists(store):
                cost, memory, _ = run([arguments.program, "import", "-", "--store", store, "--name", "t"], generated(arguments.program, kind, events))
                print(f"{kind} {events:,}: import {cost:.2f} s CPU, {memory:.0f} MB, store {size(store) / 1e6:.0f} MB, of which summaries {size(store, '_bands') / 1e6:.1f} MB")
            if arguments.every:
                continue
            span = run([arguments.program, "sql", store, "SELECT start_time, end_time FROM trace_info", "--format", "csv"])[2]
            begin, end = (float(number) for number in span.decode().splitlines()[1].split(","))
            at = begin + (end - begin) * 0.37
            windows = {"a1": at, "b1": at + (end - begin) / 100, "a2": at, "b2": at + (end - begin) / 10_000}
            for name, question in QUESTIONS.items():
                if arguments.questions and not any(part in name for part in arguments.questions):
                    continue
                question = question.format(**windows)
                with_cost, with_memory, with_rows = ask(arguments.program, store, question, "true", arguments.times)
                cost, memory, rows = ask(arguments.program, store, question, "false", arguments.times)
                wrong += with_rows != rows
                verdict = "same rows" if with_rows == rows else "OTHER ROWS"
                print(f"  {name:24} {verdict}: {with_cost:6.2f} s {with_memory:5.0f} MB with summaries, {cost:6.2f} s {memory:5.0f} MB without")
        if arguments.every:
            grow(arguments.program, stores[0], stores[-1], arguments.questions)
    sys.exit(wrong > 0)


def size(folder, part=""):
    files = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum(os.path.getsize(file) for file in files if part in os.path.basename(file))


if __name__ == "__main__":
    main()
