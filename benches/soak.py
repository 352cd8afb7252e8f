#!/usr/bin/env python3
"""Mixed load on a server for an hour: every answer checked; memory, open files and threads flat.

In: a built `ocellus`, `pip install -r tests/servers/requirements.txt duckdb`. The expected rows are DuckDB's, on the tables
that the program exported once. Then, all at once, until the time is over:

  ask        clients of the three protocols, that keep their connection or come and go
  change     another process imports, replaces, renames and drops traces in the store that is served
  follow     clients of the traces that change: what was before or what is after, or that there is no such trace
  leave      clients that vanish in the middle of a result or of a message
  cancel     queries that are cancelled
  exceed     queries that hit the limits of time, rows and memory, and more connections than are allowed

Resident memory, open files and threads are looked at every two seconds. The median of the last fifth may exceed that of the
second one by a tenth and 32 MiB, 8 files, 4 threads. The exit code is 1 when it does, or an answer was wrong.
"""
import argparse
import collections
import http.client
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import duckdb
import psycopg

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/servers"))

import askers  # noqa: E402
import load  # noqa: E402
import place  # noqa: E402

MIB = 1 << 20
LIMITS = {"--query-time": "30", "--query-rows": "200000", "--query-memory": "64MiB", "--memory": "512MiB", "--connections": "64", "--patience": "10"}
TABLES = ("containers", "states", "events", "variables", "links")
QUESTIONS = {
    "big": [
        "SELECT value, count(*) AS n, sum(end_tick - start_tick) AS ticks FROM states GROUP BY value",
        "SELECT container_id, name, path FROM containers WHERE depth >= 1",
        "SELECT container_id, value, start_time, end_time FROM states ORDER BY start_tick, container_id, depth LIMIT 3000",
        "SELECT source_id, target_id, count(*) AS n, sum(volume) AS volume FROM links GROUP BY source_id, target_id",
        "SELECT c.name, s.value, max(s.duration) AS longest FROM states AS s JOIN containers AS c ON c.container_id = s.container_id GROUP BY c.name, s.value",
        "SELECT container_id, start_tick, row_number() OVER (PARTITION BY container_id ORDER BY start_tick, end_tick, depth) AS n FROM states WHERE container_id < 5",
        "WITH busy AS (SELECT container_id, sum(duration) AS seconds FROM states GROUP BY container_id) SELECT count(*) AS n, max(seconds) AS most FROM busy",
        "SELECT count(DISTINCT value) AS n, min(start_time) AS first, max(end_time) AS last FROM states",
    ],
    "quickstart": [
        "SELECT * FROM states ORDER BY container_id, start_tick, depth",
        "SELECT source, target, volume FROM links UNION ALL SELECT container, type, value FROM variables",
        "SELECT container, value FROM events WHERE time > 1 AND value LIKE '%a%'",
    ],
}  # fmt: skip
COUNT = "SELECT count(*) AS n, sum(end_tick - start_tick) AS ticks FROM {}.states"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", nargs="?", type=float, default=60)
    parser.add_argument("--program", default=str(ROOT / "target/release/ocellus"))
    parser.add_argument("--clients", type=int, default=9, help="clients that ask")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    place.OCELLUS = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(pathlib.Path(folder), arguments)
        print(f"seed {arguments.seed}, {arguments.minutes:g} minutes, {len(soak.questions)} questions answered by DuckDB {duckdb.__version__}", flush=True)
        with place.Server(str(soak.store), *(word for pair in LIMITS.items() for word in pair)) as server:
            soak.run(server)
        return soak.verdict()


