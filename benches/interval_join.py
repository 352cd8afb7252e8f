#!/usr/bin/env python3
"""interval_join, side by side with DuckDB: results compared first, then CPU time.

In: a built `ocellus` (target/release/ocellus) and `pip install duckdb`. Out: for each question and each way
to ask it in DuckDB whether both engines agree, and what it costs them, with two threads each on the
same Parquet files. Unless --store names a store, a trace is made in a temporary folder outside the checkout,
which is removed at the end.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading

try:
    import duckdb
except ImportError:
    sys.exit("the peer is missing; install it with: pip install duckdb")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THREADS = 2
# Statements of one process, to tell a query from the start of a program.
STATEMENTS = 10
# A tick is a nanosecond; so many of them fit between two keys on one line of numbers.
KEY_WIDTH = 1 << 40

MEASURES = "count(*) AS pairs, sum(least(l.end_tick, r.end_tick) - greatest(l.start_tick, r.start_tick)) AS ticks"
OVERLAP = "l.start_tick < r.end_tick AND r.start_tick < l.end_tick"

# What is asked: tables, keys, and a column of left to group by.
QUESTIONS = {
    "states x links": ("states", "links", "container_id", "source_id", None),
    "states x links by value": ("states", "links", "container_id", "source_id", "value"),
    "variables x states": ("variables", "states", "container_id", "container_id", None),
}


def our_query(left, right, left_key, right_key, group):
    return "SELECT %s count(*) AS pairs, CAST(round(sum(overlap_end - overlap_start) * 1e9) AS BIGINT) AS ticks " \
        "FROM interval_join(%s, %s, by => '%s = %s') %s" % (
            group + "," if group else "", left, right, left_key, right_key, "GROUP BY 1 ORDER BY 1" if group else "")


def plain(left, right, left_key, right_key, group):
    """Equal keys and two inequalities: a hash join that tries every pair of a key."""
    shown, grouped = ("l.%s," % group, "GROUP BY 1 ORDER BY 1") if group else ("", "")
    return "SELECT %s %s FROM %s AS l JOIN %s AS r ON l.%s = r.%s AND %s %s" % (
        shown, MEASURES, left, right, left_key, right_key, OVERLAP, grouped)


def one_line(left, right, left_key, right_key, group):
    """Key and time as one number, so that two inequalities are left: DuckDB's join for those (IEJoin)."""
    shown, grouped = ("l.%s," % group, "GROUP BY 1 ORDER BY 1") if group else ("", "")
    side = "(SELECT *, %s::BIGINT * %d + start_tick AS s, %s::BIGINT * %d + end_tick AS e FROM %s)"
    return "SELECT %s %s FROM %s AS l JOIN %s AS r ON l.s < r.e AND r.s < l.e %s" % (
        shown, MEASURES, side % (left_key, KEY_WIDTH, left_key, KEY_WIDTH, left),
        side % (right_key, KEY_WIDTH, right_key, KEY_WIDTH, right), grouped)


def buckets(bits):
    """Every interval in all buckets of 2^bits ticks that it touches, joined by key and bucket; a pair counts
    in the bucket where its overlap starts. The best width depends on the data and must be tried out."""
    def query(left, right, left_key, right_key, group):
        shown, grouped = ("l.%s," % group, "GROUP BY 1 ORDER BY 1") if group else ("", "")
        side = "(SELECT %s AS k, %s start_tick, end_tick, " \
            "unnest(range(start_tick >> {0}, ((end_tick - 1) >> {0}) + 1)) AS bucket " \
            "FROM %s WHERE start_tick < end_tick)".format(bits)
        return "SELECT %s %s FROM %s AS l JOIN %s AS r ON l.k = r.k AND l.bucket = r.bucket AND %s " \
            "AND (greatest(l.start_tick, r.start_tick) >> %d) = l.bucket %s" % (
                shown, MEASURES, side % (left_key, group + "," if group else "", left), side % (right_key, "", right),
                OVERLAP, bits, grouped)
    return query


FORMULATIONS = {
    "equality and inequalities": plain,
    "one line of numbers": one_line,
    **{"buckets of 2^%d ns" % bits: buckets(bits) for bits in (17, 18, 19, 20)},
}
# Does not end in a reasonable time: measured once, and only when asked for.
SLOW = "equality and inequalities"


