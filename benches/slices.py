#!/usr/bin/env python3
"""Time slices, side by side with DuckDB: results compared first, then CPU time.

In: a built `ocellus` (target/release/ocellus) and `pip install duckdb`. Out: for each question whether both
engines agree and what it costs them, with two threads each on the same Parquet files, DuckDB by the
fastest of the formulations that we know; and how our cost grows with rows and with slices.
"""
import argparse
import os
import tempfile

from filters import ROOT, THREADS, Bench

# Ticks as seconds, clipped to the window; the last slice that a row touches is at least the first.
CLIPPED = """
w AS (SELECT ({t1} - {t0}) / {n} AS dt),
x AS {hint} (SELECT container_id, type, value, greatest(start_tick / 1e9, {t0}) AS s, least(end_tick / 1e9, {t1}) AS e,
        floor((greatest(start_tick / 1e9, {t0}) - {t0}) / dt)::BIGINT AS a,
        least({n} - 1, greatest(0, ceil((least(end_tick / 1e9, {t1}) - {t0}) / dt)::BIGINT - 1)) AS b
      FROM {table}, w WHERE start_tick / 1e9 < {t1} AND end_tick / 1e9 > {t0})"""

# A row per slice that a state touches.
UNNEST = "WITH " + CLIPPED + """,
y AS (SELECT container_id, type, value, s, e, unnest(range(a, b + 1)) AS slice FROM x)
SELECT slice, container_id, type, value,
       sum(greatest(0, least(e, {t0} + (slice + 1) * dt) - greatest(s, {t0} + slice * dt))) AS seconds
FROM y, w GROUP BY ALL HAVING seconds > 0"""

# States inside one slice as they are; only the others are unnested.
SPLIT = "WITH " + CLIPPED + """,
y AS (SELECT a AS slice, container_id, type, value, e - s AS d FROM x WHERE a >= b
      UNION ALL
      SELECT slice, container_id, type, value, least(e, {t0} + (slice + 1) * dt) - greatest(s, {t0} + slice * dt)
      FROM (SELECT container_id, type, value, s, e, unnest(range(a, b + 1)) AS slice FROM x WHERE a < b), w)
SELECT slice, container_id, type, value, sum(d) AS seconds FROM y GROUP BY ALL HAVING seconds > 0"""

# Head, tail, and a running sum over what is filled whole.
DELTA = "WITH " + CLIPPED + """,
p AS (SELECT container_id, type, value, a AS slice, CASE WHEN a >= b THEN e - s ELSE {t0} + (a + 1) * dt - s END AS part, 0 AS delta FROM x, w
      UNION ALL SELECT container_id, type, value, b, e - ({t0} + b * dt), 0 FROM x, w WHERE a < b
      UNION ALL SELECT container_id, type, value, a + 1, 0, 1 FROM x WHERE b - a > 1
      UNION ALL SELECT container_id, type, value, b, 0, -1 FROM x WHERE b - a > 1),
g AS (SELECT container_id, type, value, slice, sum(part) AS part, sum(delta) AS delta FROM p GROUP BY ALL),
k AS (SELECT DISTINCT container_id, type, value FROM g),
dense AS (SELECT container_id, type, value, i AS slice FROM k, range(0, {n}) r(i)),
f AS (SELECT d.container_id, d.type, d.value, d.slice, coalesce(part, 0) AS part,
             sum(coalesce(delta, 0)) OVER (PARTITION BY d.container_id, d.type, d.value ORDER BY d.slice) AS whole
      FROM dense d LEFT JOIN g USING (container_id, type, value, slice))
SELECT slice, container_id, type, value, part + whole * dt AS seconds FROM f, w WHERE part + whole * dt > 0"""

VARIABLES = "WITH " + CLIPPED + """,
y AS (SELECT container_id, type, value, s, e, unnest(range(a, b + 1)) AS slice FROM x)
SELECT slice, container_id, type,
       sum(value * greatest(0, least(e, {t0} + (slice + 1) * dt) - greatest(s, {t0} + slice * dt))) AS amount
FROM y, w GROUP BY ALL"""

