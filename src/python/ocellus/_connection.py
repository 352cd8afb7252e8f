"""Connections: a snapshot of a store, and what can be asked of it."""

from __future__ import annotations

import datetime
import html
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from ocellus import _ocellus
from ocellus._errors import UsageError
from ocellus._picture import Picture
from ocellus._progress import ProgressBar
from ocellus._query import Query, Reader, html_table, warn_of

__all__ = ["Connection", "Reader", "connect", "import_trace"]

Path: TypeAlias = str | os.PathLike[str]
Progress: TypeAlias = Callable[[int, int | None], object]


def connect(
    source: Path | Iterable[Path],
    *,
    trace: str | None = None,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    format: str | None = None,  # noqa: A002
    time_unit: str | None = None,
    resolution: str | None = None,
    collectives: str | None = None,
    origin: datetime.datetime | None = None,
    progress: Progress | bool = True,
) -> Connection:
    """Opens a store, a trace, a list of traces, or a store in object storage (`s3://bucket/prefix`).

    A trace is imported once into the cache, and again only when the file has changed. The connection sees the store as it is
    now; `refresh()` sees what was imported later.

    trace: the trace whose tables need no prefix; the only one when not given
    memory_limit: memory that queries may use, in bytes or as text such as "2GB"; sorts and aggregations spill beyond it
    threads: threads that a query may use
    format, time_unit, resolution, collectives, origin: how a trace is read, as the options of `ocellus import`
    progress: False shows none; a function is called with the bytes that were read, and all of them or None
    """
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    if not sources:
        raise UsageError("connect takes a store or at least one trace, got an empty list")
    reading = _reading(format, time_unit, resolution, collectives, origin)
    with _bar(progress) as bar:
        session, notes = _ocellus.Session.open(
            [os.fspath(path) for path in sources],
            trace,
            None if memory_limit is None else str(memory_limit),
            threads,
            reading,
            bar,
        )
    connection = Connection(session)
    warn_of(notes)
    if not any(os.path.isfile(os.path.join(os.fspath(path), "ocellus.json")) for path in sources):
        connection._warn_of_lost_lines()
    return connection


def import_trace(
    path: Path,
    store: Path,
    *,
    name: str | None = None,
    replace: bool = False,
    strict: bool = False,
    format: str | None = None,  # noqa: A002
    time_unit: str | None = None,
    resolution: str | None = None,
    collectives: str | None = None,
    origin: datetime.datetime | None = None,
    progress: Progress | bool = True,
) -> dict[str, Any]:
    """Imports a trace into a store, which is made when it is not there; describes the trace.

    Ctrl-C leaves the store as it was. Faults of the trace become rows of the table `diagnostics`; `strict` stops at the first.

    name: its name in SQL; made from the name of the file when not given
    replace: replaces a trace of that name
    """
    reading = _reading(format, time_unit, resolution, collectives, origin)
    with _bar(progress) as bar:
        trace, notes = _ocellus.import_trace(os.fspath(path), os.fspath(store), name, replace, strict, reading, bar)
    warn_of(notes)
    return trace


