"""Clients find their way: schemas, tables, columns, comments and functions; parameters; what an error is."""
import asyncio
import json
import unittest
import urllib.error
import urllib.request

import asyncpg
import psycopg
import psycopg2
import pyarrow as pa
import sqlalchemy

import clients
import suite
from place import PATIENCE, TRACE, Server, WithStore, embedded

TABLES = set(suite.names("schemas/*.toml"))
VIEWS = set(suite.names("sql/views/*.sql"))

# The types that SQLAlchemy finds for those of the engine.
SQL_TYPES = {
    pa.bool_(): sqlalchemy.Boolean,
    pa.int32(): sqlalchemy.Integer,
    pa.int64(): sqlalchemy.BigInteger,
    pa.uint64(): sqlalchemy.Numeric,
    pa.float64(): sqlalchemy.Float,
    pa.string(): sqlalchemy.String,
    pa.timestamp("ms", "UTC"): sqlalchemy.DateTime,
    pa.timestamp("ns", "UTC"): sqlalchemy.DateTime,
}

# A query with one parameter, its value, and the same with the value written out.
PARAMETERS = [
    ("SELECT container, value FROM states WHERE container_id = {}", 3, "3"),
    ("SELECT container, value FROM states WHERE value = {}", "compute", "'compute'"),
    ("SELECT container, value FROM states WHERE duration > {}", 0.75, "0.75"),
    ("SELECT name FROM containers WHERE is_leaf = {}", True, "true"),
    ("SELECT name, parent_id FROM containers WHERE start_tick >= {} ORDER BY name", 0, "0"),
    ("SELECT container FROM states WHERE value = {} OR value LIKE '%it\\_%'", "it's", "'it''s'"),
    ("SELECT name FROM containers ORDER BY name LIMIT {}", 2, "2"),
]


