"""Clients that ask whatever it may do to the server, read the answer however long, and drop it; none waits forever.

Each says what came: `rows`, `error` with its words, `closed`, or `rows, left` when rows still came after its time; or raises
TimeoutError when nothing came in time.
"""
import http.client
import socket
import time
import urllib.parse

import adbc_driver_flightsql.dbapi

import load

PART = 1 << 20


class Pg:
    """One connection of PostgreSQL's protocol, with simple queries."""

    def __init__(self, port, trace, seconds):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.seconds = seconds
        self.socket.sendall(load.startup(options=f"-c search_path={trace}"))
        load.read_until_ready(self.socket)
        self.reader = self.socket.makefile("rb")

    def ask(self, sql):
        deadline, error = time.monotonic() + self.seconds, ""
        self.rows = []
        self.socket.sendall(load.simple_query(sql.replace("\0", "")))
        while time.monotonic() < deadline:
            head = self.reader.read(5)
            if len(head) < 5:
                return "closed " + error
            size, body = int.from_bytes(head[1:]) - 4, b""
            while size > 0:
                body = self.reader.read(min(size, PART))
                if not body:
                    return "closed " + error
                size -= len(body)
            if head[:1] == b"D" and len(self.rows) < 100:
                self.rows.append(body)
            if head[:1] == b"E":
                error = " ".join(part[1:] for part in body.decode(errors="replace").split("\0") if part[:1] in ("C", "M"))
            if head[:1] == b"Z":
                return "error " + error if error else "rows"
        return "rows, left"

    def close(self):
        self.reader.close()
        self.socket.close()


def fields(rows):
    """The texts of rows, as messages hold them; NULL is None."""
    found = []
    for row in rows:
        at, texts = 2, []
        while at < len(row):
            size = int.from_bytes(row[at : at + 4], signed=True)
            at += 4
            texts.append(row[at : at + size].decode() if size >= 0 else None)
            at += max(size, 0)
        found.append(texts)
    return found


def ask_pg(port, trace, sql, seconds):
    client = Pg(port, trace, seconds)
    try:
        return client.ask(sql)
    finally:
        client.close()


def ask_http(port, trace, sql, seconds):
    status, first = ask_http_text(port, trace, sql, seconds)
    return "rows" if status == 200 else f"error {status} {first}"


def ask_http_text(port, trace, sql, seconds):
    """Status and the first words of the answer, as CSV."""
    deadline = time.monotonic() + seconds
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        path = "/sql?trace=" + urllib.parse.quote(trace)
        connection.request("POST", path, sql.encode(), {"Content-Type": "application/sql", "Accept": "text/csv"})
        answer = connection.getresponse()
        first = part = answer.read1(PART)
        while part:
            part = answer.read1(PART)
            if len(first) < PART:
                first += part
            if time.monotonic() > deadline:
                break
        return answer.status, first.decode(errors="replace")
    finally:
        connection.close()


def ask_flight(port, trace, sql, seconds):
    options = {f"adbc.flight.sql.rpc.timeout_seconds.{call}": str(seconds) for call in ("query", "fetch", "update")}
    options["adbc.flight.sql.rpc.call_header.x-ocellus-trace"] = trace
    options["adbc.flight.sql.client_option.with_max_msg_size"] = str(1 << 30)
    started = time.monotonic()
    try:
        with adbc_driver_flightsql.dbapi.connect(f"grpc://127.0.0.1:{port}", db_kwargs=options, autocommit=True) as connection:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                for _ in cursor.fetch_record_batch():
                    pass
        return "rows"
    except Exception as error:
        if time.monotonic() - started > seconds - 1:
            raise TimeoutError from error
        return f"error {error}"


ASKERS = {"pg": ask_pg, "http": ask_http, "flight": ask_flight}


def ask(server, protocol, trace, sql, seconds):
    """The outcome in words, also of those that get no answer."""
    try:
        return ASKERS[protocol](server.ports[protocol], trace, sql, seconds)
    except TimeoutError:
        return "NO ANSWER"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
