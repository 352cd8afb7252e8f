#!/usr/bin/env python3
"""The Python package beside the program: tables compared first, then CPU time.

In: a built `ocellus` (target/release/ocellus), and a Python in which the wheel of the same build and pyarrow are installed
(`--python`; this one when not given). Out: for each query of 5 million rows that both give equal tables, the median CPU time of
`con.sql(…).arrow()` in a process of its own, that of `ocellus sql … --format arrow` into nothing and into a file, and their
ratio; and what a process of Python costs before its first query.

What is measured of the package is the method alone: a program pays for the interpreter and for `import pyarrow` once. What is
measured of the program is all of it.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Numbers and texts that the engine makes; rows of a store, whose texts are dictionaries.
QUERIES = {
    "computed": "SELECT value, value * 0.5 AS half, concat('rank-', CAST(value % 1000 AS TEXT)) AS name FROM generate_series(1, 5000000)",
    "states": "SELECT container, value, start_time, duration, start_tick FROM states",
}
# One process: each part's CPU time, of all threads. Nothing of an earlier query is left in its memory.
PACKAGE = """
import json, sys, time
parts = {}
def part(name):
    now = time.process_time()
    parts[name] = now - part.before
    part.before = time.process_time()
part.before = 0.0
part("interpreter")
import pyarrow
part("import pyarrow")
import ocellus
part("import ocellus")
con = ocellus.connect(sys.argv[1])
part("connect")
table = con.sql(sys.argv[2]).arrow()
part("arrow()")
assert table.num_rows >= 5_000_000, table.num_rows
print(json.dumps(parts))
"""
CHECK = """
import subprocess, sys, pyarrow, ocellus
program = subprocess.Popen([sys.argv[3], "sql", sys.argv[1], sys.argv[2], "--format", "arrow"], stdout=subprocess.PIPE)
expected = pyarrow.ipc.open_stream(program.stdout).read_all()
assert program.wait() == 0
found = ocellus.connect(sys.argv[1]).sql(sys.argv[2]).arrow()
assert found.schema.equals(expected.schema), (found.schema, expected.schema)
# Their order is not said.
order = [(name, "ascending") for name in found.column_names]
assert found.sort_by(order).equals(expected.sort_by(order)), "the rows differ"
print(found.num_rows, found.nbytes)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "target/release/ocellus"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(arguments.program, folder)
        print("| query | rows | MB | arrow() s | program s | ratio | into a file s | ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|")
        for name, sql in QUERIES.items():
            parts = compare(arguments, folder, store, name, sql)
    once = ", ".join(f"{part} {statistics.median(taken):.3f} s" for part, taken in parts.items() if part != "arrow()")
    print(f"once for a process: {once}")


def make_store(program, folder):
    """A store with somewhat more than 5 million states."""
    trace, store = os.path.join(folder, "big.trace"), os.path.join(folder, "store")
    subprocess.run([program, "generate", "mpi", "--events", "15000000", "--ranks", "64", "-o", trace], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([program, "import", trace, "--store", store], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.remove(trace)
    return store


def compare(arguments, folder, store, name, sql):
    """Checks that both give the same table, then takes turns, so that what else the machine does concerns both."""
    checked = run([arguments.python, "-c", CHECK, store, sql, arguments.program])
    rows, size = map(int, checked.split())
    assert rows >= 5_000_000, rows
    parts, into_nothing, into_file = {}, [], []
    command = [arguments.program, "sql", store, sql, "--format", "arrow"]
    for _ in range(arguments.rounds):
        for part, taken in json.loads(run([arguments.python, "-c", PACKAGE, store, sql])).items():
            parts.setdefault(part, []).append(taken)
        into_nothing.append(cpu_of(command, os.devnull))
        into_file.append(cpu_of(command, os.path.join(folder, "rows.arrow")))
    package, nothing, file = (statistics.median(taken) for taken in (parts["arrow()"], into_nothing, into_file))
    print(f"| {name} | {rows} | {size / 1e6:.0f} | {package:.2f} | {nothing:.2f} | {package / nothing:.2f} | {file:.2f} | {package / file:.2f} |")
    return parts


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cpu_of(command, output):
    """The CPU time of a program that writes into a file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(output, "wb") as file:
        subprocess.run(command, stdout=file, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
