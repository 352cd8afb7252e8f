"""Types and NULLs of every kind of column, in every shape, against the program."""
import datetime
import decimal
import io

import pandas
import pyarrow
import pytest

from conftest import TRACES, program, program_rows

# An expression of each type; its value in Python; the type in pandas.
KINDS = {
    "boolean": ("true", True, "boolean"),
    "smallint": ("CAST(-7 AS SMALLINT)", -7, "Int16"),
    "integer": ("CAST(2147483647 AS INTEGER)", 2147483647, "Int32"),
    "bigint": ("CAST(9007199254740993 AS BIGINT)", 9007199254740993, "Int64"),
    "unsigned": ("arrow_cast(18446744073709551615, 'UInt64')", 2**64 - 1, "UInt64"),
    "real": ("CAST(0.5 AS REAL)", 0.5, "float32"),
    "double": ("CAST(0.1 AS DOUBLE)", 0.1, "float64"),
    "text": ("'été 数据'", "été 数据", "str"),
    "dictionary": ("arrow_cast('word', 'Dictionary(Int32, Utf8)')", "word", "str"),
    "bytes": ("X'00FF'", b"\x00\xff", "object"),
    "day": ("CAST('2024-05-01' AS DATE)", datetime.date(2024, 5, 1), "object"),
    "moment": ("CAST('2024-05-01T12:34:56.789' AS TIMESTAMP)", datetime.datetime(2024, 5, 1, 12, 34, 56, 789000), "datetime64[ns]"),
    "decimal": ("CAST(12.34 AS DECIMAL(9, 2))", decimal.Decimal("12.34"), "object"),
    "list": ("[1, 2]", [1, 2], "object"),
    "struct": ("named_struct('a', 1, 'b', 'x')", {"a": 1, "b": "x"}, "object"),
}
SAMPLES = ["quickstart.trace", "links.trace", "variables.trace", "extra_fields.trace", "ring.otf2", "events.json"]
TABLES = ["containers", "states", "state_segments", "events", "variables", "links", "types", "entity_values", "diagnostics", "trace_info"]


@pytest.mark.parametrize("name", KINDS)
def test_every_type_and_its_null(con, name):
    expression, value, dtype = KINDS[name]
    sql = f"SELECT CASE WHEN value = 2 THEN {expression} END AS x FROM generate_series(1, 3) ORDER BY value"
    query = con.sql(sql)
    expected = program_rows(TRACES / "quickstart.trace", sql)
    assert query.arrow().equals(expected)
    assert query.fetchall() == [(None,), (value,), (None,)]
    assert [type(cell) for (cell,) in query.fetchall()] == [type(None), type(value), type(None)]
    assert expected.to_pylist() == [{"x": None}, {"x": value}, {"x": None}]
    column = query.df()["x"]
    assert str(column.dtype) == dtype
    assert list(column.isna()) == [True, False, True]
    assert query.pl()["x"].null_count() == 2
    assert query.pl()["x"][1] == value if name != "list" else query.pl()["x"][1].to_list() == value


def test_ticks_beyond_doubles_stay_exact_beside_null(con):
    ticks = [2**53 + 1, None, -(2**63), 2**63 - 1]
    values = ", ".join("(NULL)" if tick is None else f"(CAST('{tick}' AS BIGINT))" for tick in ticks)
    frame = con.sql(f"SELECT column1 AS tick FROM (VALUES {values})").df()
    assert [None if pandas.isna(tick) else int(tick) for tick in frame["tick"]] == ticks


@pytest.mark.parametrize("sample", SAMPLES)
def test_all_tables_of_samples(sample):
    import ocellus

    connection = ocellus.connect(TRACES / sample)
    # When a trace was imported differs between two imports.
    queries = [f"SELECT {'* EXCEPT (imported_at)' if table == 'trace_info' else '*'} FROM {table}" for table in TABLES]
    printed = io.BytesIO(program("sql", TRACES / sample, "; ".join(queries), "--format", "arrow"))
    compared = 0
    for sql in queries:
        expected = pyarrow.ipc.open_stream(printed).read_all()
        found = connection.sql(sql)
        table = found.arrow()
        assert table.schema.equals(expected.schema), sql
        rows = [tuple(row.values()) for row in expected.to_pylist()]
        assert sorted(found.fetchall(), key=repr) == sorted(rows, key=repr), sql
        assert sorted(map(repr, table.to_pylist())) == sorted(map(repr, expected.to_pylist())), sql
        assert len(found.df()) == found.pl().height == len(rows)
        compared += len(rows)
    assert compared > 10 and not printed.read(1)


def test_empty_results_have_their_columns(con):
    query = con.sql("SELECT container, start_tick FROM states WHERE false")
    assert query.fetchall() == [] and query.fetchone() is None
    assert list(query.df().columns) == ["container", "start_tick"] and str(query.df()["start_tick"].dtype) == "Int64"
    assert query.pl().columns == ["container", "start_tick"]
    assert query.arrow().schema.types == [pyarrow.string(), pyarrow.int64()]
    assert "container" in query._repr_html_()