class Soak:
    def __init__(self, folder, arguments):
        self.arguments, self.folder = arguments, folder
        self.store = pathlib.Path(place.make_store(str(folder), 60_000))
        self.versions = [folder / f"version{number}.trace" for number in range(3)]
        for number, file in enumerate(self.versions):
            place.ocellus("generate", "mpi", "--events", str(4000 + 1000 * number), "--ranks", "4", "--seed", str(number), "-o", str(file))
        self.expect()
        self.samples, self.faults, self.counts = [], [], collections.Counter()
        self.lock, self.ends = threading.Lock(), threading.Event()

    def expect(self):
        """The rows of DuckDB for every question, and the totals of every version of the trace that changes."""
        database = duckdb.connect()
        other = self.folder / "versions"
        place.ocellus("import", *map(str, self.versions), "--store", str(other))
        for store, trace in [(self.store, trace) for trace in QUESTIONS] + [(other, file.stem) for file in self.versions]:
            database.execute(f"CREATE SCHEMA {trace}")
            for table in TABLES:
                file = self.folder / f"{trace}-{table}.parquet"
                place.ocellus("export", str(store), f"SELECT * FROM {table}", "--trace", trace, "-o", str(file))
                database.execute(f"CREATE TABLE {trace}.{table} AS SELECT * FROM read_parquet('{file}')")
        self.questions = []
        for trace, texts in QUESTIONS.items():
            database.execute(f"USE {trace}")
            self.questions += [(trace, sql, database.execute(sql).fetchall()) for sql in texts]
        self.totals = [database.execute(COUNT.format(file.stem)).fetchone() for file in self.versions]

    # Those who work.

    def run(self, server):
        self.server = server
        kinds = list(load.PROTOCOLS)
        work = [(self.ask, kinds[number % len(kinds)]) for number in range(self.arguments.clients)]
        work += [(self.follow, "pg"), (self.follow, "http"), (self.change, None), (self.leave, None), (self.cancel, None), (self.exceed, None)]
        threads = [threading.Thread(target=self.work, args=(number, *job)) for number, job in enumerate(work)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        while time.monotonic() < started + self.arguments.minutes * 60 and server.is_running():
            self.samples.append((server.memory() / MIB, server.files(), server.threads()))
            time.sleep(2)
            if len(self.samples) % 150 == 0:
                print(f"{(time.monotonic() - started) / 60:5.1f} min  {self.samples[-1][0]:.0f} MiB, {self.samples[-1][1]} files, {self.samples[-1][2]} threads, {dict(self.counts)}, {len(self.faults)} faults", flush=True)
        self.ends.set()
        for thread in threads:
            thread.join(60)
        if not server.is_running():
            self.faults.append(f"THE SERVER ENDED: {server.said[-3:]}")
            return
        try:
            load.wait_until_quiet(server)
        except AssertionError as error:
            self.faults.append(f"at the end: {error}")
        print(f"quiet at the end: {server.memory() // MIB} MiB, {server.files()} files, {server.threads()} threads")

    def work(self, number, job, protocol):
        chance = random.Random(f"{self.arguments.seed} {number}")
        while not self.ends.is_set() and self.server.is_running():
            try:
                job(chance, protocol)
            except Exception as error:
                # A door that is full is no fault: `exceed` fills it.
                # Neither is a connection that the server closed since its client slept for longer than --patience.
                if isinstance(error, (BrokenPipeError, http.client.RemoteDisconnected)) or "draining" in str(error) or "goaway" in str(error):
                    self.count("closed when idle")
                elif "too many" in str(error) or "already connected" in str(error) or "onnection" in str(error) and self.is_full:
                    self.count("refused")
                    time.sleep(0.2)
                else:
                    self.fault(f"{job.__name__} {protocol}: {type(error).__name__}: {error}")

    is_full = False

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def fault(self, words):
        with self.lock:
            self.faults.append(f"{time.strftime('%H:%M:%S')} {words[:400]}")
            if len(self.faults) <= 20:
                print("  !!", self.faults[-1], flush=True)

    def ask(self, chance, protocol):
        """Some questions on one connection."""
        trace = chance.choice(list(QUESTIONS))
        client = load.PROTOCOLS[protocol](self.server, trace)
        try:
            for _ in range(chance.choice((1, 5, 50))):
                if self.ends.is_set():
                    return
                _, sql, expected = chance.choice([question for question in self.questions if question[0] == trace])
                try:
                    rows = client.rows(sql)
                except Exception as error:
                    # On a machine that is busy with other things; the connection stays.
                    if "took longer" not in str(error):
                        raise
                    self.count("ask, too slow")
                    continue
                self.count(f"ask {protocol}")
                if not load.are_same(sorted(rows, key=load.place), sorted(expected, key=load.place)):
                    self.fault(f"{protocol} gives other rows for {sql}: {rows[:2]} …, expected {expected[:2]} …")
        finally:
            client.close()

    def follow(self, chance, protocol):
        """A trace that comes and goes: one of its versions, or none."""
        name = chance.choice(("swap", "moved"))
        client = load.PROTOCOLS[protocol](self.server, "quickstart")
        try:
            rows = client.rows(COUNT.format(name))
            if tuple(rows[0]) not in self.totals:
                self.fault(f"{protocol}: {name} has {rows[0]}, expected one of {self.totals}")
            self.count("follow")
        except Exception as error:
            if "no trace" not in str(error):
                raise
            self.count("follow, none")
        finally:
            client.close()

    def change(self, chance, _):
        """One change of the store by another process; only this thread changes it."""
        verb = chance.choice(("import", "import", "import", "rename", "drop"))
        arguments = {
            "import": ["import", str(chance.choice(self.versions)), "--store", str(self.store), "--name", "swap", "--replace"],
            "rename": ["rename", str(self.store), "swap", "moved"],
            "drop": ["drop", str(self.store), chance.choice(("swap", "moved"))],
        }[verb]
        done = subprocess.run([place.OCELLUS, *arguments], capture_output=True, text=True)
        self.count(verb if done.returncode == 0 else f"{verb}, nothing to do")
        if done.returncode != 0 and not ("no trace" in done.stderr or "already" in done.stderr):
            self.fault(f"{verb}: {done.stderr}")
        time.sleep(chance.random())

    def leave(self, chance, _):
        chance.choice(load.LEAVERS)(self.server, chance.choice((load.SILENT, load.TALKING)), chance)
        self.count("leave")
        time.sleep(chance.random())

    def cancel(self, chance, _):
        with psycopg.connect(self.server.pg("quickstart"), autocommit=True) as connection:
            timer = threading.Timer(chance.random() * 2, connection.cancel)
            timer.start()
            try:
                connection.execute(chance.choice((load.SILENT, f"COPY ({load.SILENT}) TO STDOUT")))
                self.fault("a query that was cancelled gave rows")
            except psycopg.errors.QueryCanceled:
                self.count("cancel")
            timer.join()
            if connection.execute("SELECT 1").fetchone() != (1,):
                self.fault("a connection is of no use after a cancelled query")

    def exceed(self, chance, _):
        kind = chance.choice(("time", "rows", "rows", "memory", "memory", "connections"))
        if kind == "connections":
            return self.fill()
        sql, words = {
            "time": (load.SILENT, "took longer"),
            "rows": ("SELECT value FROM range(0, 1000000)", "more than 200000 rows"),
            "memory": ("SELECT cardinality(array_agg(value)) AS n FROM range(0, 50000000)", "emory|took longer"),
        }[kind]
        protocol = chance.choice(("pg", "http", "flight"))
        outcome = askers.ask(self.server, protocol, "quickstart", sql, 90)
        # HTTP has sent its status before it knows: the answer breaks off.
        if not re.search(words, outcome) and not (kind == "rows" and protocol == "http") and "already connected" not in outcome:
            self.fault(f"limit of {kind}, {protocol}: {outcome}")
        self.count(f"exceed {kind}")
        time.sleep(chance.random())

    def fill(self):
        """All connections that there are, for a moment."""
        self.is_full, sockets = True, []
        try:
            for _ in range(80):
                sockets.append(socket.create_connection(("127.0.0.1", self.server.ports["pg"]), timeout=10))
            time.sleep(0.5)
        finally:
            for one in sockets:
                one.close()
            time.sleep(1)
            self.is_full = False
        self.count("exceed connections")
        self.ends.wait(3)

    # What came of it.

    def verdict(self):
        fifth = max(1, len(self.samples) // 5)
        early, late = ([statistics.median(column) for column in zip(*part)] for part in (self.samples[fifth : 2 * fifth], self.samples[-fifth:]))
        print("| | second fifth | last fifth | most |\n|---|---:|---:|---:|")
        most = [max(column) for column in zip(*self.samples)]
        for name, *values in zip(("memory, MiB", "open files", "threads"), early, late, most):
            print(f"| {name} | {' | '.join(f'{number:.0f}' for number in values)} |")
        print("| done | times |\n|---|---:|")
        for what, count in sorted(self.counts.items()):
            print(f"| {what} | {count} |")
        for grown, allowed, what in zip(
            (late[0] - early[0], late[1] - early[1], late[2] - early[2]), (early[0] * 0.1 + 32, 8, 4), ("memory", "open files", "threads")
        ):
            if grown > allowed:
                self.faults.append(f"{what} grew by {grown:.0f}")
        left = [entry.name for entry in self.store.iterdir() if entry.name.startswith((".", "tmp")) or entry.name.endswith(".tmp")]
        if left:
            print(f"left in the store: {left}")
        for fault in self.faults[:50]:
            print("FAULT", fault)
        print(f"{len(self.faults)} faults")
        return 1 if self.faults else 0


if __name__ == "__main__":
    sys.exit(main())
