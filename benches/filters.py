#!/usr/bin/env python3
"""The filters of Pajé, side by side with DuckDB: results compared first, then CPU time.

In: a built `ocellus` (target/release/ocellus) and `pip install duckdb`. Out: for each question whether both
engines agree, and what it costs them, with two threads each on the same Parquet files. Traces and
stores are made in a temporary folder outside the checkout, which is removed at the end.
"""
import argparse
import csv
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import duckdb

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THREADS = 2
# Answers by which the cost of one is measured.
FURTHER = 4

# A sweep over +1 and -1. It counts states where we count containers: the same without recursion.
CONCURRENCY = """
WITH ev AS (
    SELECT {key} type, value, start_tick AS t, 1 AS d FROM {rows}
    UNION ALL SELECT {key} type, value, end_tick, -1 FROM {rows}),
g AS (SELECT {key} type, value, t, sum(d) AS d FROM ev GROUP BY ALL),
r AS (SELECT {key} type, value, t, sum(d) OVER (PARTITION BY {key} type, value ORDER BY t) AS active,
             lead(t) OVER (PARTITION BY {key} type, value ORDER BY t) AS t2 FROM g)
SELECT {key} type, value, active, sum(t2 - t) AS ticks FROM r WHERE t2 IS NOT NULL AND active > 0 GROUP BY ALL"""

# The container at depth 1 above each container.
LIFTED = """(SELECT a.container_id, s.type, s.value, s.start_tick, s.end_tick FROM states AS s
    JOIN containers AS c ON c.container_id = s.container_id
    JOIN containers AS a ON a.depth = 1 AND c.preorder BETWEEN a.preorder AND a.last_descendant)"""

# Every state in every column that it touches.
TIMELINE = """
WITH cut AS (
    SELECT container_id, type, value, start_tick, end_tick, unnest(range(
        ((start_tick - {start} + 1) * {width} - 1) // {ticks},
        ((end_tick - {start}) * {width} - 1) // {ticks} + 1)) AS c
    FROM segments WHERE end_tick > start_tick),
parts AS (
    SELECT container_id, type, c, value, count(*) AS states,
        sum(least(end_tick, {start} + (c + 1) * {ticks} // {width}) - greatest(start_tick, {start} + c * {ticks} // {width})) AS ticks
    FROM cut GROUP BY ALL)
SELECT container_id, value, count(*) AS columns, sum(states) AS states, sum(most) AS ticks FROM (
    SELECT container_id, type, c, sum(states) AS states, max(ticks) AS most, min_by(value, (-ticks, value)) AS value
    FROM parts GROUP BY ALL)
GROUP BY ALL"""
OUR_TIMELINE = """
SELECT container_id, value, sum(last_column - first_column + 1) AS columns,
    sum(states * (last_column - first_column + 1)) AS states,
    sum(CAST(round(share * (end_tick - start_tick)) AS BIGINT)) AS ticks
FROM timeline(width => {width}) GROUP BY container_id, value"""

# As many lanes as containers at most overlap, and nothing in a lane before what was there has ended.
MOST_AT_ONCE = """
WITH ev AS (
    SELECT parent_id, type, start_tick AS t, 1 AS d FROM containers WHERE end_tick > start_tick
    UNION ALL SELECT parent_id, type, end_tick, -1 FROM containers WHERE end_tick > start_tick),
g AS (SELECT parent_id, type, t, sum(d) AS d FROM ev GROUP BY ALL),
r AS (SELECT parent_id, type, sum(d) OVER (PARTITION BY parent_id, type ORDER BY t) AS active FROM g)
SELECT parent_id, type, max(active) AS lanes FROM r GROUP BY ALL"""
OUR_LANES = "SELECT parent_id, type, max(lanes) AS lanes FROM container_lanes() GROUP BY parent_id, type"
OUR_CLASHES = """
SELECT count(*) AS clashes FROM (
    SELECT start_time, lag(end_time) OVER (PARTITION BY parent_id, type, lane ORDER BY start_time) AS before
    FROM container_lanes()) WHERE start_time < before"""


