"""Random queries over the tables of a trace that two engines must answer alike.

What the engines define differently is not asked: division of whole numbers, rounding to digits, text of a float, the
place of NULL in an order (always written), rows of a LIMIT among equals (the order is by all columns), and the order of 0
and -0.
"""

TABLES = {
    "containers": {
        "container_id": "int", "name": "text", "alias": "text", "type": "text", "parent_id": "int", "path": "text", "depth": "int",
        "start_time": "float", "end_time": "float", "is_leaf": "bool", "leaves": "int", "preorder": "int", "start_tick": "int",
    },
    "states": {
        "container_id": "int", "container": "text", "type": "text", "value": "text", "start_time": "float", "end_time": "float",
        "duration": "float", "depth": "int", "start_tick": "int", "end_tick": "int",
    },
    "state_segments": {
        "container_id": "int", "container": "text", "type": "text", "value": "text", "start_time": "float", "duration": "float",
        "depth": "int", "start_tick": "int", "end_tick": "int",
    },
    "events": {"container_id": "int", "container": "text", "type": "text", "value": "text", "time": "float", "tick": "int"},
    "variables": {
        "container_id": "int", "container": "text", "type": "text", "value": "float", "start_time": "float", "duration": "float",
        "start_tick": "int", "end_tick": "int",
    },
    "links": {
        "container_id": "int", "type": "text", "value": "text", "key": "text", "source_id": "int", "source": "text", "target_id": "int",
        "target": "text", "start_time": "float", "end_time": "float", "duration": "float", "volume": "float",
        "start_tick": "int",
    },
    "types": {"type_id": "int", "kind": "text", "name": "text", "alias": "text", "parent": "text"},
}  # fmt: skip
# Without a unit: words that match some of what traces hold, and none.
TEXTS = ["run", "wait", "été", "🚀", "", "a b", "container c1", "State", "Level 0", "nothing", "it''s", "50 %", "Run"]
PATTERNS = ["%", "r%", "%n", "_un", "%a%", "%é%", "", "\\%", "__", "%🚀%", "c%_%1", "R%", "%''%", "%%"]
INTS = ["0", "1", "2", "-1", "3", "7", "1000000000"]
FLOATS = ["0.0", "0.5", "1.0", "-1.5", "2.25", "1e9", "0.1"]


