"""A server follows its store, and stops with grace."""
import os
import signal
import threading
import unittest

import psycopg

import load
from clients import flight, post
from place import PATIENCE, ROOT, Server, WithStore, ocellus, wait_for


class Life(WithStore):
    def trace(self, name):
        return os.path.join(ROOT, "traces", name)

    def test_traces_appear_and_disappear(self):
        with Server(self.store) as server, psycopg.connect(server.pg(), autocommit=True) as connection:
            asked = "SELECT count(*) AS n FROM newcomer.states"
            ask = {
                "pg": lambda: connection.execute(asked).fetchone()[0],
                "http": lambda: int(post(server, asked, {"Accept": "text/csv"})[1].split()[1]),
                "flight": lambda: flight(server, asked)[0]["n"],
            }
            # Once as a prepared statement that stays.
            kept = lambda: connection.execute("SELECT count(*) FROM all_traces.trace_info", prepare=True).fetchone()[0]
            before = kept()
            with self.assertRaises(psycopg.errors.UndefinedTable):
                ask["pg"]()
            ocellus("import", self.trace("nested.trace"), "--store", self.store, "--name", "newcomer")
            counts = {name: one() for name, one in ask.items()}
            self.assertEqual(len(set(counts.values())), 1, counts)
            self.assertGreater(counts["pg"], 0)
            self.assertEqual(kept(), before + 1)
            self.assertIn("newcomer", [row[0] for row in connection.execute("SELECT nspname FROM pg_namespace")])
            ocellus("rename", self.store, "newcomer", "renamed")
            self.assertEqual(connection.execute(asked.replace("newcomer", "renamed")).fetchone()[0], counts["pg"])
            ocellus("drop", self.store, "renamed")
            for name, one in ask.items():
                with self.assertRaises(Exception, msg=name):
                    one()
            with self.assertRaises(psycopg.errors.UndefinedTable):
                connection.execute(asked.replace("newcomer", "renamed"))
            self.assertEqual(kept(), before)
            # The trace that somebody uses goes too.
            ocellus("import", self.trace("nested.trace"), "--store", self.store, "--name", "home")
            with psycopg.connect(server.pg("home"), autocommit=True) as homeless:
                self.assertGreater(homeless.execute("SELECT count(*) FROM states").fetchone()[0], 0)
                ocellus("drop", self.store, "home")
                with self.assertRaises(psycopg.Error):
                    homeless.execute("SELECT count(*) FROM states")
                self.assertEqual(homeless.execute("SELECT 1").fetchone(), (1,))
            self.assertGreater(connection.execute("SELECT count(*) FROM states").fetchone()[0], 0)

    def test_a_running_query_keeps_its_snapshot(self):
        ocellus("import", os.path.join(self.folder.name, "big.trace"), "--store", self.store, "--name", "doomed")
        sql = "SELECT s.container_id, s.value, s.start_time, r.value AS copy FROM doomed.states AS s, range(0, 20) AS r"
        with Server(self.store) as server:
            with psycopg.connect(server.pg(), autocommit=True) as connection:
                expected = connection.execute("SELECT count(*) * 20 FROM doomed.states").fetchone()[0]
            with psycopg.connect(server.pg()) as connection, connection.cursor(name="slow") as cursor:
                cursor.execute(sql)
                rows = len(cursor.fetchmany(10))
                ocellus("drop", self.store, "doomed")
                with psycopg.connect(server.pg(), autocommit=True) as other, self.assertRaises(psycopg.errors.UndefinedTable):
                    other.execute("SELECT 1 FROM doomed.states")
                cursor.itersize = 100_000
                rows += sum(1 for _ in cursor)
            self.assertEqual(rows, expected)

    def stop_while(self, sql, *options):
        """Asks the server to stop while a query gives rows, then reads on. Rows, error, exit code."""
        with Server(self.store, *options) as server, psycopg.connect(server.pg()) as idle:
            connection = psycopg.connect(server.pg(), autocommit=True)
            started = lambda: server.metrics()["ocellus_queries_started_total"]
            before, outcome = started(), {}

            def ask():
                try:
                    outcome["rows"] = len(connection.execute(sql).fetchall())
                except psycopg.Error as error:
                    outcome["error"] = error.sqlstate or str(error)

            thread = threading.Thread(target=ask)
            thread.start()
            wait_for(lambda: started() > before, "the query starts")
            server.process.send_signal(signal.SIGTERM)
            thread.join()
            code = server.process.wait(PATIENCE)
            with self.assertRaises(psycopg.OperationalError):
                idle.execute("SELECT 1")
            connection.close()
        return outcome, code

    def test_queries_that_run_may_finish(self):
        outcome, code = self.stop_while("SELECT a.value FROM range(0, 1000) AS a, range(0, 1000) AS b", "--grace", "120")
        self.assertEqual((outcome, code), ({"rows": 1_000_000}, 0))

    def test_queries_beyond_the_grace_are_told(self):
        outcome, code = self.stop_while(load.SILENT, "--grace", "1")
        self.assertEqual((outcome, code), ({"error": "57P01"}, 0))

    def test_a_server_without_clients_stops_at_once(self):
        with Server(self.store, "--grace", "600") as server, psycopg.connect(server.pg()):
            flight(server, "SELECT 1 AS n")
            post(server, "SELECT 1 AS n")
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_a_trace_is_served_too(self):
        with Server(self.trace("quickstart.trace")) as server, psycopg.connect(server.pg("quickstart")) as connection:
            self.assertEqual(connection.execute("SELECT count(*) FROM states").fetchone(), (24,))


if __name__ == "__main__":
    unittest.main()
