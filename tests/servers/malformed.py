"""Messages that are almost right: seeded mutations of valid ones, of each protocol, for benches/abuse.py.

A valid conversation is a list of messages, as bytes. Of it, some messages are changed: bits, lengths, ends, order.
Flight SQL is mutated twice: its commands, sent by a real client, and the bytes that such a client sends.
"""
import random
import socket
import struct
import threading

import adbc_driver_flightsql.dbapi
import pyarrow as pa
import pyarrow.flight

import load
from place import TRACE

SQL = "SELECT value, count(*) AS n FROM states GROUP BY value"
# Seconds that an answer is waited for: most of these messages deserve none.
MOMENT = 0.15
LENGTHS = (0, 1, 3, 4, 5, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC)


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


def text(value):
    return value.encode() + b"\0"


def pg_conversations():
    start = load.startup(options=f"-c search_path={TRACE}")
    parse = message(b"P", text("s") + text("SELECT value FROM states WHERE depth = $1") + struct.pack("!hi", 1, 23))
    bind = message(b"B", text("p") + text("s") + struct.pack("!hhhi", 1, 1, 1, 4) + struct.pack("!i", 0) + struct.pack("!hh", 1, 1))
    execute, sync = message(b"E", text("p") + struct.pack("!i", 2)), message(b"S", b"")
    describe = [message(b"D", kind + text(name)) for kind, name in ((b"S", "s"), (b"P", "p"))]
    close = [message(b"C", kind + text(name)) for kind, name in ((b"P", "p"), (b"S", "s"))]
    yield [start, load.simple_query(SQL), message(b"X", b"")]
    yield [start, parse, describe[0], bind, describe[1], execute, execute, *close, sync]
    yield [start, parse, bind, message(b"H", b""), execute, sync, parse, sync]
    yield [start, load.simple_query(f"BEGIN; DECLARE c CURSOR FOR {SQL}; FETCH 1 FROM c; COMMIT")]
    yield [start, load.simple_query(f"COPY ({SQL}) TO STDOUT (FORMAT binary)"), sync]
    yield [start, load.simple_query("COPY states FROM STDIN"), message(b"d", b"1\t2\n"), message(b"c", b""), message(b"f", text("no"))]
    yield [start, message(b"F", struct.pack("!ihhih", 1, 0, 1, 4, 0)), message(b"p", text("secret")), sync]
    yield [struct.pack("!ii", 8, 80877103), b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03", start]
    yield [struct.pack("!ii", 8, 80877104), start, sync]
    yield [struct.pack("!iiii", 16, 80877102, 1, 1)]


def http_conversations(port):
    def request(line, body=b"", *headers):
        head = [line + " HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}", *headers]
        return "\r\n".join(head).encode() + b"\r\n\r\n" + body

    json = b'{"sql": "SELECT value FROM states WHERE depth = ?", "parameters": [0]}'
    chunked = f"POST /sql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    chunk = lambda data: b"%x\r\n%s\r\n" % (len(data), data)
    yield [request(f"POST /sql?trace={TRACE}", SQL.encode(), "Accept: text/csv", "Content-Type: application/sql")]
    yield [request(f"POST /sql?trace={TRACE}", json, "Accept: application/json", "Content-Type: application/json")]
    yield [chunked, chunk(b"SELECT "), chunk(b"1 AS n"), b"0\r\n\r\n"]
    yield [request("GET /metrics"), request("GET /health"), request("GET /functions", b"", "Accept-Encoding: gzip")]
    yield [request("GET /traces", b"", "Connection: keep-alive"), request("OPTIONS /sql", b"", "Origin: http://a")]
    yield [request("GET /", b"", "Upgrade: websocket", "Connection: Upgrade", "Expect: 100-continue")]
    yield [request("POST /sql", SQL.encode(), "Authorization: Basic YTpi", "Range: bytes=0-1", "Cookie: a=b")]
    yield [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0\0\0\4\0\0\0\0\0", b"\0\0\4\1\5\0\0\0\1\x82\x84\x86\x41"]


def damage(data, chance):
    """One message, changed once."""
    data = bytearray(data)
    place = chance.randrange(len(data)) if data else 0
    match chance.randrange(9):
        case 0 if data:
            data[place] ^= 1 << chance.randrange(8)
        case 1 if data:
            data[place] = chance.choice((0, 0x7F, 0x80, 0xFF, 10, 13, 32, 58))
        case 2:
            del data[place:]
        case 3:
            del data[place : place + chance.randrange(1, 9)]
        case 4:
            data[place:place] = chance.randbytes(chance.choice((1, 2, 4, 100, 5000)))
        case 5 if len(data) >= 4:
            place = chance.choice((0, 1, chance.randrange(len(data) - 3)))
            data[place : place + 4] = struct.pack("!I", chance.choice(LENGTHS))
        case 6 if len(data) >= 2:
            place = chance.randrange(len(data) - 1)
            data[place : place + 2] = struct.pack("!H", chance.choice(LENGTHS) & 0xFFFF)
        case 7:
            data += data[place:] * chance.choice((1, 2, 50))
        case _:
            digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
            if digits:
                at = chance.choice(digits)
                data[at : at + 1] = chance.choice((b"-1", b"99999999999999999999", b"", b"0x10", b"1e9"))
    return bytes(data)


def mutated(conversation, chance):
    """A conversation of which one to three messages are changed, doubled, lost or in another order."""
    messages = list(conversation)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(messages))
        match chance.randrange(6):
            case 0:
                messages.insert(at, messages[chance.randrange(len(messages))])
            case 1 if len(messages) > 1:
                del messages[at]
            case 2:
                chance.shuffle(messages)
            case _:
                messages[at] = damage(messages[at], chance)
    return messages


def send(port, messages, chance):
    """Sends them, reads a moment, and goes; whole or in small portions."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as one:
        data = b"".join(messages)
        step = chance.choice((len(data) or 1, len(data) or 1, 7))
        try:
            for at in range(0, min(len(data), 200 * step), step):
                one.sendall(data[at : at + step])
            if chance.randrange(2):
                one.shutdown(socket.SHUT_WR)
            one.settimeout(MOMENT)
            while one.recv(65536):
                pass
        except OSError:
            pass


def recorded(server):
    """The bytes that a client of Flight SQL sends in some conversations, connection by connection."""
    listener, taken = socket.create_server(("127.0.0.1", 0)), []

    def pump(source, sink, keep):
        try:
            while data := source.recv(65536):
                keep.append(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def accept():
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", server.ports["flight"]))
            taken.append([])
            threading.Thread(target=pump, args=(near, far, taken[-1]), daemon=True).start()
            threading.Thread(target=pump, args=(far, near, []), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    uri = f"grpc://127.0.0.1:{listener.getsockname()[1]}"
    with adbc_driver_flightsql.dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT value FROM {TRACE}.states WHERE depth = ?", (0,))
        cursor.fetch_arrow_table()
        cursor.execute("SELECT 1 AS n")
        cursor.fetch_arrow_table()
        connection.adbc_get_objects(depth="tables").read_all()
    listener.close()
    return [messages for messages in taken if messages]


def field(number, data):
    """A field of a message of Protocol Buffers, with bytes."""
    length, head = len(data), bytes([number << 3 | 2])
    while length >= 0x80:
        head += bytes([length & 0x7F | 0x80])
        length >>= 7
    return head + bytes([length]) + data


def command(name, *fields):
    """A command of Flight SQL, in its envelope."""
    body = b"".join(field(number, data) for number, data in enumerate(fields, 1))
    return field(1, f"type.googleapis.com/arrow.flight.protocol.sql.{name}".encode()) + field(2, body)


COMMANDS = [
    command("CommandStatementQuery", SQL.encode()),
    command("CommandStatementUpdate", b"DELETE FROM states"),
    command("CommandPreparedStatementQuery", b"handle"),
    command("CommandGetTables", b"ocellus", b"%", b"%"),
    command("CommandGetDbSchemas", b"ocellus", b"%"),
    command("CommandGetCatalogs"),
    command("CommandGetSqlInfo"),
    command("CommandGetXdbcTypeInfo"),
    command("CommandGetPrimaryKeys", b"ocellus", b"quickstart", b"states"),
    command("TicketStatementQuery", b"handle"),
]
ACTIONS = {
    "CreatePreparedStatement": command("ActionCreatePreparedStatementRequest", SQL.encode()),
    "ClosePreparedStatement": command("ActionClosePreparedStatementRequest", b"handle"),
    "BeginTransaction": command("ActionBeginTransactionRequest"),
    "CancelFlightInfo": field(1, b"x"),
    "SetSessionOptions": field(1, field(1, b"a") + field(2, b"b")),
}


def send_command(client, chance):
    """One changed command by a real client; the server refuses it or answers."""
    data = damage(chance.choice(COMMANDS), chance)
    options = pyarrow.flight.FlightCallOptions(timeout=20)
    try:
        match chance.randrange(6):
            case 0:
                client.get_flight_info(pyarrow.flight.FlightDescriptor.for_command(data), options)
            case 1:
                client.get_schema(pyarrow.flight.FlightDescriptor.for_command(data), options)
            case 2:
                client.do_get(pyarrow.flight.Ticket(data), options).read_all()
            case 3:
                name, body = chance.choice(list(ACTIONS.items()))
                list(client.do_action(pyarrow.flight.Action(name, damage(body, chance)), options))
            case 4:
                schema = pa.schema([("a", pa.int64())])
                writer, _ = client.do_put(pyarrow.flight.FlightDescriptor.for_command(data), schema, options)
                writer.write_batch(pa.record_batch([pa.array([1, None])], schema=schema))
                writer.close()
            case _:
                list(client.list_flights(data, options))
    except (pa.ArrowException, OSError, StopIteration):
        pass


def storm(server, protocol, count, seed):
    """Sends so many malformed conversations; stops when the server is gone. Returns how many were sent."""
    port = server.ports[protocol]
    if protocol == "flight":
        conversations = recorded(server)
        client = pyarrow.flight.FlightClient(f"grpc://127.0.0.1:{port}")
    else:
        conversations = list(pg_conversations() if protocol == "pg" else http_conversations(port))
    sent, lock, numbers = [], threading.Lock(), iter(range(count))

    def work():
        while server.is_running():
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            chance = random.Random(f"{seed} {protocol} {number}")
            try:
                if protocol == "flight" and number % 2:
                    send_command(client, chance)
                else:
                    send(port, mutated(chance.choice(conversations), chance), chance)
            except OSError:
                # Too many at once are refused.
                pass
            sent.append(number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(sent)
