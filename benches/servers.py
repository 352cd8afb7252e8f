#!/usr/bin/env python3
"""Many clients of a server at once: answers compared first, then times, memory, and what is left of those who leave.

In: a built `ocellus` (target/release/ocellus) and `pip install -r tests/servers/requirements.txt`. Out: errors, p50 and
p99 by protocol and kind of query, memory of the server after a warm-up and at the end, and after abrupt disconnects
the queries, processor time, threads and open files that are left. It stops with an error when one of them is wrong.
"""
import argparse
import os
import statistics
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/servers"))

import load  # noqa: E402
from place import Server, make_store  # noqa: E402

MIB = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--disconnects", type=int, default=1000)
    parser.add_argument("--events", type=int, default=150_000, help="of the trace that is asked")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(folder, arguments.events)
        with Server(store) as server:
            crowd(server, store, arguments)
        with Server(store) as server:
            leavers(server, arguments.disconnects)


def crowd(server, store, arguments):
    asked = load.Load(server, store, "big")
    asked.check()
    print("every protocol gives the rows of the embedded engine")
    asked.run(arguments.clients, max(5, arguments.seconds // 6))
    asked.times.clear()
    memory = Samples(server)
    warm = server.memory()
    with memory:
        started, used = time.monotonic(), server.cpu_seconds()
        asked.run(arguments.clients, arguments.seconds)
        wall, used = time.monotonic() - started, server.cpu_seconds() - used
    load.wait_until_quiet(server)
    print_times(asked.times, arguments.clients, wall, used)
    end = server.memory()
    print(f"memory: {warm // MIB} MiB after the warm-up, at most {max(memory.taken) // MIB} MiB, {end // MIB} MiB at the end")
    print("  over time:", " ".join(str(value // MIB) for value in memory.tenths()))
    counted = server.metrics()
    print(f"errors: {len(asked.errors)}; queries that failed by the server's count: {counted['ocellus_queries_failed_total']:.0f}")
    assert not asked.errors, asked.errors[:5]
    assert counted["ocellus_queries_failed_total"] == 0
    assert end <= warm * 1.1 + 16 * MIB, "the memory of the server grew"


def print_times(times, clients, wall, used):
    total = sum(map(len, times.values()))
    print(f"{clients} clients, {wall:.0f} s: {total} queries, {total / wall:.0f} a second, {used / total * 1000:.1f} ms of CPU time each")
    print("| protocol | kind | queries | p50 ms | p99 ms | worst ms |\n|---|---|---:|---:|---:|---:|")
    for (protocol, kind), taken in sorted(times.items()):
        print_row(protocol, kind, taken)
    print_row("all", "all", [one for taken in times.values() for one in taken])


def print_row(protocol, kind, taken):
    hundredths = statistics.quantiles(taken, n=100, method="inclusive") if len(taken) > 1 else taken * 99
    worst = max(taken)
    print(f"| {protocol} | {kind} | {len(taken)} | {hundredths[49] * 1e3:.0f} | {hundredths[98] * 1e3:.0f} | {worst * 1e3:.0f} |")


class Samples:
    """The memory of a server, looked at every second."""

    def __init__(self, server):
        self.server, self.taken, self.end = server, [server.memory()], threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self._look)
        self.thread.start()

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()

    def _look(self):
        while not self.end.wait(1):
            self.taken.append(self.server.memory())

    def tenths(self):
        return self.taken[:: max(1, len(self.taken) // 10)]


def leavers(server, count):
    faults = load.disconnect(server, 30)
    load.wait_until_quiet(server)
    threads, files, memory = server.threads(), server.files(), server.memory()
    started = time.monotonic()
    faults += load.disconnect(server, count)
    left = time.monotonic()
    load.wait_until_quiet(server)
    quiet = time.monotonic() - left
    print(
        f"{count} abrupt disconnects in {left - started:.0f} s: quiet after {quiet:.1f} s, queries running {server.running():.0f}, "
        f"threads {threads} to {server.threads()}, open files {files} to {server.files()}, "
        f"memory {memory // MIB} to {server.memory() // MIB} MiB"
    )
    assert not faults, faults[:5]
    assert server.threads() <= threads + 8 and server.files() <= files + 8, "threads or files are left"


if __name__ == "__main__":
    main()
