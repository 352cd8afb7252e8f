"""Doors that must be closed, and limits that must hold, on every protocol; the server goes on serving others."""
import base64
import http.client
import os
import socket
import ssl
import struct
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import psycopg
import trustme

import load
from clients import flight, post
from place import OCELLUS, PATIENCE, Server, WithStore, wait_for

PASSWORD, TOKEN = "correct horse", "0123456789abcdef"


def dial(server, protocol):
    one = socket.create_connection(("127.0.0.1", server.ports[protocol]))
    one.settimeout(PATIENCE)
    return one


def is_closed(one):
    """Whether the other side closes, whatever it says before."""
    try:
        while one.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


class Doors(WithStore):
    """Users, certificates and addresses."""

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def guarded(self, *options):
        users, tokens = self.write("users", f"reader:{PASSWORD}\n"), self.write("tokens", TOKEN + "\n")
        return Server(self.store, "--users", users, "--tokens", tokens, "--log-level", "debug", *options, token=TOKEN)

    def check_log(self, server):
        """Refused logins are in the log, secrets are not."""
        wait_for(lambda: any("login refused" in line for line in server.said), "a refused login is logged")
        for secret in (PASSWORD, TOKEN, TOKEN[:-1], "wrong horse"):
            self.assertNotIn(secret, "\n".join(server.said))

    def test_passwords(self):
        with self.guarded() as server:
            right = dict(host="127.0.0.1", port=server.ports["pg"], dbname="ocellus", user="reader", password=PASSWORD)
            with psycopg.connect(**right, require_auth="scram-sha-256") as connection:
                self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
            said = {}
            for name, wrong in {"password": {"password": "wrong horse"}, "user": {"user": "nobody"}, "empty": {"password": ""}}.items():
                with self.assertRaises(psycopg.OperationalError, msg=name) as caught:
                    psycopg.connect(**(right | wrong))
                said[name] = str(caught.exception).replace("nobody", "reader")
            self.assertEqual(said["password"], said["user"])
            self.assertIn("password authentication failed", said["user"])
            wait_for(lambda: server.metrics()["ocellus_logins_refused_total"] >= 2, "wrong passwords are counted")
            self.check_log(server)

    def test_strangers_are_cut(self):
        """Before a login, neither silence nor large words."""
        with self.guarded("--patience", "5") as server:
            silent, loud = self.stranger(server), self.stranger(server)
            loud.sendall(b"p" + struct.pack("!i", 10 << 20) + b"x" * 1000)
            for one in (silent, loud):
                self.assertTrue(is_closed(one))
                one.close()

    def stranger(self, server):
        """One who is asked for a password."""
        one = dial(server, "pg")
        one.sendall(load.startup())
        self.assertEqual(one.recv(1), b"R")
        return one

    def test_tokens_and_passwords_of_http(self):
        with self.guarded() as server:
            basic = lambda who: {"Authorization": "Basic " + base64.b64encode(who.encode()).decode()}
            self.assertEqual(post(server, "SELECT 1 AS n", {"Authorization": f"Bearer {TOKEN}"})[0], 200)
            self.assertEqual(post(server, "SELECT 1 AS n", basic(f"reader:{PASSWORD}"))[0], 200)
            wrong = [post(server, "SELECT 1 AS n", headers) for headers in (
                {}, {"Authorization": f"Bearer {TOKEN[:-1]}"}, {"Authorization": "Bearer "}, basic("reader:wrong horse"),
                basic(f"nobody:{PASSWORD}"), basic("reader"), {"Authorization": "Basic !!!"}, {"Authorization": f"bearer{TOKEN}"},
            )]
            self.assertEqual({status for status, _ in wrong}, {401}, wrong)
            self.assertEqual(wrong[3], wrong[4])
            for path in ("/traces", "/functions", "/metrics"):
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(server.url(path), timeout=PATIENCE)
                self.assertEqual(caught.exception.code, 401, path)
            self.check_log(server)

    def test_tokens_and_passwords_of_flight(self):
        with self.guarded() as server:
            one = [{"n": 1}]
            self.assertEqual(flight(server, "SELECT 1 AS n", authorization_header=f"Bearer {TOKEN}"), one)
            self.assertEqual(flight(server, "SELECT 1 AS n", username="reader", password=PASSWORD), one)
            said = []
            for wrong in (
                {}, {"authorization_header": "Bearer wrong"}, {"username": "reader", "password": "wrong horse"},
                {"username": "nobody", "password": PASSWORD},
            ):
                with self.assertRaises(Exception, msg=wrong) as caught:
                    flight(server, "SELECT 1 AS n", **wrong)
                said.append(str(caught.exception))
                self.assertRegex(said[-1].lower(), "unauthenticated", wrong)
            self.assertEqual(said[2], said[3])
            self.check_log(server)

    def certificate(self):
        authority = trustme.CA()
        issued = authority.issue_cert("localhost", "127.0.0.1")
        paths = {name: os.path.join(self.folder.name, name + ".pem") for name in ("root", "cert", "key")}
        authority.cert_pem.write_to_path(paths["root"])
        issued.private_key_pem.write_to_path(paths["key"])
        for part in issued.cert_chain_pems:
            part.write_to_path(paths["cert"])
        return authority, paths

    def test_certificates(self):
        authority, paths = self.certificate()
        other = trustme.CA()
        with self.guarded("--tls-cert", paths["cert"], "--tls-key", paths["key"], "--require-tls") as server:
            right = dict(host="127.0.0.1", port=server.ports["pg"], dbname="ocellus", user="reader", password=PASSWORD)
            with psycopg.connect(**right, sslmode="verify-full", sslrootcert=paths["root"]) as connection:
                self.assertTrue(connection.pgconn.ssl_in_use)
                self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
            with self.assertRaises(psycopg.OperationalError) as caught:
                psycopg.connect(**right, sslmode="disable")
            self.assertRegex(str(caught.exception), "(?i)tls|ssl")
            # The server is who it says it is, to those who trust its authority, and to nobody else.
            context = ssl.create_default_context(cafile=paths["root"])
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            self.assertEqual(post(server, "SELECT 1 AS n", bearer, context=context)[0], 200)
            stranger = ssl.create_default_context()
            other.configure_trust(stranger)
            with self.assertRaises(urllib.error.URLError):
                post(server, "SELECT 1 AS n", bearer, context=stranger)
            old = ssl.create_default_context(cafile=paths["root"])
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            with self.assertRaises((urllib.error.URLError, ValueError)):
                post(server, "SELECT 1 AS n", bearer, context=old)
            with self.assertRaises((OSError, http.client.HTTPException)):
                urllib.request.urlopen(server.url("/health"), timeout=PATIENCE)
            root = authority.cert_pem.bytes().decode()
            options = {"authorization_header": f"Bearer {TOKEN}", "client_option.tls_root_certs": root}
            self.assertEqual(flight(server, "SELECT 1 AS n", "grpc+tls", **options), [{"n": 1}])
            with self.assertRaises(Exception):
                flight(server, "SELECT 1 AS n", authorization_header=f"Bearer {TOKEN}")
            # Half a handshake, and words that are none.
            for protocol, words in (("pg", struct.pack("!ii", 8, 80877103)), ("http", b"GET / HTTP/1.1\r\n\r\n"), ("flight", b"PRI * HTTP/2.0")):
                with dial(server, protocol) as one:
                    one.sendall(words)
                    if protocol == "pg":
                        self.assertEqual(one.recv(1), b"S")
                        one.sendall(b"not a handshake at all" * 10)
                    self.assertTrue(is_closed(one), protocol)

    def test_wrong_certificates_are_told_at_start(self):
        _, paths = self.certificate()
        for cert, key in ((paths["key"], paths["key"]), (paths["cert"], paths["cert"]), ("/nowhere", paths["key"])):
            self.assert_refused("--tls-cert", cert, "--tls-key", key)

    def assert_refused(self, *options):
        done = subprocess.run([OCELLUS, "serve", self.store, *options], capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn("error", done.stderr)
        return done.stderr

    def test_other_machines_need_users_and_a_certificate(self):
        _, paths = self.certificate()
        users, tls = ("--users", self.write("users", f"reader:{PASSWORD}\n")), ("--tls-cert", paths["cert"], "--tls-key", paths["key"])
        for protocol in ("--pg", "--flight", "--http"):
            for address in ("0.0.0.0:0", "[::]:0"):
                for some in ((), users, tls):
                    said = self.assert_refused(protocol, address, *some)
                    self.assertIn("--insecure", said)
        self.assert_refused("--users", self.write("empty", "\n"))
        self.assert_refused("--users", self.write("short", "reader:short\n"))
        with Server(self.store, *users, *tls, protocols=()) as server:
            self.assertTrue(server.is_running())


# Statements that write, define, set, or read something else than the store.
REFUSED = [
    "COPY states TO '{folder}/out.csv'",
    "COPY (SELECT * FROM states) TO '{folder}/out.parquet'",
    "COPY states TO '{folder}/out.csv' STORED AS CSV",
    "COPY states TO PROGRAM 'touch {folder}/out'",
    "COPY states FROM '/etc/passwd'",
    "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
    "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION 'http://127.0.0.1:1/x.csv'",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM \"/etc/passwd\"",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM \"{secret}\"",
    "SELECT * FROM 'file://{secret}'",
    "SELECT * FROM state_slices('{secret}')",
    "SELECT * FROM summarize('{secret}')",
    "SELECT * FROM summarize(\"{secret}\")",
    "SELECT * FROM run_diff('{secret}', '{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM parquet_metadata('{secret}')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "INSERT INTO states SELECT * FROM states",
    "INSERT INTO containers VALUES (1)",
    "UPDATE states SET value = 'x'",
    "DELETE FROM states",
    "TRUNCATE states",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TABLE t (n INT)",
    "CREATE TEMPORARY TABLE t AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE OR REPLACE VIEW states AS SELECT 1",
    "CREATE SCHEMA s",
    "CREATE DATABASE d",
    "CREATE FUNCTION f() RETURNS INT LANGUAGE SQL RETURN 1",
    "SELECT * INTO t FROM states",
    "DROP TABLE states",
    "DROP VIEW flat_profile",
    "DROP SCHEMA quickstart CASCADE",
    "ALTER TABLE states ADD COLUMN x INT",
    "SET datafusion.execution.target_partitions = 1",
    "SET datafusion.runtime.memory_limit = '100G'",
    "SET datafusion.catalog.location = '/'",
    "LOAD 'x'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out.csv'",
    "EXPLAIN ANALYZE INSERT INTO states SELECT * FROM states",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
    "WITH x AS (SELECT 1) INSERT INTO states SELECT * FROM x",
    "SELECT 1; DROP TABLE states",
    "DO $$ BEGIN END $$",
    "CALL f()",
    "VACUUM",
    "GRANT ALL ON states TO reader",
]


class Store(WithStore):
    """Nothing leaves the store, and nothing enters it."""

    def test_statements_that_do_more_than_read_are_refused(self):
        out = os.path.join(self.folder.name, "out")
        os.mkdir(out)
        secret = os.path.join(self.folder.name, "secret.csv")
        with open(secret, "w") as file:
            file.write("a,b\n1,2\n")
        manifest = os.path.join(self.store, "ocellus.json")
        before = open(manifest).read()
        taken = []
        with Server(self.store) as server, psycopg.connect(server.pg(), autocommit=True) as connection:
            for template in REFUSED:
                sql = template.format(folder=out, secret=secret)
                for name, ask in {
                    "pg": lambda: connection.execute(sql),
                    "pg, prepared": lambda: connection.execute(sql, prepare=True),
                    "pg, PREPARE": lambda: connection.execute(f"PREPARE p AS {sql}") and connection.execute("EXECUTE p"),
                    "pg, DECLARE": lambda: connection.execute(f"BEGIN; DECLARE c CURSOR FOR {sql}; FETCH ALL FROM c; COMMIT"),
                    "pg, COPY": lambda: connection.execute(f"COPY ({sql}) TO STDOUT"),
                    "flight": lambda: flight(server, sql),
                    "http": lambda: self.assertEqual(post(server, sql)[0], 200),
                }.items():
                    try:
                        ask()
                        taken.append(f"{name}: {sql}")
                    except AssertionError:
                        pass
                    except psycopg.Error as error:
                        if error.sqlstate == "XX000" or connection.closed:
                            taken.append(f"{name}: {sql}: {error}")
                    except Exception as error:
                        if "internal" in str(error).lower():
                            taken.append(f"{name}: {sql}: {error}")
                    if not connection.closed and connection.info.transaction_status:
                        connection.execute("ROLLBACK")
            self.assertEqual(connection.execute("SELECT count(*) > 0 FROM states").fetchone(), (True,))
        self.assertEqual(taken, [], "\n" + "\n".join(taken))
        self.assertEqual(os.listdir(out), [])
        self.assertEqual(open(manifest).read(), before)

    def test_queries_that_are_too_deep_are_refused(self):
        deep = {
            "sum": "SELECT " + "1+" * 20_000 + "1",
            "and": "SELECT " + "true AND " * 20_000 + "true",
            "union": "SELECT 1" + " UNION ALL SELECT 1" * 20_000,
            "cast": "SELECT 1" + "::int" * 20_000,
            "parentheses": "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
            "not": "SELECT " + "NOT " * 20_000 + "true",
            "minus": "SELECT " + "- " * 20_000 + "1",
            "array": "SELECT " + "make_array(" * 20_000 + "1" + ")" * 20_000,
            "subquery": "SELECT * FROM (" * 20_000 + "SELECT 1" + ") AS q" * 20_000,
            "join": "SELECT 1 FROM states" + " CROSS JOIN states" * 20_000,
            "case": "SELECT " + "CASE WHEN true THEN " * 20_000 + "1" + " END" * 20_000,
        }
        with Server(self.store, "--query-time", "20") as server:
            for name, sql in deep.items():
                for ask in (lambda: post(server, sql), lambda: flight(server, sql), lambda: self.ask_pg(server, sql)):
                    try:
                        ask()
                    except Exception:  # An answer or an error, both are fine.
                        pass
                    self.assertTrue(server.is_running(), f"{name} killed the server: {server.said[-3:]}")
            self.assertEqual(self.ask_pg(server, "SELECT 1"), (1,))

    def ask_pg(self, server, sql):
        with psycopg.connect(server.pg(), autocommit=True) as connection:
            return connection.execute(sql).fetchone()


class Limits(WithStore):
    """Messages, connections, time, rows and memory."""

    def assert_serves(self, server):
        with psycopg.connect(server.pg()) as connection:
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
        self.assertEqual(post(server, "SELECT 1 AS n")[0], 200)
        self.assertEqual(flight(server, "SELECT 1 AS n"), [{"n": 1}])

    def test_oversized_messages(self):
        two_gigabytes = 0x7FFFFFFF
        with Server(self.store, "--message-size", "1MiB") as server:
            self.assert_serves(server)
            before = server.memory()
            for kind in (None, b"Q", b"P", b"B", b"p", b"d", b"X"):
                with dial(server, "pg") as one:
                    if kind is None:
                        one.sendall(struct.pack("!ii", two_gigabytes, 196608) + b"x" * 1000)
                    else:
                        one.sendall(load.startup())
                        load.read_until_ready(one)
                        one.sendall(kind + struct.pack("!i", two_gigabytes) + b"x" * 1000)
                    self.assertTrue(is_closed(one), kind)
            for length in (-1, 0, 3):
                with dial(server, "pg") as one:
                    one.sendall(load.startup())
                    load.read_until_ready(one)
                    one.sendall(b"Q" + struct.pack("!i", length))
                    self.assertTrue(is_closed(one), length)
            with psycopg.connect(server.pg(), autocommit=True) as connection, self.assertRaises(psycopg.Error) as caught:
                connection.execute("SELECT '" + "x" * (2 << 20) + "'")
            self.assertIn(caught.exception.sqlstate, (None, "54000", "08P01"), caught.exception)
            self.assertEqual(post(server, "SELECT '" + "x" * (2 << 20) + "'")[0], 413)
            # The server reads on for a while, so that clients hear why. One with far more to send may find the
            # connection reset before it comes to listen.
            try:
                self.assertEqual(post(server, " " * (64 << 20))[0], 413)
            except OSError as error:
                self.assertIsInstance(getattr(error, "reason", error), ConnectionError)
            with dial(server, "http") as one:
                one.sendall(b"POST /sql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2147483647\r\n\r\nSELECT")
                self.assertIn(b"413", one.recv(4096))
            with dial(server, "http") as one:
                one.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
                self.assertTrue(self.pours(one, b"X-Long: " + b"x" * 60_000 + b"\r\n") and is_closed(one))
            with dial(server, "http") as one:
                one.sendall(b"POST /sql HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
                self.assertTrue(self.pours(one, b"10000\r\n" + b" " * 65536 + b"\r\n") and is_closed(one))
            with self.assertRaises(Exception):
                flight(server, "SELECT '" + "x" * (2 << 20) + "'")
            self.assert_serves(server)
            # Far from the gigabytes that were announced.
            self.assertLess(server.memory() - before, 512 << 20)

    def pours(self, one, words):
        """Sends words again and again: whether the other side has had enough of it before 100 MB."""
        try:
            for _ in range((100 << 20) // len(words)):
                one.sendall(words)
            return False
        except OSError:
            return True

    def test_slow_clients_are_cut_and_others_served(self):
        with Server(self.store, "--patience", "5", "--connections", "64") as server:
            head = f"POST /sql HTTP/1.1\r\nHost: 127.0.0.1:{server.ports['http']}\r\nContent-Length: 50\r\n\r\nSELECT 1"
            first = {
                "pg, nothing": ("pg", b""), "pg, a part of the start": ("pg", load.startup()[:6]),
                "pg, half a handshake": ("pg", struct.pack("!ii", 8, 80877103)),
                "http, nothing": ("http", b""), "http, a part of the head": ("http", b"POST /sql HTTP/1.1\r\nHo"),
                "http, a part of the body": ("http", head.encode()),
                "flight, nothing": ("flight", b""), "flight, a part of the preface": ("flight", b"PRI * HTTP/2.0\r\n"),
            }
            slow = {name: dial(server, protocol) for name, (protocol, _) in first.items()}
            for name, (_, words) in first.items():
                slow[name].sendall(words)
            logged_in = dial(server, "pg")
            logged_in.sendall(load.startup())
            load.read_until_ready(logged_in)
            logged_in.sendall(b"Q\0\0\1\0SELECT")
            slow["pg, a part of a query"] = logged_in
            idle = self.enterContext(psycopg.connect(server.pg(), autocommit=True))
            self.assert_serves(server)
            threads = [threading.Thread(target=drip, args=(one,)) for one in slow.values()]
            for thread in threads:
                thread.start()
            self.assert_serves(server)
            open_still = [name for name, one in slow.items() if not is_closed(one)]
            self.assertEqual(open_still, [])
            for thread in threads:
                thread.join()
            for one in slow.values():
                one.close()
            # Whoever is between two queries may take his time.
            self.assertEqual(idle.execute("SELECT 1").fetchone(), (1,))
            self.assert_serves(server)

    def test_a_client_that_does_not_read_is_cut(self):
        with Server(self.store, "--patience", "5", "--query-time", "5") as server:
            deaf = dial(server, "pg")
            deaf.sendall(load.startup())
            load.read_until_ready(deaf)
            deaf.sendall(load.simple_query(load.TALKING))
            web = dial(server, "http")
            head = f"POST /sql HTTP/1.1\r\nHost: 127.0.0.1:{server.ports['http']}\r\nContent-Length: {len(load.TALKING)}\r\n\r\n"
            web.sendall(head.encode() + load.TALKING.encode())
            wait_for(lambda: server.metrics()["ocellus_queries_started_total"] >= 2, "both queries start")
            wait_for(lambda: server.running() == 0, "both queries end")
            self.assert_serves(server)
            deaf.close()
            web.close()

    def test_connections(self):
        with Server(self.store, "--connections", "3") as server:
            held = [psycopg.connect(server.pg()) for _ in range(3)]
            with self.assertRaises(psycopg.OperationalError) as caught:
                psycopg.connect(server.pg())
            self.assertIn("3 clients are already connected", str(caught.exception))
            status, body = None, None
            try:
                status, body = post(server, "SELECT 1 AS n")
            except (urllib.error.URLError, ConnectionError):
                pass
            self.assertIn(status, (None, 503), body)
            with self.assertRaises(Exception):
                flight(server, "SELECT 1 AS n")
            for connection in held:
                connection.close()
            wait_for(lambda: self.is_let_in(server), "there is room again")

    def is_let_in(self, server):
        try:
            with psycopg.connect(server.pg()):
                return True
        except psycopg.OperationalError:
            return False

    def assert_fails(self, server, sql, state, statuses, words):
        """By every protocol, with the words; the connection lives on."""
        with psycopg.connect(server.pg(), autocommit=True) as connection:
            with self.assertRaises(psycopg.Error) as caught:
                connection.execute(sql).fetchall()
            self.assertEqual(caught.exception.sqlstate, state, caught.exception)
            self.assertIn(words, str(caught.exception))
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
        status, body = post(server, sql)
        self.assertIn(status, statuses, body)
        if status is not None:
            self.assertIn(words, body)
        with self.assertRaises(Exception) as caught:
            flight(server, sql)
        self.assertIn(words, str(caught.exception))

    def test_time(self):
        with Server(self.store, "--query-time", "3") as server:
            self.assert_fails(server, load.SILENT, "57014", (408, 503, 504), "took longer than 3s")
            wait_for(lambda: server.running() == 0 and server.is_idle(), "the queries have ended")

    def test_rows(self):
        with Server(self.store, "--query-rows", "1000") as server:
            # Rows may have left before it is known that there are too many: then the answer breaks off.
            self.assert_fails(server, "SELECT value FROM range(0, 1001)", "54000", (None, 400, 413, 422), "more than 1000 rows")
            self.assert_fails(server, load.TALKING, "54000", (None, 400, 413, 422), "more than 1000 rows")
            self.assertEqual(len(flight(server, "SELECT value FROM range(0, 1000)")), 1000)

    def test_memory(self):
        with Server(self.store, "--query-memory", "20MB") as server:
            hungry = "SELECT cardinality(array_agg(value)) AS n FROM range(0, 20000000)"
            self.assert_fails(server, hungry, "53200", (400, 413, 422, 503, 507), "emory")
            # Sorts go to disk instead.
            self.assertEqual(len(flight(server, "SELECT value FROM range(0, 3000000) ORDER BY -value")), 3000000)

    def test_a_query_waits_for_its_turn(self):
        with Server(self.store, "--queries", "1") as server:
            with psycopg.connect(server.pg(), autocommit=True) as one, psycopg.connect(server.pg(), autocommit=True) as two:
                first = Asked(one, load.SILENT)
                wait_for(lambda: server.running() == 1, "it runs")
                second = Asked(two, "SELECT 1")
                wait_for(lambda: server.running() == 2, "the other one waits")
                self.assertTrue(second.is_alive())
                one.cancel()
                self.assertEqual((first.outcome(), second.outcome()), ("57014", [(1,)]))

    def test_cancelling(self):
        with Server(self.store) as server, psycopg.connect(server.pg(), autocommit=True) as connection:
            asked = Asked(connection, load.SILENT)
            wait_for(lambda: server.running() == 1, "it runs")
            # Somebody else who guesses the key has no say.
            with dial(server, "pg") as one:
                one.sendall(struct.pack("!iiii", 16, 80877102, connection.info.backend_pid, 12345))
                self.assertTrue(is_closed(one))
            self.assert_serves(server)
            wait_for(lambda: server.running() == 1, "only that query runs")
            self.assertTrue(asked.is_alive())
            connection.cancel()
            self.assertEqual(asked.outcome(), "57014")
            wait_for(lambda: server.running() == 0 and server.is_idle(), "the query has ended")
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))
            connection.execute("SET statement_timeout = '1500ms'")
            self.assertEqual(connection.execute("SHOW statement_timeout").fetchone(), ("1500ms",))
            with self.assertRaises(psycopg.errors.QueryCanceled):
                connection.execute(load.SILENT)
            with self.assertRaises(psycopg.errors.QueryCanceled):
                connection.execute(f"COPY ({load.SILENT}) TO STDOUT")
            connection.execute("SET statement_timeout = 0")
            self.assertEqual(connection.execute("SELECT 1").fetchone(), (1,))

    def test_http_is_for_those_who_mean_it(self):
        with Server(self.store) as server:
            # A page in a browser whose name was pointed here.
            self.assertIn(post(server, "SELECT 1 AS n", {"Host": "evil.example"})[0], (400, 403, 421))
            for method, path, status in (
                ("GET", "/sql", 405), ("DELETE", "/sql", 405), ("GET", "/../../etc/passwd", 404), ("GET", "/nothing", 404), ("POST", "/health", 405),
            ):
                connection = http.client.HTTPConnection("127.0.0.1", server.ports["http"])
                connection.request(method, path)
                self.assertEqual(connection.getresponse().status, status, path)
                connection.close()
            self.assertIn(post(server, "SELECT 1 AS n", {"Accept": "image/png"})[0], (200, 406))
            self.assertEqual(post(server, "", path="/sql")[0], 400)
            self.assertEqual(post(server, "SELECT 1 AS n", path="/sql?trace=nothing")[0], 400)
            with dial(server, "http") as one:
                one.sendall(b"\x16\x03\x01 no request at all \r\n\r\n")
                self.assertTrue(is_closed(one))


class Asked(threading.Thread):
    """A query under way."""

    def __init__(self, connection, sql):
        super().__init__(daemon=True)
        self.connection, self.sql, self.found = connection, sql, None
        self.start()

    def run(self):
        try:
            self.found = self.connection.execute(self.sql).fetchall()
        except psycopg.Error as error:
            self.found = error.sqlstate or str(error)

    def outcome(self):
        """Its rows, or the code of its error."""
        self.join()
        return self.found


def drip(one):
    """A byte now and then, until the other side has had enough."""
    try:
        for _ in range(100):
            time.sleep(0.4)
            one.sendall(b" ")
    except OSError:
        pass


if __name__ == "__main__":
    unittest.main()
