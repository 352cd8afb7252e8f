"""The package itself: DB-API, types, the command line, costs, manners of a library."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import pandas
import polars
import pytest

import ocellus
import ocellus.dbapi
from conftest import PROGRAM, TRACES, program, run_python

SCRIPT = pathlib.Path(sys.executable).with_name("ocellus")


def test_pep_249(con):
    assert (ocellus.dbapi.apilevel, ocellus.dbapi.threadsafety, ocellus.dbapi.paramstyle) == ("2.0", 2, "qmark")
    connection = ocellus.dbapi.connect(TRACES / "quickstart.trace")
    cursor = connection.cursor()
    with pytest.raises(ocellus.dbapi.ProgrammingError):
        cursor.fetchone()
    cursor.execute("SELECT value, value * 2 AS twice FROM generate_series(1, ?)", (5,))
    assert [column[:2] for column in cursor.description] == [("value", "BIGINT"), ("twice", "BIGINT")]
    assert cursor.fetchone() == (1, 2) and cursor.fetchmany(2) == [(2, 4), (3, 6)]
    assert list(cursor) == [(4, 8), (5, 10)] and cursor.fetchall() == [] and cursor.fetchone() is None
    cursor.execute("CREATE VIEW v AS SELECT 1 AS one")
    assert cursor.description is None
    assert cursor.execute("SELECT * FROM v").fetch_arrow_table().num_rows == 1
    with pytest.raises(ocellus.dbapi.ProgrammingError):
        cursor.execute("SELECT nothing")
    connection.commit()
    connection.close()
    with pytest.raises(ocellus.dbapi.ProgrammingError):
        connection.cursor().execute("SELECT 1")


@pytest.mark.filterwarnings("ignore:pandas only supports SQLAlchemy")
def test_pandas_and_polars_read_by_the_db_api(con):
    connection = ocellus.dbapi.connect(con)
    frame = pandas.read_sql("SELECT container, value, duration FROM states WHERE value = ?", connection, params=["compute"])
    assert set(frame["value"]) == {"compute"} and frame["duration"].sum() > 0
    table = polars.read_database("SELECT container, duration FROM states", connection)
    assert table.height == con.sql("SELECT count(*) FROM states").fetchone()[0]


def test_the_command_line_is_in_the_package(tmp_path):
    def run(*arguments, **options):
        return subprocess.run([SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False, **options)

    assert run("--version").stdout == f"ocellus {ocellus.__version__}\n"
    sql = ["sql", TRACES / "quickstart.trace", "SELECT value, count(*) FROM states GROUP BY 1 ORDER BY 1", "--format", "csv"]
    assert run(*sql).stdout == program(*sql).decode()
    assert run("sql", TRACES / "quickstart.trace", "SELECT nonsense").returncode == 1
    assert run("nonsense").returncode == 2
    assert run("sql", TRACES / "quickstart.trace", input="SELECT 1 AS one;\n").stdout.count("one") == 1
    assert run("import", TRACES / "links.trace", "--store", tmp_path / "store").returncode == 0
    assert len(ocellus.connect(tmp_path / "store").traces) == 1
    module = subprocess.run([sys.executable, "-m", "ocellus", "--version"], capture_output=True, text=True, check=False)
    assert module.stdout == f"ocellus {ocellus.__version__}\n"


def test_one_shared_object_and_no_other_engine():
    folder = pathlib.Path(ocellus.__file__).parent
    large = [file.name for file in folder.rglob("*") if file.is_file() and file.stat().st_size > 1_000_000]
    assert len(large) == 1 and large[0].startswith("_ocellus.abi3"), large
    assert SCRIPT.stat().st_size < 10_000
    assert (folder / "py.typed").exists() and (folder / "_ocellus.pyi").exists()


def test_a_library_is_quiet_and_leaves_signals_alone():
    code = """
import os, signal, sys
handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
def caught_signals():
    # The C library has two of its own, 32 and 33, for threads.
    return int(open('/proc/self/status').read().split('SigCgt:')[1].split()[0], 16) & ~(3 << 31)
caught = caught_signals()
import ocellus
con = ocellus.connect(sys.argv[1])
con.sql('SELECT * FROM states').fetchall()
con.draw('timeline').save(sys.argv[2])
con.report(sys.argv[3])
assert handlers == {number: signal.getsignal(number) for number in signal.valid_signals()}
assert caught == caught_signals()
"""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, TRACES / "quickstart.trace", f"{folder}/x.png", f"{folder}/report"],
            capture_output=True, check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_types_are_those_of_the_stubs(tmp_path):
    allowed = tmp_path / "allowed.txt"
    # pyo3 does not say that its classes cannot be made or inherited.
    allowed.write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ocellus._ocellus", "--ignore-disjoint-bases", "--allowlist", allowed],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    package = pathlib.Path(ocellus.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache", "-p", "ocellus"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr + str(package)


def test_everything_public_is_documented():
    for name in ocellus.__all__:
        thing = getattr(ocellus, name)
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__.startswith("ocellus"):
            for method, value in vars(thing).items():
                assert method.startswith("_") or not callable(value) or value.__doc__, f"{name}.{method}"


def test_five_million_rows_cost_what_the_program_costs():
    """Prints processor time, in seconds: machines are too different to compare in a test."""
    sql = "SELECT value, value * 0.5 AS half, concat('rank-', CAST(value % 1000 AS TEXT)) AS name FROM generate_series(1, 5000000)"
    import resource

    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    trace = str(TRACES / "quickstart.trace")
    start = children()
    with open(os.devnull, "wb") as nothing:
        subprocess.run([PROGRAM, "sql", trace, sql, "--format", "arrow"], stdout=nothing, check=True)
    by_program = children() - start
    code = """
import sys, time, pyarrow, ocellus
start = time.process_time()
table = ocellus.connect(sys.argv[1]).sql(sys.argv[2]).arrow()
assert table.num_rows == 5_000_000
print(time.process_time() - start)
"""
    by_package = float(run_python(code, trace, sql))
    print(f"5 million rows: {by_program:.2f} s by the program, {by_package:.2f} s by arrow()")


def test_the_import_is_light():
    code = "import sys, time; start = time.perf_counter(); import ocellus; print(time.perf_counter() - start); assert 'pyarrow' not in sys.modules"
    took = min(float(run_python(code)) for _ in range(3))
    print(f"import ocellus: {took:.3f} s")


def test_no_module_is_needed():
    assert importlib.util.find_spec("ocellus") is not None
    metadata = pathlib.Path(ocellus.__file__).parents[1].glob("ocellus-*.dist-info/METADATA")
    requires = [line for line in next(metadata).read_text().splitlines() if line.startswith("Requires-Dist")]
    assert requires and all("extra ==" in line for line in requires), requires
