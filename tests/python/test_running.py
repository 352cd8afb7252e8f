"""What happens while queries and imports run: streams, Ctrl-C, threads, forks."""
import signal
import subprocess
import sys
import threading
import time

import pytest

import ocellus
from conftest import PATIENCE, TRACES, run_python, start_python

# Ten million rows, about 600 MB as a table.
MANY = """SELECT value, value * 0.5 AS half, concat('rank-', CAST(value % 1000 AS TEXT)) AS name, value + 1 AS next
          FROM generate_series(1, 10000000)"""
# Runs for hours.
ENDLESS = "SELECT count(*) FROM generate_series(1, 3000000) AS a JOIN generate_series(1, 3000000) AS b ON a.value * b.value % 7 > 9"


def test_ten_million_rows_stream_in_bounded_memory():
    code = """
import sys, ocellus
def resident():
    return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6
con = ocellus.connect(sys.argv[1])
con.sql('SELECT 1').fetchall()
import pyarrow
before, most, rows, total = resident(), 0, 0, 0
for batch in con.sql(sys.argv[2]).reader():
    rows += batch.num_rows
    total += pyarrow.compute.sum(batch.column('value')).as_py()
    most = max(most, resident())
assert rows == 10_000_000 and total == rows * (rows + 1) // 2, (rows, total)
print(f'{most - before:.0f}')
assert most - before < 200, (before, most)
"""
    grown = run_python("import pyarrow.compute\n" + code, TRACES / "quickstart.trace", MANY)
    print(f"10 million rows in {grown.strip()} MB more memory")


def test_a_reader_that_leaves_stops_its_query(con):
    with con.sql(MANY).reader() as reader:
        assert next(reader).num_rows > 0
    assert list(reader) == []


INTERRUPTED = """
import sys, time, os, signal, threading, ocellus
handler = signal.getsignal(signal.SIGINT)
con = ocellus.connect(sys.argv[1])
assert signal.getsignal(signal.SIGINT) is handler
def use():
    query = con.sql(sys.argv[2])
    way = sys.argv[3]
    if way == 'fetchall': query.fetchall()
    elif way == 'reader': [batch for batch in query.reader()]
    elif way == 'export': query.export(sys.argv[4])
print('ready', flush=True)
try:
    use()
except KeyboardInterrupt:
    print(time.time(), flush=True)
assert con.sql('SELECT 1').fetchall() == [(1,)]
# The query has really ended: the process comes to rest.
end = time.monotonic() + 60
while True:
    before = time.process_time()
    time.sleep(0.5)
    if time.process_time() - before < 0.02: break
    assert time.monotonic() < end, 'the query goes on'
print('rest', flush=True)
"""


def interrupt(process):
    """Waits until a program is ready, and sends Ctrl-C; when, and what it printed then."""
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    time.sleep(0.7)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, f"{out}\n{err}"
    return sent, out.splitlines()


@pytest.mark.parametrize("way", ["fetchall", "reader", "export"])
def test_ctrl_c_stops_a_query(way, tmp_path):
    process = start_python(INTERRUPTED, TRACES / "quickstart.trace", ENDLESS, way, tmp_path / "x.csv")
    sent, (stopped, rest) = interrupt(process)
    assert rest == "rest"
    print(f"Ctrl-C in {way}: {1000 * (float(stopped) - sent):.0f} ms")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_an_import_and_leaves_the_store_whole(big_trace, tmp_path):
    store = tmp_path / "store"
    ocellus.import_trace(TRACES / "quickstart.trace", store)
    # One import after the other, so that it is stopped in one of them on a machine of any speed.
    code = """
import sys, time, ocellus
done = 0
print('ready', flush=True)
try:
    while True:
        ocellus.import_trace(sys.argv[1], sys.argv[2], name=f'big_{done}')
        done += 1
except KeyboardInterrupt:
    print(time.time(), done, flush=True)
"""
    sent, (line,) = interrupt(start_python(code, big_trace, store))
    stopped, done = line.split()
    print(f"Ctrl-C in an import: {1000 * (float(stopped) - sent):.0f} ms")
    names = sorted(trace["name"] for trace in ocellus.connect(store).traces)
    # The last one was stopped before or after it came into the store, never between.
    assert len(names) - 1 in (int(done), int(done) + 1), (names, done)
    assert len([entry for entry in store.iterdir() if entry.is_dir()]) == len(names)
    ocellus.import_trace(big_trace, store, name="big")
    connection = ocellus.connect(store)
    rows = {name: connection.sql(f"SELECT count(*), sum(end_tick - start_tick) FROM {name}.states").fetchall() for name in [*names, "big"]}
    del rows["quickstart"]
    assert all(found == rows["big"] for found in rows.values()), rows


