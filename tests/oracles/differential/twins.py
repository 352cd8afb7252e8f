"""Table functions and their twins: the definition of each on its page, written as plain SQL over the tables.

Time is counted in whole numbers: a window of `n` slices cuts each tick into n, so that every boundary is one. Elementary
segments lie between neighboring boundaries of intervals; within one nothing changes.
"""

MACROS = """
CREATE MACRO tick_seconds(t, r) AS t / CAST(r AS DOUBLE);
CREATE MACRO regexp_like(s, p) AS regexp_matches(s, p);
"""


class Window:
    """A random window of a trace and its slices."""

    def __init__(self, chance, first, last, per_second, types):
        self.chance, self.first, self.last, self.per_second, self.types = chance, first or 0, last or 0, per_second, types
        self.n = chance.choice((1, 2, 3, 7, 10, 30, 100))
        self.low, self.high, self.bounds = self.first, self.last, ""
        if chance.random() < 0.6:
            # Whole milliseconds, also outside of the trace.
            grain = per_second // 1000
            low = chance.randrange(self.first // grain - 200, self.last // grain + 1)
            high = low + chance.randrange(1, max(2, (self.last - self.first) // grain + 300))
            self.low, self.high = low * grain, high * grain
            self.bounds = f", start => {low / 1000!r}, stop => {high / 1000!r}"
        self.type = chance.choice(types) if types and chance.random() < 0.3 else None
        self.kept = "type = " + quoted(self.type) if self.type else "true"
        self.typed = f", type => {quoted(self.type)}" if self.type else ""

    def slices(self):
        """A CTE of the slices: k(slice, s0, s1) in parts of ticks."""
        return f"""k AS (
            SELECT range AS slice, {self.low}::HUGEINT * {self.n} + range * ({self.high}::HUGEINT - {self.low}) AS s0,
                   {self.low}::HUGEINT * {self.n} + (range + 1) * ({self.high}::HUGEINT - {self.low}) AS s1
            FROM range({self.n}))"""

    def shared(self, table, what):
        """A CTE of what rows share with slices: parts(slice, s0, s1, …, t), t in parts of ticks."""
        return f"""parts AS (
            SELECT slice, s0, s1, {what}, least(end_tick::HUGEINT * {self.n}, s1) - greatest(start_tick::HUGEINT * {self.n}, s0) AS t
            FROM {table}, k WHERE start_tick::HUGEINT * {self.n} < s1 AND end_tick::HUGEINT * {self.n} > s0)"""

    def seconds(self, parts):
        return f"CAST({parts} AS DOUBLE) / ({self.n}::DOUBLE * {self.per_second})"

    def slice_of(self, tick):
        """The slice of an instant; one at the end of the trace is in the last slice of a window that ends there."""
        inside = f"((({tick})::HUGEINT - {self.low}) * {self.n}) // ({self.high}::HUGEINT - {self.low})"
        end = f"WHEN {tick} = {self.high} AND {self.high} = {self.last} THEN {self.n - 1}"
        return f"CASE WHEN {tick} >= {self.low} AND {tick} < {self.high} THEN {inside} {end} END"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def state_slices(w):
    ours = f"SELECT slice, slice_start, slice_end, container_id, container, type, value, seconds, share FROM state_slices(slices => {w.n}{w.bounds}{w.typed})"
    return ours, f"""WITH {w.slices()}, {w.shared('states', 'container_id, container, type, value')}
        SELECT slice, {w.seconds('s0')}, {w.seconds('s1')}, container_id, container, type, value, {w.seconds('sum(t)')}, sum(t) / (s1 - s0)
        FROM parts WHERE t > 0 AND {w.kept} GROUP BY slice, s0, s1, container_id, container, type, value"""


def state_slices_filled(w):
    """Of what has some time in the window; states of no length are not compared."""
    ours = f"""SELECT slice, container_id, type, value, seconds FROM (
        SELECT *, max(seconds) OVER (PARTITION BY container_id, type, value) AS most
        FROM state_slices(slices => {w.n}{w.bounds}{w.typed}, fill => true)) AS t WHERE most > 0"""
    return ours, f"""WITH {w.slices()}, {w.shared('states', 'container_id, type, value')},
        what AS (SELECT DISTINCT container_id, type, value FROM parts WHERE t > 0 AND {w.kept})
        SELECT k.slice, what.container_id, what.type, what.value, coalesce({w.seconds('sum(t)')}, 0)
        FROM what CROSS JOIN k LEFT JOIN parts ON parts.slice = k.slice AND parts.container_id = what.container_id
            AND parts.type = what.type AND parts.value = what.value GROUP BY ALL"""


def state_slices_of_segments(w):
    ours = f"SELECT slice, container_id, type, sum(seconds) FROM state_slices(state_segments, slices => {w.n}{w.bounds}) WHERE seconds > 0 GROUP BY slice, container_id, type"
    return ours, f"""WITH {w.slices()}, {w.shared('state_segments', 'container_id, type')}
        SELECT slice, container_id, type, {w.seconds('sum(t)')} FROM parts WHERE t > 0 GROUP BY ALL"""


def state_segments(w):
    """Of nested states the innermost counts."""
    return "SELECT container_id, type, value, sum(end_tick - start_tick) FROM state_segments GROUP BY container_id, type, value HAVING sum(end_tick - start_tick) > 0", """
        WITH marks AS (SELECT container_id, type, start_tick AS mark FROM states UNION SELECT container_id, type, end_tick FROM states),
        segments AS (SELECT *, lead(mark) OVER (PARTITION BY container_id, type ORDER BY mark) AS until FROM marks),
        inner_most AS (
            SELECT g.container_id, g.type, g.mark, g.until, arg_max(s.value, s.depth) AS value FROM segments AS g
            JOIN states AS s ON s.container_id = g.container_id AND s.type = g.type AND s.start_tick <= g.mark AND s.end_tick >= g.until
            WHERE g.until IS NOT NULL GROUP BY ALL)
        SELECT container_id, type, value, sum(until - mark) FROM inner_most GROUP BY ALL"""


def event_slices(w):
    ours = f"SELECT slice, container_id, container, type, value, events FROM event_slices(slices => {w.n}{w.bounds})"
    return ours, f"""WITH placed AS (SELECT {w.slice_of('tick')} AS slice, * FROM events)
        SELECT slice, container_id, container, type, value, count(*) FROM placed WHERE slice IS NOT NULL GROUP BY ALL"""


def variable_slices(w):
    ours = f"SELECT slice, slice_start, container_id, container, type, integral, mean, minimum, maximum, covered FROM variable_slices(slices => {w.n}{w.bounds})"
    return ours, f"""WITH {w.slices()}, {w.shared('variables', 'container_id, container, type, value')}
        SELECT slice, {w.seconds('s0')}, container_id, container, type, fsum(value * {w.seconds('t')}),
               fsum(value * t::DOUBLE) / (s1 - s0), min(value), max(value), {w.seconds('sum(t)')}
        FROM parts WHERE t > 0 AND isfinite(value) GROUP BY slice, s0, s1, container_id, container, type"""


ENDS = """ends AS (
    SELECT 'origin' AS role, source_id AS container_id, source AS container, target_id AS partner, * EXCLUDE (container_id, container) FROM links
    UNION ALL
    SELECT 'destination', target_id, target, source_id, * EXCLUDE (container_id, container) FROM links)"""
LINKS = "SELECT slice, container_id, container, role, type, links, seconds, volume, weighted, throughput, partners FROM link_slices"


def link_slices(w):
    length = f"({w.high - w.low}::DOUBLE / {w.n} / {w.per_second})"
    return f"{LINKS}(slices => {w.n}{w.bounds})", f"""WITH {ENDS}, {w.slices()},
        placed AS (SELECT {w.slice_of('start_tick')} AS mark, * FROM ends)
        SELECT k.slice, container_id, container, role, type, count(*), sum(duration), coalesce(sum(volume), 0),
               coalesce(sum(volume * duration), 0) / {length}, coalesce(sum(CASE WHEN end_tick > start_tick THEN volume / duration END), 0), count(DISTINCT partner)
        FROM placed JOIN k ON k.slice = placed.mark WHERE end_tick::HUGEINT * {w.n} <= s1 GROUP BY ALL"""


def link_slices_clipped(w):
    length = f"({w.high - w.low}::DOUBLE / {w.n} / {w.per_second})"
    return f"{LINKS}(slices => {w.n}{w.bounds}, boundary => 'clip')", f"""WITH {ENDS}, {w.slices()},
        pieces AS (
            SELECT k.slice, ends.*, {w.seconds(f'least(end_tick::HUGEINT * {w.n}, s1) - greatest(start_tick::HUGEINT * {w.n}, s0)')} AS t
            FROM ends, k WHERE start_tick < end_tick AND start_tick::HUGEINT * {w.n} < s1 AND end_tick::HUGEINT * {w.n} > s0
            UNION ALL
            SELECT {w.slice_of('start_tick')} AS slice, ends.*, 0 AS t FROM ends WHERE start_tick = end_tick)
        SELECT slice, container_id, container, role, type, count(*), sum(t),
               coalesce(sum(CASE WHEN end_tick > start_tick THEN volume * t / duration ELSE volume END), 0),
               coalesce(sum(volume * t), 0) / {length}, coalesce(sum(CASE WHEN end_tick > start_tick THEN volume / duration END), 0), count(DISTINCT partner)
        FROM pieces WHERE slice IS NOT NULL GROUP BY ALL"""


def comm_in_flight(w):
    ours = f"SELECT slice, sent, sent_volume, in_flight, in_flight_volume FROM comm_in_flight(slices => {w.n}{w.bounds})"
    touches = f"(start_tick::HUGEINT * {w.n} < s1 AND end_tick::HUGEINT * {w.n} > s0 AND start_tick < end_tick OR start_tick >= end_tick AND mark = slice)"
    return ours, f"""WITH {w.slices()}, placed AS (SELECT {w.slice_of('start_tick')} AS mark, * FROM links)
        SELECT slice, count(*) FILTER (WHERE mark = slice), coalesce(sum(volume) FILTER (WHERE mark = slice), 0),
               count(*) FILTER (WHERE {touches}), coalesce(sum(volume) FILTER (WHERE {touches}), 0)
        FROM k LEFT JOIN placed ON true GROUP BY slice"""


def concurrency(w):
    given = (w.bounds + w.typed).removeprefix(", ")
    ours = f"SELECT type, value, active, start_tick, end_tick FROM concurrency({given})"
    return ours, f"""WITH cut AS (
            SELECT container_id, type, value, greatest(start_tick, {w.low}) AS a, least(end_tick, {w.high}) AS b FROM states WHERE {w.kept}),
        kept AS (SELECT * FROM cut WHERE a < b),
        marks AS (SELECT type, value, a AS mark FROM kept UNION SELECT type, value, b FROM kept),
        segments AS (SELECT *, lead(mark) OVER (PARTITION BY type, value ORDER BY mark) AS until FROM marks),
        counted AS (
            SELECT g.type, g.value, g.mark, g.until, count(DISTINCT container_id) AS active FROM segments AS g
            JOIN kept AS s ON s.type = g.type AND s.value = g.value AND s.a <= g.mark AND s.b >= g.until WHERE until IS NOT NULL GROUP BY ALL),
        runs AS (
            SELECT *, CASE WHEN lag(until) OVER o = mark AND lag(active) OVER o = active THEN 0 ELSE 1 END AS is_new FROM counted
            WINDOW o AS (PARTITION BY type, value ORDER BY mark)),
        numbered AS (SELECT *, sum(is_new) OVER (PARTITION BY type, value ORDER BY mark) AS run FROM runs)
        SELECT type, value, active, min(mark), max(until) FROM numbered GROUP BY type, value, active, run"""


def timeline(w):
    """However many columns: the time of each value."""
    width = w.chance.choice((1, 3, 10, 100, 1000))
    given = f"width => {width}, values => 'all'{w.bounds}{w.typed}"
    ours = f"SELECT container_id, type, value, sum(share * (end_time - start_time)) FROM timeline({given}) GROUP BY container_id, type, value HAVING sum(share) > 0"
    return ours, f"""SELECT container_id, type, value, sum(least(end_tick, {w.high}) - greatest(start_tick, {w.low})) / {w.per_second}::DOUBLE
        FROM state_segments WHERE start_tick < {w.high} AND end_tick > {w.low} AND start_tick < end_tick AND {w.kept} GROUP BY ALL"""


def slice_totals(w):
    ours = f"SELECT container_id, kind, type, value, amount FROM slice_totals({w.bounds.removeprefix(', ')}) WHERE measure = 'seconds' AND kind = 'state' OR kind = 'event'"
    return ours, f"""SELECT container_id, 'state', type, value, sum(least(end_tick, {w.high}) - greatest(start_tick, {w.low})) / {w.per_second}::DOUBLE
        FROM states WHERE start_tick < {w.high} AND end_tick > {w.low} AND start_tick < end_tick GROUP BY ALL
        UNION ALL SELECT container_id, 'event', type, value, count(*) FROM events
        WHERE tick >= {w.low} AND (tick < {w.high} OR tick = {w.high} AND {w.high} = {w.last}) GROUP BY ALL"""


def microscopic_model(w):
    ours = f"SELECT slice, container_id, type, value, seconds, rho FROM microscopic_model(slices => {w.n}{w.bounds}{w.typed}) WHERE value IS NOT NULL"
    return ours, f"""WITH {w.slices()}, {w.shared('state_segments', 'container_id, type, value')}
        SELECT slice, container_id, type, value, {w.seconds('sum(t)')}, sum(t) / (s1 - s0) FROM parts WHERE t > 0 AND {w.kept}
        GROUP BY slice, s0, s1, container_id, type, value"""


def instant(w):
    """A time within the trace, often one at which something happens."""
    return f"{w.chance.randint(w.first // 10**6, w.last // 10**6) * 10**6}" if w.per_second == 10**9 else str(w.first)


def shown(tick, more="true"):
    return f"""SELECT 'state', container_id, type, start_time, end_time, depth FROM states WHERE start_tick <= {tick} AND end_tick > {tick} AND {more}
        UNION ALL SELECT 'variable', container_id, type, start_time, end_time, NULL FROM variables WHERE start_tick <= {tick} AND end_tick > {tick} AND {more}
        UNION ALL SELECT 'event', container_id, type, time, time, NULL FROM events WHERE tick = {tick} AND {more}"""


def events_at(w):
    tick = instant(w)
    ours = f"SELECT kind, container_id, type, start_time, end_time, depth FROM events_at({int(tick) / w.per_second!r})"
    return ours, f"{shown(tick)} UNION ALL SELECT 'link', container_id, type, start_time, end_time, NULL FROM links WHERE start_tick <= {tick} AND end_tick > {tick}"


def inspect(w):
    tick, number = instant(w), w.chance.choice((1, 1, 2, 3))
    ours = f"SELECT kind, container_id, type, start_time, end_time, depth FROM inspect({number}, {int(tick) / w.per_second!r}) WHERE kind <> 'link'"
    return ours, shown(tick, f"container_id = {number}")


def subtree(w):
    number = w.chance.choice((1, 1, 2, 3))
    return f"SELECT container_id, name, path FROM subtree({number})", f"""
        WITH RECURSIVE below AS (SELECT * FROM containers WHERE container_id = {number}
            UNION ALL SELECT c.* FROM containers AS c JOIN below ON c.parent_id = below.container_id)
        SELECT container_id, name, path FROM below"""


def at_depth(w):
    depth = w.chance.choice((0, 1, 2))
    return f"SELECT container_id, name, parent_id FROM at_depth({depth})", f"SELECT container_id, name, parent_id FROM containers WHERE depth = {depth}"


ANCESTORS = """up AS (
    SELECT container_id, container_id AS ancestor_id, parent_id FROM containers
    UNION ALL SELECT up.container_id, c.container_id, c.parent_id FROM up JOIN containers AS c ON c.container_id = up.parent_id)"""


def hierarchy_aggregate(w):
    agg = w.chance.choice(("sum", "count", "min", "max", "avg", "median"))
    ours = f"SELECT * FROM hierarchy_aggregate((SELECT container_id, type, value, duration AS seconds FROM states), agg => '{agg}')"
    return ours, f"""WITH RECURSIVE {ANCESTORS}
        SELECT c.container_id, c.name, c.type, c.depth, s.type, s.value, {agg}(s.duration) FROM states AS s
        JOIN up ON up.container_id = s.container_id JOIN containers AS c ON c.container_id = up.ancestor_id GROUP BY ALL"""


def container_ancestors(w):
    return "SELECT container_id, ancestor_id FROM container_ancestors", f"WITH RECURSIVE {ANCESTORS} SELECT container_id, ancestor_id FROM up"


MEET = """(a.start_tick < b.end_tick AND b.start_tick < a.end_tick AND a.start_tick < a.end_tick AND b.start_tick < b.end_tick
    OR a.start_tick = a.end_tick AND b.start_tick <= a.start_tick AND a.start_tick < b.end_tick
    OR b.start_tick = b.end_tick AND a.start_tick <= b.start_tick AND b.start_tick < a.end_tick
    OR a.start_tick = a.end_tick AND b.start_tick = b.end_tick AND a.start_tick = b.start_tick)"""


def interval_join(w):
    right, key = w.chance.choice((("variables", "container_id"), ("states", "container_id"), ("links", "container_id = source_id"), ("states", "")))
    kind = w.chance.choice(("inner", "left", "anti"))
    b_key = {"container_id = source_id": "source_id"}.get(key, "container_id")
    ours = f"""interval_join((SELECT container_id, depth, start_time, end_time FROM states),
        (SELECT {b_key}, type AS other, start_time, end_time FROM {right}), by => '{key}', kind => '{kind}')"""
    equal = f"a.container_id = b.{b_key}" if key else "true"
    tables = f"FROM states AS a {{}} JOIN {right} AS b ON {equal} AND {MEET}"
    if kind == "anti":
        return f"SELECT container_id, depth, start_time, end_time FROM {ours}", f"SELECT a.container_id, a.depth, a.start_time, a.end_time {tables.format('ANTI')}"
    columns = "a.container_id, a.depth, a.start_time, a.end_time, b.type, b.start_time, b.end_time, CASE WHEN b.type IS NOT NULL THEN greatest(a.start_time, b.start_time) END, CASE WHEN b.type IS NOT NULL THEN least(a.end_time, b.end_time) END"
    # Names of columns that both have get the ending _right.
    names = "container_id, depth, start_time, end_time, other, start_time_right, end_time_right, overlap_start, overlap_end"
    return f"SELECT {names} FROM {ours}", f"SELECT {columns} {tables.format('LEFT' if kind == 'left' else '')}"


def overlap_seconds(w):
    ours = "SELECT container_id, left_seconds, right_seconds, overlap_seconds, share FROM overlap_seconds((SELECT * FROM states WHERE depth = 0), variables)"
    covered = "EXISTS (SELECT 1 FROM {} AS s WHERE s.container_id = g.container_id AND s.start_tick <= mark AND s.end_tick >= until{})"
    lengths = ", ".join(f"coalesce(sum(until - mark) FILTER (WHERE {which}), 0) / {w.per_second}::DOUBLE AS {name}" for which, name in (("l", "ls"), ("r", "rs"), ("l AND r", "os")))
    return ours, f"""WITH spans AS (SELECT container_id, start_tick, end_tick FROM states WHERE depth = 0 UNION ALL SELECT container_id, start_tick, end_tick FROM variables),
        marks AS (SELECT container_id, start_tick AS mark FROM spans UNION SELECT container_id, end_tick FROM spans),
        segments AS (SELECT *, lead(mark) OVER (PARTITION BY container_id ORDER BY mark) AS until FROM marks),
        known AS (SELECT *, {covered.format('states', ' AND s.depth = 0')} AS l, {covered.format('variables', '')} AS r FROM segments AS g)
        SELECT container_id, ls, rs, os, CASE WHEN ls > 0 THEN os / ls END FROM (SELECT container_id, {lengths} FROM known GROUP BY container_id)"""


def states_of_links(w):
    """Every link against every state, those of even length of name being communication."""
    activity = "CASE WHEN length(value) % 2 = 0 THEN 'communication' ELSE 'computation' END AS activity"
    columns = "type, value, key, source_id, source, target_id, target, start_tick, end_tick, volume"
    states = "source_state_type, source_state, target_state_type, target_state"
    ours = f"SELECT {columns}, {states} FROM states_of_links((SELECT *, {activity} FROM state_segments))"
    roles = {"source": ("start_tick", (1, 2, 4)), "target": ("end_tick", (2, 4, 1))}
    chosen = ", ".join(
        f"""{end}s AS (
            SELECT id, s.type AS {end}_state_type, s.value AS {end}_state FROM numbered AS l JOIN state_segments AS s
                ON s.container_id = l.{end}_id AND s.start_tick <= l.{tick} AND l.{tick} <= s.end_tick
            QUALIFY row_number() OVER (PARTITION BY id ORDER BY length(s.value) % 2,
                CASE WHEN s.start_tick = s.end_tick THEN {none} WHEN s.start_tick = l.{tick} THEN {starts} WHEN s.end_tick = l.{tick} THEN {ends} ELSE 3 END,
                s.depth DESC, s.start_tick DESC, s.type DESC, s.value DESC) = 1)"""
        for end, (tick, (none, starts, ends)) in roles.items()
    )
    return ours, f"""WITH numbered AS (SELECT *, row_number() OVER () AS id FROM links), {chosen}
        SELECT {columns}, {states} FROM numbered LEFT JOIN sources USING (id) LEFT JOIN targets USING (id)"""


def container_lanes(w):
    """As many lanes as lifetimes overlap at most."""
    meets = "b.type = a.type AND b.parent_id IS NOT DISTINCT FROM a.parent_id AND b.start_tick <= a.start_tick AND (b.end_tick > a.start_tick OR b.start_tick = a.start_tick)"
    return "SELECT DISTINCT parent_id, type, lanes FROM container_lanes()", f"""
        SELECT parent_id, type, max(n) FROM (SELECT a.container_id, a.parent_id, a.type, count(*) AS n FROM containers AS a JOIN containers AS b ON {meets} GROUP BY ALL) GROUP BY ALL"""


def flat_profile(w):
    return "SELECT container_id, type, value, states, inclusive_seconds, exclusive_seconds FROM flat_profile", f"""
        WITH marks AS (SELECT container_id, type, value, start_tick AS mark FROM states UNION SELECT container_id, type, value, end_tick FROM states),
        segments AS (SELECT *, lead(mark) OVER (PARTITION BY container_id, type, value ORDER BY mark) AS until FROM marks),
        covered AS (SELECT * FROM segments AS g WHERE EXISTS (SELECT 1 FROM states AS s WHERE s.container_id = g.container_id AND s.type = g.type
            AND s.value = g.value AND s.start_tick <= mark AND s.end_tick >= until)),
        inclusive AS (SELECT container_id, type, value, sum(until - mark) AS ticks FROM covered GROUP BY ALL),
        exclusive AS (SELECT container_id, type, value, sum(end_tick - start_tick) AS ticks FROM state_segments GROUP BY ALL)
        SELECT s.container_id, s.type, s.value, count(*), coalesce(any_value(i.ticks), 0) / {w.per_second}::DOUBLE, coalesce(any_value(e.ticks), 0) / {w.per_second}::DOUBLE
        FROM states AS s LEFT JOIN inclusive AS i USING (container_id, type, value) LEFT JOIN exclusive AS e USING (container_id, type, value) GROUP BY ALL"""


def scalars(w):
    low, high = w.chance.choice((0.0, 0.5, 1.5, 1000.0)), w.chance.choice((0.5, 2.0, 4.25, 1001.0))
    span = f"start_time, end_time, {low!r}, {high!r}"
    a = f"(start_time < {high!r} AND {low!r} < end_time AND start_time < end_time AND {low!r} < {high!r}"
    meets = f"{a} OR start_time = end_time AND {low!r} <= start_time AND start_time < {high!r} OR {low!r} = {high!r} AND start_time <= {low!r} AND {low!r} < end_time OR start_time = end_time AND {low!r} = {high!r} AND start_time = {low!r})"
    ours = f"SELECT start_time, end_time, overlap({span}), intervals_overlap({span}), overlap_start({span}), overlap_end({span}) FROM states"
    return ours, f"""SELECT start_time, end_time, CASE WHEN {low!r} <= {high!r} THEN greatest(0.0, least(end_time, {high!r}) - greatest(start_time, {low!r})) ELSE 0.0 END, {meets},
        CASE WHEN {meets} THEN greatest(start_time, {low!r}) END, CASE WHEN {meets} THEN least(end_time, {high!r}) END FROM states"""


def slice_lists(w):
    low, high = w.low / w.per_second, w.high / w.per_second
    ours = f"SELECT value, slice_seconds(start_time, end_time, {low!r}, {high!r}, {w.n}) FROM states GROUP BY value"
    return ours, f"""WITH {w.slices()}, filled AS (
            SELECT value, slice, greatest(0, least(end_tick::HUGEINT * {w.n}, s1) - greatest(start_tick::HUGEINT * {w.n}, s0)) AS t FROM states, k),
        summed AS (SELECT value, slice, {w.seconds('sum(t)')} AS seconds FROM filled GROUP BY ALL)
        SELECT value, list(seconds ORDER BY slice) FROM summed GROUP BY value"""


PAIRS = {
    function.__name__: function
    for function in (
        state_slices, state_slices_filled, state_slices_of_segments, state_segments, event_slices, variable_slices, link_slices,
        link_slices_clipped, comm_in_flight, concurrency, timeline, slice_totals, microscopic_model, events_at, inspect, subtree,
        at_depth, hierarchy_aggregate, container_ancestors, interval_join, overlap_seconds, states_of_links, container_lanes, flat_profile,
        scalars, slice_lists,
    )
}  # fmt: skip
