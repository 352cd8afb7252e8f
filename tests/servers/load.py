"""Many clients at once, and clients that leave without a word: for the tests and for benches/servers.py."""
import http.client
import random
import socket
import struct
import threading
import time
import urllib.parse
from collections import defaultdict

import adbc_driver_flightsql.dbapi
import psycopg
import pyarrow as pa

from place import PATIENCE, embedded, wait_for
from rows import is_same, place

# What is asked, by kind. A place for a number makes each one another query.
KINDS = {
    "one row": "SELECT name, type, path FROM containers WHERE container_id = {}",
    "total": "SELECT value, count(*) AS n, sum(duration) AS seconds FROM states WHERE container_id <> {} GROUP BY value",
    "window": "SELECT container, value, start_time, end_time FROM states WHERE start_time >= {} / 10.0 AND start_time < {} / 10.0 + 1",
    "slices": "SELECT slice, value, sum(seconds) AS seconds FROM state_slices(slices => 2{}) GROUP BY slice, value",
    "view": "SELECT * FROM flat_profile WHERE container_id >= {}",
    "many rows": "SELECT container_id, value, start_time, end_time FROM states WHERE depth >= 0 ORDER BY start_tick, container_id, depth LIMIT 500{}",
}

# A query that gives nothing for minutes, and one that gives rows all the time.
SILENT = "SELECT count(*) FROM range(0, 1000000) AS a, range(0, 1000000) AS b WHERE a.value * b.value % 1000003 = 17"
TALKING = "SELECT a.value AS a, b.value AS b FROM range(0, 3000) AS a, range(0, 3000) AS b"


class Pg:
    """PostgreSQL's protocol, in binary."""

    def __init__(self, server, trace):
        self.connection = psycopg.connect(server.pg(trace), autocommit=True)

    def rows(self, sql):
        with self.connection.cursor(binary=True) as cursor:
            return cursor.execute(sql).fetchall()

    def close(self):
        self.connection.close()


class Flight:
    """Arrow Flight SQL."""

    def __init__(self, server, trace):
        headers = {"adbc.flight.sql.rpc.call_header.x-ocellus-trace": trace}
        uri = f"grpc://127.0.0.1:{server.ports['flight']}"
        self.connection = adbc_driver_flightsql.dbapi.connect(uri, db_kwargs=headers, autocommit=True)

    def rows(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return rows_of(cursor.fetch_arrow_table())

    def close(self):
        self.connection.close()


class Http:
    """HTTP with Arrow streams, one connection for all queries."""

    def __init__(self, server, trace):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.ports["http"])
        self.path = "/sql?trace=" + urllib.parse.quote(trace)

    def rows(self, sql):
        headers = {"Accept": "application/vnd.apache.arrow.stream", "Content-Type": "application/sql"}
        self.connection.request("POST", self.path, sql, headers)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {body.decode(errors='replace')}")
        return rows_of(pa.ipc.open_stream(body).read_all())

    def close(self):
        self.connection.close()


PROTOCOLS = {"pg": Pg, "flight": Flight, "http": Http}


def rows_of(table):
    return list(zip(*(column.to_pylist() for column in table.columns)))


def are_same(left, right):
    """Equality of rows; sums may differ in their last bits."""
    pairs = (pair for rows in zip(left, right) for pair in zip(*rows))
    return len(left) == len(right) and all(is_same(*pair, is_exact=False) for pair in pairs)


class Load:
    """Clients that ask without a pause. Their answers must be those of the embedded engine."""

    def __init__(self, server, store, trace):
        self.server, self.trace = server, trace
        self.questions = [(kind, sql.replace("{}", str(n))) for kind, sql in KINDS.items() for n in (1, 2, 3)]
        tables = embedded(store, [sql for _, sql in self.questions], trace)
        self.expected = [sorted(rows_of(table), key=place) for table in tables]
        self.times, self.errors = defaultdict(list), []
        self.lock = threading.Lock()

    def check(self):
        """Every query once by every protocol."""
        for name, protocol in PROTOCOLS.items():
            client = protocol(self.server, self.trace)
            for (kind, sql), expected in zip(self.questions, self.expected):
                rows = sorted(client.rows(sql), key=place)
                assert are_same(rows, expected), f"{name} gives other rows for {kind}: {rows[:3]} …, expected {expected[:3]} …"
            client.close()

    def run(self, clients, seconds):
        """Times by protocol and kind, of each at least one. `self.errors` tells what went wrong."""
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=self._client, args=(number, end)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.times

    def _client(self, number, end):
        name = list(PROTOCOLS)[number % len(PROTOCOLS)]
        chance = random.Random(number)
        try:
            client = PROTOCOLS[name](self.server, self.trace)
            # All of them once, however long that takes; then as time allows.
            due = chance.sample(range(len(self.questions)), len(self.questions))
            while due or time.monotonic() < end:
                number = due.pop() if due else chance.randrange(len(self.questions))
                kind, sql = self.questions[number]
                started = time.monotonic()
                rows = client.rows(sql)
                taken = time.monotonic() - started
                with self.lock:
                    self.times[name, kind].append(taken)
                    if len(rows) != len(self.expected[number]):
                        self.errors.append(f"{name}, {kind}: {len(rows)} rows, expected {len(self.expected[number])}")
            client.close()
        except Exception as error:  # Told at the end, with all others.
            with self.lock:
                self.errors.append(f"{name}: {type(error).__name__}: {error}")