class Bench:
    def __init__(self, arguments, folder):
        self.binary = os.path.abspath(arguments.binary)
        self.repeat = arguments.repeat
        self.folder = folder
        self.store = arguments.store

    def make_store(self, events):
        trace, self.store = os.path.join(self.folder, "mpi.trace"), os.path.join(self.folder, "store")
        subprocess.run([self.binary, "generate", "mpi", "--events", str(events), "-o", trace], check=True)
        command = [self.binary, "import", trace, "--store", self.store]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.remove(trace)

    def open(self):
        with open(os.path.join(self.store, "ocellus.json")) as file:
            trace = json.load(file)["traces"][0]
        self.duck = duckdb.connect()
        self.duck.execute("SET threads = %d" % THREADS)
        for table in ("states", "links", "variables"):
            file = os.path.join(self.store, trace["folder"], table + "*.parquet")
            self.duck.execute("CREATE VIEW %s AS SELECT * FROM '%s'" % (table, file))
        rows = {table["name"]: table["rows"] for table in trace["tables"]}
        print("%(states)d states, %(links)d links, %(variables)d variables" % rows)

    def ours(self, query):
        """Rows as tuples of text, and CPU seconds of the whole process."""
        command = [self.binary, "sql", self.store, query, "--threads", str(THREADS), "--format", "csv"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("%s failed" % query)
        return [tuple(line.split(",")) for line in output.splitlines()[1:]], usage.ru_utime + usage.ru_stime

    def our_costs(self, query):
        """CPU seconds of a process with one statement, and of one statement more in it."""
        one = self.ours(query)[1]
        many = self.ours(";".join([query] * STATEMENTS))[1]
        return one, (many - one) / (STATEMENTS - 1)

    def theirs(self, query):
        before = resource.getrusage(resource.RUSAGE_SELF)
        answer = self.duck.execute(query).fetchall()
        after = resource.getrusage(resource.RUSAGE_SELF)
        return [tuple(map(str, row)) for row in answer], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def within(self, query, seconds):
        """Their answer, or None when it takes longer."""
        timer = threading.Timer(seconds, self.duck.interrupt)
        timer.start()
        try:
            return self.theirs(query)
        except duckdb.InterruptException:
            return None
        finally:
            timer.cancel()


def compare(bench, what, question, slow_limit):
    query = our_query(*question)
    expected = bench.ours(query)[0]
    print("\n%s: %s pairs" % (what, sum(int(row[-2]) for row in expected)))
    asked = {}
    for name, make in FORMULATIONS.items():
        if name == SLOW:
            if slow_limit:
                answer = bench.within(make(*question), slow_limit)
                cost = "stopped after %d s" % slow_limit if answer is None else "%.3f s (one run)" % answer[1]
                print("  duckdb, %-28s %s" % (name, cost))
            continue
        answer = bench.theirs(make(*question))[0]
        if answer != expected:
            sys.exit("%s, %s: the answers differ: %s and %s" % (what, name, expected[:3], answer[:3]))
        asked[name] = make(*question)
    ours, theirs = [], {name: [] for name in asked}
    for _ in range(bench.repeat):
        ours.append(bench.our_costs(query))
        for name, text in asked.items():
            theirs[name].append(bench.theirs(text)[1])
    process, statement = min(cost[0] for cost in ours), min(cost[1] for cost in ours)
    print("  %-36s %7.3f s, %.3f s as a process of its own" % ("ocellus", statement, process))
    for name, costs in theirs.items():
        print("  duckdb, %-28s %7.3f s, ratio %5.1f (%.1f)" % (name, min(costs), min(costs) / statement, min(costs) / process))
    best = min(min(costs) for costs in theirs.values())
    print("  best of duckdb / ocellus: %.1f; aim: 5" % (best / statement))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "ocellus"))
    parser.add_argument("--store", help="a store with one trace; made when not given")
    parser.add_argument("--events", type=int, default=5_000_000, help="event lines of the trace that is made")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each query")
    parser.add_argument("--slow", type=int, default=0, metavar="SECONDS", help="also try DuckDB's plain join, so long")
    parser.add_argument("--folder", help="where the temporary folder is made; needs 300 MB")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        sys.exit("%s is not there; build it with: cargo build --release" % arguments.binary)
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        if bench.store is None:
            bench.make_store(arguments.events)
        bench.open()
        print("CPU seconds, %d threads, DuckDB %s" % (THREADS, duckdb.__version__))
        for what, question in QUESTIONS.items():
            compare(bench, what, question, arguments.slow)


if __name__ == "__main__":
    main()
