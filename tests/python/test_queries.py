"""Every method of connections, queries and pictures."""
import json
import warnings

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import ocellus
from conftest import ROOT, TRACES, program_rows, run_python

PROFILE = "SELECT value, count(*) AS n, sum(duration) AS seconds FROM states GROUP BY value ORDER BY value"


def test_rows_in_every_shape_are_those_of_the_program(con):
    expected = program_rows(TRACES / "quickstart.trace", PROFILE)
    query = con.sql(PROFILE)
    rows = [tuple(row.values()) for row in expected.to_pylist()]
    assert len(rows) > 3
    assert query.fetchall() == rows
    assert list(query) == rows
    assert query.fetchone() == rows[0]
    assert query.fetchmany(2) == rows[:2]
    assert query.arrow().equals(expected)
    assert pyarrow.Table.from_batches(query.reader()).equals(expected)
    assert query.pl().rows() == rows
    frame = query.df()
    assert [tuple(row) for row in frame.itertuples(index=False)] == rows
    assert str(frame["n"].dtype) == "Int64" and str(frame["seconds"].dtype) == "float64"
    assert query.columns == ["value", "n", "seconds"] and query.types == ["TEXT", "BIGINT", "DOUBLE"]


def test_arrow_streams_go_to_whoever_understands_them(con):
    query = con.sql(PROFILE)
    assert polars.DataFrame(query).height == len(query.fetchall())
    assert pyarrow.table(query).column_names == ["value", "n", "seconds"]
    assert pyarrow.schema(query).names == ["value", "n", "seconds"]
    with query.reader() as reader:
        assert reader.schema.names == ["value", "n", "seconds"]
        assert pyarrow.RecordBatchReader.from_stream(reader).read_all().num_rows == len(query.fetchall())


def test_parameters_stand_wherever_a_constant_does(con):
    query = con.sql("SELECT * FROM state_slices(slices => ?) WHERE value = ? AND seconds > $3".replace("$3", "?"), [4, "compute", 0.0])
    rows = query.fetchall()
    assert rows and all("compute" in row for row in rows)
    values = [1, -(2**63), 2**64 - 1, 1.5, "it's \u00e9", None, True, b"\x00\xff", [1, 2]]
    (row,) = con.sql("SELECT " + ", ".join("?" * len(values)), values).fetchall()
    assert list(row) == values
    numbered = con.sql("SELECT $2, $1, $2", ["a", 7])
    assert numbered.fetchall() == [(7, "a", 7)]
    with pytest.raises(ocellus.QueryError, match="2 parameters"):
        con.sql("SELECT ?, ?", [1])
    with pytest.raises(TypeError, match="object"):
        con.sql("SELECT ?", [object()])


def test_numpy_and_dates_are_values_too(con):
    import datetime
    import decimal

    import numpy

    row = con.sql("SELECT ?, ?, CAST(? AS DATE), CAST(? AS DECIMAL(9, 2))",
                  [numpy.int32(5), numpy.float64(0.5), datetime.date(2024, 5, 1), decimal.Decimal("12.34")]).fetchone()
    assert row == (5, 0.5, datetime.date(2024, 5, 1), decimal.Decimal("12.34"))


def test_a_query_is_lazy_and_cache_keeps_it(con):
    lazy = con.sql("SELECT random() AS r")
    assert lazy.fetchall() != lazy.fetchall()
    kept = con.sql("SELECT random() AS r").cache()
    assert kept.fetchall() == kept.fetchall() == kept.arrow().to_pylist()[0:0] + kept.fetchall()
    assert kept.df()["r"][0] == kept.fetchone()[0] == kept.pl()["r"][0]


def test_statements_without_rows_run_at_once(con):
    con.sql("CREATE VIEW long_states AS SELECT * FROM states WHERE duration > 1")
    assert con.sql("SELECT count(*) FROM long_states").fetchone()[0] > 0
    assert repr(con.sql("SET datafusion.execution.batch_size = 1024")) == "done"
    two = con.sql("CREATE VIEW twice AS SELECT 2 AS two; SELECT two FROM twice")
    assert two.fetchall() == [(2,)]
    with pytest.raises(ocellus.UsageError, match="no statement"):
        con.sql(" ; ")


def test_a_pivot_finds_its_columns(con):
    query = con.sql("PIVOT states ON value USING count(*) GROUP BY container")
    assert "compute" in query.columns and len(query.fetchall()) == 4


def test_notebooks_show_the_first_rows(con):
    query = con.sql("SELECT value AS number, CASE WHEN value > 2 THEN '<b>' END AS text FROM generate_series(1, 1000)")
    html = query._repr_html_()
    assert html.count("<tr>") == 21 and "&lt;b&gt;" in html and "NULL" in html and "more" in html
    assert "the first 20 rows" in repr(query)
    card = con._repr_html_()
    assert "quickstart" in card and "states" in card
    assert "quickstart: paje" in repr(con)