class Query:
    """The state of one query: a source of chance, what is in reach, and how deep it may still go."""

    def __init__(self, chance):
        self.chance, self.names = chance, 0

    def pick(self, *choices):
        return self.chance.choice(choices)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # Expressions. A scope is a list of (text of a column, its kind).

    def column(self, scope, kind):
        found = [text for text, its in scope if its == kind]
        return self.chance.choice(found) if found else None

    def literal(self, kind):
        if self.chance.random() < 0.08:
            return f"CAST(NULL AS {({'int': 'BIGINT', 'float': 'DOUBLE', 'text': 'VARCHAR', 'bool': 'BOOLEAN'})[kind]})"
        if kind == "text":
            return f"'{self.chance.choice(TEXTS)}'"
        if kind == "float":
            return f"CAST({self.chance.choice(FLOATS)} AS DOUBLE)"
        return self.chance.choice(INTS) if kind == "int" else self.pick("true", "false")

    def expression(self, scope, kind, depth=2):
        if depth <= 0 or self.chance.random() < 0.35:
            return (self.chance.random() < 0.8 and self.column(scope, kind)) or self.literal(kind)
        return getattr(self, kind)(scope, depth - 1)

    def int(self, scope, depth):
        one = lambda: self.expression(scope, "int", depth)
        return self.pick(
            lambda: f"({self.small(scope)} {self.pick('+', '-', '*')} {self.small(scope)})",
            lambda: f"({one()} % {self.pick('2', '3', '7', '-5')})",
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"nullif({one()}, {one()})",
            lambda: f"CASE WHEN {self.expression(scope, 'bool', depth)} THEN {one()} ELSE {one()} END",
            lambda: f"CASE WHEN {self.expression(scope, 'bool', depth)} THEN {one()} WHEN {self.expression(scope, 'bool', depth)} THEN {one()} END",
            lambda: f"length({self.expression(scope, 'text', depth)})",
            lambda: f"{self.pick('greatest', 'least')}({one()}, {one()})",
            lambda: f"strpos({self.expression(scope, 'text', depth)}, {self.expression(scope, 'text', depth)})",
            lambda: f"abs({self.small(scope)})",
            lambda: f"(- {self.small(scope)})",
        )()

    def small(self, scope):
        """A whole number whose products stay small."""
        found = [text for text, its in scope if its == "int" and "tick" not in text]
        return self.chance.choice(found) if found and self.chance.random() < 0.7 else self.pick("0", "1", "2", "-3", "CAST(NULL AS BIGINT)")

    def float(self, scope, depth):
        one = lambda: self.expression(scope, "float", depth)
        return self.pick(
            lambda: f"({one()} {self.pick('+', '-')} {one()})",
            lambda: f"({one()} * {self.pick('0.5', '2.0', '3.0')})",
            lambda: f"({one()} / {self.pick('2.0', '4.0', '8.0')})",
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"CASE WHEN {self.expression(scope, 'bool', depth)} THEN {one()} ELSE {one()} END",
            lambda: f"CAST({self.expression(scope, 'int', depth)} AS DOUBLE)",
            lambda: f"{self.pick('abs', 'floor', 'ceil')}({one()})",
            lambda: f"{self.pick('greatest', 'least')}({one()}, {one()})",
        )()

    def text(self, scope, depth):
        one = lambda: self.expression(scope, "text", depth)
        return self.pick(
            lambda: f"({one()} || {one()})",
            lambda: f"concat({one()}, {one()})",
            lambda: f"coalesce({one()}, {one()})",
            lambda: f"nullif({one()}, {one()})",
            lambda: f"substr({one()}, {self.pick('1', '2', '3')}, {self.pick('0', '1', '4')})",
            lambda: f"left({one()}, {self.pick('0', '1', '3', '-1')})",
            lambda: f"replace({one()}, 'a', {one()})",
            lambda: f"CAST({self.expression(scope, 'int', depth)} AS VARCHAR)",
            lambda: f"CASE {one()} WHEN {one()} THEN {one()} ELSE {one()} END",
            lambda: f"trim({one()})",
            lambda: f"split_part({one()}, '{self.pick(' ', 'n', '_')}', {self.pick('1', '2')})",
            lambda: f"repeat({one()}, 2)",
            lambda: f"lpad({one()}, 3, 'z')",
        )()

    def bool(self, scope, depth):
        one = lambda: self.expression(scope, "bool", depth)
        kind = self.pick("int", "float", "text")
        left, right = (self.expression(scope, kind, depth) for _ in range(2))
        return self.pick(
            lambda: f"({left} {self.pick('=', '<>', '<', '<=', '>', '>=')} {right})",
            lambda: f"({left} IS {self.pick('', 'NOT ')}DISTINCT FROM {right})",
            lambda: f"({left} {self.pick('', 'NOT ')}BETWEEN {right} AND {self.expression(scope, kind, depth)})",
            lambda: f"({left} {self.pick('', 'NOT ')}IN ({right}, {self.expression(scope, kind, depth)}, {self.literal(kind)}))",
            lambda: f"({left} IS {self.pick('', 'NOT ')}NULL)",
            lambda: f"({one()} {self.pick('AND', 'OR')} {one()})",
            lambda: f"(NOT {one()})",
            lambda: f"({one()} IS {self.pick('', 'NOT ')}{self.pick('TRUE', 'FALSE', 'UNKNOWN')})",
            lambda: f"({self.expression(scope, 'text', depth)} {self.pick('', 'NOT ')}{self.pick('LIKE', 'LIKE', 'ILIKE')} '{self.pick(*PATTERNS)}')",
            lambda: f"starts_with({self.expression(scope, 'text', depth)}, {self.expression(scope, 'text', depth)})",
            lambda: f"regexp_like({self.expression(scope, 'text', depth)}, '{self.pick('^r', 'n$', '[a-c]+', '.', 'é|🚀', '^$')}')",
        )()

    # Relations: text of a FROM item and its scope.

    def table(self):
        name = self.chance.choice(list(TABLES))
        alias = self.name("t")
        return f"{name} AS {alias}", [(f"{alias}.{column}", kind) for column, kind in TABLES[name].items()]

    def source(self, depth=2):
        """A table, a join of some, or a query in parentheses."""
        chance = self.chance.random()
        if depth <= 0 or chance < 0.45:
            return self.table()
        if chance < 0.65:
            text, kinds = self.rows(depth - 1)
            alias = self.name("q")
            names = [f"a{number}" for number in range(len(kinds))]
            return f"({text}) AS {alias}({', '.join(names)})", [(f"{alias}.{name}", kind) for name, kind in zip(names, kinds)]
        (left, one), (right, other) = self.source(depth - 1), self.table()
        both = one + other
        keys = [(a, b) for a, kind in one for b, its in other if kind == its == "int" and "tick" not in a + b and ("id" in a or "depth" in a) and ("id" in b or "depth" in b)]
        if not keys or chance > 0.97:
            return f"{left} CROSS JOIN (SELECT * FROM {right} LIMIT 0) AS {right.split()[-1]}" if chance > 0.99 else f"{left}", one
        condition = " = ".join(self.chance.choice(keys))
        if self.chance.random() < 0.5:
            condition += f" AND {self.expression(both, 'bool', 2)}"
        return f"{left} {self.pick('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'JOIN')} {right} ON {condition}", both

    def condition(self, scope):
        """A predicate, of which some hold a subquery."""
        if self.chance.random() < 0.75:
            return self.expression(scope, "bool", 3)
        text, inner = self.table()
        kind = self.pick("int", "text")
        outer, mine = self.column(scope, kind), self.column(inner, kind)
        if not outer or not mine:
            return self.expression(scope, "bool", 3)
        extra = self.expression(inner, "bool", 2)
        return self.pick(
            lambda: f"{outer} {self.pick('', 'NOT ')}IN (SELECT {mine} FROM {text} WHERE {extra})",
            lambda: f"{self.pick('', 'NOT ')}EXISTS (SELECT 1 FROM {text} WHERE {mine} = {outer} AND {extra})",
            lambda: f"{outer} {self.pick('<', '>=', '=')} (SELECT {self.pick('max', 'min')}({mine}) FROM {text} WHERE {extra})",
            lambda: f"(SELECT count(*) FROM {text} WHERE {mine} = {outer}) {self.pick('>', '=', '<')} {self.pick('0', '1', '2')}",
        )()

    # Whole queries: text and the kinds of their columns.

    def rows(self, depth=2):
        return self.pick(self.plain, self.plain, self.grouped, self.grouped, self.windowed, self.ranged, self.combined, self.common, self.lateral)(depth)

    def where(self, scope, chance=0.7):
        return f" WHERE {self.condition(scope)}" if self.chance.random() < chance else ""

    def plain(self, depth=2):
        text, scope = self.source(depth)
        kinds = [self.pick("int", "float", "text", "bool") for _ in range(self.pick(1, 2, 3))]
        columns = [f"{self.expression(scope, kind, 2)} AS x{number}" for number, kind in enumerate(kinds)]
        return f"SELECT {self.pick('', '', 'DISTINCT ')}{', '.join(columns)} FROM {text}{self.where(scope)}", kinds

    def aggregate(self, scope):
        """An aggregate and its kind."""
        kind = self.pick("int", "float", "text", "bool")
        argument = self.expression(scope, kind, 1)
        choices = [("count(*)", "int"), (f"count({argument})", "int"), (f"count(DISTINCT {argument})", "int")]
        if kind != "bool":
            choices += [(f"min({argument})", kind), (f"max({argument})", kind)]
        if kind == "int":
            choices += [(f"sum({self.small(scope)})", "int"), (f"avg({self.small(scope)})", "float"), (f"sum(DISTINCT {self.small(scope)})", "int")]
        if kind == "float":
            choices += [(f"sum({argument})", "float"), (f"avg({argument})", "float")] * 2
            choices += [(f"{self.pick('stddev_pop', 'var_pop', 'median')}(CAST({self.small(scope)} AS DOUBLE))", "float")]
        if kind == "bool":
            choices += [(f"{self.pick('bool_and', 'bool_or')}({argument})", "bool")] * 2
        if kind == "text":
            choices.append((f"string_agg({argument}, ',' ORDER BY {argument})", "text"))
        text, its = self.chance.choice(choices)
        if self.chance.random() < 0.3:
            text += f" FILTER (WHERE {self.expression(scope, 'bool', 2)})"
        return text, its

    def grouped(self, depth=2):
        source, scope = self.source(depth)
        keys = [(self.expression(scope, kind, 1), kind) for kind in self.pick((), ("int",), ("text",), ("text", "int"), ("bool", "text"))]
        # A key that is a constant is a place in the list for some.
        keys = [(text, kind) for text, kind in keys if any(column in text for column, _ in scope)]
        aggregates = [self.aggregate(scope) for _ in range(self.pick(1, 2, 3))]
        columns = [f"{text} AS k{n}" for n, (text, _) in enumerate(keys)] + [f"{text} AS g{n}" for n, (text, _) in enumerate(aggregates)]
        text = f"SELECT {', '.join(columns)} FROM {source}{self.where(scope, 0.5)}"
        if keys:
            listed = ", ".join(key for key, _ in keys)
            sets = self.pick(listed, listed, listed, f"ROLLUP ({listed})", f"CUBE ({listed})", f"GROUPING SETS (({listed}), ())")
            text += f" GROUP BY {sets}"
            if self.chance.random() < 0.3:
                text += f" HAVING count(*) {self.pick('>', '<=', '=')} {self.pick('1', '2', '5')}"
        return text, [kind for _, kind in keys] + [kind for _, kind in aggregates]

    def windowed(self, depth=2):
        """A window over one table, ordered by all that tells rows apart."""
        name = self.pick("states", "variables", "events", "containers", "links")
        scope = [(column, kind) for column, kind in TABLES[name].items()]
        order = ", ".join(f"{column} {self.pick('', 'DESC ')}NULLS {self.pick('FIRST', 'LAST')}" for column, _ in scope)
        partition = self.pick("", f"PARTITION BY {self.column(scope, self.pick('text', 'int'))} ")
        kind = self.pick("int", "text")
        argument = self.expression(scope, kind, 1)
        frame = self.pick("", "", f" ROWS BETWEEN {self.pick('UNBOUNDED', '1', '2')} PRECEDING AND {self.pick('CURRENT ROW', '1 FOLLOWING', 'UNBOUNDED FOLLOWING')}")
        function, its, takes_frame = self.pick(
            ("row_number()", "int", False), ("ntile(3)", "int", False),
            (f"lag({argument}, {self.pick('1', '2')})", kind, False), (f"lead({argument})", kind, False),
            (f"first_value({argument})", kind, True), (f"last_value({argument})", kind, True), (f"nth_value({argument}, 2)", kind, True),
            (f"count({argument})", "int", True), (f"sum({self.small(scope)})", "int", True),
            (f"min({argument})", kind, True), (f"max({argument})", kind, True),
        )  # fmt: skip
        window = f"{function} OVER ({partition}ORDER BY {order}{frame if takes_frame else ''})"
        ranked = self.column(scope, self.pick("int", "text"))
        rank = f"{self.pick('rank', 'dense_rank')}() OVER ({partition}ORDER BY {ranked} NULLS LAST)"
        shown = self.column(scope, "text")
        return f"SELECT {shown} AS x, {window} AS w, {rank} AS r FROM {name}{self.where(scope, 0.3)}", ["text", its, "int"]

    def ranged(self, depth=2):
        """Frames by value: peers count together, so their order does not matter."""
        name = self.pick("states", "variables", "events", "links")
        scope = [(column, kind) for column, kind in TABLES[name].items()]
        tick = "tick" if name == "events" else "start_tick"
        low, high = self.pick("UNBOUNDED", "0", "1000000", "500000000"), self.pick("UNBOUNDED", "0", "1000000000")
        frame = f"RANGE BETWEEN {low} PRECEDING AND {self.pick('CURRENT ROW', high + ' FOLLOWING')}"
        partition = self.pick("", f"PARTITION BY {self.column(scope, self.pick('text', 'int'))} ")
        function = self.pick("count(*)", f"sum({self.small(scope)})", f"min({self.column(scope, 'text')})", f"max({self.small(scope)})")
        kind = "text" if function.startswith("min") else "int"
        order = f"{tick} {self.pick('', 'DESC ')}NULLS LAST"
        return f"SELECT {tick} AS x, {function} OVER ({partition}ORDER BY {order} {frame}) AS w FROM {name}{self.where(scope, 0.4)}", ["int", kind]

    def lateral(self, depth=2):
        """A query for each row of a table, and the first row of each group."""
        text, outer = self.table()
        inner_text, inner = self.table()
        key = [(a, b) for a, kind in outer for b, its in inner if kind == its == "int" and "id" in a and "id" in b]
        if not key or self.chance.random() < 0.5:
            group, shown = self.column(outer, "text"), [column for column, _ in outer]
            order = ", ".join(f"{column} {self.pick('', 'DESC ')}NULLS {self.pick('FIRST', 'LAST')}" for column in shown if column != group)
            return f"SELECT DISTINCT ON ({group}) {group} AS x, {self.column(outer, 'int')} AS y FROM {text}{self.where(outer, 0.4)} ORDER BY {group} NULLS LAST, {order}", ["text", "int"]
        left, right = self.chance.choice(key)
        aggregate, kind = self.aggregate(inner)
        name = self.name("l")
        condition = self.expression(inner, "bool", 1)
        return (
            f"SELECT {left} AS x, {name}.v AS y FROM {text} {self.pick('CROSS JOIN', 'LEFT JOIN')} LATERAL (SELECT {aggregate} AS v FROM {inner_text} WHERE {right} = {left} AND {condition}) AS {name} ON true".replace(
                "CROSS JOIN LATERAL", "JOIN LATERAL"
            ),
            ["int", kind],
        )

    def combined(self, depth=2):
        """Set operations between columns of the same kinds."""
        kinds = [self.pick("int", "text", "bool") for _ in range(self.pick(1, 2))]
        parts = []
        for _ in range(2):
            text, scope = self.source(max(0, depth - 1))
            columns = [f"{self.expression(scope, kind, 1)} AS x{number}" for number, kind in enumerate(kinds)]
            parts.append(f"SELECT {', '.join(columns)} FROM {text}{self.where(scope, 0.5)}")
        return f" {self.pick('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL')} ".join(parts), kinds

    def common(self, depth=2):
        """A common table expression that is read twice."""
        inner, kinds = self.plain(max(0, depth - 1))
        name, names = self.name("w"), [f"a{number}" for number in range(len(kinds))]
        scope = [(f"l.{column}", kind) for column, kind in zip(names, kinds)]
        head = f"WITH {name}({', '.join(names)}) AS ({inner}) SELECT l.{names[0]} AS x0, (SELECT count(*) FROM {name}) AS n FROM {name} AS l"
        return head + self.where(scope, 0.6), [kinds[0], "int"]


