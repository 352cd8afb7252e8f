#!/usr/bin/env python3
"""Clients that mean harm, against a server with small limits, while another client is served.

In: the program, and `pip install -r tests/servers/requirements.txt`. The statements of tests/servers/abusive.py run one
by one over the three protocols in turn, then many at once; then malformed messages of each protocol
(tests/servers/malformed.py), 500 connections, and clients that send or read a byte a second. Meanwhile a client asks
`SELECT 1` each second, and a question whose answer is known.

A fault is: the server ends; a statement gets no answer within its time and 15 seconds; it goes on after its answer; the
server holds more than twice the memory limit; an internal error; the other client gets a wrong answer, or none for 10
seconds; memory at the end is more than 256 MiB above what it was. All faults are printed at the end, and the exit
code is 1 when there are any. Faults of time are not judged while the machine is too busy to print the program's version within
a second. The server's address space is limited, so that the machine survives.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import socket
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/servers"))

import abusive  # noqa: E402
import askers  # noqa: E402
import load  # noqa: E402
import malformed  # noqa: E402
import place  # noqa: E402

MIB = 1 << 20
SECONDS, MEMORY = 5, 1024 * MIB
SLACK, GAP, REST, LAG = 15, 10, 256 * MIB, 1
PARTS = ("statements", "crowd", "messages", "connections", "slow")
TRACE = "big"
KNOWN = f"SELECT value, count(*) AS n, sum(end_tick - start_tick) AS ticks FROM {TRACE}.states GROUP BY value ORDER BY value"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/release/ocellus"), help="default: target/release/ocellus")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given several times")
    parser.add_argument("--match", default="", help="only statements whose name contains this regular expression")
    parser.add_argument("--protocol", choices=("pg", "flight", "http"), help="the protocol of all statements")
    parser.add_argument("--messages", type=int, default=2000, help="malformed messages per protocol")
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--slow", type=int, default=40, help="slow clients of each protocol")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--address-space", type=int, default=8_000_000, help="KiB that the server may map")
    parser.add_argument("--list", action="store_true", help="print the names of the statements and stop")
    arguments = parser.parse_args()
    place.OCELLUS = os.path.abspath(arguments.program)
    chosen = [(name, sql) for name, sql in abusive.statements() if re.search(arguments.match, name)]
    if arguments.list:
        return print("\n".join(name for name, _ in chosen))
    # 500 connections are files of this process too.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    print(f"seed {arguments.seed}, {len(chosen)} statements", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        attack = Attack(folder, arguments)
        for part in arguments.only or PARTS:
            getattr(attack, part)(chosen if part in ("statements", "crowd") else None)
        attack.end()
    for fault in attack.faults:
        print("FAULT", fault)
    print(f"{len(attack.faults)} faults, {attack.unjudged} not judged since the machine was busy, the server was started {attack.starts} times")
    return 1 if attack.faults else 0


class Monitor(threading.Thread):
    """The other client: asks over a connection that it keeps, and notes what it waits for too long, or in vain."""

    def __init__(self, server, expected, report, late):
        super().__init__(daemon=True)
        self.server, self.expected, self.report, self.late = server, expected, report, late
        self.ends, self.asked, self.worst = threading.Event(), 0, 0.0
        self.start()

    def run(self):
        client = None
        while not self.ends.wait(1):
            started = time.monotonic()
            try:
                client = client or askers.Pg(self.server.ports["pg"], TRACE, GAP)
                self.check(client)
            except Exception as error:
                if self.ends.is_set() or not self.server.is_running():
                    return
                words = f"waited {GAP} s in vain" if isinstance(error, TimeoutError) else f"gets an error: {error}"
                (self.late if isinstance(error, TimeoutError) or "took longer" in words else self.report)(f"the other client {words}")
                client = None
            self.asked, self.worst = self.asked + 1, max(self.worst, time.monotonic() - started)

    def check(self, client):
        outcome = client.ask("SELECT 1")
        if outcome == "rows" and client.rows != [b"\0\1\0\0\0\0011"]:
            outcome = f"a wrong answer, {client.rows}"
        if outcome == "rows" and self.asked % 5 == 0:
            # Over the same connection: a server that is full refuses new ones, and rightly.
            outcome = client.ask(KNOWN)
            if outcome == "rows" and askers.fields(client.rows) != self.expected:
                outcome = f"a wrong answer, {client.rows}"
        if outcome != "rows":
            raise RuntimeError(outcome)

    def stop(self):
        self.ends.set()
        self.join(2 * GAP)


class Attack:
    def __init__(self, folder, arguments):
        self.arguments = arguments
        self.store = place.make_store(folder)
        self.expected = place.ocellus("sql", self.store, "--trace", TRACE, "--format", "csv", KNOWN).decode()
        self.expected = [line.split(",") for line in self.expected.splitlines()[1:]]
        self.faults, self.unjudged, self.now, self.starts, self.asked, self.worst = [], 0, "start", 0, 0, 0.0
        self.server = self.monitor = None
        self.begin()

    def fault(self, words):
        self.faults.append(f"{self.now}: {words}")
        # What went wrong first: what was asked may be long.
        print("  !!", f"{words} – {self.now}"[:300], flush=True)

    def late(self, words):
        """A fault of time, unless the machine is so busy that nothing is in time."""
        started = time.monotonic()
        place.ocellus("--version")
        taken = time.monotonic() - started
        if taken < LAG:
            return self.fault(words)
        self.unjudged += 1
        print(f"  ?? {self.now}: {words}; not judged, since `ocellus --version` took {taken:.1f} s", flush=True)

    # The server.

    def begin(self, *options):
        limits = ("--query-time", str(SECONDS), "--query-memory", str(MEMORY), "--memory", str(MEMORY), "--patience", "10", *options)
        self.server = place.Server(self.store, *limits, before=("prlimit", f"--as={self.arguments.address_space * 1024}"))
        self.starts += 1
        self.warm_up()
        self.monitor = Monitor(self.server, self.expected, self.fault, self.late)
        self.before = self.server.memory()

    def warm_up(self):
        """A few answers of each protocol, so that what is held for good is held."""
        for attempt in range(15):
            outcome = self.ask(("pg", "http", "flight")[attempt % 3], KNOWN)
            if outcome != "rows":
                self.late(f"a server that was just started: {outcome}")

    def end(self):
        """Notes what is left, and stops the server."""
        self.stop_monitor()
        if self.server.is_running():
            self.now = "at the end"
            end = time.monotonic() + 30
            while self.server.memory() > self.before + REST and time.monotonic() < end:
                time.sleep(0.5)
            after = self.server.memory()
            print(f"memory {self.before // MIB} MiB before, {after // MIB} MiB after, {self.allocated() // MIB} MiB of it allocated; the other client: {self.asked} questions, worst {self.worst:.1f} s", flush=True)
            if after > self.before + REST:
                self.fault(f"memory grew from {self.before // MIB} to {after // MIB} MiB")
        self.halt()

    def halt(self):
        """Ends the server whatever it does; what it said of panics is a fault."""
        for line in self.server.said:
            if "panicked" in line:
                self.fault(f"the server said: {line}")
        self.server.process.kill()
        self.server.process.wait()
        self.server.reader.join(10)
        self.server.process.stderr.close()

    def stop_monitor(self):
        self.monitor.stop()
        self.asked, self.worst = self.asked + self.monitor.asked, max(self.worst, self.monitor.worst)

    def restart(self, *options):
        self.stop_monitor()
        self.halt()
        self.begin(*options)

    def is_alive(self):
        """Whether the server runs; if not, another one is started."""
        time.sleep(0.02)
        if self.server.is_running():
            return True
        words = [line for line in self.server.said if re.search("allocation|overflow|panicked", line)] or self.server.said
        self.fault(f"THE SERVER ENDED with {self.server.process.returncode}: {' '.join(words[-2:])[-400:]}")
        self.restart()
        return False

    def wait_for_rest(self):
        """Whether what the server does ends soon: no query is counted, and the processor rests."""
        end = time.monotonic() + SLACK
        while time.monotonic() < end and self.server.is_running():
            try:
                used = self.server.cpu_seconds()
                time.sleep(0.4)
                if self.server.cpu_seconds() - used < 0.15 and self.running() == 0:
                    return True
            except FileNotFoundError:
                break
        return not self.server.is_running()

    def running(self):
        """How many queries the server counts; -1 when it does not say."""
        return self.metric("ocellus_queries_running")

    def allocated(self):
        """Bytes that the server has not freed; -1 when it does not say."""
        return int(self.metric("ocellus_memory_bytes"))

    def metric(self, name):
        try:
            with urllib.request.urlopen(self.server.url("/metrics"), timeout=GAP) as answer:
                return float(re.search(rf"(?m)^{name} (\S+)", answer.read().decode())[1])
        except (OSError, TypeError):
            return -1

    # Statements.

    def ask(self, protocol, sql):
        return askers.ask(self.server, protocol, TRACE, sql, SECONDS + SLACK)

    def statements(self, chosen):
        print(f"statements one by one, limits {SECONDS} s and {MEMORY // MIB} MiB", flush=True)
        for number, (name, sql) in enumerate(chosen):
            protocol = self.arguments.protocol or ("pg", "http", "flight")[number % 3]
            self.wait_for_memory()
            self.now = f"{name}, {protocol}"
            held = self.server.memory()
            reset_peak(self.server.process.pid)
            started = time.monotonic()
            outcome = self.ask(protocol, sql)
            taken = time.monotonic() - started
            if not self.is_alive():
                continue
            peak = peak_memory(self.server.process.pid) - held + self.before
            print(f"{taken:6.1f} s {peak // MIB:5} MiB  {self.now}: {' '.join(outcome.split())[:110]}", flush=True)
            self.judge(outcome, taken, peak)
            self.is_alive()

    def wait_for_memory(self):
        """What a statement took must be given back before the next, or else the server is started anew."""
        end = time.monotonic() + SLACK
        while self.server.memory() > self.before + MEMORY:
            if time.monotonic() > end:
                self.fault(f"keeps {(self.server.memory() - self.before) // MIB} MiB after its end")
                return self.restart()
            time.sleep(0.2)

    def judge(self, outcome, taken, peak):
        if "XX000" in outcome or re.search(r"(?i)internal error|panicked", outcome):
            self.fault(f"an internal error: {outcome[:200]}")
        if peak > 2 * MEMORY:
            self.fault(f"{peak // MIB} MiB under a limit of {MEMORY // MIB} MiB")
        if outcome == "NO ANSWER":
            self.late(f"no answer within {SECONDS + SLACK} s")
        if (taken > 1 or outcome == "NO ANSWER") and not self.wait_for_rest():
            self.late(f"goes on {SLACK} s after its answer, {self.running():.0f} queries are counted")
            self.restart()

    def crowd(self, chosen):
        """All of them again, twelve at once."""
        print("statements twelve at once", flush=True)
        due = list(chosen)
        random.Random(self.arguments.seed).shuffle(due)
        lock, flying, peak = threading.Lock(), {}, 0
        reset_peak(self.server.process.pid)

        def work(number):
            while self.server.is_running():
                with lock:
                    if not due:
                        return
                    name, sql = due.pop()
                    flying[number] = name
                    self.now = "crowd of " + "; ".join(flying.values())
                self.ask(("pg", "http", "flight")[number % 3], sql)
                with lock:
                    del flying[number]

        while due:
            threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if self.is_alive():
                peak = max(peak, peak_memory(self.server.process.pid))
                if not self.wait_for_rest():
                    self.fault("what was asked goes on after all answers")
                    self.restart()
        print(f"  at most {peak // MIB} MiB", flush=True)
        if peak > 2 * MEMORY + self.before:
            self.now = "crowd"
            self.fault(f"{peak // MIB} MiB under a limit of {MEMORY // MIB} MiB for all")

    # Messages and connections.

    def messages(self, _):
        for protocol in ("pg", "http", "flight"):
            self.now = f"malformed messages of {protocol}, seed {self.arguments.seed}"
            files = self.server.files()
            started = time.monotonic()
            sent = malformed.storm(self.server, protocol, self.arguments.messages, self.arguments.seed)
            print(f"{self.now}: {sent} sent in {time.monotonic() - started:.0f} s", flush=True)
            if self.is_alive():
                if not self.wait_for_rest():
                    self.fault("what was asked goes on")
                # Those who sent less than they said are dropped when patience ends.
                end = time.monotonic() + 30
                while self.server.files() > files + 8 and time.monotonic() < end:
                    time.sleep(0.5)
                if self.server.files() > files + 8:
                    self.fault(f"open files grew from {files} to {self.server.files()}")
                if any(self.ask(other, KNOWN) != "rows" for other in ("pg", "http", "flight")):
                    self.fault("the server does not answer")

    def connections(self, _):
        """So many clients at once: beyond the limit they are refused, below it all are served."""
        for limit in (256, self.arguments.connections + 50):
            self.restart("--connections", str(limit))
            for protocol in ("pg", "http", "flight"):
                self.now = f"{self.arguments.connections} connections of {protocol}, limit {limit}"
                served, refused = self.connect_all(protocol)
                print(f"{self.now}: {served} served, {refused} refused", flush=True)
                if not self.is_alive():
                    continue
                if served < min(limit - 10, self.arguments.connections):
                    self.fault(f"only {served} were served")
                place.wait_for(lambda: self.server.files() < 100 or self.ask("pg", "SELECT 1") == "rows", "connections are free again")

    def connect_all(self, protocol):
        """Opens all, then asks on each, then closes all."""
        sockets, served = [], 0
        hello = {
            "pg": load.startup(),
            "http": f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{self.server.ports['http']}\r\n\r\n".encode(),
            "flight": call_of_flight("ListActions"),
        }[protocol]
        welcome = {"pg": b"R", "http": b"HTTP/1.1 200"}.get(protocol)
        for _ in range(self.arguments.connections):
            try:
                sockets.append(socket.create_connection(("127.0.0.1", self.server.ports[protocol]), timeout=10))
                sockets[-1].sendall(hello)
            except OSError:
                pass
        for one in sockets:
            try:
                served += is_served(one) if protocol == "flight" else one.recv(100).startswith(welcome)
            except OSError:
                pass
        time.sleep(3)
        for one in sockets:
            one.close()
        return served, self.arguments.connections - served

    def slow(self, _):
        """Clients that send a byte a second, and clients that read a byte a second."""
        self.now = "slow clients"
        big = "SELECT repeat('a', 1000) AS a FROM range(0, 100000)"
        port = self.server.ports["http"]
        post = f"POST /sql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(big)}\r\n\r\n{big}".encode()
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
        writers, readers = [], []
        for _ in range(self.arguments.slow):
            writers += [[self.dial("pg"), load.startup()], [self.dial("http"), post], [self.dial("flight"), preface]]
        for _ in range(3):
            one = self.dial("pg")
            one.sendall(load.startup())
            load.read_until_ready(one)
            one.sendall(load.simple_query(big))
            other = self.dial("http")
            other.sendall(post)
            readers += [one, other]
        for second in range(40):
            for pair in writers:
                try:
                    pair[0].sendall(pair[1][second : second + 1])
                except OSError:
                    pass
            for one in readers:
                try:
                    one.settimeout(0.001)
                    one.recv(1)
                except OSError:
                    pass
            time.sleep(1)
            if not self.is_alive():
                return
        for one in [pair[0] for pair in writers] + readers:
            one.close()
        print(f"{len(writers)} clients that send and {len(readers)} that read a byte a second, for 40 s: server alive", flush=True)
        if not self.wait_for_rest():
            self.fault("what they asked goes on")

    def dial(self, protocol):
        return socket.create_connection(("127.0.0.1", self.server.ports[protocol]), timeout=10)


def call_of_flight(name):
    """The first bytes of a connection of HTTP/2, with a call that carries an empty message."""
    path = f"/arrow.flight.protocol.FlightService/{name}".encode()
    # :method POST, :scheme http, :path, :authority, content-type and te, none of them compressed.
    headers = b"\x83\x86\x04" + bytes([len(path)]) + path + b"\x01\x09localhost\x0f\x10\x10application/grpc\x00\x02te\x08trailers"
    frames = [(4, 0, 0, b""), (1, 4, 1, headers), (0, 1, 1, b"\0\0\0\0\0")]
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"".join(
        len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body for kind, flags, stream, body in frames
    )


def is_served(one):
    """Whether a call is answered by more than a status: the headers of a refusal end its stream."""
    said = b""
    while part := one.recv(4096):
        said += part
        while len(said) >= 9 and len(said) >= 9 + (length := int.from_bytes(said[:3], "big")):
            if said[3] == 1:
                return not said[4] & 1
            said = said[9 + length :]
    return False


def reset_peak(pid):
    try:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        pass


def peak_memory(pid):
    """Most resident bytes since the last reset."""
    try:
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024
    except (OSError, TypeError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
