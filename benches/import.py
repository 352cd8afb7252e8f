#!/usr/bin/env python3
"""Import, side by side with pj_dump and `wc -l`: checked first, then measured.

In: a built `ocellus` (target/release/ocellus). Out: a table of CPU seconds and peak memory, and the
ratios. Everything is written into a temporary folder outside the checkout, which is removed at the
end. Only the standard library of Python 3 is needed; pj_dump is Debian's package `pajeng`.
"""
import argparse
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# pj_dump's first word of a row, and our table.
KINDS = {"Container": "containers", "State": "states", "Variable": "variables", "Event": "events", "Link": "links"}
PJ_DUMP = ["pj_dump", "-n", "-e", "1e300"]


class Run:
    """What one program cost."""

    def __init__(self, cpu, wall, peak):
        self.cpu, self.wall, self.peak = cpu, wall, peak


def run(command, stdout=subprocess.DEVNULL):
    """Runs a command to its end; user and system time and peak memory are those of the kernel."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s failed with %d:\n%s" % (" ".join(command), process.returncode, errors))
    return Run(usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1024)


class Bench:
    def __init__(self, arguments, folder):
        self.binary = os.path.abspath(arguments.binary)
        self.repeat = arguments.repeat
        self.folder = folder
        self.faults = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def generate(self, kind, count):
        option = {"mpi": "--events", "containers": "--count"}[kind]
        trace = self.path("%s-%d.trace" % (kind, count))
        made = run([self.binary, "generate", kind, option, str(count), "-o", trace])
        size = os.path.getsize(trace)
        print("generated %s: %.1f MB in %.2f s of CPU" % (os.path.basename(trace), size / 1e6, made.cpu))
        return trace

    def import_trace(self, trace):
        """Imports into a fresh store; the store stays for those who look into it."""
        store = self.path("store")
        shutil.rmtree(store, ignore_errors=True)
        return run([self.binary, "import", trace, "--store", store, "--name", "bench"])

    def rows(self):
        with open(os.path.join(self.path("store"), "ocellus.json")) as file:
            trace = json.load(file)["traces"][0]
        return {table["name"]: table["rows"] for table in trace["tables"]}

    def store_bytes(self):
        return sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(self.path("store"))
            for name in names
        )

    def sql(self, query):
        command = [self.binary, "sql", self.path("store"), query, "--format", "csv"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return next(csv.DictReader(output.splitlines()))

    def expect(self, what, ours, theirs, tolerance=0.0):
        is_right = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=tolerance)
        print("  %-22s %18.6f %18.6f  %s" % (what, ours, theirs, "same" if is_right else "DIFFERENT"))
        if not is_right:
            self.faults.append(what)

    def best(self, commands):
        """Runs the commands in turn, several times; gives the runs of each."""
        runs = {name: [] for name in commands}
        for _ in range(self.repeat):
            for name, command in commands.items():
                runs[name].append(command())
        return runs


def pj_dump_totals(trace):
    """Rows by kind, and sums of durations and of value times duration, read from pj_dump's rows."""
    rows, seconds, integral = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0.0), 0.0
    process = subprocess.Popen(PJ_DUMP + ["-l", "9", trace], stdout=subprocess.PIPE, text=True, bufsize=1 << 20)
    for line in process.stdout:
        fields = line.rstrip("\n").split(", ")
        kind = fields[0]
        rows[kind] += 1
        if kind in ("State", "Variable", "Link"):
            seconds[kind] += float(fields[5])
        if kind == "Variable":
            integral += float(fields[5]) * float(fields[6])
    if process.wait() != 0:
        sys.exit("pj_dump refused the trace")
    # pj_dump prints a root container of its own.
    rows["Container"] -= 1
    return rows, seconds, integral