class Bench:
    def __init__(self, arguments, folder):
        self.binary = os.path.abspath(arguments.binary)
        self.repeat = arguments.repeat
        self.folder = folder
        self.duck = None

    def open(self, trace_arguments, name):
        """Makes a trace, imports it, and shows its files to DuckDB."""
        trace, self.store = os.path.join(self.folder, name + ".trace"), os.path.join(self.folder, name)
        subprocess.run([self.binary, "generate", *trace_arguments, "-o", trace], check=True)
        command = [self.binary, "import", trace, "--store", self.store, "--name", name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.remove(trace)
        with open(os.path.join(self.store, "ocellus.json")) as file:
            folder = json.load(file)["traces"][0]["folder"]
        self.duck = duckdb.connect()
        self.duck.execute("SET threads = %d" % THREADS)
        # The innermost states: those that were never cut, and the pieces of the others.
        columns = "container_id, type, value, start_tick, end_tick"
        segments = "SELECT %s FROM states WHERE NOT is_cut" % columns
        for table in ("states", "state_segments", "containers", "variables"):
            # A long table has several files.
            files = os.path.join(self.store, folder, table + "*.parquet")
            if glob.glob(files):
                self.duck.execute("CREATE VIEW %s AS SELECT * FROM '%s'" % (table, files))
                segments += " UNION ALL SELECT %s FROM state_segments" % columns if table == "state_segments" else ""
        self.duck.execute("CREATE VIEW segments AS " + segments)

    def ours(self, query, times=1):
        """Rows as sorted tuples of text, and CPU seconds of a process that asks so many times."""
        output = os.path.join(self.folder, "answer.csv")
        command = [self.binary, "sql", self.store, "--threads", str(THREADS), "--format", "csv", "-o", output]
        command += ["-c", query] * times
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("%s\nfailed: %s" % (query, errors))
        with open(output, newline="") as file:
            rows = sorted(tuple(row) for row in list(csv.reader(file))[1:])
        return rows, usage.ru_utime + usage.ru_stime

    def further(self, query):
        """CPU seconds of one answer: what further ones add to a process that gives one."""
        return (self.ours(query, FURTHER + 1)[1] - self.ours(query)[1]) / FURTHER

    def theirs(self, query):
        before = resource.getrusage(resource.RUSAGE_SELF)
        answer = self.duck.execute(query).fetchall()
        after = resource.getrusage(resource.RUSAGE_SELF)
        rows = sorted(tuple("" if value is None else str(value) for value in row) for row in answer)
        return rows, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def compare(self, what, our_query, their_query, plain=None):
        """Stops when the answers differ; else runs both in turn and prints what they cost.

        With two plain queries, it is those whose cost is told."""
        ours, theirs = self.ours(our_query)[0], self.theirs(their_query)[0]
        if ours != theirs:
            wrong = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:3]
            sys.exit("%s: the answers differ (%d and %d rows): %s" % (what, len(ours), len(theirs), wrong))
        our_query, their_query = plain or (our_query, their_query)
        costs = [(self.further(our_query), self.theirs(their_query)[1], self.ours(our_query)[1]) for _ in range(self.repeat)]
        our_cpu, their_cpu, whole = (min(costs) for costs in zip(*costs))
        ratio = statistics.median(their / our for our, their, _ in costs)
        print("  %-26s %7d rows, same  ocellus %6.3f s  duckdb %6.3f s  ratio %5.1f (best), %5.1f (median); "
              "%5.1f with the start of our process (%.3f s)"
              % (what, len(ours), our_cpu, their_cpu, their_cpu / our_cpu, ratio, their_cpu / whole, whole))

    def cost(self, query):
        return min(self.ours(query)[1] for _ in range(self.repeat))


def against_duckdb(bench, events):
    bench.open(["mpi", "--events", str(events)], "events")
    print("\n%d events; CPU seconds of both, %d threads" % (events, THREADS))
    bench.compare(
        "concurrency()",
        "SELECT type, value, active, sum(end_tick - start_tick) AS ticks FROM concurrency() GROUP BY type, value, active",
        CONCURRENCY.format(key="", rows="states"))
    bench.compare(
        "concurrency(depth => 1)",
        "SELECT container_id, type, value, active, sum(end_tick - start_tick) AS ticks FROM concurrency(depth => 1) "
        "GROUP BY container_id, type, value, active",
        CONCURRENCY.format(key="container_id,", rows=LIFTED))
    start, stop = bench.duck.execute("SELECT min(start_tick), max(end_tick) FROM containers").fetchone()
    for width in (1000, 20000):
        bench.compare(
            "timeline(width => %d)" % width,
            OUR_TIMELINE.format(width=width),
            TIMELINE.format(start=start, ticks=stop - start, width=width))


def growth(bench, events):
    """Cost by rows and by cells: their sum, not their product."""
    widths = (10, 100, 1000, 10000, 100000)
    print("\nCPU seconds of count(*) over timeline, by events and columns, and of concurrency")
    print("  %12s %s %12s" % ("events", " ".join("%9d" % width for width in widths), "concurrency"))
    for count in (events // 4, events):
        bench.open(["mpi", "--events", str(count)], "growth%d" % count)
        costs = [bench.cost("SELECT count(*) FROM timeline(width => %d)" % width) for width in widths]
        sweep = bench.cost("SELECT count(*), sum(active) FROM concurrency()")
        print("  %12d %s %12.3f" % (count, " ".join("%9.3f" % cost for cost in costs), sweep))


def containers(bench, count):
    bench.open(["containers", "--count", str(count)], "containers")
    if bench.ours(OUR_CLASHES)[0] != [("0",)]:
        sys.exit("container_lanes: two containers overlap in a lane")
    started = time.monotonic()
    bench.compare("container_lanes() of %d" % count, OUR_LANES, MOST_AT_ONCE)
    print("  (DuckDB only counts how many overlap; both took %.1f s of wall time)" % (time.monotonic() - started))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "ocellus"))
    parser.add_argument("--events", type=int, default=5_000_000, help="event lines of the trace")
    parser.add_argument("--containers", type=int, default=1_000_000, help="containers of the last trace")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each query")
    parser.add_argument("--folder", help="where the temporary folder is made; needs 1 GB")
    parser.add_argument("--only", choices=["duckdb", "growth", "containers"], help="one part of three")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        sys.exit("%s is not there; build it with: cargo build --release" % arguments.binary)
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        if arguments.only in (None, "duckdb"):
            against_duckdb(bench, arguments.events)
        if arguments.only in (None, "growth"):
            growth(bench, arguments.events)
        if arguments.only in (None, "containers"):
            containers(bench, arguments.containers)


if __name__ == "__main__":
    main()