class Cutter:
    """A way to a port that can be cut at any moment, without a word to either side."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets, self.is_cut, self.lock = [], False, threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
            except OSError:
                return
            with self.lock:
                self.sockets += [near, far]
                if self.is_cut:
                    return self._reset()
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _reset(self):
        while self.sockets:
            reset(self.sockets.pop())

    def cut(self):
        with self.lock:
            self.is_cut = True
            self._reset()
        try:
            # Closing alone does not wake whoever waits for the next client.
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


def reset(one):
    """Closes a socket so that the other side hears a reset."""
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    one.close()


def startup(user="reader", **settings):
    """The first message of a client of PostgreSQL."""
    pairs = {"user": user, "database": "ocellus", **settings}
    body = struct.pack("!i", 196608) + b"".join(f"{k}\0{v}\0".encode() for k, v in pairs.items()) + b"\0"
    return struct.pack("!i", len(body) + 4) + body


def simple_query(sql):
    body = sql.encode() + b"\0"
    return b"Q" + struct.pack("!i", len(body) + 4) + body


def leave_pg(server, sql, chance):
    """Logs in, asks, and goes; some before they are through."""
    one = socket.create_connection(("127.0.0.1", server.ports["pg"]))
    one.settimeout(PATIENCE)
    stage = chance.randrange(6)
    first = [b"", struct.pack("!ii", 8, 80877103), startup()[:9]]
    if stage < len(first):
        one.sendall(first[stage])
    else:
        one.sendall(startup(options="-c search_path=big"))
        read_until_ready(one)
        one.sendall(simple_query(sql))
    time.sleep(chance.random() * 0.2)
    reset(one)


def read_until_ready(one):
    while True:
        kind, length = struct.unpack("!ci", read_exactly(one, 5))
        body = read_exactly(one, length - 4)
        if kind == b"E":
            raise RuntimeError(f"the server refuses: {body}")
        if kind == b"Z":
            return


def read_exactly(one, count):
    data = b""
    while len(data) < count:
        part = one.recv(count - len(data))
        if not part:
            raise ConnectionError("the server has closed")
        data += part
    return data


def leave_http(server, sql, chance):
    one = socket.create_connection(("127.0.0.1", server.ports["http"]))
    head = f"POST /sql?trace=big HTTP/1.1\r\nHost: 127.0.0.1:{server.ports['http']}\r\nContent-Length: {len(sql)}\r\n\r\n{sql}".encode()
    cut = len(head) if chance.randrange(3) else chance.randrange(len(head))
    one.sendall(head[:cut])
    time.sleep(chance.random() * 0.2)
    reset(one)


def leave_flight(server, sql, chance):
    cutter = Cutter(server.ports["flight"])

    def ask():
        options = {"adbc.flight.sql.rpc.timeout_seconds.query": "60", "adbc.flight.sql.rpc.timeout_seconds.fetch": "60"}
        try:
            with adbc_driver_flightsql.dbapi.connect(f"grpc://127.0.0.1:{cutter.port}", db_kwargs=options, autocommit=True) as connection:
                with connection.cursor() as cursor:
                    cursor.execute(sql)
                    cursor.fetch_arrow_table()
        except Exception:  # It was cut: that is what it is for.
            pass

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(chance.random() * 0.4)
    cutter.cut()
    thread.join()


LEAVERS = [leave_pg, leave_http, leave_flight]


def disconnect(server, count, at_once=16):
    """Clients of all protocols that leave in the middle of long queries. Gives what else went wrong."""
    faults, numbers, lock = [], iter(range(count)), threading.Lock()

    def work():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            chance = random.Random(number)
            try:
                LEAVERS[number % len(LEAVERS)](server, (SILENT, TALKING)[number // len(LEAVERS) % 2], chance)
            except Exception as error:  # Told at the end.
                faults.append(f"{number}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def wait_until_quiet(server):
    """Waits until no query runs, no client is connected, and the processor is idle."""
    wait_for(lambda: server.running() == 0, "no query runs")
    # The one that asks for the counters is a client itself.
    wait_for(lambda: server.metrics()["ocellus_connections"] <= 1, "no client is connected")
    wait_for(server.is_idle, "the processor is idle")
