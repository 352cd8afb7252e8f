"""A query: SQL that runs when its rows are asked for."""

from __future__ import annotations

import decimal
import html
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ocellus._errors import Note

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ocellus._ocellus import ArrowBatch, KeptRows, PreparedQuery, Rows

# Rows that a notebook or a terminal shows.
SHOWN_ROWS = 20


class Query:
    """A query of a connection. It is lazy: each use runs it anew, and `cache()` keeps its rows.

    It streams Arrow data to whatever understands `__arrow_c_stream__`: `polars.DataFrame(query)`, `pyarrow.table(query)`,
    `duckdb.sql("SELECT * FROM query")`.
    """

    def __init__(self, prepared: PreparedQuery, kind: str, columns: list[tuple[str, str]] | None, kept: KeptRows | None = None):
        self._prepared = prepared
        self._kind = kind
        self._columns = columns
        self._kept = kept

    @property
    def sql(self) -> str:
        """The statement, in normal form, with the values of its parameters."""
        return self._prepared.sql()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._described()]

    @property
    def types(self) -> list[str]:
        """The types of the columns, in SQL."""
        return [kind for _, kind in self._described()]

    @property
    def rows_written(self) -> int | None:
        """How many rows a statement such as COPY wrote; None for others."""
        return self._kept.count() if self._kind == "count" and self._kept is not None else None

    def _described(self) -> list[tuple[str, str]]:
        # The columns of a PIVOT are those of its rows.
        if self._columns is None:
            self._columns = [(name, "") for name in self._all().columns()]
        return self._columns

    def _start(self) -> Rows:
        return self._prepared.run() if self._kept is None else self._kept.rows()

    def _all(self) -> KeptRows:
        if self._kept is not None:
            return self._kept
        rows = self._prepared.run()
        kept = rows.collect()
        warn_of(rows.notes())
        return kept

    def cache(self) -> Query:
        """Runs the query now and keeps its rows: all later uses take them."""
        if self._kept is None:
            self._kept = self._all()
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows, as tuples of Python values; NULL is None."""
        return self._all().tuples()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row; None when there is none."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The first rows."""
        if self._kept is not None:
            return self._kept.limited(size).tuples()
        rows = self._prepared.run()
        try:
            return rows.head(size).limited(size).tuples()
        finally:
            rows.close()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """All rows as tuples, streamed."""
        rows = self._start()
        try:
            while (batch := rows.next_batch()) is not None:
                yield from batch.tuples()
            warn_of(rows.notes())
        finally:
            rows.close()

    def arrow(self) -> pyarrow.Table:
        """All rows, as a table of pyarrow."""
        import pyarrow

        # pyarrow.table(…) would import pandas first, to see whether it is given one of its frames.
        return pyarrow.RecordBatchReader.from_stream(self._all()).read_all()

    def reader(self) -> Reader:
        """The rows batch by batch, as record batches of pyarrow, in bounded memory: `for batch in query.reader(): …`."""
        return Reader(self._start())

    def df(self) -> pandas.DataFrame:
        """All rows, as a DataFrame of pandas. Integers are nullable (`Int64`): ticks beyond 2^53 stay exact beside NULL."""
        import pandas
        import pyarrow

        kinds: dict[Any, Any] = {
            pyarrow.int8(): pandas.Int8Dtype(),
            pyarrow.int16(): pandas.Int16Dtype(),
            pyarrow.int32(): pandas.Int32Dtype(),
            pyarrow.int64(): pandas.Int64Dtype(),
            pyarrow.uint8(): pandas.UInt8Dtype(),
            pyarrow.uint16(): pandas.UInt16Dtype(),
            pyarrow.uint32(): pandas.UInt32Dtype(),
            pyarrow.uint64(): pandas.UInt64Dtype(),
            pyarrow.bool_(): pandas.BooleanDtype(),
        }
        return self.arrow().to_pandas(types_mapper=kinds.get)

    def pl(self) -> polars.DataFrame:
        """All rows, as a DataFrame of polars."""
        import polars

        return polars.DataFrame(self._all())

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the name of the option of the command line
        overwrite: bool = False,
        partition_by: list[str] | None = None,
    ) -> int:
        """Writes the rows to a file, whose name says the format: csv, tsv, json, ndjson, parquet, arrow, md; how many there were.

        `partition_by` writes a folder of Parquet files, one for each value of these columns. The file appears under its name
        when it is whole.
        """
        rows = self._start()
        try:
            count = rows.export(os.fspath(path), format, overwrite, list(partition_by or []))
            warn_of(rows.notes())
        finally:
            rows.close()
        return count

    def show(self, rows: int = SHOWN_ROWS) -> None:
        """Prints the first rows."""
        print(self._text(rows))

    def _head(self, count: int) -> tuple[KeptRows, bool]:
        """The first rows, and whether there are more."""
        if self._kept is not None:
            return self._kept.limited(count), len(self._kept) > count
        rows = self._prepared.run()
        try:
            found = rows.head(count + 1)
            if len(found) <= count:
                warn_of(rows.notes())
        finally:
            rows.close()
        return found.limited(count), len(found) > count

    def _text(self, count: int) -> str:
        if self._kind == "done":
            return "done"
        if self._kind == "count":
            return f"{self.rows_written} rows written"
        head, has_more = self._head(count)
        return head.text("box", None).rstrip("\n") + (f"\nthe first {count} rows; there are more" if has_more else "")

    def __repr__(self) -> str:
        return self._text(SHOWN_ROWS)

    def _repr_html_(self) -> str:
        if self._kind != "rows":
            return f"<p>{html.escape(self._text(0))}</p>"
        head, has_more = self._head(SHOWN_ROWS)
        note = f"<p>the first {SHOWN_ROWS} rows; there are more</p>" if has_more else ""
        return html_table(head.columns(), head.tuples()) + note

    def __arrow_c_schema__(self) -> object:
        return self._start().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._start().__arrow_c_stream__(requested_schema)


