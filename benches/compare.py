#!/usr/bin/env python3
"""Two builds of ocellus, side by side: results compared first, then CPU time.

In: the programs, such as that of the commit before and target/release/ocellus. Out: for import, slices, partition
and interval join the CPU seconds of whole processes, best and median of runs in turn, and the ratio of the medians
(above 1: the second program is faster). The trace is made in a temporary folder, which is removed at the end.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

QUESTIONS = {
    "state_slices, 100": "SELECT count(*), sum(seconds), max(slice), max(container_id) FROM state_slices(slices => 100)",
    "state_slices, 10,000":
        "SELECT count(*), sum(seconds), max(slice), max(container_id) FROM state_slices(slices => 10000)",
    "variable_slices, 100": "SELECT count(*), sum(integral) FROM variable_slices(slices => 100)",
    "link_slices, 100": "SELECT count(*), sum(links) FROM link_slices(slices => 100)",
    "partition, 30 slices": "SELECT count(*), sum(gain), sum(loss) FROM spatiotemporal_partition(slices => 30)",
    "interval join": "SELECT count(*), sum(overlap_end - overlap_start) "
                     "FROM interval_join(states, links, by => 'container_id = source_id')",
    "interval join by value": "SELECT value, count(*) FROM interval_join(states, links, by => 'container_id = "
                              "source_id') GROUP BY value ORDER BY value",
    "timeline, 1000": "SELECT count(*), sum(covered) FROM timeline(width => 1000)",
}


def cpu(command):
    """CPU seconds and output of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def sql(program, store, text):
    return [program, "sql", store, "--format", "csv", text]


def alike(one, other):
    """Equal texts, or numbers that differ in their last digits only."""
    one, other = one.replace("\n", ",").split(","), other.replace("\n", ",").split(",")

    def same(a, b):
        try:
            return abs(float(a) - float(b)) <= 1e-9 * max(1.0, abs(float(a)))
        except ValueError:
            return a == b
    return len(one) == len(other) and all(same(a, b) for a, b in zip(one[1:], other[1:]) if a != b)


def report(name, times):
    best = [min(each) for each in times]
    median = [statistics.median(each) for each in times]
    print("%-24s %8.3f %8.3f   %8.3f %8.3f   %6.2f" % (name, best[0], best[1], *median, median[0] / median[1]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs=2)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--repeat", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.trace")
        cpu([arguments.programs[0], "generate", "mpi", "--events", str(arguments.events), "-o", trace])
        stores = [os.path.join(folder, name) for name in ("first", "second")]
        print("%-24s %17s   %17s   %6s" % ("CPU seconds", "best", "median", "ratio"))
        times = ([], [])
        for _ in range(arguments.repeat):
            for place in (0, 1):
                command = [arguments.programs[place], "import", trace, "--store", stores[place], "--name", "run", "--replace"]
                times[place].append(cpu(command)[0])
        report("import", times)
        for name, text in QUESTIONS.items():
            answers = [cpu(sql(program, stores[1], text))[1] for program in arguments.programs]
            if not alike(*answers):
                sys.exit("%s: the programs differ\n%s\n%s" % (name, *answers))
            times = ([], [])
            for _ in range(arguments.repeat):
                for place in (0, 1):
                    times[place].append(cpu(sql(arguments.programs[place], stores[1], text))[0])
            report(name, times)


if __name__ == "__main__":
    main()
