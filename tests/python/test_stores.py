"""Damaged traces, damaged stores, and several programs at one store."""
import pathlib
import shutil
import threading

import pytest

import ocellus
from conftest import TRACES, program, start_python

BAD = sorted((TRACES / "bad").iterdir())


@pytest.mark.parametrize("trace", BAD, ids=lambda path: path.name)
def test_a_damaged_trace_is_imported_with_diagnostics_or_refused(trace, tmp_path):
    try:
        described = ocellus.import_trace(trace, tmp_path / "store", name="damaged", progress=False)
    except ocellus.Error as error:
        assert isinstance(error, (ocellus.TraceError, ocellus.FileError)), repr(error)
        assert not (tmp_path / "store").exists()
        return
    connection = ocellus.connect(tmp_path / "store")
    rows = connection.sql("SELECT severity, code FROM diagnostics").fetchall()
    assert len(rows) == described["diagnostics"] == connection.traces[0]["diagnostics"]


def test_lost_lines_are_a_warning(tmp_path):
    with pytest.warns(ocellus.Note, match="could not be used; SELECT . FROM diagnostics"):
        ocellus.connect(TRACES / "bad" / "missing_field.trace")
    with pytest.raises(ocellus.TraceError, match="line"):
        ocellus.import_trace(TRACES / "bad" / "missing_field.trace", tmp_path / "store", strict=True)
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 100)
    with pytest.raises(ocellus.TraceError):
        ocellus.connect(tmp_path / "noise.bin")


def test_a_damaged_store_is_an_error(store, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(store, copy)
    connection = ocellus.connect(copy, trace="quickstart")
    for file in copy.rglob("*.parquet"):
        file.write_bytes(b"no parquet" * 100)
    with pytest.raises(ocellus.QueryError) as caught:
        connection.sql("SELECT * FROM states").fetchall()
    assert caught.value.kind == "damaged_store"
    (copy / "ocellus.json").write_text("{")
    with pytest.raises(ocellus.StoreError):
        ocellus.connect(copy)


def test_names_that_are_taken(tmp_path):
    first = ocellus.import_trace(TRACES / "quickstart.trace", store=tmp_path / "perf", name="lu")
    assert first["name"] == "lu" and first["rows"]["states"] > 0 and first["lost_lines"] == 0
    with pytest.raises(ocellus.StoreError, match="already exists"):
        ocellus.import_trace(TRACES / "links.trace", tmp_path / "perf", name="lu")
    ocellus.import_trace(TRACES / "links.trace", tmp_path / "perf", name="lu", replace=True)
    assert len(ocellus.connect(tmp_path / "perf").traces) == 1


def test_two_connections_are_snapshots_while_a_third_process_imports(big_trace, tmp_path):
    store = tmp_path / "store"
    ocellus.import_trace(TRACES / "quickstart.trace", store)
    one, two = ocellus.connect(store), ocellus.connect(store)
    count = "SELECT count(*) FROM quickstart.states"
    expected = one.sql(count).fetchone()
    code = "import sys, ocellus; ocellus.import_trace(sys.argv[1], sys.argv[2], name='big'); print('imported')"
    importer = start_python(code, big_trace, store)
    answers = 0
    while importer.poll() is None:
        for connection in (one, two):
            assert connection.sql(count).fetchone() == expected
            assert len(connection.traces) == 1
            answers += 1
    assert importer.communicate()[0] == "imported\n" and answers > 2
    assert len(one.traces) == 1
    assert len(one.refresh().traces) == 2 and len(two.traces) == 1
    assert one.sql("SELECT count(*) FROM big.states").fetchone()[0] > 100_000
    with pytest.raises(ocellus.QueryError):
        two.sql("SELECT count(*) FROM big.states")
    # A trace that is dropped stays readable for those who have it open.
    program("drop", store, "quickstart")
    assert two.sql(count).fetchone() == expected
    assert [trace["name"] for trace in two.refresh().traces] == ["big"]


def test_a_trace_that_changes_is_imported_again(tmp_path):
    trace = tmp_path / "run.trace"
    shutil.copy(TRACES / "quickstart.trace", trace)
    connection = ocellus.connect(trace)
    before = connection.sql("SELECT count(*) FROM states").fetchone()
    shutil.copy(TRACES / "links.trace", trace)
    assert connection.sql("SELECT count(*) FROM states").fetchone() == before
    assert connection.refresh().sql("SELECT count(*) FROM states").fetchone() != before


def test_imports_at_once_wait_for_each_other(tmp_path):
    store = tmp_path / "store"
    errors = []

    def work(number):
        try:
            ocellus.import_trace(TRACES / "quickstart.trace", store, name=f"run{number}", progress=False)
        except ocellus.Error as error:
            errors.append(error)

    pathlib.Path(store).mkdir()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = len(ocellus.connect(store).traces)
    assert found + len(errors) == 4 and found >= 1
    assert all(isinstance(error, ocellus.StoreError) for error in errors), errors
