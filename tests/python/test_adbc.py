"""The ADBC driver in the shared object, driven by the driver manager of the Arrow project."""
import threading

import adbc_driver_manager
import adbc_driver_manager.dbapi
import pandas
import polars
import pyarrow
import pytest

import ocellus
import ocellus.adbc
from conftest import PATIENCE, TRACES, program_rows, run_python
from test_running import ENDLESS, MANY

QUICKSTART = TRACES / "quickstart.trace"


@pytest.fixture
def adbc():
    with ocellus.adbc.connect(QUICKSTART) as connection:
        yield connection


@pytest.fixture
def cursor(adbc):
    with adbc.cursor() as cursor:
        yield cursor


def shown(table):
    """The rows in an order of their own. Sums of doubles, such as those of a deviation, depend on the order of their terms."""
    def value(cell):
        return f"{cell:.9g}" if isinstance(cell, float) else repr(cell)

    return sorted([value(cell) for cell in row.values()] for row in table.to_pylist())


def test_every_table_is_what_the_program_prints(adbc, cursor):
    (catalog,) = adbc.adbc_get_objects(depth="tables").read_all().to_pylist()
    names = [(schema["db_schema_name"], table["table_name"]) for schema in catalog["catalog_db_schemas"] for table in schema["db_schema_tables"]]
    assert len(names) > 20
    for schema, table in names:
        sql = f'SELECT * FROM "{schema}"."{table}"'
        found = cursor.execute(sql).fetch_arrow_table()
        expected = program_rows(QUICKSTART, sql)
        assert found.schema.equals(expected.schema), sql
        assert adbc.adbc_get_table_schema(table, db_schema_filter=schema).equals(expected.schema), sql
        assert shown(found) == shown(expected), sql


def test_pep_249_by_the_driver_manager(adbc, cursor):
    cursor.execute("SELECT value, CAST(value AS DOUBLE) / 2 AS half FROM generate_series(1, ?)", (5,))
    assert [column[0] for column in cursor.description] == ["value", "half"]
    assert cursor.fetchone() == (1, 0.5) and cursor.fetchmany(2) == [(2, 1.0), (3, 1.5)]
    assert cursor.fetchall() == [(4, 2.0), (5, 2.5)] and cursor.fetchone() is None
    # There are no transactions; these do nothing.
    adbc.commit()
    adbc.rollback()


def test_statements_without_rows(cursor, tmp_path):
    cursor.execute("CREATE VIEW v AS SELECT 7 AS seven")
    assert cursor.execute("SELECT * FROM v").fetchall() == [(7,)]
    cursor.execute(f"COPY (SELECT * FROM generate_series(1, 12)) TO '{tmp_path}/twelve.csv'")
    assert cursor.rowcount == 12
    assert (tmp_path / "twelve.csv").read_text().count("\n") == 13
    # Several statements: the last gives the rows.
    assert cursor.execute("CREATE VIEW w AS SELECT 8 AS eight; SELECT seven + eight FROM v, w").fetchall() == [(15,)]


@pytest.mark.parametrize("value", [None, True, 2**53 + 1, -5, 0.1, "it's", "", "naïve 漢", b"\x00\xff"])
def test_values_are_bound(cursor, value):
    assert cursor.execute("SELECT ? AS value", (value,)).fetchall() == [(value,)]


def test_values_of_all_kinds_of_arrow_are_bound(cursor):
    table = pyarrow.table({
        "text": pyarrow.array(["a", None]).dictionary_encode(),
        "view": pyarrow.array(["b", "c"], pyarrow.string_view()),
        "small": pyarrow.array([1, 2], pyarrow.int8()),
    })
    # One run for each row, one after the other; the columns are those of the first.
    cursor.execute("SELECT ? || 'x', ? || 'y', ? + 1", table)
    assert cursor.fetchall() == [("ax", "by", 2), (None, "cy", 3)]


def test_a_statement_runs_once_for_each_row_of_values(cursor, tmp_path):
    ranges = pyarrow.table({"start": [1, 10, 5], "stop": [2, 12, 4]})
    sql = "SELECT value FROM generate_series(?, ?)"
    assert cursor.execute(sql, ranges).fetchall() == [(1,), (2,), (10,), (11,), (12,)]
    assert cursor.execute(sql, ranges.to_reader(max_chunksize=1)).fetchall() == [(1,), (2,), (10,), (11,), (12,)]
    assert cursor.execute(sql, ranges.slice(0, 0)).fetchall() == []
    cursor.executemany(f"COPY (SELECT * FROM generate_series(1, ?)) TO '{tmp_path}/rows.csv'", [(3,), (4,)])
    assert cursor.rowcount == 7


def test_wrong_numbers_of_values_are_errors(cursor):
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="1 parameters, and 2 values"):
        cursor.execute("SELECT ? AS one", (1, 2))
    with pytest.raises(adbc_driver_manager.ProgrammingError):
        cursor.execute("SELECT ? AS one, ? AS two", (1,))