def test_pictures_are_svg_and_files(con, tmp_path):
    picture = con.draw("timeline", width=800)
    assert picture._repr_svg_().startswith("<svg") and 'width="800' in picture.svg
    assert picture.save(tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    assert picture.save(tmp_path / "x.svg").read_text() == picture.svg
    assert con.draw("scene").save(tmp_path / "x.glb").read_bytes().startswith(b"glTF")
    with pytest.raises(ocellus.UsageError, match="did you mean timeline"):
        con.draw("timelime")
    with pytest.raises(ocellus.UsageError, match="does not use p;"):
        con.draw("timeline", p=0.5)
    with pytest.raises(ocellus.UsageError, match="no option widht; did you mean width"):
        con.draw("timeline", widht=3)
    with pytest.raises(ocellus.UsageError, match="palette must be one of"):
        con.draw("timeline", palette="pink")
    for view, _ in ocellus._ocellus.views():
        assert f"    {view}: " in ocellus.Connection.draw.__doc__


def test_frames_join_traces(con):
    labels = pandas.DataFrame({"value": ["compute", "MPI_Recv"], "label": ["work", "wait"]})
    con.register("labels", labels)
    joined = "SELECT DISTINCT label FROM states JOIN labels ON states.value = labels.value ORDER BY 1"
    assert con.sql(joined).fetchall() == [("wait",), ("work",)]
    con.register("labels", polars.DataFrame({"value": ["compute"], "label": ["only"]}))
    assert con.sql(joined).fetchall() == [("only",)]
    con.register("labels", pyarrow.table({"value": ["kernel"], "label": ["arrow"]}))
    con.register("own", con.sql("SELECT 41 + 1 AS answer"))
    assert con.sql("SELECT answer FROM own").fetchall() == [(42,)]
    con.refresh()
    assert con.sql(joined).fetchall() == [("arrow",)]
    con.unregister("labels")
    with pytest.raises(ocellus.QueryError) as caught:
        con.sql(joined)
    assert caught.value.kind == "unknown_table"
    with pytest.raises(ocellus.UsageError):
        con.unregister("labels")
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        con.register("labels", [1, 2])
    with pytest.raises(ocellus.QueryError, match="table of the store"):
        con.register("states", labels)


def test_help_is_the_page_of_the_definition(con):
    page = con.help("critical_path")
    expected = (ROOT / "sql/functions/critical_path.md").read_text()
    assert page == expected.replace("Generated from its definition; do not edit.\n\n", "")
    assert "```sql" in page and page._repr_markdown_() == page
    assert "| container_id |" in con.help("states")
    assert "critical_path" in con.help()
    with pytest.raises(ocellus.UsageError, match="did you mean critical_path"):
        con.help("critcal_path")


def test_exports_and_reports(con, tmp_path):
    query = con.sql(PROFILE)
    expected = query.fetchall()
    assert query.export(tmp_path / "x.parquet") == len(expected)
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").equals(query.arrow())
    query.export(tmp_path / "x.json")
    assert [tuple(row.values()) for row in json.loads((tmp_path / "x.json").read_text())] == expected
    with pytest.raises(ocellus.UsageError, match="overwrite=True"):
        query.export(tmp_path / "x.json")
    query.cache().export(tmp_path / "x.json", overwrite=True)
    assert query.export(tmp_path / "by", partition_by=["value"]) == len(expected)
    assert len(list((tmp_path / "by").iterdir())) == len(expected)
    with pytest.raises(ocellus.UsageError, match="does not determine a format"):
        query.export(tmp_path / "x.unknown")
    with pytest.raises(ocellus.QueryError):
        con.sql("SELECT 1 / (value - 3) FROM generate_series(1, 5)").export(tmp_path / "never.csv")
    assert not (tmp_path / "never.csv").exists()
    page = con.report(tmp_path / "report")
    assert "<svg" in open(page, encoding="utf-8").read()
    with pytest.raises(ocellus.UsageError, match="overwrite=True"):
        con.report(tmp_path / "report")
    con.report(tmp_path / "report", overwrite=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years")
    with pytest.raises(ocellus.UsageError, match="is not a report"):
        con.report(tmp_path / "work", overwrite=True)


def test_sources_are_stores_traces_and_lists(store):
    with ocellus.connect(store) as several:
        assert [trace["name"] for trace in several.traces] == ["links", "quickstart", "variables"]
        assert several.trace is None
        assert several.sql("SELECT count(DISTINCT trace) FROM all_traces.containers").fetchone() == (3,)
    assert ocellus.connect(store, trace="links").trace == "links"
    listed = ocellus.connect([TRACES / "quickstart.trace", str(TRACES / "ring.otf2")])
    assert [trace["format"] for trace in listed.traces] == ["paje", "otf2"]
    limited = ocellus.connect(store, trace="quickstart", memory_limit="64MB", threads=1)
    assert limited.sql("SELECT count(*) FROM states").fetchone()[0] > 0
    for wrong in ({"trace": "nobody"}, {"memory_limit": "much"}, {"threads": 0}, {"time_unit": "years"}, {"format": "pdf"}):
        with pytest.raises(ocellus.Error):
            ocellus.connect(store, **wrong)
    with pytest.raises(ocellus.FileError) as caught:
        ocellus.connect(store / "nothing")
    assert isinstance(caught.value, OSError) and caught.value.errno == 2
    with pytest.raises(ocellus.UsageError):
        ocellus.connect([])


def test_a_closed_connection_says_so(store):
    connection = ocellus.connect(store)
    query = connection.sql("SELECT 1")
    connection.close()
    for use in (lambda: connection.sql("SELECT 1"), query.fetchall, lambda: connection.traces):
        with pytest.raises(ocellus.UsageError, match="closed"):
            use()


def test_errors_have_a_kind_a_place_and_a_hint(con):
    with pytest.raises(ocellus.QueryError) as caught:
        con.sql("SELECT container\nFROM states\nWHERE valeu = 'x'")
    error = caught.value
    assert (error.kind, error.place, error.hint) == ("unknown_column", (3, 7), "did you mean value?")
    assert "3 | WHERE valeu = 'x'" in str(error) and "^^^^^" in str(error)
    kinds = {
        "SELEC 1": "syntax",
        "SELECT * FROM nothing_here": "unknown_table",
        "SELECT nonsense(1)": "unknown_function",
        "SELECT * FROM state_slices(slices => 0)": "invalid",
    }
    for sql, kind in kinds.items():
        with pytest.raises(ocellus.QueryError) as caught:
            con.sql(sql)
        assert caught.value.kind == kind, sql
    with pytest.raises(ocellus.QueryError) as caught:
        con.sql("SELECT 1 / (value - 3) FROM generate_series(1, 5)").fetchall()
    assert caught.value.kind == "division_by_zero"
    # The connection goes on.
    assert con.sql("SELECT 1").fetchall() == [(1,)]


def test_what_there_is_to_say_is_a_warning(store):
    connection = ocellus.connect(store, trace="variables")
    with pytest.warns(ocellus.Note, match="has no"):
        connection.sql("SELECT * FROM comm_matrix").fetchall()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        connection.sql("SELECT count(*) FROM variables").fetchall()


@pytest.mark.parametrize("use", [
    lambda query, path: query.fetchall(),
    lambda query, path: list(query),
    lambda query, path: query.arrow(),
    lambda query, path: query.df(),
    lambda query, path: query.pl(),
    lambda query, path: list(query.reader()),
    lambda query, path: pyarrow.RecordBatchReader.from_stream(query).read_all(),
    lambda query, path: query.export(path),
    lambda query, path: repr(query),
    lambda query, path: query._repr_html_(),
], ids=["fetchall", "iteration", "arrow", "df", "pl", "reader", "stream", "export", "text", "html"])
def test_notes_of_functions_come_with_rows(use, tmp_path):
    traces = [TRACES / "one_rank_per_host_again.trace", TRACES / "one_rank_per_host.trace"]
    with ocellus.connect(traces, trace="one_rank_per_host_again") as con:
        query = con.sql("SELECT value FROM run_diff('one_rank_per_host', by => 'name')")
        with pytest.warns(ocellus.Note, match="run_diff matched 6 containers by name") as said:
            use(query, tmp_path / "x.csv")
        assert len(said) == 1 and len(query.fetchmany(100)) == 12
        # Each use says it, and one that leaves early does not know it.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert query.fetchone() is not None


def test_a_table_of_arrow_costs_no_import_of_pandas():
    code = """
import sys, ocellus
con = ocellus.connect(sys.argv[1])
assert con.sql('SELECT * FROM states').arrow().num_rows > 0
assert sum(batch.num_rows for batch in con.sql('SELECT * FROM states').reader()) > 0
assert not {'pandas', 'polars'} & set(sys.modules)
"""
    run_python(code, TRACES / "quickstart.trace")


def test_a_table_of_html_has_numbers_at_the_right(con):
    shown = con.sql("SELECT 'a<b' AS text, 1.5 AS number, CAST(NULL AS TEXT) AS missing, true AS flag, NULL::BIGINT AS count UNION ALL SELECT NULL, 2, NULL, NULL, 7")._repr_html_()
    assert '<th style="text-align: left">text</th><th style="text-align: right">number</th>' in shown
    assert '<td style="text-align: left">a&lt;b</td>' in shown and '<td style="text-align: right">7</td>' in shown
    # NULL stands where the values of its column do.
    assert '<td style="text-align: right; color: gray">NULL</td>' in shown and '<td style="text-align: left; color: gray">NULL</td>' in shown
    assert '<td style="text-align: left">true</td>' in shown