def ordered(query, text, kinds):
    """The same with an order by all columns and a limit, when its columns have an exact order."""
    if "float" in kinds or query.chance.random() < 0.6:
        return text, False
    order = ", ".join(f"{n + 1} {query.pick('', 'DESC ')}NULLS {query.pick('FIRST', 'LAST')}" for n in range(len(kinds)))
    names = ", ".join(f"z{n}" for n in range(len(kinds)))
    limit = query.pick("", " LIMIT 5", " LIMIT 3 OFFSET 2", " LIMIT 0")
    return f"SELECT {names} FROM ({text}) AS o({names}) ORDER BY {order}{limit}", True


def rewritings(query):
    """Pairs of texts that one engine must answer alike: partitions of a predicate, equal forms, filters that filter nothing."""
    text, scope = query.source(1)
    p, q = query.condition(scope), query.expression(scope, "bool", 2)
    kind = query.pick("int", "text", "bool")
    column = query.expression(scope, kind, 1)
    base = f"SELECT {column} AS x FROM {text}"
    yield base, f"{base} WHERE {p} UNION ALL {base} WHERE NOT ({p}) UNION ALL {base} WHERE ({p}) IS NULL"
    yield f"SELECT count(*) AS n FROM {text} WHERE {p}", f"SELECT coalesce(sum(CASE WHEN {p} THEN 1 ELSE 0 END), 0) AS n FROM {text}"
    for other in (f"({p}) AND (({q}) OR true)", f"({p}) AND (({p}) OR ({q}))", f"NOT NOT ({p})", f"({p}) IS TRUE", f"CASE WHEN {p} THEN true ELSE false END", f"coalesce({p}, false)"):
        yield f"{base} WHERE {p}", f"{base} WHERE {other}"
    yield f"{base} WHERE {p}", f"SELECT x FROM (SELECT {column} AS x, {p} AS p FROM {text}) AS s WHERE p"
    yield f"{base} WHERE {p}", f"WITH w AS ({base} WHERE {p} LIMIT 1000000000) SELECT x FROM w"
    yield f"SELECT DISTINCT x FROM ({base}) AS s", f"SELECT x FROM ({base}) AS s GROUP BY x"
    yield f"SELECT DISTINCT x FROM ({base}) AS s", f"{base} UNION {base}"
    if kind != "bool":
        top = f"SELECT max(x) AS m FROM ({base} WHERE {p}) AS s"
        yield top, f"SELECT max(m) AS m FROM ({top} UNION ALL SELECT max(x) FROM ({base} WHERE ({p}) AND ({q})) AS s) AS u"
