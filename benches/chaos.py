#!/usr/bin/env python3
"""A cluster whose parts are killed, stopped, slowed and cut off during queries and imports: right rows, or a clear error.

In: a built `ocellus`, Python 3 and nothing else. A scheduler and two executors run on loopback; executors and clients reach
the scheduler through small proxies that can stop to pass anything. Each round starts a query or an import, does one harm
at a random moment, and waits for the client. It must end within `--patience` seconds with the rows of the embedded
engine, or with an error that is no panic. An import that reports success must be there, one that failed must be there as
a whole or not at all. At the end all parts are stopped: no process, no folder of rows, no unfinished file in the store may
be left. The exit code is 1 when anything of that is not so.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUERIES = [
    "SELECT value, count(*) AS n, sum(end_tick - start_tick) AS ticks FROM states GROUP BY value",
    "SELECT slice, value, round(sum(seconds), 6) AS seconds FROM state_slices(slices => 1000) GROUP BY slice, value",
    "SELECT source_id, target_id, count(*) AS n FROM links GROUP BY source_id, target_id",
    "SELECT a.container_id, count(*) AS n FROM states AS a JOIN links AS b ON a.container_id = b.source_id AND a.start_tick <= b.start_tick AND b.start_tick < a.end_tick GROUP BY a.container_id",
    "SELECT container_id, max(n) AS n FROM (SELECT container_id, row_number() OVER (PARTITION BY container_id ORDER BY start_tick, depth) AS n FROM states) AS t GROUP BY container_id",
]  # fmt: skip
COUNT = "SELECT count(*) AS n, sum(end_tick - start_tick) AS ticks FROM states"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/release/ocellus"), help="default: target/release/ocellus")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=300_000, help="of the trace that is asked")
    parser.add_argument("--patience", type=int, default=90, help="seconds within which a client must end")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.rounds} rounds", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        chaos = Chaos(pathlib.Path(folder), arguments)
        try:
            for number in range(arguments.rounds):
                chaos.round(number)
        finally:
            chaos.end()
    for fault in chaos.faults:
        print("FAULT", fault)
    for (what, harm, outcome), count in sorted(chaos.counts.items()):
        print(f"{count:4}  {what} while {harm}: {outcome}")
    print(f"{len(chaos.faults)} faults; longest wait {chaos.longest:.0f} s")
    return 1 if chaos.faults else 0


class Proxy:
    """A way to a port that can be closed for a while: connections stay, nothing passes."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.target, self.is_open = None, threading.Event()
        self.is_open.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near):
        self.is_open.wait()
        try:
            host, port = self.target.split(":")
            far = socket.create_connection((host, int(port)), timeout=10)
            far.settimeout(None)
        except OSError:
            return near.close()
        with near, far:
            while True:
                ready, _, _ = select.select([near, far], [], [])
                self.is_open.wait()
                for one in ready:
                    try:
                        data = one.recv(65536)
                        (far if one is near else near).sendall(data)
                    except OSError:
                        return
                    if not data:
                        return


