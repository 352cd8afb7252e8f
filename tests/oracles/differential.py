#!/usr/bin/env python3
"""Random queries over random traces: Ocellus and DuckDB must give the same rows.

usage: differential.py OCELLUS [--seed N] [--traces N] [--queries N] …        (pip install duckdb; OCELLUS is the program)

Traces of odd shapes (differential/traces.py) and samples of `traces/` are imported, their tables exported and read by
DuckDB. Then, each over all traces:

  queries     random queries (differential/queries.py), by both
  rewritings  pairs of texts that mean the same, by Ocellus: partitions of a predicate, equal forms, filters of nothing
  functions   table functions against their definition in plain SQL (differential/twins.py), which DuckDB runs
  views       the text of each view, which DuckDB runs
  kept        statements that once differed, made small (differential/kept.sql)

Each statement has a seed of its own, printed with whatever differs; `--only SEED` runs that one again. Seeds that once
found something are kept in differential/seeds.txt and run first; a change of the generators makes others of them, so what
they found is in kept.sql too. The exit code is 1 when anything differs.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Not this folder, where a file has the name of the library.
sys.path = [folder for folder in sys.path if pathlib.Path(folder or ".").resolve() != HERE]
import duckdb  # noqa: E402

sys.path.insert(0, str(HERE / "differential"))
import queries  # noqa: E402
import traces  # noqa: E402
import twins  # noqa: E402
from answers import Ocellus, Refused, difference, value  # noqa: E402

TABLES = ["containers", "states", "state_segments", "events", "variables", "links", "types", "entity_values", "trace_info"]
# Samples with every kind of row, deep nesting, recursion, and edges.
SAMPLES = ["quickstart", "nested", "links", "variables", "edges", "instants", "tree", "recursion", "overview", "mpi_calls"]
KINDS = ("kept", "queries", "rewritings", "functions", "views")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ocellus", nargs="?", default=str(ROOT / "target/release/ocellus"), help="default: target/release/ocellus")
    parser.add_argument("--seed", type=int, default=None, help="default: one of the clock")
    parser.add_argument("--traces", type=int, default=20, help="random traces beside the samples")
    parser.add_argument("--queries", type=int, default=5000, help="statements of each kind")
    parser.add_argument("--kind", choices=KINDS, action="append", help="one kind; may be given several times")
    parser.add_argument("--only", help="one statement, by its seed as it was printed")
    parser.add_argument("--failures", default="differential-failures.txt", help="file for what differs")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    seeds = [line.split("#")[0].strip() for line in (HERE / "differential/seeds.txt").read_text().splitlines()]
    due = [arguments.only] if arguments.only else [name for name in seeds if name] + [
        f"{seed}/{kind}/{number}" for kind in arguments.kind or KINDS for number in range(counted(kind, arguments.queries))
    ]
    print(f"seed {seed}, {len(due)} statements, DuckDB {duckdb.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        differ = run(arguments, due, pathlib.Path(folder))
    if differ:
        pathlib.Path(arguments.failures).write_text("\n\n".join(differ) + "\n")
        print(f"written to {arguments.failures}")
    return 1 if differ else 0


def counted(kind, queries_each):
    """How many statements of a kind: a pair counts two, and views are no more than there are."""
    return {"queries": queries_each, "rewritings": queries_each // 24, "functions": queries_each // 4, "views": 400, "kept": len(kept_statements())}[kind]


def kept_statements():
    """Trace, whether ordered, and text of each."""
    found = re.findall(r"(?m)^-- (\w+)(, ordered)?: [^\n]*\n([^;]+);", (HERE / "differential/kept.sql").read_text())
    return [(trace, bool(is_ordered), sql) for trace, is_ordered, sql in found]


def run(arguments, due, folder):
    worlds = {}
    differ, total, refused = [], {kind: 0 for kind in KINDS}, {}
    try:
        for name in due:
            seed, kind, number = name.split("/")
            if seed not in worlds:
                worlds[seed] = World(arguments.ocellus, int(seed), arguments.traces, folder / seed)
            world = worlds[seed]
            chance = random.Random(name)
            trace = chance.choice(world.traces)
            if kind == "kept":
                trace = kept_statements()[int(number)][0]
            for sql, expected in getattr(world, kind)(chance, trace, int(number)):
                total[kind] += 1
                try:
                    fault = world.compare(trace, sql, expected)
                except Refused as error:
                    words = " ".join(str(error).split())
                    refused.setdefault(re.sub(r"[\d'\"].*", "…", words)[:70], []).append(f"{name}: {words[:150]}")
                    if not is_crash(words):
                        continue
                    fault = words
                if fault:
                    text = f"seed {name}, trace {trace}: {fault}\n  {sql}" + (f"\n  twin: {expected[1]}" if expected[1] != sql else "")
                    differ.append(text)
                    print(text[:600], flush=True)
    finally:
        for world in worlds.values():
            world.close()
    print(f"compared: {', '.join(f'{count} {kind}' for kind, count in total.items())}; refused: {sum(map(len, refused.values()))}; differ: {len(differ)}")
    for words, names in sorted(refused.items(), key=lambda pair: -len(pair[1])):
        print(f"  {len(names):5} refused, such as {names[0]}")
    return differ


def is_crash(words):
    """Errors that no statement deserves; the rest is one engine that reads less than the other."""
    return re.search(r"(?i)the connection broke|internal error|panicked", words) is not None


class World:
    """Traces of one seed: in a store that is served, and in DuckDB, a schema each."""

    def __init__(self, program, seed, count, folder):
        folder.mkdir()
        files = []
        for number in range(count):
            files.append(folder / f"r{number}.trace")
            files[-1].write_text(traces.make(random.Random(f"{seed}/{number}"), number % 8 == 7))
        files += [ROOT / f"traces/{name}.trace" for name in SAMPLES]
        store = folder / "store"
        subprocess.run([program, "import", *files, "--store", store], check=True, capture_output=True)
        self.traces = [file.stem for file in files]
        copies = [
            f"COPY (SELECT * FROM {trace}.{table}) TO '{folder}/{trace}-{table}.parquet' STORED AS PARQUET;"
            for trace in self.traces for table in TABLES
        ]  # fmt: skip
        subprocess.run([program, "sql", store, "--trace", self.traces[0]], input="\n".join(copies).encode(), check=True, capture_output=True)
        self.duckdb = duckdb.connect(config={"threads": 2})
        self.duckdb.execute(twins.MACROS)
        for trace in self.traces:
            self.duckdb.execute(f"CREATE SCHEMA {trace}")
            for table in TABLES:
                self.duckdb.execute(f"CREATE TABLE {trace}.{table} AS SELECT * FROM read_parquet('{folder}/{trace}-{table}.parquet')")
        self.now = None
        self.viewed = self.make_views()
        self.server = subprocess.Popen([program, "serve", store, "--http", "127.0.0.1:0", "--query-time", "60"], stderr=subprocess.PIPE, text=True)
        for line in self.server.stderr:
            if found := re.search(r"http on \S*:(\d+)$", line.strip()):
                break
        self.ocellus = Ocellus(int(found[1]))

    def make_views(self):
        """The views whose text DuckDB reads, in each schema; the rest call table functions."""
        due, made = {file.stem: file.read_text() for file in (ROOT / "sql/views").glob("*.sql")}, []
        while True:
            before = len(made)
            for name, text in sorted(due.items()):
                try:
                    for trace in self.traces:
                        self.duckdb.execute(f"USE {trace}")
                        self.duckdb.execute(f"CREATE OR REPLACE VIEW {name} AS {text}")
                    made.append(name)
                except duckdb.Error:
                    continue
            for name in made:
                due.pop(name, None)
            if len(made) == before:
                return sorted(made)

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.server.stderr.close()
        self.duckdb.close()

    def plain(self, trace, sql):
        """The rows of DuckDB."""
        if self.now != trace:
            self.duckdb.execute(f"USE {trace}")
            self.now = trace
        try:
            return [tuple(map(value, row)) for row in self.duckdb.execute(sql).fetchall()]
        except duckdb.Error as error:
            raise Refused(f"DuckDB: {str(error).splitlines()[0]}") from error

    def compare(self, trace, sql, expected):
        """What differs. `expected` says who runs which text, and whether rows have an order."""
        who, text, is_ordered = expected
        right = self.plain(trace, text) if who == "duckdb" else self.ocellus.rows(trace, text)
        left = self.ocellus.rows(trace, sql)
        return difference(left, right, is_ordered)

    def kept(self, chance, trace, number):
        _, is_ordered, sql = kept_statements()[number]
        yield sql, ("duckdb", sql, is_ordered)

    def queries(self, chance, trace, number):
        query = queries.Query(chance)
        sql, is_ordered = queries.ordered(query, *query.rows())
        yield sql, ("duckdb", sql, is_ordered)

    def rewritings(self, chance, trace, number):
        for left, right in queries.rewritings(queries.Query(chance)):
            yield left, ("ocellus", right, False)
            yield left, ("duckdb", left, False)

    def functions(self, chance, trace, number):
        info = self.duckdb.execute(f"SELECT start_tick, end_tick, ticks_per_second FROM {trace}.trace_info").fetchone()
        types = [row[0] for row in self.duckdb.execute(f"SELECT DISTINCT type FROM {trace}.states ORDER BY 1").fetchall()]
        pairs = list(twins.PAIRS.values())
        sql, twin = pairs[number % len(pairs)](twins.Window(chance, *info, types))
        yield sql, ("duckdb", twin, False)

    def views(self, chance, trace, number):
        view = self.viewed[number % len(self.viewed)]
        sql = f"SELECT * FROM {view}"
        yield sql, ("duckdb", sql, False)


if __name__ == "__main__":
    sys.exit(main())