class Connection:
    """A snapshot of a store. Any number of threads may use it; it is a context that closes it."""

    def __init__(self, session: _ocellus.Session) -> None:
        self._session = session

    def sql(self, text: str, parameters: Sequence[Any] = ()) -> Query:
        """A query: the last statement of the text, with values for its `?` or `$1`.

        It runs when its rows are asked for, each time anew. Statements before it, and one that gives no rows, such as CREATE VIEW,
        run at once.
        """
        statements = self._session.prepare(text, list(parameters))
        if not statements:
            raise UsageError("the text has no statement")
        for statement in statements[:-1]:
            statement.run().collect()
        last = statements[-1]
        kind, columns = last.foresee()
        kept = None if kind == "rows" else last.run().collect()
        return Query(last, kind, columns, kept)

    def draw(self, view: str, **options: Any) -> Picture:
        """A picture of the trace: SVG in a notebook; `save("x.png")` writes it."""
        return Picture(self._session, view, options)

    def register(self, name: str, data: object) -> None:
        """Makes a table of a DataFrame of pandas or polars, an Arrow table, a query, or anything with `__arrow_c_stream__`.

        The data is taken as it is now, without a copy where it can be. A table of that name that was registered before is replaced.
        """
        self._session.register(name, data)

    def unregister(self, name: str) -> None:
        """Forgets a table that was registered."""
        if not self._session.unregister(name):
            raise UsageError(f"no table {name} was registered")

    def help(self, name: str | None = None) -> Help:
        """The page of a function, view or table, with its example; without a name, the list of functions and views."""
        return Help(self._session.help(name))

    def report(self, path: Path, *, overwrite: bool = False) -> str:
        """Writes the standard tables and pictures of the trace into a folder; its page `index.html`."""
        self._session.report(os.fspath(path), overwrite)
        return os.path.join(os.fspath(path), "index.html")

    @property
    def traces(self) -> list[dict[str, Any]]:
        """The traces: name, format, source, span in seconds, rows of each table, diagnostics."""
        return self._session.traces()

    @property
    def trace(self) -> str | None:
        """The trace whose tables need no prefix; None when none is chosen."""
        current = self._session.current_trace()
        return current if any(trace["name"] == current for trace in self.traces) else None

    def refresh(self, *, progress: Progress | bool = True) -> Connection:
        """Sees the store as it is now, and a trace that has changed. Registered tables stay; views and settings are made anew."""
        with _bar(progress) as bar:
            warn_of(self._session.refresh(bar))
        return self

    def close(self) -> None:
        """Ends the connection."""
        self._session.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _warn_of_lost_lines(self) -> None:
        for trace in self.traces:
            if lost := trace["lost_lines"]:
                lines = "line" if lost == 1 else "lines"
                text = f"{lost} {lines} of {trace['source']} could not be used; SELECT * FROM diagnostics shows why"
                warn_of([text])

    def __repr__(self) -> str:
        lines = [f"{trace['name']}: {_summary(trace)}" for trace in self.traces]
        return "\n".join(["<ocellus connection>", *lines])

    def _repr_html_(self) -> str:
        columns = ["trace", "format", "span", *_TABLES, "diagnostics"]
        rows = [
            (trace["name"], trace["format"], _span(trace), *(trace["rows"][table] for table in _TABLES), trace["diagnostics"])
            for trace in self.traces
        ]
        current = self.trace
        note = "" if current is None else f"<p>tables without a prefix are those of <b>{html.escape(current)}</b></p>"
        return html_table(columns, rows) + note


class Help(str):
    """A page of the documentation: Markdown, which a notebook shows."""

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


_TABLES = ("containers", "states", "events", "variables", "links")


def _span(trace: dict[str, Any]) -> str:
    if trace["start_time"] is None or trace["end_time"] is None:
        return "no times"
    return f"{trace['start_time']:g} to {trace['end_time']:g} s"


def _summary(trace: dict[str, Any]) -> str:
    rows = ", ".join(f"{trace['rows'][table]:,} {table}" for table in _TABLES)
    faults = f", {trace['diagnostics']} diagnostics" if trace["diagnostics"] else ""
    return f"{trace['format']}, {_span(trace)}, {rows}{faults}"


def _reading(
    trace_format: str | None,
    time_unit: str | None,
    resolution: str | None,
    collectives: str | None,
    origin: datetime.datetime | None,
) -> dict[str, Any]:
    return {
        "format": trace_format,
        "time_unit": time_unit,
        "resolution": resolution,
        "collectives": collectives,
        "origin_ms": origin_milliseconds(origin),
    }


def origin_milliseconds(origin: datetime.datetime | None) -> int | None:
    """The date of time 0, in milliseconds since 1970."""
    if origin is None:
        return None
    # Without a zone it is UTC, as on the command line.
    moment = origin if origin.tzinfo is not None else origin.replace(tzinfo=datetime.timezone.utc)
    return round(moment.timestamp() * 1000)


class _GivenProgress:
    """A function of the user's own, or none, where a bar would be."""

    def __init__(self, function: Progress | None) -> None:
        self._function = function

    def __enter__(self) -> Progress | None:
        return self._function

    def __exit__(self, *_: object) -> None:
        pass


def _bar(progress: Progress | bool) -> ProgressBar | _GivenProgress:
    if progress is True:
        return ProgressBar()
    return _GivenProgress(progress if callable(progress) else None)


def _document_draw() -> None:
    """The views and their options come from the definitions that the command line uses."""
    views = "\n".join(f"    {name}: {doc}" for name, doc in _ocellus.views())
    options = "\n".join(f"    {name}: {doc} ({views})" for name, doc, views in _ocellus.view_options())
    Connection.draw.__doc__ = f"{Connection.draw.__doc__}\n\n    Views:\n{views}\n\n    Options, and the views that use them:\n{options}\n"


_document_draw()
