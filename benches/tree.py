#!/usr/bin/env python3
"""The container tree, side by side with DuckDB: results compared first, then CPU time.

In: a built `ocellus` (target/release/ocellus) and `pip install duckdb`. Out: for each question what it
costs both engines, with two threads each on the same Parquet files, and the ratios (ours over DuckDB's);
it stops where their answers differ. DuckDB gets every formulation that we know, and its fastest counts. Traces and stores are made in a temporary folder
outside the checkout, which is removed at the end.
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

import duckdb

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THREADS = 2

# Every container with its ancestors: by climbing, by ranges of preorder, and by unfolding these as we do.
CLOSURES = {
    "recursion": """WITH RECURSIVE closure(ancestor, descendant) AS (
        SELECT container_id, container_id FROM containers
        UNION ALL
        SELECT c.parent_id, cl.descendant FROM closure cl JOIN containers c ON c.container_id = cl.ancestor
        WHERE c.parent_id IS NOT NULL)""",
    "unfolded": """WITH closure(ancestor, descendant) AS (
        SELECT a.ancestor, c.container_id
        FROM (SELECT container_id AS ancestor, unnest(range(preorder, last_descendant + 1)) AS place FROM containers) AS a
        JOIN containers AS c ON c.preorder = a.place)""",
}
ROLLUP = """{closure}, leaf AS (
    SELECT container_id, type, value, sum({ticks}) AS ticks, count(*) AS n FROM states {where} GROUP BY ALL)