@pytest.mark.parametrize(
    ("sql", "kind", "state"),
    [
        ("SELEC 1", adbc_driver_manager.ProgrammingError, "42601"),
        ("SELECT valeu FROM states", adbc_driver_manager.ProgrammingError, "42703"),
        ("SELECT * FROM nowhere", adbc_driver_manager.ProgrammingError, "42P01"),
        ("SELECT CAST('x' AS INT)", adbc_driver_manager.DataError, "22P02"),
    ],
)
def test_errors_have_a_status_a_message_and_a_state(cursor, sql, kind, state):
    with pytest.raises(kind) as raised:
        cursor.execute(sql).fetchall()
    assert raised.value.sqlstate == state
    assert "did you mean value" in str(raised.value) or "valeu" not in sql
    # The statement can be used again.
    assert cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_errors_while_rows_are_read(cursor):
    for fetch in (cursor.fetchall, cursor.fetch_arrow_table, cursor.fetch_df):
        cursor.execute("SELECT 10 / (value - 9000) FROM generate_series(1, 20000)")
        with pytest.raises(adbc_driver_manager.DataError, match="(?i)zero") as raised:
            fetch()
        assert raised.value.sqlstate == "22012"
        assert cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_options_of_a_database(tmp_path):
    for options, message in [
        ({"uri": "missing.trace"}, "missing.trace"),
        ({}, "uri"),
        ({"uri": str(QUICKSTART), "threads": "0"}, "threads"),
        ({"uri": str(QUICKSTART), "colour": "red"}, "there are uri, trace"),
        ({"uri": str(QUICKSTART), "time_unit": "days"}, "days"),
    ]:
        with pytest.raises(adbc_driver_manager.Error, match=message):
            adbc_driver_manager.dbapi.connect(driver=ocellus.adbc.driver_path(), db_kwargs=options)
    ocellus.import_trace(QUICKSTART, tmp_path / "store", name="one")
    ocellus.import_trace(TRACES / "links.trace", tmp_path / "store", name="two")
    with ocellus.adbc.connect(tmp_path / "store", trace="two", threads=1, memory_limit="1GB") as connection:
        assert connection.adbc_current_db_schema == "two" and connection.adbc_current_catalog == "ocellus"
        connection.adbc_current_db_schema = "one"
        assert connection.adbc_current_db_schema == "one"
        with connection.cursor() as cursor:
            (count,) = cursor.execute("SELECT count(*) FROM states").fetchone()
        assert count == program_rows(QUICKSTART, "SELECT count(*) FROM states").column(0)[0].as_py()


def test_what_the_driver_says_of_itself(adbc):
    info = adbc.adbc_get_info()
    assert info["vendor_name"] == "Ocellus" and info["vendor_version"] == ocellus.__version__
    assert info["driver_adbc_version"] == 1_001_000
    assert adbc.adbc_get_table_types() == ["table", "view"]


def test_objects_are_those_of_the_information_schema(adbc, cursor):
    (catalog,) = adbc.adbc_get_objects().read_all().to_pylist()
    assert catalog["catalog_name"] == "ocellus"
    found = [
        (schema["db_schema_name"], table["table_name"], column["column_name"], column["ordinal_position"])
        for schema in catalog["catalog_db_schemas"]
        for table in schema["db_schema_tables"]
        for column in table["table_columns"]
    ]
    expected = cursor.execute("SELECT table_schema, table_name, column_name, ordinal_position FROM information_schema.columns").fetchall()
    # The session has that schema itself, which is not of the store; it counts from 0, and ADBC from 1.
    assert sorted(found) == sorted((*row[:3], row[3] + 1) for row in expected if row[0] != "information_schema")


def test_objects_by_depth_and_pattern(adbc):
    def schemas(**filters):
        rows = adbc.adbc_get_objects(**filters).read_all().to_pylist()
        return rows[0]["catalog_db_schemas"] if rows else rows

    assert schemas(depth="catalogs") is None
    assert all(schema["db_schema_tables"] is None for schema in schemas(depth="db_schemas"))
    assert schemas(catalog_filter="other") == [] and schemas(db_schema_filter="none%") == []
    (schema,) = schemas(db_schema_filter="quick%", table_name_filter="state\\_segments")
    (table,) = schema["db_schema_tables"]
    assert table["table_name"] == "state_segments" and table["table_constraints"] == []
    (schema,) = schemas(db_schema_filter="quick%", table_name_filter="states", column_name_filter="%_time")
    assert [column["column_name"] for column in schema["db_schema_tables"][0]["table_columns"]] == ["start_time", "end_time"]
    views = schemas(db_schema_filter="quick%", table_types_filter=["view"], depth="tables")[0]["db_schema_tables"]
    assert views and {table["table_type"] for table in views} == {"view"}


def test_the_columns_of_a_statement_without_running_it(cursor):
    schema = cursor.adbc_execute_schema(ENDLESS.replace("count(*)", "a.value, CAST(b.value AS TEXT) AS text"))
    assert schema == pyarrow.schema({"value": pyarrow.int64(), "text": pyarrow.string()})
    with pytest.raises(adbc_driver_manager.ProgrammingError):
        adbc = cursor.connection
        adbc.adbc_get_table_schema("nowhere")