def check(bench, trace):
    print("\nThe result first (ocellus, pj_dump):")
    bench.import_trace(trace)
    ours = bench.rows()
    rows, seconds, integral = pj_dump_totals(trace)
    for kind, table in KINDS.items():
        bench.expect("rows of " + table, ours.get(table, 0), rows[kind])
    for kind in ("State", "Variable", "Link"):
        table = KINDS[kind]
        found = bench.sql("SELECT sum(duration) AS total FROM %s" % table)
        # Nine decimals of each row are rounded once.
        bench.expect("seconds of " + table, float(found["total"] or 0), seconds[kind], rows[kind] * 5e-10)
    found = bench.sql("SELECT sum(value * duration) AS total FROM variables")
    bench.expect("integral of variables", float(found["total"] or 0), integral, 1e-6 * abs(integral))
    if bench.faults:
        sys.exit("the results differ: " + ", ".join(bench.faults))


def show(runs):
    print("\n  %-10s %12s %12s %12s %14s" % ("", "CPU s, best", "median", "wall s, best", "peak memory MB"))
    for name, costs in runs.items():
        cpu = [cost.cpu for cost in costs]
        wall, peak = min(cost.wall for cost in costs), max(cost.peak for cost in costs)
        print("  %-10s %12.3f %12.3f %12.3f %14.1f" % (name, min(cpu), statistics.median(cpu), wall, peak))


def least_cpu(costs):
    return min(cost.cpu for cost in costs)


def most_memory(costs):
    return max(cost.peak for cost in costs)


def side_by_side(bench, trace, has_pj_dump):
    commands = {"wc -l": lambda: run(["wc", "-l", trace])}
    if has_pj_dump:
        commands["pj_dump"] = lambda: run(PJ_DUMP + [trace])
    commands["ocellus"] = lambda: bench.import_trace(trace)
    runs = bench.best(commands)
    show(runs)
    print()
    if has_pj_dump:
        ratios = [theirs.cpu / ours.cpu for theirs, ours in zip(runs["pj_dump"], runs["ocellus"])]
        best = least_cpu(runs["pj_dump"]) / least_cpu(runs["ocellus"])
        print("CPU of pj_dump / CPU of ocellus: %.1f (best), %.1f (median); aim: 20" % (best, statistics.median(ratios)))
    print("peak memory of ocellus: %.0f MB; aim: below 400" % most_memory(runs["ocellus"]))
    size, text = bench.store_bytes(), os.path.getsize(trace)
    print("store / text: %.1f MB / %.1f MB = %.3f; aim: at most 0.25" % (size / 1e6, text / 1e6, size / text))
    return runs["ocellus"]


def growth(bench, kind, small, large):
    """Compares two sizes of one kind of trace, measured in turn."""
    traces = {count: bench.generate(kind, count) for count in (small, large)}
    runs = bench.best({count: (lambda trace=trace: bench.import_trace(trace)) for count, trace in traces.items()})
    show(runs)
    factor = large / small
    cpu = least_cpu(runs[large]) / least_cpu(runs[small])
    peak = most_memory(runs[large]) / most_memory(runs[small])
    print("\n%.1f times the %s: %.2f times the CPU, %.2f times the peak memory" % (factor, kind, cpu, peak))
    for trace in traces.values():
        os.remove(trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "ocellus"))
    parser.add_argument("--events", type=int, default=5_000_000, help="event lines of the trace")
    parser.add_argument("--containers", type=int, default=1_000_000, help="containers of the last trace")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program")
    parser.add_argument("--folder", help="where the temporary folder is made; needs 2 GB")
    parser.add_argument("--only", choices=["peers", "growth", "containers"], help="one part of three")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        sys.exit("%s is not there; build it with: cargo build --release" % arguments.binary)
    has_pj_dump = shutil.which("pj_dump") is not None
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        if arguments.only in (None, "peers"):
            trace = bench.generate("mpi", arguments.events)
            if has_pj_dump:
                check(bench, trace)
            else:
                print("pj_dump is not installed, so there is nothing to compare with: apt-get install pajeng")
            side_by_side(bench, trace, has_pj_dump)
            os.remove(trace)
        if arguments.only in (None, "growth"):
            print("\nFour times the events:")
            growth(bench, "mpi", arguments.events, 4 * arguments.events)
        if arguments.only in (None, "containers"):
            print("\nMany containers:")
            growth(bench, "containers", arguments.containers // 4, arguments.containers)


if __name__ == "__main__":
    main()
