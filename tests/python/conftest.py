"""What the tests of the package share: samples, a store, and the program to compare with."""
import io
import os
import pathlib
import subprocess
import sys

import pyarrow
import pytest

import ocellus

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "traces"
PROGRAM = os.environ.get("OCELLUS", "ocellus")
# Seconds that anything may take on a busy machine; whoever waits longer waits in vain.
PATIENCE = 120


def program(*arguments):
    """Runs the program; what it printed."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def program_rows(source, sql, *options):
    """The rows of a query by the command line, as an Arrow table."""
    printed = program("sql", source, sql, "--format", "arrow", *options)
    return pyarrow.ipc.open_stream(io.BytesIO(printed)).read_all()


def start_python(code, *arguments):
    """Starts Python with a program that uses the package."""
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True,
    )


def run_python(code, *arguments):
    """Runs Python with a program that uses the package; what it printed."""
    process = start_python(code, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, f"{process.returncode}\n{out}\n{err}"
    return out


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A store with three samples."""
    folder = tmp_path_factory.mktemp("stores") / "samples"
    for name in ("quickstart", "links", "variables"):
        ocellus.import_trace(TRACES / f"{name}.trace", folder, name=name)
    return folder


@pytest.fixture
def con():
    """A connection to a sample."""
    with ocellus.connect(TRACES / "quickstart.trace") as connection:
        yield connection


@pytest.fixture(scope="session")
def big_trace(tmp_path_factory):
    """A trace whose import takes a while."""
    path = tmp_path_factory.mktemp("big") / "big.trace"
    program("generate", "mpi", "--events", 3_000_000, "--ranks", 16, "-o", path)
    return path