def test_progress_goes_to_a_function(big_trace, tmp_path):
    seen = []
    ocellus.import_trace(big_trace, tmp_path / "store", progress=lambda done, total: seen.append((done, total)))
    assert seen and all(0 <= done <= total == big_trace.stat().st_size for done, total in seen)

    def stop(done, total):
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError):
        ocellus.import_trace(big_trace, tmp_path / "other", progress=stop)
    assert not (tmp_path / "other").exists()


def test_threads_share_a_connection_and_run_beside_each_other(con):
    expected = con.sql("SELECT value, count(*) FROM states GROUP BY 1 ORDER BY 1").fetchall()
    results, errors = [], []

    def work():
        try:
            for _ in range(5):
                results.append(con.sql("SELECT value, count(*) FROM states GROUP BY 1 ORDER BY 1").fetchall())
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not errors and results == [expected] * 40


def test_threads_share_a_reader(con):
    reader = con.sql("SELECT value FROM generate_series(1, 200000)").reader()
    counts, lock = [], threading.Lock()

    def work():
        for batch in reader:
            with lock:
                counts.append(batch.num_rows)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sum(counts) == 200_000


def test_python_goes_on_while_a_query_runs():
    code = """
import os, sys, threading, time, ocellus
con = ocellus.connect(sys.argv[1])
query = con.sql(sys.argv[2])
threading.Thread(target=query.fetchall, daemon=True).start()
for _ in range(20):
    time.sleep(0.01)
print('went on', flush=True)
# The query would run for hours, and need not end.
os._exit(0)
"""
    assert run_python(code, TRACES / "quickstart.trace", ENDLESS) == "went on\n"


def test_a_fork_is_detected_and_the_parent_goes_on():
    code = """
import os, sys, ocellus
con = ocellus.connect(sys.argv[1])
query = con.sql('SELECT count(*) FROM states')
expected = query.fetchall()
running = con.sql('SELECT * FROM generate_series(1, 1000000)').reader()
child = os.fork()
if child == 0:
    caught = 0
    for use in (query.fetchall, lambda: con.sql('SELECT 1'), lambda: con.traces, lambda: ocellus.connect(sys.argv[1]),
                lambda: con.draw('timeline'), lambda: next(running), con.refresh):
        try:
            use()
        except ocellus.ForkError as error:
            assert 'spawn' in str(error)
            caught += 1
    del con, query, running
    os._exit(0 if caught == 7 else 1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert query.fetchall() == expected
assert sum(len(batch) for batch in running) == 1000000
# A child of a process that has only imported the package may use it.
"""
    run_python(code, TRACES / "quickstart.trace")
    early = """
import os, sys, ocellus
child = os.fork()
if child == 0:
    os._exit(0 if ocellus.connect(sys.argv[1]).sql('SELECT 1').fetchall() == [(1,)] else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    run_python(early, TRACES / "quickstart.trace")


WORKERS = """
import multiprocessing, os, pickle, sys
import ocellus

def states(path):
    import ocellus
    with ocellus.connect(path) as con:
        return os.getpid(), con.sql('SELECT value, count(*) FROM states GROUP BY 1 ORDER BY 1').fetchall()

def imported(path, store, name):
    import ocellus
    return ocellus.import_trace(path, store, name=name)['name']

def wrong(path):
    import ocellus
    ocellus.connect(path).sql('SELECT valeu FROM states').fetchall()

if __name__ == '__main__':
    trace, store, way = sys.argv[1:]
    here = states(trace)
    # The connection of the parent is in use: a fork would be refused, these begin anew.
    context = multiprocessing.get_context(way)
    with context.Pool(2) as pool:
        there = pool.map(states, [trace] * 6)
        assert os.getpid() not in {process for process, _ in there} and all(rows == here[1] for _, rows in there), there
        names = pool.starmap(imported, [(trace, store, f'run_{number}') for number in range(4)])
        assert sorted(names) == [f'run_{number}' for number in range(4)], names
        try:
            pool.apply(wrong, (trace,))
        except ocellus.QueryError as error:
            # Exceptions come back whole.
            assert (error.kind, error.place) == ('unknown_column', (1, 8)) and 'did you mean value' in str(error), vars(error)
        else:
            raise AssertionError('no error')
    assert len(ocellus.connect(store).traces) == 4
    assert states(trace) == here
    try:
        pickle.dumps(ocellus.connect(trace))
    except TypeError:
        pass
    else:
        raise AssertionError('a connection belongs to its process')
    print('done')
"""


@pytest.mark.parametrize("way", ["spawn", "forkserver"])
def test_other_processes_work_beside_this_one(way, tmp_path):
    """Pools of processes that start anew: queries, imports into one store, and exceptions."""
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    done = subprocess.run(
        [sys.executable, script, TRACES / "quickstart.trace", tmp_path / "store", way],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
