"""DB-API 2.0 (PEP 249), in this process: for `pandas.read_sql`, `polars.read_database` and whatever takes such a connection.

    import ocellus.dbapi
    con = ocellus.dbapi.connect("run.otf2")
    pandas.read_sql("SELECT * FROM states WHERE value = ?", con, params=["MPI_Recv"])

It needs no other package. Where `adbc_driver_manager` is installed, `ocellus.adbc` hands results over as Arrow tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import ocellus
from ocellus._errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
# Threads may share connections, and not cursors.
threadsafety = 2
paramstyle = "qmark"

Row = tuple[Any, ...]


def connect(source: Any, **options: Any) -> Connection:
    """Opens what `ocellus.connect` opens, with its options; or wraps a connection that is open."""
    if isinstance(source, ocellus.Connection):
        return Connection(source)
    return Connection(ocellus.connect(source, **options))


class Connection:
    """A connection. There are no transactions: everything only reads, and `commit` does nothing."""

    def __init__(self, connection: ocellus.Connection) -> None:
        self._connection: ocellus.Connection | None = connection

    def cursor(self) -> Cursor:
        """A cursor."""
        return Cursor(self)

    def commit(self) -> None:
        """Does nothing."""

    def rollback(self) -> None:
        """Does nothing: there is nothing to undo."""

    def close(self) -> None:
        """Ends the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> ocellus.Connection:
        if self._connection is None:
            raise ProgrammingError("the connection is closed")
        return self._connection


class Cursor:
    """A cursor: one statement after the other, and its rows as they are fetched."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.rowcount = -1
        self.description: list[tuple[Any, ...]] | None = None
        self._query: ocellus.Query | None = None
        self._rows: Iterator[Row] | None = None
        self._is_closed = False

    def execute(self, operation: str, parameters: Sequence[Any] | None = None) -> Cursor:
        """Starts a statement, with values for its `?`."""
        self._check_open()
        if isinstance(parameters, dict):
            raise ProgrammingError("parameters are a sequence of values for ?, not names")
        query = self.connection._open().sql(operation, list(parameters or ()))
        self._query, self._rows = query, None
        written = query.rows_written
        self.rowcount = -1 if written is None else written
        self.description = None
        if query._kind == "rows":
            columns = zip(query.columns, query.types, strict=True)
            self.description = [(name, kind, None, None, None, None, None) for name, kind in columns]
        return self

    def executemany(self, operation: str, parameters: Sequence[Sequence[Any]]) -> Cursor:
        """Runs a statement once for each list of values."""
        for values in parameters:
            self.execute(operation, values)
        return self

    def fetchone(self) -> Row | None:
        """The next row; None at the end."""
        return next(self._fetching(), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows: `size`, or `arraysize` of them."""
        rows = self._fetching()
        count = self.arraysize if size is None else size
        return [row for _, row in zip(range(count), rows)]

    def fetchall(self) -> list[Row]:
        """The rows that are left."""
        return list(self._fetching())

    def fetch_arrow_table(self) -> pyarrow.Table:
        """All rows of the statement, as a table of pyarrow."""
        self._check_open()
        if self._query is None:
            raise ProgrammingError("no statement was executed")
        return self._query.arrow()

    def __iter__(self) -> Iterator[Row]:
        return self._fetching()

    def close(self) -> None:
        """Ends the cursor and its query."""
        self._query, self._rows, self._is_closed = None, None, True

    def setinputsizes(self, sizes: object) -> None:
        """Does nothing, as PEP 249 allows."""

    def setoutputsize(self, size: object, column: object = None) -> None:
        """Does nothing, as PEP 249 allows."""

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise ProgrammingError("the cursor is closed")

    def _fetching(self) -> Iterator[Row]:
        self._check_open()
        if self._query is None or self.description is None:
            raise ProgrammingError("there are no rows: execute a query first")
        if self._rows is None:
            self._rows = iter(self._query)
        return self._rows