SELECT cl.ancestor AS container_id, leaf.type, leaf.value, {total} AS total
FROM leaf JOIN closure cl ON cl.descendant = leaf.container_id {depth} GROUP BY ALL"""
CLIPPED = {
    "ticks": "least(end_tick, {stop}) - greatest(start_tick, {start})",
    "where": "WHERE start_tick < {stop} AND end_tick > {start}",
}
WHOLE = {"ticks": "end_tick - start_tick", "where": ""}
AT_MOST = "JOIN containers AS a ON a.container_id = cl.ancestor AND a.depth <= 1"

STATES = "(SELECT container_id, type, value, {measure} FROM states)"
EXACT = "SELECT container_id, type, value, total FROM hierarchy_aggregate({relation}, measure => 'total'{more})"
TIMED = "SELECT * FROM hierarchy_aggregate({relation}{more})"


class Question:
    """What is asked: of us once to be compared and once to be timed, of DuckDB in several ways."""

    def __init__(self, name, checked, timed, theirs):
        self.name, self.checked, self.timed, self.theirs = name, checked, timed, theirs


def rollup(name, total="sum(leaf.ticks)", depth="", more="", start=0, stop=0):
    theirs = {}
    for closure, text in CLOSURES.items():
        for form, parts in (("clipped", CLIPPED), ("whole", WHOLE)):
            filled = {key: value.format(start=start, stop=stop) for key, value in parts.items()}
            theirs[closure + ", " + form] = ROLLUP.format(closure=text, total=total, depth=depth, **filled)
    exact = STATES.format(measure="end_tick - start_tick AS total")
    seconds = STATES.format(measure="duration AS seconds")
    return Question(name, EXACT.format(relation=exact, more=more), TIMED.format(relation=seconds, more=more), theirs)


def of_states(start, stop):
    window = {"start": start, "stop": stop}
    mean = "sum(leaf.ticks) / sum(leaf.n)"
    return [
        rollup("sum over the tree", **window),
        rollup("cut at depth 1", depth=AT_MOST, more=", depth => 1", **window),
        rollup("mean over the tree", total=mean, more=", agg => 'avg'", **window),
    ]


def of_containers():
    pairs = "SELECT count(*) AS pairs, sum({container}) AS containers, sum({ancestor}) AS ancestors FROM {source}"
    ours = pairs.format(container="container_id", ancestor="ancestor_id", source="container_ancestors")
    named = {"container": "descendant", "ancestor": "ancestor", "source": "closure"}
    leaves = "SELECT count(*) AS nodes, sum(total) AS total FROM {source}"
    relation = "(SELECT container_id, depth AS total FROM containers)"
    nodes = leaves.format(source="hierarchy_aggregate(%s, measure => 'total')" % relation)
    added = "(SELECT ancestor, sum(depth) AS total FROM closure JOIN containers ON container_id = descendant GROUP BY ALL)"
    below = "SELECT count(*) AS below, sum(container_id) AS ids FROM "
    return [
        Question("all ancestors", ours, ours, {k: v + pairs.format(**named) for k, v in CLOSURES.items()}),
        Question("sum over the tree", nodes, nodes, {k: v + leaves.format(source=added) for k, v in CLOSURES.items()}),
        Question("one subtree", below + "subtree(1)", below + "subtree(1)", {
            "range": below + """containers WHERE preorder BETWEEN (SELECT preorder FROM containers WHERE container_id = 1)
                AND (SELECT last_descendant FROM containers WHERE container_id = 1)"""}),
    ]


class Bench:
    def __init__(self, arguments, folder):
        self.binary = os.path.abspath(arguments.binary)
        self.repeat, self.runs = arguments.repeat, arguments.runs
        self.folder = folder

    def open(self, name, *generator):
        """Makes a trace, imports it, and shows its files to DuckDB."""
        trace, self.store = os.path.join(self.folder, name + ".trace"), os.path.join(self.folder, name)
        subprocess.run([self.binary, "generate", *generator, "-o", trace], check=True)
        command = [self.binary, "import", trace, "--store", self.store, "--name", name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.remove(trace)
        with open(os.path.join(self.store, "ocellus.json")) as file:
            folder = json.load(file)["traces"][0]["folder"]
        self.duck = duckdb.connect()
        self.duck.execute("SET threads = %d" % THREADS)
        for table in ("states", "containers"):
            file = os.path.join(self.store, folder, table + "*.parquet")
            if glob.glob(file):
                self.duck.execute("CREATE VIEW %s AS SELECT * FROM '%s'" % (table, file))

    def window(self):
        return self.duck.execute("SELECT min(start_tick), max(end_tick) FROM states").fetchone()

    def process(self, query, times):
        """CPU seconds of a process that asks the same several times."""
        command = [self.binary, "sql", self.store, "--threads", str(THREADS), "--format", "csv"]
        process = subprocess.Popen(command + ["-c", query] * times, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("failed: " + query)
        return usage.ru_utime + usage.ru_stime

    def ours(self, query):
        """CPU seconds of one answer: what further answers add to the first."""
        return (self.process(query, self.runs + 1) - self.process(query, 1)) / self.runs

    def theirs(self, query):
        cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        before = cpu()
        for _ in range(self.runs):
            self.duck.execute(query).fetchall()
        return (cpu() - before) / self.runs

    def rows(self, query):
        command = [self.binary, "sql", self.store, query, "--format", "csv"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return sorted(tuple(row.values()) for row in csv.DictReader(output.splitlines()))

    def check(self, question):
        """Whole numbers must be the same; means may differ in their last digits."""
        ours = self.rows(question.checked)
        for form, query in question.theirs.items():
            theirs = sorted(tuple(str(value) for value in row) for row in self.duck.execute(query).fetchall())
            is_same = len(ours) == len(theirs) and all(map(same_row, ours, theirs))
            if not is_same:
                sys.exit("%s: the answers differ (%s: %d rows, %d rows)" % (question.name, form, len(ours), len(theirs)))
        return len(ours)

    def ask(self, questions):
        print("  %-20s %8s %10s %10s %10s %10s %7s %7s  %s" % (
            "", "rows", "ours, best", "median", "DuckDB", "median", "best", "median", "fastest of DuckDB"))
        for question in questions:
            rows = self.check(question)
            for query in question.theirs.values():
                self.theirs(query)
            ours, theirs = [], {form: [] for form in question.theirs}
            for _ in range(self.repeat):
                ours.append(self.ours(question.timed))
                for form, query in question.theirs.items():
                    theirs[form].append(self.theirs(query))
            form = min(theirs, key=lambda form: min(theirs[form]))
            best, median = (min(ours), min(theirs[form])), (statistics.median(ours), statistics.median(theirs[form]))
            print("  %-20s %8d %10.4f %10.4f %10.4f %10.4f %7.2f %7.2f  %s" % (
                question.name, rows, best[0], median[0], best[1], median[1], best[0] / best[1], median[0] / median[1], form))


def same_row(one, other):
    return all(map(same_value, one, other))


def same_value(one, other):
    try:
        return abs(float(one) - float(other)) <= 1e-12 * abs(float(other)) if "." in one + other else one == other
    except ValueError:
        return one == other


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "ocellus"))
    parser.add_argument("--events", type=int, default=5_000_000, help="event lines of the first trace")
    parser.add_argument("--containers", type=int, default=1_000_000, help="containers of the second trace")
    parser.add_argument("--repeat", type=int, default=5, help="measurements of each question")
    parser.add_argument("--runs", type=int, default=8, help="answers per measurement")
    parser.add_argument("--folder", help="where the temporary folder is made; needs 1 GB")
    parser.add_argument("--only", choices=["states", "containers"], help="one part of two")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        sys.exit("%s is not there; build it with: cargo build --release" % arguments.binary)
    print("CPU seconds of one answer, %d threads, DuckDB %s; answers are compared first." % (THREADS, duckdb.__version__))
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-", dir=arguments.folder) as folder:
        bench = Bench(arguments, folder)
        if arguments.only in (None, "states"):
            bench.open("mpi", "mpi", "--events", str(arguments.events))
            print("\nStates of %d events:" % arguments.events)
            bench.ask(of_states(*bench.window()))
        if arguments.only in (None, "containers"):
            bench.open("containers", "containers", "--count", str(arguments.containers))
            print("\n%d containers:" % arguments.containers)
            bench.ask(of_containers())


if __name__ == "__main__":
    main()