class Reader:
    """The rows of a query, batch by batch. It is a context that stops the query."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns."""
        import pyarrow

        return pyarrow.schema(self._rows)

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> pyarrow.RecordBatch:
        import pyarrow

        batch: ArrowBatch | None = self._rows.next_batch()
        if batch is None:
            warn_of(self._rows.notes())
            raise StopIteration
        return pyarrow.record_batch(batch)

    def close(self) -> None:
        """Stops the query."""
        self._rows.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __arrow_c_schema__(self) -> object:
        return self._rows.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)


def warn_of(notes: list[str]) -> None:
    """Says what there is to say besides a result."""
    for note in notes:
        warnings.warn(note, Note, stacklevel=_user_level())


def _user_level() -> int:
    """How far above the caller of this function's caller the user's own code is."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    return level


def html_table(columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Rows as a table of HTML; columns of numbers stand at the right, with their names, all others at the left."""
    sides = ["right" if _is_numeric(row[place] for row in rows) else "left" for place in range(len(columns))]
    head = "".join(f'<th style="text-align: {side}">{html.escape(name)}</th>' for name, side in zip(columns, sides, strict=True))
    body = "".join("<tr>" + "".join(map(_cell, row, sides)) + "</tr>" for row in rows)
    return f'<table class="ocellus"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _is_numeric(values: Iterable[object]) -> bool:
    """Whether there are numbers, and nothing else but NULL."""
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float, decimal.Decimal}


def _cell(value: object, side: str) -> str:
    if value is None:
        return f'<td style="text-align: {side}; color: gray">NULL</td>'
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float):
        text = f"{value:.6g}"
    else:
        text = str(value)
    shown = text if len(text) <= 200 else text[:199] + "…"
    return f'<td style="text-align: {side}">{html.escape(shown)}</td>'
