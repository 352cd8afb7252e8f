"""What the tests of the servers share: a store, a running server, and the rows of the embedded engine."""
import glob
import io
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import pyarrow as pa

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OCELLUS = os.environ.get("OCELLUS", os.path.join(ROOT, "target/release/ocellus"))
TRACE = "quickstart"
# Seconds that anything may take on a busy machine; whoever waits longer waits in vain.
PATIENCE = 120

# A trace with names beyond ASCII.
UNICODE = """\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 5
% Time date
% Type string
% Container string
% Value string
%EndEventDef
1 R 0 Rank
2 S R State
3 0 r0 R 0 "processus nº 0"
3 0 r1 R 0 "процесс 🚀"
5 0 S r0 "attendre: été"
5 1 S r0 "数据, 'quoted' 50 %"
5 0 S r1 "Ω"
5 3 S r1 "fin"
"""


def ocellus(*arguments, check=True, text=""):
    """Runs the program on a text; gives what it printed."""
    done = subprocess.run([OCELLUS, *arguments], capture_output=True, input=text.encode())
    if check and done.returncode != 0:
        raise RuntimeError(f"ocellus {arguments[0]} failed: {done.stderr.decode(errors='replace')}")
    return done.stdout


def make_store(folder, events=150_000):
    """A store with all sample traces, one with names beyond ASCII, and one with many rows."""
    store = os.path.join(folder, "store")
    samples = sorted(glob.glob(os.path.join(ROOT, "traces/*.trace")))
    unicode, big = os.path.join(folder, "unicode.trace"), os.path.join(folder, "big.trace")
    with open(unicode, "w", encoding="utf-8") as file:
        file.write(UNICODE)
    ocellus("generate", "mpi", "--events", str(events), "--ranks", "8", "-o", big)
    others = [os.path.join(ROOT, "traces", name) for name in ("ring.otf2", "events.json", "ctf", "tracks.pftrace")]
    ocellus("import", *samples, *others, unicode, big, "--store", store)
    network = [os.path.join(ROOT, "traces", name) for name in ("quickstart.dot", "quickstart.plist")]
    ocellus("attach", store, "--trace", TRACE, "--topology", network[0], "--hierarchy", network[1])
    return store


def embedded(store, queries, trace=TRACE):
    """The rows of queries, one Arrow table each, by the embedded engine in one run."""
    text = "".join(f"{query};\n" for query in queries)
    stream = io.BytesIO(ocellus("sql", store, "--trace", trace, "--format", "arrow", text=text))
    tables = [pa.ipc.open_stream(stream).read_all() for _ in queries]
    assert not stream.read(1), "the engine gave more answers than there were queries"
    return tables


def wait_for(condition, what, seconds=PATIENCE):
    """Waits until a condition holds; its value, or a failure that says what did not come."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.05)


class Server:
    """A running `ocellus serve` on free ports of loopback; a context that stops it."""

    def __init__(self, store, *options, protocols=("pg", "flight", "http"), password=None, token=None, before=()):
        """`before` is a command that starts the program, such as one that limits it."""
        self.secret, self.token = password, token
        listening = [word for name in protocols for word in (f"--{name}", "127.0.0.1:0")]
        self.process = subprocess.Popen([*before, OCELLUS, "serve", store, *listening, *options], stderr=subprocess.PIPE, text=True)
        self.ports, self.said = {}, []
        self.reader = threading.Thread(target=self._listen, daemon=True)
        self.reader.start()
        try:
            wait_for(lambda: len(self.ports) >= len(protocols) or not self.is_running(), "the server listens")
            assert self.is_running(), f"the server did not start: {self.said}"
        except AssertionError:
            self.process.kill()
            raise

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))
            found = re.search(r"\b(pg|flight|http) on \S*:(\d+)$", line.strip())
            if found:
                self.ports[found[1]] = int(found[2])

    def is_running(self):
        return self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_running():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"the server does not stop: {self.said}") from None
        self.reader.join(PATIENCE)
        self.process.stderr.close()

    def pg(self, trace=TRACE, user="reader"):
        """How clients of libpq connect."""
        password = f" password={self.secret}" if self.secret else ""
        return f"host=127.0.0.1 port={self.ports['pg']} user={user} dbname=ocellus{password} options='-c search_path={trace}'"

    def pg_url(self, trace=TRACE, user="reader"):
        who = f"{user}:{self.secret}" if self.secret else user
        return f"postgresql://{who}@127.0.0.1:{self.ports['pg']}/ocellus?options=-c%20search_path%3D{trace}"

    def url(self, path):
        return f"http://127.0.0.1:{self.ports['http']}{path}"

    def metrics(self):
        """The counters of the server."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        with urllib.request.urlopen(urllib.request.Request(self.url("/metrics"), headers=headers), timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        return {line.split()[0]: float(line.split()[1]) for line in lines if not line.startswith("#")}

    def running(self):
        return self.metrics()["ocellus_queries_running"]

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def is_idle(self):
        """Whether it uses no processor for a while, a hundredth at most."""
        before = self.cpu_seconds()
        time.sleep(1)
        return self.cpu_seconds() - before <= 0.02


class WithStore(unittest.TestCase):
    """Tests over one store."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.store = make_store(cls.folder.name)