class Part:
    """A process of the cluster."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "cluster", *arguments], stderr=subprocess.PIPE, text=True)
        self.said, self.address = [], None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            found = re.search(r"127\.0\.0\.1:\d+", line)
            if found and not self.address:
                self.address = found[0]

    def wait(self, seconds=60):
        """Until it says where it listens."""
        end = time.monotonic() + seconds
        while not self.address and self.is_running() and time.monotonic() < end:
            time.sleep(0.02)
        return self.address

    def is_running(self):
        return self.process.poll() is None

    def signal(self, which):
        if self.is_running():
            self.process.send_signal(which)


class Chaos:
    def __init__(self, folder, arguments):
        self.arguments, self.folder = arguments, folder
        self.program = os.path.abspath(arguments.program)
        self.environment = os.environ | {"OCELLUS_CACHE": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
        self.work, self.root = folder / "work", folder / "root"
        for each in (self.work, self.root, folder / "tmp"):
            each.mkdir()
        os.environ["TMPDIR"] = str(folder / "tmp")
        self.store, self.imported = self.root / "store", self.root / "imported"
        trace, self.small = folder / "big.trace", folder / "small.trace"
        self.run("generate", "mpi", "--events", str(arguments.events), "--ranks", "16", "-o", str(trace))
        self.run("generate", "mpi", "--events", str(arguments.events // 4), "--ranks", "8", "--seed", "7", "-o", str(self.small))
        self.run("import", str(trace), "--store", str(self.store))
        self.run("import", str(self.small), "--store", str(folder / "alone"))
        self.expected = [self.lines(self.run("sql", str(self.store), "--format", "csv", query)) for query in QUERIES]
        self.total = self.run("sql", str(folder / "alone"), "--format", "csv", COUNT)
        self.faults, self.counts, self.longest = [], collections.Counter(), 0.0
        self.ways = [Proxy(), Proxy(), Proxy()]  # For each executor, and for clients.
        self.scheduler, self.executors = None, [None, None]

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments[0]} failed: {done.stderr}")
        return done.stdout

    @staticmethod
    def lines(text):
        return sorted(text.splitlines())

    def heal(self):
        """A cluster of three parts that answers; whatever ended is started again. A new scheduler has a new address."""
        for way in self.ways:
            way.is_open.set()
        if not self.scheduler or not self.scheduler.is_running():
            self.scheduler = Part(self.program, "scheduler", "--bind", "127.0.0.1:0")
            for way in self.ways:
                way.target = self.scheduler.wait()
            # Executors of the old scheduler end by themselves; nobody waits for that here.
            self.stop(self.executors)
        for number, executor in enumerate(self.executors):
            if not executor or not executor.is_running():
                self.executors[number] = Part(
                    self.program, "executor", "--scheduler", self.ways[number].address, "--concurrent-tasks", "2",
                    "--work-dir", str(self.work), "--store-root", str(self.root), "--read", str(self.folder),
                )  # fmt: skip
        for executor in self.executors:
            executor.wait()
        query = subprocess.Popen(self.command("SELECT count(*) AS n FROM states"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, error = query.communicate(timeout=self.arguments.patience)
        except subprocess.TimeoutExpired:
            query.kill()
            query.communicate()
            return "no answer"
        return None if query.returncode == 0 else error

    def command(self, sql):
        return [self.program, "sql", "--cluster", self.ways[2].address, "--threads", "4", "--format", "csv", str(self.store), sql]

    def stop(self, parts):
        """Ends parts in order, by force when they do not."""
        for part in filter(None, parts):
            part.signal(signal.SIGCONT)
            part.signal(signal.SIGTERM)
        for part in filter(None, parts):
            try:
                part.process.wait(30)
            except subprocess.TimeoutExpired:
                self.faults.append(f"a part does not end when told to: {part.said[-2:]}")
                part.process.kill()
                part.process.wait()

    # A round.

    def round(self, number):
        chance = random.Random(f"{self.arguments.seed} {number}")
        for _ in range(3):
            trouble = self.heal()
            if not trouble:
                break
            time.sleep(5)
        else:
            self.faults.append(f"round {number}: the cluster does not recover: {trouble[:200]}")
            self.stop([self.scheduler, *self.executors])
            self.scheduler = None
            return
        what = chance.choice(("query", "query", "import"))
        which = chance.randrange(len(QUERIES))
        command = self.command(QUERIES[which])
        if what == "import":
            shutil.rmtree(self.imported, ignore_errors=True)
            names = [self.folder / f"copy{copy}.trace" for copy in range(3)]
            for name in names:
                if not name.exists():
                    os.link(self.small, name)
            command = [self.program, "import", "--cluster", self.ways[2].address, *map(str, names), "--store", str(self.imported)]
        client = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        started = time.monotonic()
        time.sleep(chance.random() * 1.5)
        harm = chance.choice(list(HARMS))
        thread = threading.Thread(target=HARMS[harm], args=(self, chance))
        thread.start()
        try:
            out, error = client.communicate(timeout=self.arguments.patience)
            outcome = self.judge(number, what, which, client.returncode, out, error, harm)
        except subprocess.TimeoutExpired:
            client.kill()
            client.communicate()
            outcome = "NO END"
            self.faults.append(f"round {number}: {what} while {harm}: no end within {self.arguments.patience} s")
        taken = time.monotonic() - started
        self.longest = max(self.longest, taken)
        thread.join()
        self.counts[what, harm, outcome] += 1
        print(f"{number:3}  {what} while {harm}: {outcome}, {taken:.1f} s", flush=True)

    def judge(self, number, what, which, code, out, error, harm):
        name = f"round {number}: {what} while {harm}"
        if "panicked" in error:
            self.faults.append(f"{name}: a panic: {error[-300:]}")
        if what == "import":
            return self.judge_import(name, code, error)
        if code == 0:
            if self.lines(out) != self.expected[which]:
                self.faults.append(f"{name}: other rows: {self.lines(out)[:2]} of {len(out.splitlines())}, expected {self.expected[which][:2]} of {len(self.expected[which])}")
                return "WRONG ROWS"
            return "right rows"
        return self.judge_error(name, error)

    def judge_error(self, name, error):
        if not error.strip():
            self.faults.append(f"{name}: an error without words")
        elif re.search(r"(?i)internal error", error):
            self.faults.append(f"{name}: an internal error: {error.strip()[-300:]}")
        return "an error"

    def judge_import(self, name, code, error):
        there = []
        for copy in range(3):
            asked = subprocess.run([self.program, "sql", str(self.imported), "--trace", f"copy{copy}", "--format", "csv", COUNT], capture_output=True, text=True)
            if asked.returncode == 0:
                there.append(copy)
                if asked.stdout != self.total:
                    self.faults.append(f"{name}: an imported trace has other rows: {asked.stdout.split()}, expected {self.total.split()}")
            elif "no trace" not in asked.stderr and "not a store" not in asked.stderr and "No such file" not in asked.stderr and "does not exist" not in asked.stderr:
                self.faults.append(f"{name}: the store cannot be read: {asked.stderr.strip()[-200:]}")
        if code == 0 and len(there) != 3:
            self.faults.append(f"{name}: success was reported, and {len(there)} of 3 traces are there")
        if code != 0:
            self.judge_error(name, error)
        return f"{'success' if code == 0 else 'an error'}, {len(there)} of 3 traces"

    # Harms.

    def kill_executor(self, chance):
        chance.choice(self.executors).signal(signal.SIGKILL)

    def kill_both_executors(self, chance):
        for executor in self.executors:
            executor.signal(signal.SIGKILL)

    def kill_scheduler(self, chance):
        self.scheduler.signal(signal.SIGKILL)

    def pause(self, part, seconds):
        part.signal(signal.SIGSTOP)
        time.sleep(seconds)
        part.signal(signal.SIGCONT)

    def stop_executor(self, chance):
        self.pause(chance.choice(self.executors), chance.choice((1, 5, 12)))

    def stop_scheduler(self, chance):
        self.pause(self.scheduler, chance.choice((1, 5, 12)))

    def slow_executor(self, chance):
        part = chance.choice(self.executors)
        for _ in range(40):
            self.pause(part, 0.15)
            time.sleep(0.03)

    def slow_scheduler(self, chance):
        for _ in range(40):
            self.pause(self.scheduler, 0.15)
            time.sleep(0.03)

    def close_way(self, way, seconds):
        way.is_open.clear()
        time.sleep(seconds)
        way.is_open.set()

    def cut_executor(self, chance):
        self.close_way(chance.choice(self.ways[:2]), chance.choice((2, 6, 14)))

    def cut_client(self, chance):
        self.close_way(self.ways[2], chance.choice((2, 6, 14)))

    # The end.

    def end(self):
        for way in self.ways:
            way.is_open.set()
        parts = [self.scheduler, *self.executors]
        killed = self.work_folders()
        self.stop(parts)
        left = self.work_folders()
        print(f"folders of rows: {len(killed)} before the end, {len(left)} after")
        if left:
            self.faults.append(f"{len(left)} folders of rows are left in --work-dir, such as {left[0].name} with {sum(1 for _ in left[0].rglob('*'))} files")
        rest = [path for path in (self.folder / "tmp").iterdir()]
        if rest:
            self.faults.append(f"left among temporary files: {[path.name for path in rest][:5]}")
        # The next command clears what an import that was interrupted left.
        self.run("import", str(self.small), "--store", str(self.imported), "--name", "last")
        names = {path.name for path in self.imported.iterdir()}
        odd = [name for name in names if not re.fullmatch(r"t\d+|ocellus\.json|ocellus\.lock|\.?lock|\.ocellus.*lock.*", name)]
        known = set(re.findall(r"\bt\d+\b", (self.imported / "ocellus.json").read_text()))
        odd += [name for name in names if re.fullmatch(r"t\d+", name) and name not in known]
        print(f"the store of imports holds {sorted(names)}")
        if odd:
            self.faults.append(f"left in the store: {odd}")

    def work_folders(self):
        return [path for path in self.work.iterdir()]


HARMS = {
    "an executor is killed": Chaos.kill_executor,
    "both executors are killed": Chaos.kill_both_executors,
    "the scheduler is killed": Chaos.kill_scheduler,
    "an executor is stopped": Chaos.stop_executor,
    "the scheduler is stopped": Chaos.stop_scheduler,
    "an executor is slow": Chaos.slow_executor,
    "the scheduler is slow": Chaos.slow_scheduler,
    "an executor is cut off": Chaos.cut_executor,
    "the client is cut off": Chaos.cut_client,
}

if __name__ == "__main__":
    sys.exit(main())
