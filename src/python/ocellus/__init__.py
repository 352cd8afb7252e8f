"""Ocellus: an embedded analytical database for execution traces.

    import ocellus
    con = ocellus.connect("run.otf2")
    con.sql("SELECT * FROM flat_profile").df()
    con.draw("timeline").save("timeline.png")

`connect` opens a trace, several traces or a store; `Connection.sql` gives a `Query`, which runs when its rows are asked for.
Nothing but Python is needed; `df()` takes pandas, `pl()` polars, `arrow()` and `reader()` pyarrow, where they are used.
"""

from __future__ import annotations

from ocellus._connection import Connection, Reader, connect, import_trace
from ocellus._errors import (
    CancelledError,
    Error,
    FileError,
    ForkError,
    InternalError,
    Note,
    QueryError,
    StoreError,
    TraceError,
    UsageError,
)
from ocellus._ocellus import __version__
from ocellus._picture import Picture
from ocellus._query import Query

__all__ = [
    "CancelledError",
    "Connection",
    "Error",
    "FileError",
    "ForkError",
    "InternalError",
    "Note",
    "Picture",
    "Query",
    "QueryError",
    "Reader",
    "StoreError",
    "TraceError",
    "UsageError",
    "__version__",
    "connect",
    "import_trace",
]


def load_ipython_extension(shell: object) -> None:
    """`%load_ext ocellus` gives notebooks the magic `%%ocellus`."""
    from ocellus._magic import OcellusMagics

    shell.register_magics(OcellusMagics)  # type: ignore[attr-defined]
