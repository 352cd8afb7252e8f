"""One suite of queries by every client against one running server: each gives the rows of the embedded engine."""
import csv
import io
import math
import unittest

import clients
import suite
from place import TRACE, Server, WithStore, ocellus
from rows import check


def is_about_the_engine(query):
    """Another way of one client gets the tables and the queries about types and rows only."""
    return query.name.startswith(("view ", "cookbook ", "function: "))


class Suite(WithStore):
    """Every client, every query."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.queries = suite.load(cls.store)
        cls.server = cls.enterClassContext(Server(cls.store))

    def run_suite(self, make_client, lossy=lambda value: value, is_left_out=lambda query: False):
        faults = []
        with make_client(self.server) as client:
            for query in self.queries:
                if is_left_out(query):
                    continue
                if len(faults) == 10:
                    faults.append("…")
                    break
                try:
                    rows = client.rows(query.sql)
                except Exception as error:  # Whatever a driver raises: told below with all others.
                    faults.append(f"{query.name}: {type(error).__name__}: {clients.first_words(error)}")
                    continue
                check(query, rows, faults.append, lossy)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_every_table_function_is_in_the_suite(self):
        listed = next(query for query in self.queries if query.sql == "SELECT * FROM ocellus_functions()").expected
        names = {row["name"] for row in listed.to_pylist() if row["kind"] == "table function"}
        texts = " ".join(query.sql for query in self.queries)
        self.assertGreater(len(names), 30)
        # Servers read no file of their machine: test_security sees both refused.
        names -= {"read_csv", "read_parquet"}
        self.assertEqual([name for name in names if f"{name}(" not in texts], [])

    def test_psql(self):
        self.run_suite(clients.Psql)

    def test_psql_text(self):
        self.run_suite(clients.PsqlText, is_left_out=is_about_the_engine)

    def test_psql_copy(self):
        self.run_suite(clients.PsqlCopy, is_left_out=is_about_the_engine)

    def test_psycopg2(self):
        self.run_suite(clients.Psycopg2)

    def test_psycopg2_named_cursor(self):
        self.run_suite(clients.Psycopg2Named, is_left_out=is_about_the_engine)

    def test_psycopg3(self):
        self.run_suite(clients.Psycopg3, is_left_out=is_about_the_engine)

    def test_psycopg3_binary(self):
        self.run_suite(clients.Psycopg3Binary)

    def test_psycopg3_named_cursor(self):
        self.run_suite(clients.Psycopg3Named, is_left_out=is_about_the_engine)

    def test_psycopg3_copy(self):
        self.run_suite(clients.Psycopg3Copy, is_left_out=is_about_the_engine)

    def test_psycopg3_copy_binary(self):
        self.run_suite(clients.Psycopg3CopyBinary, is_left_out=is_about_the_engine)

    def test_sqlalchemy(self):
        self.run_suite(clients.SqlAlchemy)

    def test_sqlalchemy_psycopg3(self):
        self.run_suite(clients.SqlAlchemy3, is_left_out=is_about_the_engine)

    def test_asyncpg(self):
        self.run_suite(clients.Asyncpg)

    def test_adbc_postgresql(self):
        # It reads records of named types only.
        self.run_suite(clients.AdbcPostgresql, is_left_out=suite.Query.has_records)

    def test_adbc_flight(self):
        self.run_suite(clients.AdbcFlight)

    def test_curl_json(self):
        # JSON has no numbers beyond numbers.
        self.run_suite(clients.CurlJson, lambda value: None if isinstance(value, float) and not math.isfinite(value) else value)

    def test_curl_arrow(self):
        self.run_suite(clients.CurlArrow)

    def test_curl_csv(self):
        # CSV does not tell empty text from nothing once it was read; lists and structs are looked at as they are written.
        self.run_suite(clients.CurlCsv, lambda value: None if value == "" else value, suite.Query.is_nested)
        for query in filter(suite.Query.is_nested, self.queries):
            given = clients.curl(self.server, query.sql, "text/csv")
            expected = ocellus("sql", self.store, "--trace", TRACE, "--format", "csv", text=query.sql)
            both = [sorted(csv.reader(io.StringIO(text.decode(), newline=""))) for text in (given, expected)]
            self.assertEqual(both[0], both[1], query.name)


if __name__ == "__main__":
    unittest.main()