# One row, so that both engines hand over the same little. What is compared is told to a millionth, and every cell has a
# weight of its own; cells that only rounding has made are left out.
OURS = """SELECT count(*) AS cells, round(sum(seconds), 6) AS seconds,
    round(sum(seconds * (slice % 97 + 1) * (container_id % 89 + 1)), 3) AS mixed FROM state_slices(slices => {n}) WHERE seconds > 1e-9"""
THEIRS = """SELECT count(*), round(sum(seconds), 6), round(sum(seconds * (slice % 97 + 1) * (container_id % 89 + 1)), 3)
    FROM ({query}) WHERE seconds > 1e-9"""
OUR_VARIABLES = """SELECT count(*) AS cells, round(sum(integral), 3) AS amount,
    round(sum(integral * (slice % 97 + 1)), 1) AS mixed FROM variable_slices(slices => {n}) WHERE covered > 1e-9"""
THEIR_VARIABLES = "SELECT count(*), round(sum(amount), 3), round(sum(amount * (slice % 97 + 1)), 1) FROM ({query})"

# What is timed asks for the cells, and does as little as possible with them.
PLAIN = "SELECT count(*), sum(seconds), max(slice), max(container_id) FROM {cells}"
PLAIN_VARIABLES = "SELECT count(*), sum({amount}), max(slice), max(container_id) FROM {cells}"


def fastest(bench, candidates):
    """The formulation that costs DuckDB least."""
    return min(candidates, key=lambda query: min(bench.theirs(query)[1] for _ in range(2)))


def against_duckdb(bench, events):
    bench.open(["mpi", "--events", str(events)], "events")
    window = bench.ours("SELECT start_tick, end_tick FROM trace_info")[0][0]
    t0, t1 = int(window[0]) / 1e9, int(window[1]) / 1e9
    print("\n%d events; CPU seconds of both, %d threads" % (events, THREADS))
    for slices in (100, 1000, 10_000):
        fill = dict(t0=repr(t0), t1=repr(t1), n=slices, table="states")
        candidates = {PLAIN.format(cells="(%s)" % cells): cells for cells in (
            query.format(hint=hint, **fill) for query in (UNNEST, SPLIT, DELTA) for hint in ("MATERIALIZED", "NOT MATERIALIZED"))}
        best = fastest(bench, candidates)
        bench.compare("state_slices(%d)" % slices, OURS.format(n=slices), THEIRS.format(query=candidates[best]),
                      (PLAIN.format(cells="state_slices(slices => %d)" % slices), best))
    fill = dict(t0=repr(t0), t1=repr(t1), n=100, table="variables")
    candidates = {PLAIN_VARIABLES.format(amount="amount", cells="(%s)" % cells): cells for cells in (
        VARIABLES.format(hint=hint, **fill) for hint in ("MATERIALIZED", "NOT MATERIALIZED"))}
    best = fastest(bench, candidates)
    bench.compare("variable_slices(100)", OUR_VARIABLES.format(n=100), THEIR_VARIABLES.format(query=candidates[best]),
                  (PLAIN_VARIABLES.format(amount="integral", cells="variable_slices(slices => 100)"), best))


def growth(bench, events):
    print("\nOur cost by events and slices (CPU seconds, and cells that are not empty): it follows rows plus cells")
    sizes = (10, 1000, 100_000)
    print("  %12s" % "events" + "".join("%24s" % ("%d slices" % slices) for slices in sizes))
    for part in (4, 2, 1):
        bench.open(["mpi", "--events", str(events // part)], "growth%d" % part)
        line = "  %12d" % (events // part)
        for slices in sizes:
            query = "SELECT count(*) FROM state_slices(slices => %d)" % slices
            cells = int(bench.ours(query)[0][0][0])
            line += "%24s" % ("%.3f (%d)" % (bench.cost(query), cells))
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "ocellus"))
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=("duckdb", "growth"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ocellus-bench-") as folder:
        bench = Bench(arguments, folder)
        if arguments.only != "growth":
            against_duckdb(bench, arguments.events)
        if arguments.only != "duckdb":
            growth(bench, arguments.events)


if __name__ == "__main__":
    main()