class Catalogs(WithStore):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.enterClassContext(Server(cls.store))

    def expect(self, sql):
        table = embedded(self.store, [sql])[0]
        return sorted(zip(*(column.to_pylist() for column in table.columns)), key=repr)

    def test_psql_describes(self):
        texts = {command: clients.psql(self.server, command) for command in (
            r"\dt", r"\dv", r"\d", r"\dn", r"\l", r"\df", r"\d states", r"\d+ states", r"\d+ flat_profile", r"\dt+", r"\dn+",
            r"\du", r"\dT", r"\di", r"\ds", r"\dx", r"\conninfo", r"\dp", r"\z", r"\db",
            r"\dt *.states", r"\d ring.links", r"\df state_*", r"\dv+ time_*",
        )}
        for table in TABLES:
            self.assertIn(table, texts[r"\dt"])
        for view in VIEWS:
            self.assertIn(view, texts[r"\dv"])
        for schema in (TRACE, "ring", "big", "all_traces"):
            self.assertIn(schema, texts[r"\dn"])
        for function in ("state_slices", "treemap", "overlap"):
            self.assertIn(function, texts[r"\df"])
        for words in ("container_id", "integer", "double precision", "duration"):
            self.assertIn(words, texts[r"\d states"])
        self.assertIn("Name of that container.", texts[r"\d+ states"])
        self.assertIn("SELECT", texts[r"\d+ flat_profile"].upper())

    def inspector(self):
        client = self.enterContext(clients.SqlAlchemy(self.server))
        return client.engine, sqlalchemy.inspect(client.engine)

    def test_sqlalchemy_reflects(self):
        engine, inspector = self.inspector()
        self.assertEqual(inspector.default_schema_name, TRACE)
        self.assertLessEqual({TRACE, "ring", "big", "all_traces"}, set(inspector.get_schema_names()))
        self.assertEqual(set(inspector.get_table_names(TRACE)), TABLES)
        self.assertLessEqual(VIEWS, set(inspector.get_view_names(TRACE)))
        for name in sorted(TABLES | VIEWS):
            schema = embedded(self.store, [f"SELECT * FROM {name} LIMIT 0"])[0].schema
            columns = inspector.get_columns(name, TRACE)
            self.assertEqual([column["name"] for column in columns], schema.names, name)
            for column, kind in zip(columns, schema.types):
                self.assertIsInstance(column["type"], SQL_TYPES[kind], f"{name}.{column['name']}")
            inspector.get_pk_constraint(name, TRACE)
            self.assertEqual(inspector.get_foreign_keys(name, TRACE), [])
            self.assertEqual(inspector.get_indexes(name, TRACE), [])
            self.assertEqual(inspector.get_check_constraints(name, TRACE), [])
            self.assertEqual(inspector.get_unique_constraints(name, TRACE), [])
        self.assertTrue(inspector.get_table_comment("states", TRACE)["text"])
        self.assertTrue(all(column["comment"] for column in inspector.get_columns("states", TRACE)))
        self.assertIn("SELECT", inspector.get_view_definition("flat_profile", TRACE).upper())
        self.assertTrue(inspector.has_table("states", TRACE))
        self.assertFalse(inspector.has_table("nothing_here", TRACE))

    def test_sqlalchemy_core_over_reflected_tables(self):
        engine, _ = self.inspector()
        metadata = sqlalchemy.MetaData()
        metadata.reflect(engine, schema=TRACE, views=True)
        self.assertEqual(len([t for t in metadata.tables.values() if t.name in TABLES | VIEWS]), len(TABLES | VIEWS))
        states = metadata.tables[f"{TRACE}.states"]
        query = (
            sqlalchemy.select(states.c.value, sqlalchemy.func.count().label("n"), sqlalchemy.func.sum(states.c.duration))
            .where(states.c.depth == 0, states.c.value.in_(["compute", "MPI_Send"]))
            .group_by(states.c.value)
        )
        with engine.connect() as connection:
            rows = sorted(map(tuple, connection.execute(query)), key=repr)
            slices = connection.execute(
                sqlalchemy.text("SELECT count(*) FROM state_slices(slices => 7) WHERE seconds > :least"), {"least": 0.5}
            ).scalar()
        self.assertEqual(rows, self.expect(
            "SELECT value, count(*), sum(duration) FROM states WHERE depth = 0 AND value IN ('compute', 'MPI_Send') GROUP BY value"
        ))
        self.assertEqual([(slices,)], self.expect("SELECT count(*) FROM state_slices(slices => 7) WHERE seconds > 0.5"))

    def test_parameters_of_psycopg(self):
        with psycopg.connect(self.server.pg(), autocommit=True) as three, psycopg2.connect(self.server.pg()) as two:
            for sql, value, written in PARAMETERS:
                expected = self.expect(sql.format(written))
                for_driver = sql.replace("%", "%%").format("%s")
                for binary in (False, True):
                    with three.cursor(binary=binary) as cursor:
                        rows = cursor.execute(for_driver, [value]).fetchall()
                        self.assertEqual(sorted(rows, key=repr), expected, sql)
                        # The second time as a statement that the server keeps.
                        rows = cursor.execute(for_driver, [value], prepare=True).fetchall()
                        self.assertEqual(sorted(rows, key=repr), expected, sql)
                with two.cursor() as cursor:
                    cursor.execute(for_driver, [value])
                    self.assertEqual(sorted(cursor.fetchall(), key=repr), expected, sql)
            with three.cursor() as cursor:
                nothing = cursor.execute("SELECT count(*) FROM states WHERE value = %s", [None]).fetchone()
                self.assertEqual(nothing, (0,))
                cursor.executemany("SELECT %s::int + 1", [(1,), (2,)], returning=True)

    def test_parameters_of_asyncpg(self):
        async def ask():
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.server.ports["pg"], user="reader", database="ocellus", ssl=False,
                server_settings={"search_path": TRACE},
            )
            answers = []
            for sql, value, _ in PARAMETERS:
                statement = await connection.prepare(sql.format("$1"))
                answers.append([tuple(row) for row in await statement.fetch(value)])
            async with connection.transaction():
                rows = [row async for row in connection.cursor("SELECT value AS n FROM range(0, 1000) ORDER BY 1", prefetch=70)]
            await connection.close()
            return answers, rows

        answers, rows = asyncio.run(ask())
        for (sql, _, written), answer in zip(PARAMETERS, answers):
            self.assertEqual(sorted(answer, key=repr), self.expect(sql.format(written)), sql)
        self.assertEqual([row["n"] for row in rows], list(range(1000)))

    def test_parameters_of_adbc(self):
        for make_client, mark in ((clients.AdbcPostgresql, "$1"), (clients.AdbcFlight, "$1"), (clients.AdbcFlight, "?")):
            with make_client(self.server) as client:
                for sql, value, written in PARAMETERS:
                    table = client.table(sql.format(mark), [value])
                    rows = sorted(zip(*(column.to_pylist() for column in table.columns)), key=repr)
                    self.assertEqual(rows, self.expect(sql.format(written)), f"{make_client.__name__}: {sql}")

    def test_adbc_finds_tables(self):
        for make_client in (clients.AdbcPostgresql, clients.AdbcFlight):
            with make_client(self.server) as client:
                schema = client.connection.adbc_get_table_schema("states", db_schema_filter=TRACE)
                wanted = embedded(self.store, ["SELECT * FROM states LIMIT 0"])[0].schema
                self.assertEqual(schema.names, wanted.names)
                objects = client.connection.adbc_get_objects(depth="columns").read_all().to_pylist()
                schemas = {s["db_schema_name"]: s for c in objects for s in c["catalog_db_schemas"] or []}
                self.assertLessEqual({TRACE, "ring", "big"}, set(schemas), make_client.__name__)
                tables = {t["table_name"]: t for t in schemas[TRACE]["db_schema_tables"]}
                self.assertLessEqual(TABLES | VIEWS, set(tables), make_client.__name__)
                # In any order: the driver for PostgreSQL asks for none.
                columns = [column["column_name"] for column in tables["states"]["table_columns"]]
                self.assertEqual(sorted(columns), sorted(wanted.names), make_client.__name__)

    def get(self, path):
        with urllib.request.urlopen(self.server.url(path), timeout=PATIENCE) as answer:
            return answer.read().decode()

    def test_http_tells_what_there_is(self):
        self.assertIn("ok", self.get("/health").lower())
        traces = json.loads(self.get("/traces"))
        self.assertLessEqual({TRACE, "ring", "big", "unicode"}, {trace["name"] for trace in traces})
        functions = json.loads(self.get("/functions"))
        self.assertLessEqual({"state_slices", "overlap", "flat_profile"}, {function["name"] for function in functions})
        description = json.loads(self.get("/openapi.json"))
        self.assertLessEqual({"/sql", "/traces", "/functions", "/health", "/metrics"}, set(description["paths"]))
        self.assertIn("# TYPE ocellus_queries_running gauge", self.get("/metrics"))

    def test_http_takes_json(self):
        for sql, value, written in PARAMETERS:
            body = json.dumps({"sql": sql.format("$1"), "trace": TRACE, "parameters": [value]}).encode()
            request = urllib.request.Request(self.server.url("/sql"), body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                rows = [tuple(row.values()) for row in json.load(answer)]
            self.assertEqual(sorted(rows, key=repr), self.expect(sql.format(written)), sql)

    def test_errors_have_their_codes(self):
        cases = [
            ("SELECT nothing FROM states", "42703", 400),
            ("SELECT * FROM nothing", "42P01", 400),
            ("SELECT * FROM nothing.nothing", "42P01", 400),
            ("SELEC 1", "42601", 400),
            ("SELECT 1 +", "42601", 400),
            ("SELECT nothing(1)", "42883", 400),
            ("SELECT * FROM nothing()", "42883", 400),
            ("SELECT CAST('x' AS INT) FROM states", "22P02", 400),
            ("SELECT 1 / (depth - depth) FROM states", "22012", 400),
            ("SELECT * FROM state_slices(slices => 0)", None, 400),
            ("SELECT * FROM state_slices(slicse => 5)", None, 400),
        ]
        with psycopg.connect(self.server.pg(), autocommit=True) as connection, clients.AdbcFlight(self.server) as flight:
            for sql, state, status in cases:
                with self.assertRaises(psycopg.Error, msg=sql) as caught:
                    connection.execute(sql)
                if state:
                    self.assertEqual(caught.exception.sqlstate, state, f"{sql}: {caught.exception}")
                with self.assertRaises(urllib.error.HTTPError, msg=sql) as caught:
                    urllib.request.urlopen(self.server.url(f"/sql?trace={TRACE}"), sql.encode(), timeout=PATIENCE)
                self.assertEqual(caught.exception.code, status, sql)
                self.assertTrue(caught.exception.read(), sql)
                with self.assertRaises(Exception, msg=sql) as caught:
                    flight.table(sql)
                self.assertNotIn("internal", str(caught.exception).lower(), sql)
            # None of them harmed the connections.
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
            self.assertEqual(flight.table("SELECT 1 AS n").to_pylist(), [{"n": 1}])

    def test_errors_have_places_and_hints(self):
        with psycopg.connect(self.server.pg(), autocommit=True) as connection:
            with self.assertRaises(psycopg.Error) as caught:
                connection.execute("SELECT 1;\nSELECT valeu FROM states")
            found = caught.exception.diag
            self.assertEqual((found.message_primary, found.message_hint), ("no column valeu", "did you mean value?"))
            # Ten characters with the end of the line, seven more before the name.
            self.assertEqual(found.statement_position, "18")
            # Columns of equal names are allowed; the error is the other one.
            with self.assertRaises(psycopg.Error) as caught:
                connection.execute("SELECT count(*), count(*) FROM states ORDER BY 3")
            self.assertNotIn("unique", caught.exception.diag.message_primary)
            self.assertIn("order by", caught.exception.diag.message_primary.lower())
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(self.server.url(f"/sql?trace={TRACE}"), b"SELECT\n  valeu FROM states", timeout=PATIENCE)
        expected = {"code": "42703", "kind": "unknown_column", "message": "no column valeu", "line": 2, "column": 3, "hint": "did you mean value?"}
        self.assertEqual(json.loads(caught.exception.read()), expected)

    def test_transactions_and_settings_are_understood(self):
        with psycopg.connect(self.server.pg()) as connection:
            connection.execute("SELECT 1")
            with self.assertRaises(psycopg.errors.UndefinedTable):
                connection.execute("SELECT * FROM nothing")
            with self.assertRaises(psycopg.errors.InFailedSqlTransaction):
                connection.execute("SELECT 1")
            connection.rollback()
            with connection.transaction():
                with self.assertRaises(psycopg.errors.UndefinedColumn), connection.transaction():
                    connection.execute("SELECT nothing FROM states")
                self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
        with psycopg.connect(self.server.pg(), autocommit=True) as connection:
            connection.execute("SET search_path TO ring")
            self.assertEqual(connection.execute("SELECT current_schema()").fetchone(), ("ring",))
            links = connection.execute("SELECT count(*) FROM links").fetchone()
            self.assertEqual([links], self.expect("SELECT count(*) FROM ring.links"))
            connection.execute("DISCARD ALL")
            self.assertEqual(connection.execute("SELECT current_schema()").fetchone(), (TRACE,))
            self.assertRegex(connection.execute("SELECT version()").fetchone()[0], r"^PostgreSQL 15\.")
            self.assertRegex(connection.execute("SHOW server_version").fetchone()[0], r"^15\.")
            self.assertEqual(connection.info.server_version // 10000, 15)
            isolation = connection.execute("SHOW TRANSACTION ISOLATION LEVEL").fetchone()
            self.assertEqual(isolation, ("read committed",))
            with connection.pipeline():
                answers = [connection.execute(f"SELECT {n} AS n") for n in range(5)]
                self.assertEqual([answer.fetchone() for answer in answers], [(n,) for n in range(5)])
            several = connection.execute("SELECT 1; SELECT 2; SELECT 3")
            rows = [several.fetchone()]
            while several.nextset():
                rows.append(several.fetchone())
            self.assertEqual(rows, [(1,), (2,), (3,)])


if __name__ == "__main__":
    unittest.main()