def test_pandas_and_polars_read_by_the_driver(adbc, con):
    sql = "SELECT container, value, duration, start_tick FROM states"
    expected = sorted(con.sql(sql).fetchall())
    frame = pandas.read_sql(sql, adbc)
    assert sorted(frame.itertuples(index=False, name=None)) == expected
    exact = pandas.read_sql(sql, adbc, dtype_backend="pyarrow")
    assert str(exact["start_tick"].dtype) == "int64[pyarrow]"
    assert pandas.read_sql("states", adbc).shape[0] == len(expected)
    table = polars.read_database(sql, adbc)
    assert sorted(table.rows()) == expected
    chosen = polars.read_database(sql + " WHERE value = ?", adbc, execute_options={"parameters": ["compute"]})
    assert sorted(chosen.rows()) == [row for row in expected if row[1] == "compute"]


def test_a_stream_outlives_its_statement_and_connection():
    connection = ocellus.adbc.connect(QUICKSTART)
    cursor = connection.cursor()
    # One that is left in the middle.
    next(cursor.execute(MANY).fetch_record_batch())
    whole = pyarrow.RecordBatchReader.from_stream(cursor.execute("SELECT value FROM generate_series(1, 100000)").fetch_arrow())
    cursor.close()
    connection.close()
    del cursor, connection
    assert sum(batch.num_rows for batch in whole) == 100_000


def test_cancelling_stops_a_query_in_another_thread(adbc, cursor):
    for sql in (ENDLESS, "SELECT a.value + b.value AS sum FROM generate_series(1, 3000000) AS a CROSS JOIN generate_series(1, 3000000) AS b"):
        errors = []
        started = threading.Event()

        def work():
            try:
                cursor.execute(sql)
                started.set()
                cursor.fetch_arrow_table()
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        assert started.wait(PATIENCE)
        cursor.adbc_cancel()
        thread.join(PATIENCE)
        assert not thread.is_alive() and "cancelled" in str(errors[0])
        assert isinstance(errors[0], adbc_driver_manager.OperationalError) and errors[0].sqlstate == "57014"
        assert cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_threads_have_connections_of_their_own(con):
    expected = con.sql("SELECT count(*) FROM states").fetchall()
    results = []

    def work():
        with ocellus.adbc.connect(QUICKSTART) as connection, connection.cursor() as cursor:
            results.extend(cursor.execute("SELECT count(*) FROM states").fetchall() for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert results == [expected] * 30


def test_the_driver_works_where_the_package_is_not_imported():
    """The driver manager loads and unloads the shared object, whose threads stay."""
    code = """
import sys, adbc_driver_manager.dbapi as dbapi
for _ in range(3):
    with dbapi.connect(driver=sys.argv[1], db_kwargs={'uri': sys.argv[2]}) as connection, connection.cursor() as cursor:
        assert cursor.execute('SELECT count(*) FROM containers').fetchone()[0] > 0
assert 'ocellus' not in sys.modules
"""
    run_python(code, ocellus.adbc.driver_path(), QUICKSTART)


def test_objects_are_used_in_their_order():
    """A statement lives as the standard says: what comes too early or too late is an error, and nothing crashes."""
    database = adbc_driver_manager.AdbcDatabase(driver=ocellus.adbc.driver_path(), uri=str(QUICKSTART))
    connection = adbc_driver_manager.AdbcConnection(database)
    statement = adbc_driver_manager.AdbcStatement(connection)
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="no SQL"):
        statement.execute_query()
    with pytest.raises(adbc_driver_manager.NotSupportedError):
        statement.set_substrait_plan(b"")
    with pytest.raises(adbc_driver_manager.NotSupportedError):
        statement.set_options(**{"adbc.ingest.target_table": "x"})
    statement.set_sql_query("SELECT 1 AS one")
    for _ in range(3):
        stream, _ = statement.execute_query()
        assert pyarrow.RecordBatchReader._import_from_c(stream.address).read_all().to_pydict() == {"one": [1]}
    stream, rows = statement.execute_query()
    assert rows == -1
    statement.close()
    connection.close()
    database.close()
    assert pyarrow.RecordBatchReader._import_from_c(stream.address).read_all().num_rows == 1


def test_a_fork_is_detected():
    code = """
import os, sys, ocellus.adbc
connection = ocellus.adbc.connect(sys.argv[1])
cursor = connection.cursor()
expected = cursor.execute('SELECT count(*) FROM states').fetchall()
child = os.fork()
if child == 0:
    try:
        cursor.execute('SELECT 1').fetchall()
    except Exception as error:
        os._exit(0 if 'spawn' in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert cursor.execute('SELECT count(*) FROM states').fetchall() == expected
cursor.close()
connection.close()
"""
    run_python(code, QUICKSTART)
